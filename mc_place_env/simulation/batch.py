"""N environments as arrays: the record of each, what they share, and the buffers a step fills.

The single environment is a batch of one. A live backend advances the rows itself; see `backends/base.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mc_place_env.config import LatencyModel, PlaceEnvConfig, reward_weights
from mc_place_env.errors import ConfigError, ScenarioError
from mc_place_env.jit import Direct
from mc_place_env.rules.palette import Palette
from mc_place_env.simulation import kernel
from mc_place_env.simulation.buffers import Buffers
from mc_place_env.simulation.records import records
from mc_place_env.tasks import TASKS
from mc_place_env.tasks.base import Instance, Task, build_table, region_origin, template
from mc_place_env.types import (
    ACTION,
    MAX_LATENCIES,
    MAX_TEMPLATES,
    MAX_UNDO,
    ROW,
    SHARED,
    SIZE_Y,
    Autoreset,
    RewardTerm,
    Table,
    action_parts,
)

STEP_SINGLE, STEP_BATCH = Direct(kernel.step_single), Direct(kernel.step_batch)
STEP_PARALLEL = Direct(kernel.step_batch_parallel)
RESET, START, RESULT = Direct(kernel.reset_batch), Direct(kernel.start_batch), Direct(kernel.result_batch)
PARALLEL_FROM = 64  # rows; below, threads cost more than they bring
CHUNK = 32  # rows a thread takes at a time


class Batch:
    """State and buffers of `n` environments of one configuration.

    Attributes: `rows` ROW (n,), `shared` SHARED (1,), `actions` ACTION (n,), to be filled before a step, or its
    `action_parts`; `out` holds the results of the last step or reset. SAME_STEP only: `ended` bool (n,), whose episode
    ended in the last step, and `final`, those episodes' results. `out` and `final` are overwritten in place.
    """

    def __init__(
        self,
        config: PlaceEnvConfig,
        task: Task,
        n: int = 1,
        threads: int = 1,
        autoreset: Autoreset = Autoreset.DISABLED,
    ):
        self.config, self.n, self.autoreset = config, n, autoreset
        self.backend: Any = None
        self.single = n == 1 and autoreset is Autoreset.DISABLED
        self.parallel = threads > 1 and n >= PARALLEL_FROM
        self.palette = Palette(config.items or task.default_items(config.parameters or {}), config.version)
        self.items = self.palette.items
        self.offered = config.actions or task.actions
        self.rows = records(n, ROW)
        self.shared = records(1, SHARED)
        self.actions = records(n, ACTION)
        self.out = self._buffers(n)
        self.final = self._buffers(n if autoreset is Autoreset.SAME_STEP else 0)
        self.action_parts = action_parts(self.actions)
        self._everyone = np.ones(n, np.bool_)
        self._drawn, self._first = np.full(n, -1, np.int64), np.zeros(n, np.int64)
        self._write_shared(task)
        self._tables: dict[str, Table] = {}
        self._templates: dict[str, int] = {}
        self._latencies: list[LatencyModel | None] = [None] * MAX_LATENCIES
        difficulty = task.difficulty if config.difficulty is None else config.difficulty
        self.set_task(task, config.split, difficulty, config.parameters or {}, config.latency or LatencyModel())
        self.rows["undo_count"] = MAX_UNDO + 1  # the first reset writes the whole world

    def _buffers(self, n: int) -> Buffers:
        return Buffers(n, 2 * self.config.view_radius + 1, len(self.items), self.config.max_pending)

    def _write_shared(self, task: Task) -> None:
        shared, config = self.shared[0], self.config
        shared["ticks_per_step"] = config.ticks_per_step or task.ticks_per_step
        shared["max_pending"], shared["view_radius"] = config.max_pending, config.view_radius
        shared["n_items"], shared["offset_range"] = len(self.items), config.offset_range
        shared["precheck_world"] = config.precheck == "world"
        shared["reach"], shared["gamma"] = config.reach, config.gamma
        shared["min_y"], shared["max_y"] = self.palette.table.min_y, self.palette.table.max_y
        shared["actions"][list(self.offered)] = 1

    def set_task(
        self, task: Task, split: str, difficulty: float, given: Mapping[str, Any], latency: LatencyModel
    ) -> None:
        """From its next reset on, a row's episodes are instances of this split, under this latency.

        `given`: parameters of the family, instead of those that the difficulty stands for.
        """
        parameters = task.resolve(difficulty, given)
        key = repr((task.name, split, parameters))
        if key not in self._tables:
            self._tables[key] = self.pack(task.instances(split, parameters, self.items), task)
        self._set_latency(latency)
        self.table = self._tables[key]
        self.task, self.split, self.difficulty = task, split, difficulty
        self.given, self.parameters = dict(given), parameters
        self.shared["first_instance"], self.shared["instance_count"] = 0, len(self.table.rows)

    def _set_latency(self, latency: LatencyModel) -> None:
        """Episodes under way keep theirs: a new model takes a slot that none of them uses."""
        if latency not in self._latencies:
            in_use = set(self.rows["latency"].tolist())
            free = [k for k, model in enumerate(self._latencies) if model is None or k not in in_use]
            if not free:
                raise ConfigError(
                    f"latency: episodes under way use {MAX_LATENCIES} other models already, the most there can be"
                )
            slot = min(free, key=lambda k: self._latencies[k] is not None)
            self._latencies[slot] = latency
            self._write_latency(slot, latency)
        self.latency, self.shared["latency"] = latency, self._latencies.index(latency)

    def _write_latency(self, k: int, latency: LatencyModel) -> None:
        slot = self.shared["latencies"][0, k]
        for name, ticks in (("entry", latency.entry), ("response", latency.response), ("revert", latency.revert_ticks)):
            slot[f"{name}_count"] = len(ticks)
            slot[f"{name}_ticks"][: len(ticks)] = ticks
        slot["revert_probability"] = latency.revert_probability

    def _template(self, task: Task) -> int:
        """Index of the family's floor and reward weights, written on first use."""
        if task.name not in self._templates:
            if len(self._templates) == MAX_TEMPLATES:
                raise ConfigError(f"task={task.name!r}: one environment holds at most {MAX_TEMPLATES} families")
            world = template(task.floor, region_origin((0.5, 64.0, 0.5)), self.palette)
            self.palette.fill(self.shared[0])
            place = self.shared["templates"][0, len(self._templates)]
            place["blocks"], place["seen"] = world, self.shared["cell_class"][0][world]
            for bits in ("open", "solid"):
                place[bits] = (self.shared[bits][0][world] != 0).reshape(-1, SIZE_Y) @ (1 << np.arange(SIZE_Y))
            weights = reward_weights(self.config.rewards, task.rewards)
            self.shared["reward_weights"][0, len(self._templates)] = [weights[term.name.lower()] for term in RewardTerm]
            self._templates[task.name] = len(self._templates)
        return self._templates[task.name]

    def pack(self, instances: Sequence[Instance], task: Task) -> Table:
        """Instances as the kernel reads them, on the task's floor; new block states enter the palette."""
        place = self._template(task)
        steps = self.config.episode_steps or instances[0].episode_steps or task.episode_steps
        size = len(self.palette)
        try:
            table = build_table(instances, self.palette, place, steps)
        except ScenarioError:
            self.palette.forget_after(size)
            raise
        self.palette.fill(self.shared[0])
        return table

    def seed(self, seeds: Sequence[int]) -> None:
        """The next reset of row i begins the first episode of `seeds[i]`."""
        self.rows["seed"] = np.array([int(seed) % 2**64 for seed in seeds], np.uint64)
        self.rows["episode"] = 0

    def reset(self, which: np.ndarray | None = None, instance: Instance | None = None) -> None:
        """Begins new episodes in the rows of the mask `which` (default all): on an instance, or on drawn ones."""
        which = self._everyone if which is None else which
        table = self.table if instance is None else self.pack([instance], self.task)
        chosen = self._drawn if instance is None else self._first
        RESET.call(self.rows, self.shared, table, chosen, which)
        if self.backend is not None:
            self.backend.reset(self, which)
        START.call(self.rows, self.shared, self.out.addresses, which)

    def step(self) -> None:
        """One step of every row by `actions`, with autoreset."""
        if self.backend is not None:
            self._step_on_backend()
        elif self.single:
            STEP_SINGLE.call(self.rows, self.shared, self.actions, self.out.addresses)
        elif self.parallel:
            STEP_PARALLEL.call(*self._arguments(), CHUNK)
        else:
            STEP_BATCH.call(*self._arguments())
        if self.autoreset is Autoreset.SAME_STEP:
            self.ended = self.out.terminated | self.out.truncated
            if self.ended.any():
                self._finish_episodes(self.ended)

    def _arguments(self) -> tuple[Any, ...]:
        return self.rows, self.shared, self.actions, self.table, self.out.addresses, int(self.autoreset)

    def _finish_episodes(self, ended: np.ndarray) -> None:
        """Keeps the last results of ended episodes in `final`, and begins the next."""
        RESULT.call(self.rows, self.shared, self.final.addresses, ended)
        self.reset(ended)

    def _step_on_backend(self) -> None:
        """The same step where something else advances the world."""
        ended = self.rows["needs_reset"] != 0
        anew = ended if self.autoreset is Autoreset.NEXT_STEP else ~self._everyone
        kernel.begin_batch(self.rows, self.shared, self.actions, ~anew)
        self.backend.advance(self, ~anew)
        kernel.finish_batch(self.rows, self.shared, ~anew)
        if anew.any():
            self.reset(anew)
        RESULT.call(self.rows, self.shared, self.out.addresses, self._everyone)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickled views are copies: makes them anew."""
        self.__dict__.update(state)
        self.action_parts = action_parts(self.actions)

    def get_state(self) -> dict[str, Any]:
        """Everything a later `set_state` needs to go on from here, byte for byte: plain data, picklable."""
        self._refuse_live("get_state")
        rows = self.rows.copy()
        rows["shown_at"] = 0  # an address of this process
        return {
            "rows": rows,
            "palette": self.palette.names(),
            "task": (self.task.name, self.split, self.difficulty, self.given, self.latency),
            "floors": tuple(self._templates),
            "latencies": tuple(self._latencies),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on from a saved state; ConfigError if it is of another task, item list or number of environments."""
        self._refuse_live("set_state")
        names = state["palette"]
        if state["rows"].shape != self.rows.shape or any(self.palette.id(n) != k for k, n in enumerate(names) if k > 2):
            raise ConfigError("set_state: the state is of another number of environments, item list or task")
        self.palette.fill(self.shared[0])
        self._restore_slots(state["floors"], state["latencies"])
        name, *settings = state["task"]
        self.set_task(TASKS[name], *settings)
        self.rows[:] = state["rows"]
        START.call(self.rows, self.shared, self.out.addresses, self._everyone)

    def _restore_slots(self, floors: Sequence[str], latencies: Sequence[LatencyModel | None]) -> None:
        """The rows of a saved state name floors and latency models by number."""
        if tuple(self._templates) != floors:
            self._templates.clear()
            self._tables.clear()
            for name in floors:
                self._template(TASKS[name])
        for k, model in enumerate(latencies):
            self._latencies[k] = model
            if model is not None:
                self._write_latency(k, model)

    def _refuse_live(self, name: str) -> None:
        if self.backend is not None:
            raise ConfigError(f"{name}: only the simulator's state can be saved and restored, not a live server's")

    def close(self) -> None:
        """Frees what the backend holds; may be called twice."""
        if self.backend is not None:
            self.backend.close()
