"""N environments in one kernel call: Gymnasium's VectorEnv, native."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from mc_place_env.config import PlaceEnvConfig, check_bool, check_choice, check_int
from mc_place_env.envs.actions import make_codec
from mc_place_env.envs.making import check_mapping, make_batch, set_task, task_options
from mc_place_env.envs.spaces import observation, observation_space, shapes
from mc_place_env.errors import ConfigError
from mc_place_env.simulation.buffers import Buffers, parts_of
from mc_place_env.simulation.facts import named_facts
from mc_place_env.simulation.report import TERM_TEXT
from mc_place_env.simulation.view import RowView
from mc_place_env.spatial_map import learn_and_write
from mc_place_env.types import CELLS, UNLOADED, Autoreset

RENDER_MODES = (None, "rgb_array")
MODES = {
    AutoresetMode.NEXT_STEP: Autoreset.NEXT_STEP,
    AutoresetMode.SAME_STEP: Autoreset.SAME_STEP,
    AutoresetMode.DISABLED: Autoreset.DISABLED,
}


class PlaceVectorEnv(gym.vector.VectorEnv):
    """N environments as one: `gymnasium.make_vec("McPlace/Wall-v0", num_envs=256, ...)`.

    Row i seeded with `seed + i` is, byte for byte, the single environment (PlaceEnv) with that seed. Takes PlaceEnv's
    arguments, and:

    | Parameter | Type | Default | Meaning |
    |---|---|---|---|
    | `num_envs` | int | 1 | rows |
    | `autoreset_mode` | AutoresetMode or its name | NEXT_STEP | SAME_STEP adds `final_obs`, `final_info`; DISABLED \
