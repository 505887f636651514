"""The single environment."""

from typing import Any

import gymnasium as gym
import numpy as np

from mc_place_env.config import PlaceEnvConfig
from mc_place_env.envs.actions import VIEWS
from mc_place_env.envs.making import make_batch, task_options
from mc_place_env.envs.spaces import observation_space
from mc_place_env.simulation import report
from mc_place_env.simulation.facts import FACTS
from mc_place_env.simulation.view import Agent, RowView
from mc_place_env.spatial_map import SpatialMap


STATUS, REASON, TICK, SUCCESS, PENDING, OUTCOMES, CHANGES, TERMINATED, TRUNCATED = (
    FACTS.index(name)
    for name in (
        "status",
        "reason",
        "tick",
        "is_success",
        "pending_count",
        "outcome_count",
        "change_count",
        "terminated",
        "truncated",
    )
)


class PlaceEnv(gym.Env):
    """See mc_place_env/envs/place_env.py."""

    metadata = {"render_modes": ["rgb_array", "human", "ansi"], "render_fps": 5}

    def __init__(self, **options: Any):
        self.config = PlaceEnvConfig.parse(options)
        self.render_mode = self.config.render_mode
        self._batch = make_batch(self.config, 1)
        self._view = RowView(self._batch)
        self._codec = VIEWS[self.config.action_view](self._batch.offered, len(self._batch.items), self.config.offset_range)
        self.action_space = self._codec.space
        self.observation_space = observation_space(self._batch)
        self._number_parts = [
            (name, place, None if len(shape) == 1 else shape) for name, (place, shape) in self._batch.number_slices.items()
        ]
        self.spatial_map = SpatialMap(self._batch.palette)
        self._scenes: Any = None
        if self.render_mode is not None:
            from mc_place_env.rendering.env import Scenes

            self._scenes = Scenes(self._view, self.render_mode)

    # -- Gymnasium ---------------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begins an episode: on a drawn instance, on `options["task"]`, or on `options["scenario"]`."""
        super().reset(seed=seed)
        instance = task_options(self._batch, options)
        if seed is not None or self._batch.rows["episode"][0] == 0:
            self._batch.seed([int(self.np_random.integers(2**63)) if seed is None else seed])
        self._batch.reset(instance=instance)
        if not self.config.keep_spatial_map or self._view.origin != self.spatial_map.origin:
            self.spatial_map = SpatialMap(self._batch.palette, self._view.origin)
        info = self._info(self._batch.out.facts[0].tolist())
        if self._scenes is not None:
            self._scenes.begin(info)
        return self._observation(), info

    def step(self, action: Any):
        """One decision: decode, step, and say in words what became of it."""
        self._codec.decode_one(action, self._batch.actions)
        self._batch.step()
        facts = self._batch.out.facts[0].tolist()
        info = self._info(facts)
        if self._scenes is not None:
            self._scenes.add(info)
        reward = sum(info["reward_terms"].values())
        return self._observation(), reward, facts[TERMINATED] == 1, facts[TRUNCATED] == 1, info

    def render(self) -> Any:
        """A picture (`rgb_array`), a window (`human`) or text (`ansi`) of the scene; None without a render mode."""
        return None if self._scenes is None else self._scenes.render()

    def close(self) -> None:
        """Frees what the backend and the window hold; may be called twice."""
        if self._scenes is not None:
            self._scenes.close()
        self._batch.close()

    # -- for scripts -------------------------------------------------------------------------------------------------

    @property
    def view(self) -> RowView:
        """What scripted experts see."""
        return self._view

    @property
    def items(self) -> tuple[str, ...]:
        """Item names; the index is the action's `item`."""
        return self._batch.items

    @property
    def agent(self) -> Agent:
        """Position, yaw, on_ground, sneaking."""
        return self._view.agent

    @property
    def inventory(self) -> dict[str, int]:
        """Counts by item name."""
        return self._view.inventory

    @property
    def backend(self) -> Any:
        """The live backend, or None for the simulator."""
        return self._batch.backend

    def block_at(self, x: int, y: int, z: int) -> str:
        """Name of the block in a cell, on either backend."""
        return self._view.block_at(x, y, z)

    def encode_action(self, action: dict[str, Any]) -> Any:
        """A canonical action in this environment's view."""
        return self._codec.encode_one(action)

    def action_masks(self) -> np.ndarray:
        """Which actions the world as it is allows: joint for `discrete`, concatenated marginals for `multi_discrete`."""
        return self._codec.masks(self._batch)[0]

    def set_task(self, split: str | None = None, difficulty: float | None = None) -> None:
        """Takes effect at the next reset."""
        task_options(self._batch, {"task": {"split": split, "difficulty": difficulty}})

    def get_state(self) -> dict[str, Any]:
        """Plain data from which `set_state` goes on, byte for byte."""
        return self._batch.get_state() | {"map": (self.spatial_map.origin, self.spatial_map.known.copy())}

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on from a saved state of an environment with the same configuration."""
        self._batch.set_state(state)
        origin, known = state["map"]
        self.spatial_map = SpatialMap(self._batch.palette, origin)
        self.spatial_map.known[:] = known

    # -- info --------------------------------------------------------------------------------------------------------

    def _observation(self) -> dict[str, np.ndarray]:
        out = self._batch.out
        numbers = out.numbers[0].copy()
        parts = {"voxels": out.voxels[0].copy(), "goal": out.goal[0].copy()}
        for name, place, shape in self._number_parts:
            parts[name] = numbers[place] if shape is None else numbers[place].reshape(shape)
        return parts

    def _info(self, facts: list[int]) -> dict[str, Any]:
        row, palette = self._batch.rows[0], self._batch.palette
        text, data = report.response(facts[STATUS], facts[REASON], row, palette)
        learned, error = self._learn(facts)
        return {
            "status": report.STATUS_TEXT[facts[STATUS]],
            "reason": report.REASON_TEXT[facts[REASON]],
            "value": text,
            "data": data,
            "outcomes": report.outcome_dicts(row, palette) if facts[OUTCOMES] else (),
            "changes": report.change_dicts(row, palette) if facts[CHANGES] else (),
            "pending": self._view.pending if facts[PENDING] else (),
            "map_updated": learned,
            "map_error": error,
            "tick": facts[TICK],
            "is_success": facts[SUCCESS] == 1,
            "reward_terms": dict(zip(report.TERM_TEXT, self._batch.out.terms[0].tolist(), strict=True)),
        }

    def _learn(self, facts: list[int]) -> tuple[bool, str]:
        """Updates the spatial map; a failure is reported, never raised."""
        try:
            if facts[OUTCOMES]:
                for cell, state in self._view.placed_now():
                    self.spatial_map.record_placement(cell, state)
            self.spatial_map.set_pending(self._view.pending_requests() if facts[PENDING] else ())
            return self.spatial_map.observe(self._batch.rows, self.config.view_radius), ""
        except Exception as error:
            return False, f"{type(error).__name__}: {error}"
