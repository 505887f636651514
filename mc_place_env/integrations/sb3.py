"""stable-baselines3: a native `VecEnv` over the same kernel, and a feature extractor for the shipped observation.

    venv = make_vec_env("McPlace/Wall-v0", 256, seed=0, action_view="discrete", gamma=0.95)
    MaskablePPO("MultiInputPolicy", venv, policy_kwargs={"features_extractor_class": VoxelExtractor})

Rows begin their next episode in the step that ends one. Their info then holds what Monitor would have added and what
SB3 asks for: `episode` {r, l, t}, `is_success`, `TimeLimit.truncated`, `terminal_observation`, and `outcomes`, the
verdicts heard in the last step (plain dicts, as in the single environment). Other rows' infos are empty.
"""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.callbacks import BaseCallback, ProgressBarCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import nn
from torch.nn import functional

from mc_place_env.config import check_choice
from mc_place_env.curricula import Curriculum
from mc_place_env.envs.spaces import observation
from mc_place_env.envs.vector_env import PlaceVectorEnv
from mc_place_env.errors import ConfigError
from mc_place_env.integrations import make_vector_env
from mc_place_env.simulation.report import outcome_dict, read_requests, request_numbers
from mc_place_env.types import CellClass

SHOWN_ROWS = 9  # in pictures of the vector environment
VIEWS = ("multi_discrete", "discrete")  # SB3 knows no Dict or Tuple actions


def make_vec_env(
    id: str, n_envs: int, seed: int | None = None, action_view: str = "multi_discrete", threads: int = 1, **options: Any
) -> "PlaceVecEnv":
    """`n_envs` environments of a registered id for SB3; row i is seeded `seed + i`. Options are those of `make`."""
    check_choice("action_view", action_view, VIEWS)
    options |= {"action_view": action_view, "threads": threads, "autoreset_mode": AutoresetMode.SAME_STEP}
    return PlaceVecEnv(make_vector_env(id, n_envs, **options), seed)