takes `reset(options={"reset_mask": bool (num_envs,)})` |
    | `copy` | bool | True | False returns views of buffers that the next step overwrites |
    | `threads` | int | 1 | above 1, and from 64 rows on, rows are stepped in parallel (numba's thread count) |
    | `render_mode` | str | None | `"rgb_array"` only: `render()` gives a picture of every row |

    ## Information
    Arrays with a leading axis num_envs; codes are those of the enums in `mc_place_env.types`. G = max_pending + 1.

    | Key | Shape | Meaning |
    |---|---|---|
    | `status`, `reason` | () | 0 nothing asked, 1 accepted, 2 rejected; Reason |
    | `request_id` | () | id of the request accepted in this step, 0 if none |
    | `tick`, `pending_count`, `is_success` | () | ticks since reset, requests in flight, goal reached |
    | `outcome_count` | () | groups in use below |
    | `outcome_request_id`, `outcome`, `outcome_reason`, `outcome_item`, `outcome_face`, `outcome_*_tick`, \
`outcome_*_step` | (G,) | verdicts heard of in this step, in order of resolution |
    | `outcome_anchor`, `outcome_destination`, `outcome_cell` | (G, 3) | their cells |
    | `change_count`, `change_*` | (G,), (G, 3) | later changes of placed blocks |
    | `reward_terms` | dict of () | weighted terms |
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        threads: int = 1,
        **options: Any,
    ):
        self.num_envs = check_int("num_envs", num_envs, 1, 1_000_000)
        mode = _autoreset_mode(autoreset_mode)
        self.metadata = {"autoreset_mode": mode, "render_modes": ["rgb_array"], "render_fps": 5}
        self.config = PlaceEnvConfig.parse(options)
        self.render_mode = check_choice("render_mode", self.config.render_mode, RENDER_MODES)
        self.copy = check_bool("copy", copy)
        self.batch = make_batch(self.config, self.num_envs, check_int("threads", threads, 1, 1024), MODES[mode])
        self._codec = make_codec(self.config, self.batch)
        self.single_action_space = self._codec.space
        self.single_observation_space = observation_space(self.batch, self._codec.mask_width)
        if self.config.observe and mode is AutoresetMode.SAME_STEP:
            raise ConfigError("observe=: not with autoreset_mode=SAME_STEP, whose final_obs would lack it")
        self._known = np.zeros((0, 0), np.uint8)
        if "spatial_map" in self.config.observe:
            self._known = np.full((self.num_envs, CELLS), UNLOADED, np.uint8)
        self.scenes: Any = None
        if self.render_mode is not None:
            from mc_place_env.rendering.env import RowScenes

            self.scenes = RowScenes(self.batch)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    # -- Gymnasium ---------------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None):
        """Begins an episode in every row (or, with options["reset_mask"], in some); row i is seeded seed + i."""
        options = dict(check_mapping("reset options", options))
        which = self._mask(options.pop("reset_mask", None))
        instance = task_options(self.batch, options)
        self._seed(seed)
        self.batch.reset(which, instance)
        self.batch.out.terms[slice(None) if which is None else which] = 0.0
        if self.scenes is not None:
            self.scenes.update()
        return self._observation(), self._told(self.batch.out)[0]

    def step(self, actions: Any):
        """One decision of every row."""
        batch = self.batch
        self._codec.decode(actions, batch.action_parts)
        batch.step()
        if self.scenes is not None:
            self.scenes.update()
        info, rewards, terminated, truncated = self._told(batch.out)
        if batch.autoreset is Autoreset.SAME_STEP and batch.ended.any():
            self._add_final(info)
        return self._observation(), rewards, terminated, truncated, info

    def render(self) -> tuple[np.ndarray, ...] | None:
        """A picture uint8 (512, 512, 3) of every row, about 30 ms each; None without a render mode."""
        return None if self.scenes is None else self.scenes.frames()

    def close_extras(self, **_: Any) -> None:
        """Frees what the backend holds."""
        if hasattr(self, "batch"):  # Gymnasium 1.2 also closes, when it is collected, one that could not be made
            self.batch.close()

    # -- for scripts -------------------------------------------------------------------------------------------------

    @property
    def items(self) -> tuple[str, ...]:
        """Item names; the index is the action's `item`."""
        return self.batch.items

    def view(self, i: int) -> RowView:
        """What scripted experts see of row i."""
        return RowView(self.batch, i)

    def action_masks(self) -> np.ndarray:
        """Which actions each row's world allows: bool (n, width)."""
        return self._codec.masks(self.batch)

    def encode_actions(self, actions: np.ndarray) -> Any:
        """Canonical actions ACTION (n,) in this environment's view."""
        return self._codec.encode(actions)

    def set_task(self, **settings: Any) -> None:
        """Reaches every row at its next reset; see PlaceEnv.set_task."""
        set_task(self.batch, settings)

    def get_state(self) -> dict[str, Any]:
        """Plain data from which `set_state` goes on, byte for byte."""
        return self.batch.get_state()

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on from a saved state of an environment with the same configuration."""
        self.batch.set_state(state)

    # -- pieces ------------------------------------------------------------------------------------------------------

    def _mask(self, mask: Any) -> np.ndarray | None:
        if mask is None:
            return None
        mask = np.asarray(mask)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ConfigError(f"reset_mask={mask!r}: expected a bool array of shape ({self.num_envs},), not all False")
        return np.ascontiguousarray(mask)

    def _seed(self, seed: int | list[int] | None) -> None:
        if seed is None and self.batch.rows["episode"].any():
            return
        if seed is None:
            seed = int(self.np_random.integers(2**62))
        elif not isinstance(seed, (list, tuple, np.ndarray)):
            seed = check_int("seed", seed, 0, 2**64 - 1)
            super().reset(seed=seed)
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else list(seed)
        if len(seeds) != self.num_envs:
            raise ConfigError(f"seed={seed!r}: expected one seed or {self.num_envs} of them")
        self.batch.seed([check_int(f"seed[{i}]", s, 0, 2**65) for i, s in enumerate(seeds)])

    def _observation(self) -> dict[str, np.ndarray]:
        parts = self._observed(self.batch.out)
        return self._add_optional(parts) if self.config.observe else parts

    def _add_optional(self, parts: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        batch, observe = self.batch, self.config.observe
        if "spatial_map" in observe:
            parts["spatial_map"] = np.empty_like(batch.out.voxels)
            learn_and_write(batch.rows, batch.shared, self._known, parts["spatial_map"])
        if "shapes" in observe:
            parts["shapes"] = shapes(batch)
        if "action_mask" in observe:
            parts["action_mask"] = self.action_masks().astype(np.int8)
        return parts

    def _observed(self, buffers: Buffers) -> dict[str, np.ndarray]:
        return observation(buffers.observed.copy() if self.copy else buffers.observed, buffers.observed_dtype)

    def _told(self, buffers: Buffers) -> tuple[dict[str, Any], np.ndarray, np.ndarray, np.ndarray]:
        """Info, rewards, terminated, truncated."""
        block = buffers.told.copy() if self.copy else buffers.told
        facts, terms, rewards, terminated, truncated = parts_of(block, buffers.told_dtype)
        info: dict[str, Any] = named_facts(facts)
        info["is_success"] = info["is_success"].astype(np.bool_)
        info["reward_terms"] = dict(zip(TERM_TEXT, terms.T))
        return info, rewards, terminated, truncated

    def _add_final(self, info: dict[str, Any]) -> None:
        """SAME_STEP: the last results of the episodes that ended."""
        final, ended = self.batch.final, self.batch.ended
        info["final_obs"], info["_final_obs"] = self._observed(final), ended
        info["final_info"], info["_final_info"] = self._told(final)[0], ended.copy()


def _autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    for known in MODES:
        if mode in (known, known.value, known.name):
            return known
    raise ConfigError(f"autoreset_mode={mode!r}: expected one of {', '.join(m.value for m in MODES)}")
