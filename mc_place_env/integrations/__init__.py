"""Other libraries' interfaces to the environments, and what they share. Importing this imports none of them."""

from typing import Any

import gymnasium as gym

from mc_place_env.envs.vector_env import PlaceVectorEnv
from mc_place_env.errors import ConfigError


def make_vector_env(env_id: str, num_envs: int, **options: Any) -> PlaceVectorEnv:
    """`gymnasium.make_vec` for our ids; ConfigError for an unknown id, or another package's."""
    try:
        entry_point = gym.spec(env_id.rpartition(":")[2]).vector_entry_point
    except gym.error.Error as error:
        raise ConfigError(f"id={env_id!r}: {error}") from None
    if entry_point != "mc_place_env.envs.vector_env:PlaceVectorEnv":
        raise ConfigError(f"id={env_id!r}: not an environment of mc_place_env")
    env = gym.make_vec(env_id, num_envs=num_envs, **options)
    assert isinstance(env, PlaceVectorEnv)
    return env