class PlaceVecEnv(VecEnv):
    """SB3's vector interface to a `PlaceVectorEnv` in SAME_STEP mode."""

    def __init__(self, env: PlaceVectorEnv, seed: int | None = None):
        self.env, self.batch, self._codec = env, env.batch, env._codec
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self.metadata |= {"render_fps": env.metadata["render_fps"]}
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._heard = request_numbers(self.batch.final.facts["outcomes"])
        self._began = time.time()
        if seed is not None:
            self.seed(seed)

    # -- stepping ----------------------------------------------------------------------------------------------------

    def reset(self) -> dict[str, np.ndarray]:
        """Begins an episode in every row; `seed` and `set_options` take effect here."""
        if any(options != self._options[0] for options in self._options):
            raise ConfigError("set_options: the rows share one table of instances, so their options must be equal")
        seeds = None if None in self._seeds else [int(seed) for seed in self._seeds if seed is not None]
        observed, _ = self.env.reset(seed=seeds, options=self._options[0])
        self._returns[:], self._lengths[:] = 0.0, 0
        self._reset_seeds()
        self._reset_options()
        return observed

    def step_async(self, actions: np.ndarray) -> None:
        """Takes the actions of the next step."""
        self._codec.decode(actions, self.batch.action_parts)

    def step_wait(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """One decision of every row: observations, rewards float32 (n,), dones bool (n,), infos."""
        self.batch.step()
        if self.env.scenes is not None:
            self.env.scenes.update()
        out, dones = self.batch.out, self.batch.ended
        self._returns += out.rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(dones)
        if len(ended):
            self._fill_infos(infos, ended)
        observed = observation(out.observed.copy(), out.observed_dtype)
        return observed, out.rewards.astype(np.float32), dones, infos

    def _fill_infos(self, infos: list[dict[str, Any]], ended: np.ndarray) -> None:
        """Writes the infos of the rows whose episode ended, and begins their statistics anew."""
        final, seconds = self.batch.final, round(time.time() - self._began, 6)
        numbers = final.numbers[ended]
        last = {"voxels": final.voxels[ended], "goal": final.goal[ended]}
        last |= {name: numbers[name] for name in numbers.dtype.names}
        figures = (
            ended,
            self._returns[ended],
            self._lengths[ended],
            final.facts["is_success"][ended] != 0,
            final.truncated[ended] & ~final.terminated[ended],
            final.facts["outcome_count"][ended],
        )
        columns = [column.tolist() for column in figures]
        # without strict=, which takes longer than the rest of a zip
        for i, earned, length, success, truncated, heard, *parts in zip(*columns, *last.values()):
            infos[i] = {
                "episode": {"r": earned, "l": length, "t": seconds},
                "is_success": success,
                "TimeLimit.truncated": truncated,
                "terminal_observation": dict(zip(last, parts)),
                "outcomes": self._outcomes(i, heard) if heard else (),
            }
        self._returns[ended], self._lengths[ended] = 0.0, 0

    def _outcomes(self, i: int, count: int) -> tuple[dict[str, Any], ...]:
        """The verdicts that row i heard in the last step of its episode: what the single environment's info says."""
        palette = self.batch.palette
        return tuple([outcome_dict(request, palette) for request in read_requests(self._heard[i, :count])])

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Pictures of the first nine rows, which `render` lays side by side."""
        return [] if self.env.scenes is None else list(self.env.scenes.frames(SHOWN_ROWS))

    def close(self) -> None:
        """Frees what the backend holds; may be called twice."""
        self.env.close()

    # -- attributes and methods of the rows ---------------------------------------------------------------------------

    def action_masks(self) -> np.ndarray:
        """Which actions each row's world allows: bool (n, width)."""
        return self.env.action_masks()

    def set_task(self, **settings: Any) -> None:
        """Reaches every row at its next reset; see PlaceEnv.set_task."""
        self.env.set_task(**settings)

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """The attribute of the vector environment, once for each row."""
        return [getattr(self.env, attr_name)] * len(self._rows(indices))

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Always an error: a write here would reach nothing that the kernel reads."""
        raise AttributeError(f"{attr_name}: cannot be set; for the task, env_method('set_task', ...)")

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls a method of the vector environment once; an array with a row each is split into rows."""
        rows = self._rows(indices)
        result = getattr(self.env, method_name)(*method_args, **method_kwargs)
        if isinstance(result, np.ndarray) and len(result) == self.num_envs:
            return [result[i] for i in rows]
        return [result] * len(rows)

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper], indices: int | Iterable[int] | None = None
    ) -> list[bool]:
        """No row is wrapped; the statistics Monitor keeps are kept here, so SB3's question for it is answered yes."""
        from stable_baselines3.common.monitor import Monitor

        return [issubclass(wrapper_class, Monitor)] * len(self._rows(indices))

    def _rows(self, indices: int | Iterable[int] | None) -> Sequence[int]:
        return list(self._get_indices(indices))


