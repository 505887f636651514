"""The single environment."""

from typing import Any

import gymnasium as gym
import numpy as np

from mc_place_env.config import PlaceEnvConfig
from mc_place_env.envs.actions import VIEWS
from mc_place_env.envs.making import make_batch, task_options
from mc_place_env.envs.spaces import observation_space
from mc_place_env.simulation import report
from mc_place_env.simulation.view import Agent, RowView
from mc_place_env.spatial_map import SpatialMap
from mc_place_env.types import Outcome, Status


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
        self.spatial_map = SpatialMap(self._batch.palette)

    # -- Gymnasium ---------------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begins an episode: on a drawn instance, on `options["task"]`, or on `options["scenario"]`."""
        super().reset(seed=seed)
        instance = task_options(self._batch, options)
        if seed is not None or self._batch.rows["episode"][0] == 0:
            self._batch.seed([int(self.np_random.integers(2**63)) if seed is None else seed])
        self._batch.reset(instance=instance)
        row = self._batch.rows[0]
        if not self.config.keep_spatial_map or tuple(row["origin"].tolist()) != self.spatial_map.origin:
            self.spatial_map = SpatialMap(self._batch.palette, row["origin"].tolist())
        return self._observation(), self._info(row)

    def step(self, action: Any):
        """One decision; see the module for what happens in which order."""
        self._codec.decode_one(action, self._batch.actions)
        self._batch.step()
        row = self._batch.rows[0]
        info = self._info(row)
        return self._observation(), float(row["reward"]), bool(row["terminated"]), bool(row["truncated"]), info

    def render(self):
        """A picture (`rgb_array`), a window (`human`) or text (`ansi`) of the scene."""
        from mc_place_env.rendering.env import render

        return render(self)

    def close(self) -> None:
        """Frees what the backend holds; may be called twice."""
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
        batch = self._batch
        voxels, goal, numbers = (part[0].copy() for part in batch.out[:3])
        parts = {"voxels": voxels, "goal": goal}
        for name, (place, shape) in batch.number_slices.items():
            parts[name] = numbers[place].reshape(shape)
        return parts

    def _info(self, row: np.void) -> dict[str, Any]:
        palette = self._batch.palette
        text, data = self._response(row)
        outcomes = report.outcome_dicts(row, palette)
        learned, error = self._learn(row)
        return {
            "status": report.STATUS_TEXT[row["status"]],
            "reason": report.REASON_TEXT[row["reason"]],
            "value": text,
            "data": data,
            "outcomes": outcomes,
            "changes": report.change_dicts(row, palette),
            "pending": self._view.pending,
            "map_updated": learned,
            "map_error": error,
            "tick": int(row["tick"]),
            "is_success": bool(row["success"]),
            "reward_terms": dict(zip(report.TERM_TEXT, row["reward_terms"].tolist(), strict=True)),
        }

    def _response(self, row: np.void) -> tuple[str, dict[str, Any] | None]:
        if row["status"] == Status.NONE:
            return "", None
        if row["status"] == Status.REJECTED:
            return report.rejected_data(report.REASON_TEXT[row["reason"]])
        return report.accepted_data(row["response"], self._batch.palette)

    def _learn(self, row: np.void) -> tuple[bool, str]:
        """Updates the spatial map; a failure is reported, never raised."""
        try:
            for request in row["outcomes"][: row["outcome_count"]]:
                if request["outcome"] == Outcome.PLACED:
                    self.spatial_map.record_placement(tuple(request["cell"].tolist()), int(request["state_after"]))
            flying = row["pending"][: row["pending_count"]]
            self.spatial_map.set_pending((int(r["id"]), tuple(r["destination"].tolist())) for r in flying)
            return self.spatial_map.observe(row, self.config.view_radius), ""
        except Exception as error:
            return False, f"{type(error).__name__}: {error}"

