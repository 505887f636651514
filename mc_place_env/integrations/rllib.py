"""Ray RLlib (new API stack): a policy network for the shipped observation, the success rate, and checkpoints.

    register_env("mc_place_env", make_env)
    config = (
        PPOConfig()
        .environment("mc_place_env", env_config={"id": "McPlace/Wall-v0", "action_view": "multi_discrete"})
        .env_runners(num_env_runners=2, num_envs_per_env_runner=128, gym_env_vectorize_mode="vector_entry_point")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=PlacingModule))
        .callbacks(on_episode_end=log_success)
    )

`train/rllib.py` is the whole of it. `.environment("mc_place_env:McPlace/Wall-v0", env_config={...})` works too, but
then RLlib carries all of `info` along, a dict for every row and step, and is several times slower.
"""

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import VectorWrapper
from ray.rllib.core.columns import Columns
from ray.rllib.core.distribution.torch.torch_distribution import TorchCategorical, TorchMultiCategorical
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModule
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import nn

from mc_place_env.errors import ConfigError
from mc_place_env.integrations import make_vector_env
from mc_place_env.integrations.sb3 import VoxelExtractor

MODULE = Path("learner_group", "learner", "rl_module", "default_policy")  # within an algorithm's checkpoint
MASK = "action_mask"


class SuccessInfo(VectorWrapper):
    """Leaves of `info` what `log_success` reads."""

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """As the environment's."""
        observations, info = self.env.reset(**options)
        return observations, {"is_success": info["is_success"]}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """As the environment's."""
        *results, info = self.env.step(actions)
        return *results, {"is_success": info["is_success"]}


def make_env(context: Mapping[str, Any]) -> SuccessInfo:
    """RLlib's env creator: `id`, `num_envs` (from RLlib) and options of `make` -> the native vector environment."""
    options = dict(context)
    return SuccessInfo(make_vector_env(options.pop("id"), options.pop("num_envs", 1), **options))


class PlacingModule(TorchRLModule, ValueFunctionAPI):
    """VoxelExtractor, then a policy and a value network with `layers` each; as train/ppo.py trains.

    `model_config`: features (outputs of the extractor's layer), hide (parts it leaves out), layers (list of widths).
    With `action_mask` in the observation (`observe=("action_mask",)`), actions it forbids have no probability.
    """

    def setup(self) -> None:
        """Builds the networks."""
        sizes = action_sizes(self.action_space)
        seen = spaces.Dict({key: space for key, space in self.observation_space.items() if key != MASK})
        self.extractor = VoxelExtractor(seen, self.model_config["features"], self.model_config.get("hide", ()))
        widths = [self.extractor.features_dim, *self.model_config["layers"]]
        self.policy, self.value = network([*widths, sum(sizes)]), network([*widths, 1])
        self.action_dist_cls = TorchCategorical
        if isinstance(self.action_space, spaces.MultiDiscrete):
            self.action_dist_cls = TorchMultiCategorical.get_partial_dist_cls(space=self.action_space, input_lens=sizes)

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        features = self.features(batch)
        logits = self.policy(features)
        if MASK in batch[Columns.OBS]:
            logits = logits.masked_fill(batch[Columns.OBS][MASK] == 0, -1e9)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: features}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """State values, float32 (n,)."""
        return self.value(self.features(batch) if embeddings is None else embeddings).squeeze(-1)

    def features(self, batch: dict[str, Any]) -> torch.Tensor:
        """Of observations as arrays of n rows: float32 (n, features_dim)."""
        return self.extractor({key: part.float() for key, part in batch[Columns.OBS].items() if key != MASK})


def action_sizes(space: Any) -> list[int]:
    """Choices in each part of a MultiDiscrete or Discrete action space; ConfigError for another."""
    if isinstance(space, spaces.MultiDiscrete):
        return space.nvec.tolist()
    if isinstance(space, spaces.Discrete):
        return [int(space.n)]
    raise ConfigError("action_view: expected 'multi_discrete' or 'discrete' for PlacingModule")


def network(widths: list[int]) -> nn.Sequential:
    """Linear layers of these widths with tanh between them."""
    layers: list[nn.Module] = []
    for n_in, n_out in itertools.pairwise(widths):
        layers += [nn.Linear(n_in, n_out), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


def log_success(episode: Any, metrics_logger: Any, window: int = 1000, **_: Any) -> None:
    """RLlib's `on_episode_end`: `success` is the share of the last `window` episodes that reached their goal."""
    metrics_logger.log_value("success", float(episode.get_infos(-1)["is_success"]), window=window)


class TrainedModule:
    """A module from an algorithm's checkpoint folder, with the interface SB3's models have."""

    def __init__(self, checkpoint: Path):
        self.module = RLModule.from_checkpoint(str((checkpoint / MODULE).resolve()))
        self.action_space, self.observation_space = self.module.action_space, self.module.observation_space

    def predict(self, observations: dict[str, np.ndarray], deterministic: bool = True) -> tuple[np.ndarray, None]:
        """Actions for observations with a leading axis: int64 (n, ...), and no state."""
        tensors = {key: torch.as_tensor(part) for key, part in observations.items()}
        with torch.no_grad():
            logits = self.module.forward_inference({Columns.OBS: tensors})[Columns.ACTION_DIST_INPUTS]
        chosen = self.module.get_inference_action_dist_cls().from_logits(logits)
        return (chosen.to_deterministic() if deterministic else chosen).sample().numpy(), None