class CurriculumCallback(BaseCallback):
    """Trains on the stages of a curriculum: `PPO(...).learn(steps, callback=CurriculumCallback(curriculum))`.

    Sets the stage drawn for the episodes that begin next, and records how each ended for the stage it began in;
    episodes that began before training count for none. Tells TensorBoard and SB3's progress bar of stage, success in
    each stage and promotions (people count stages from 1). The curriculum's state is the model's `curriculum_state`, so
    every checkpoint holds it, and a model that is loaded and trained again goes on in the same stage. A stage that the
    environments cannot play is a ConfigError before anything is learned.
    """

    def __init__(self, curriculum: Curriculum, seed: int | None = None):
        super().__init__()
        self.curriculum, self.rng = curriculum, np.random.default_rng(seed)

    def _init_callback(self) -> None:
        state = getattr(self.model, "curriculum_state", None)
        if state is not None:
            self.curriculum.load_state(state)
        self.model.curriculum_state = self.curriculum.state  # type: ignore[attr-defined]
        self._own_task = self.training_env.get_attr("config", indices=0)[0].task
        self._playing, self._next = np.full(self.training_env.num_envs, -1), -1
        for stage in [*range(len(self.curriculum.stages)), self.curriculum.draw(self.rng)]:
            self._set(stage)

    def _on_step(self) -> bool:
        for i in np.flatnonzero(self.locals["dones"]).tolist():
            if self._playing[i] >= 0:
                self._record(self.locals["infos"][i]["is_success"], int(self._playing[i]))
            self._playing[i] = self._next
        self._set(self.curriculum.draw(self.rng))
        return True

    def _set(self, stage: int) -> None:
        """Episodes that begin from now on are of this stage."""
        if stage != self._next:
            self.training_env.env_method("set_task", **{"task": self._own_task} | self.curriculum.stages[stage].task)
            self._next = stage

    def _record(self, success: bool, stage: int) -> None:
        promotions = self.curriculum.state["promotions"]
        known = len(promotions)
        self.curriculum.record(success, stage)
        for promotion in promotions[known:]:
            promotion["steps"] = self.num_timesteps

    def _on_rollout_end(self) -> None:
        curriculum, logger = self.curriculum, self.logger
        logger.record("curriculum/stage", curriculum.stage + 1)
        logger.record("curriculum/promotions", len(curriculum.state["promotions"]))
        chances = curriculum.probabilities()
        for k in range(len(curriculum.stages)):
            logger.record(f"curriculum/drawn_{k + 1}", float(chances[k]))
            if (success := curriculum.success(k)) is not None:
                logger.record(f"curriculum/success_{k + 1}", success)
        for callback in getattr(self.locals.get("callback"), "callbacks", ()):
            if isinstance(callback, ProgressBarCallback):
                callback.pbar.set_description(curriculum.summary())


class VoxelExtractor(BaseFeaturesExtractor):
    """Features of the shipped observation for placing tasks.

    The cubes (side^3 each) as *solid*, a block is there, and *open*, the goal asks for a block that is neither there
    nor asked for by a request in flight, together with the number parts go through one Linear(hidden) and ReLU. Which
    items the open cells want, (items,), goes beside it: among a thousand cells they would hardly be heard.

    The number parts named in `hide` are left out; without `pending`, what was asked for stays *open* until it is there.
    """

    def __init__(self, observation_space: spaces.Dict, hidden: int = 128, hide: Sequence[str] = ()):
        cube = observation_space["voxels"]
        assert isinstance(cube, spaces.Box)
        n_items = int(cube.high.max()) + 1 - CellClass.ITEM
        super().__init__(observation_space, hidden + n_items)
        self.side, self.n_items = cube.shape[0], n_items
        self.numbers = [key for key in observation_space.spaces if key not in ("voxels", "goal", *hide)]
        numbers = sum(int(np.prod(observation_space[key].shape or ())) for key in self.numbers)
        self.linear = nn.Linear(2 * self.side**3 + numbers, hidden)

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Observations of n environments -> (n, hidden + items)."""
        voxels, goal = observations["voxels"].flatten(1), observations["goal"].flatten(1)
        wanted = goal * (goal != voxels)
        if "pending" in self.numbers:
            wanted = wanted * (1 - self.asked(observations["pending"]))
        numbers = [observations[key].flatten(1) for key in self.numbers]
        hidden = functional.relu(self.linear(torch.cat([voxels >= CellClass.ANCHOR, wanted > 0, *numbers], dim=1)))
        items = [(wanted == CellClass.ITEM + k).any(dim=1, keepdim=True) for k in range(self.n_items)]
        return torch.cat([hidden, *items], dim=1)

    def asked(self, pending: torch.Tensor) -> torch.Tensor:
        """Cells that requests in flight are to fill: pending (n, max_pending, 7) -> 0 or 1 (n, side^3)."""
        cells = (pending[..., 1:4] + self.side // 2).long()  # right, up, forward
        inside = (pending[..., 0] > 0) & ((cells >= 0) & (cells < self.side)).all(dim=-1)
        right, up, forward = cells.clamp(0, self.side - 1).unbind(-1)
        at = (right * self.side + forward) * self.side + up
        return pending.new_zeros(len(pending), self.side**3).scatter_add_(1, at, inside.float()).clamp_(max=1)
