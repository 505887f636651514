"""Plays exactly the episodes asked for: one a seed, each counted once.

The rows of a vector environment begin an episode together and the next ones only when all have ended. So short
episodes are not preferred, episode `seed` is the same whatever the number of rows, and on a live server no bot's
episode is disturbed by another's reset.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from mc_place_env.config import check_int
from mc_place_env.envs.vector_env import PlaceVectorEnv
from mc_place_env.evaluation.metrics import EpisodeCounter, summarise
from mc_place_env.evaluation.policies import Policy, as_policy
from mc_place_env.integrations import make_vector_env

ROWS = {"simulator": 64, "minecraft": 8}  # played at once unless told otherwise
Progress = Callable[[list[dict[str, Any]]], None]  # called with the episodes just finished


@dataclass(frozen=True)
class Evaluation:
    """One policy on one backend: what was played, and an entry for each episode (see metrics)."""

    policy: str
    backend: str
    env_id: str
    split: str
    options: dict[str, Any]
    episodes: list[dict[str, Any]]

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Rates and means over the episodes."""
        return summarise(self.episodes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        told = {name: getattr(self, name) for name in ("policy", "backend", "env_id", "split", "options")}
        return told | {"summary": self.summary, "episodes": self.episodes}


def evaluate(
    policy: Any,
    env_id: str,
    episodes: int = 200,
    seed: int = 0,
    split: str = "test",
    backend: Any = "simulator",
    num_envs: int | None = None,
    on_progress: Progress | None = None,
    **options: Any,
) -> Evaluation:
    """Plays `episodes` episodes, seeded seed, seed + 1, ...; options are those of `make`.

    `policy` is a Policy, the path of a checkpoint, "random", "scripted", or a callable from observations (a dict of
    arrays with a leading axis num_envs) to a batch of actions.
    """
    policy = as_policy(policy)
    check_int("episodes", episodes, 1, 10_000_000)
    rows = check_int("num_envs", ROWS.get(str(backend), 1) if num_envs is None else num_envs, 1, 1_000_000)
    options = policy.merged(options)
    fixed = {"autoreset_mode": AutoresetMode.DISABLED, "split": split, "backend": backend}
    env = make_vector_env(env_id, min(rows, episodes), **fixed, **options)
    try:
        policy.check(env, env_id)
        played = run_episodes(policy, env, list(range(seed, seed + episodes)), on_progress)
    finally:
        env.close()
    name = backend if isinstance(backend, str) else type(backend).__name__
    return Evaluation(policy.name, name, env_id, split, options, played)


def run_episodes(
    policy: Policy, env: PlaceVectorEnv, seeds: list[int], on_progress: Progress | None = None
) -> list[dict[str, Any]]:
    """One episode a seed, `env.num_envs` at a time; the environment must have autoreset DISABLED."""
    played: list[dict[str, Any]] = []
    while len(played) < len(seeds):
        finished = play_round(policy, env, seeds[len(played) : len(played) + env.num_envs])
        played += finished
        if on_progress is not None:
            on_progress(finished)
    return played


def play_round(policy: Policy, env: PlaceVectorEnv, seeds: list[int]) -> list[dict[str, Any]]:
    """An episode in each of the first len(seeds) rows; the others idle along."""
    running = np.arange(env.num_envs) < len(seeds)
    row_seeds = seeds + [0] * (env.num_envs - len(seeds))
    observations, _ = env.reset(seed=row_seeds)
    policy.begin(env, row_seeds)
    counter = EpisodeCounter(row_seeds, int(env.batch.rows["episode_steps"].max()))
    while running.any():
        actions = policy.actions(env, observations, running)
        observations, rewards, terminated, truncated, info = env.step(actions)
        counter.update(env.batch.actions, rewards, info, running)
        running &= ~(terminated | truncated)
    return counter.episodes()[: len(seeds)]
