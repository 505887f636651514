"""N environments as arrays: the record of each, what they share, and the buffers a step fills.

The single environment is a batch of one. A live backend advances the rows itself; see `backends/base.py`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mc_place_env.config import LatencyModel, PlaceEnvConfig, RewardWeights
from mc_place_env.errors import ConfigError
from mc_place_env.rules.blocks import Palette
from mc_place_env.simulation import kernel
from mc_place_env.simulation.observe import number_slices
from mc_place_env.tasks.base import Instance, InstanceTable, Task, region_origin, template
from mc_place_env.types import ACTION, ROW, SHARED, SIZE_Y, RewardTerm

PARALLEL_FROM = 64  # below, threads cost more than they bring


class Batch:
    """State and buffers of `n` environments of one configuration.

    Attributes: `rows` ROW (n,), `shared` SHARED (1,), `actions` ACTION (n,); after a reset or step `voxels` and `goal`
    uint8 (n, 2r+1, 2r+1, 2r+1) and `numbers` float32 (n, F) hold the observation. All are overwritten in place.
    """

    def __init__(self, config: PlaceEnvConfig, task: Task, n: int, threads: int = 1, backend: Any = None):
        self.config, self.task, self.n, self.backend = config, task, n, backend
        self.parallel = threads > 1 and n >= PARALLEL_FROM
        self.palette = Palette(config.items or task.items, config.version)
        self.items = self.palette.items
        self.rows = np.zeros(n, ROW)
        self.shared = np.zeros(1, SHARED)
        self.actions = np.zeros(n, ACTION)
        side = 2 * config.view_radius + 1
        self.voxels = np.zeros((n, side, side, side), np.uint8)
        self.goal = np.zeros((n, side, side, side), np.uint8)
        self.number_slices = number_slices(len(self.items), config.max_pending)
        width = max(part.stop for part, _ in self.number_slices.values())
        self.numbers = np.zeros((n, width), np.float32)
        self._everyone = np.ones(n, np.bool_)
        self._drawn = np.full(n, -1, np.int64)
        self._first = np.zeros(n, np.int64)
        self._write_shared(config, task)
        self._tables: dict[tuple[str, float], InstanceTable] = {}
        self.set_task(config.split, task.difficulty if config.difficulty is None else config.difficulty)
        floor = template(task.floor, region_origin((0.5, 64.0, 0.5)), self.palette)
        self.palette.fill(self.shared[0])
        self._write_template(floor)
        kernel.load_templates(self.rows, self.shared)

    def _write_shared(self, config: PlaceEnvConfig, task: Task) -> None:
        shared = self.shared[0]
        latency = config.latency or LatencyModel()
        shared["ticks_per_step"] = config.ticks_per_step or task.ticks_per_step
        shared["episode_steps"] = config.episode_steps or task.episode_steps
        shared["max_pending"], shared["view_radius"] = config.max_pending, config.view_radius
        shared["n_items"], shared["offset_range"] = len(self.items), config.offset_range
        shared["precheck_world"] = config.precheck == "world"
        shared["reach"], shared["gamma"] = config.reach, config.gamma
        shared["min_y"], shared["max_y"] = self.palette.table.min_y, self.palette.table.max_y
        self.offered = config.actions or task.actions
        shared["actions"][list(self.offered)] = 1
        for name, ticks in (("entry", latency.entry), ("response", latency.response), ("revert", latency.revert_ticks)):
            shared[f"{name}_count"] = len(ticks)
            shared[f"{name}_ticks"][: len(ticks)] = ticks
        shared["revert_probability"] = latency.revert_probability
        weights = RewardWeights.parse(config.rewards, task.rewards)
        for term in RewardTerm:
            shared["reward_weights"][term] = getattr(weights, term.name.lower())

    @property
    def episode_steps(self) -> int:
        """Steps until truncation."""
        return int(self.shared["episode_steps"][0])

    def set_task(self, split: str, difficulty: float) -> None:
        """From the next reset on, episodes are drawn from this split at this difficulty."""
        if (split, difficulty) not in self._tables:
            self._tables[split, difficulty] = self.pack(self.task.instances(split, difficulty, self.items))
        self.table = self._tables[split, difficulty]
        self.split, self.difficulty = split, difficulty
        self.shared["first_instance"], self.shared["instance_count"] = 0, len(self.table.rows)

    def pack(self, instances: list[Instance]) -> InstanceTable:
        """Instances as the kernel reads them; new block states enter the palette."""
        shared = self.shared[0]
        table = InstanceTable.build(instances, self.palette, int(shared["min_y"]), int(shared["max_y"]))
        self.palette.fill(shared)
        return table

    def _write_template(self, world: np.ndarray) -> None:
        shared = self.shared[0]
        shared["template_blocks"] = world
        columns = shared["template_seen"].reshape(-1, 2, SIZE_Y)
        columns[:, 0] = shared["cell_class"][world].reshape(-1, SIZE_Y)

    def seed(self, seeds: Sequence[int]) -> None:
        """The next reset of row i begins the first episode of `seeds[i]`."""
        for row, seed in zip(self.rows, seeds, strict=True):
            kernel.seed_row(row, np.uint64(seed))

    def reset(self, which: np.ndarray | None = None, instance: Instance | None = None) -> None:
        """Begins new episodes in the rows of the mask `which` (default all): on an instance, or on drawn ones."""
        which = self._everyone if which is None else which
        table = self.table if instance is None else self.pack([instance])
        chosen = self._drawn if instance is None else self._first
        kernel.reset_batch(
            self.rows, self.shared, table.rows, table.blocks, table.goals, chosen, which, *self.observation
        )
        if self.backend is not None:
            self.backend.reset(self, which)

    def step(self) -> None:
        """One step of every row by `actions`."""
        if self.backend is not None:
            kernel.begin_batch(self.rows, self.shared, self.actions)
            self.backend.advance(self)
            kernel.finish_batch(self.rows, self.shared, *self.observation)
        elif self.parallel:
            kernel.step_batch_parallel(self.rows, self.shared, self.actions, *self.observation)
        else:
            kernel.step_batch(self.rows, self.shared, self.actions, *self.observation)

    @property
    def observation(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The observation buffers."""
        return self.voxels, self.goal, self.numbers

    def get_state(self) -> dict[str, Any]:
        """Everything a later `set_state` needs to go on from here, byte for byte: plain data, picklable."""
        return {
            "rows": self.rows.copy(),
            "palette": self.palette.names(),
            "task": (self.split, self.difficulty),
            "observation": tuple(part.copy() for part in self.observation),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on from a saved state; ConfigError if it is of another task, item list or number of environments."""
        names = state["palette"]
        if state["rows"].shape != self.rows.shape or [self.palette.id(n) for n in names[3:]] != list(range(3, len(names))):
            raise ConfigError("set_state: the state is of another number of environments, item list or task")
        self.palette.fill(self.shared[0])
        self.set_task(*state["task"])
        self.rows[:] = state["rows"]
        for part, saved in zip(self.observation, state["observation"], strict=True):
            part[:] = saved

    def close(self) -> None:
        """Frees what the backend holds; may be called twice."""
        if self.backend is not None:
            self.backend.close()
