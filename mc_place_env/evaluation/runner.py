"""Plays exactly the episodes asked for: one a seed, each counted once.

The rows of a vector environment begin an episode together and the next ones only when all have ended. So short
episodes are not preferred, episode `seed` is the same whatever the number of rows, and on a live server no bot's
episode is disturbed by another's reset.
"""

from collections.abc import Callable, Container, Iterator
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
    """One policy on one task and backend: what was played, and an entry for each episode (see metrics)."""

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


def evaluate(
    policy: Any,
    env_id: str,
    episodes: int = 200,
    seed: int = 0,
    split: str = "test",
    backend: Any = "simulator",
    num_envs: int | None = None,
    on_progress: Progress | None = None,
    done: Container[int] = (),
    **options: Any,
) -> Evaluation:
    """Plays `episodes` episodes, seeded seed, seed + 1, ..., but those in `done`; options are those of `make`.

    `policy` is a Policy, the path of a checkpoint, "random", "scripted", "module:function", or a callable from
    observations (a dict of arrays with a leading axis num_envs) to a batch of actions. `on_progress` is told of
    episodes as they end.
    """
    policy = as_policy(policy)
    check_int("episodes", episodes, 1, 10_000_000)
    rows = check_int("num_envs", ROWS.get(str(backend), 1) if num_envs is None else num_envs, 1, 1_000_000)
    options = policy.merged(options)
    fixed = {"autoreset_mode": AutoresetMode.DISABLED, "split": split, "backend": backend}
    env = make_vector_env(env_id, min(rows, episodes), **fixed, **options)
    try:
        policy.check(env, env_id)
        played = run_episodes(policy, env, list(range(seed, seed + episodes)), on_progress, done)
    finally:
        env.close()
    name = backend if isinstance(backend, str) else type(backend).__name__
    return Evaluation(policy.name, name, env_id, split, options, played)


def run_episodes(
    policy: Policy,
    env: PlaceVectorEnv,
    seeds: list[int],
    on_progress: Progress | None = None,
    done: Container[int] = (),
) -> list[dict[str, Any]]:
    """One episode a seed, `env.num_envs` at a time; the environment must have autoreset DISABLED.

    A round with a seed that is not `done` is played as a whole: what a network answers may depend, in the last bit, on
    the rows beside, and the rest of an interrupted run must come out as if it had not been interrupted.
    """
    played: list[dict[str, Any]] = []
    for first in range(0, len(seeds), env.num_envs):
        chunk = seeds[first : first + env.num_envs]
        if all(seed in done for seed in chunk):
            continue
        for finished in play_round(policy, env, chunk):
            named = ({"checkpoint": policy.checkpoint} | episode for episode in finished)
            new = [episode for episode in named if episode["seed"] not in done]
            played += new
            if on_progress is not None and new:
                on_progress(new)
    return sorted(played, key=lambda episode: episode["seed"])


def play_round(policy: Policy, env: PlaceVectorEnv, seeds: list[int]) -> Iterator[list[dict[str, Any]]]:
    """An episode in each of the first len(seeds) rows, told as they end; the other rows idle along."""
    running = np.arange(env.num_envs) < len(seeds)
    row_seeds = seeds + [0] * (env.num_envs - len(seeds))
    observations, _ = env.reset(seed=row_seeds)
    policy.begin(env, row_seeds)
    views = [env.view(i) for i in range(env.num_envs)]
    counter = EpisodeCounter(row_seeds, env.batch.rows, views)
    while running.any():
        actions = policy.actions(env, observations, running)
        observations, rewards, terminated, truncated, info = env.step(actions)
        counter.update(env.batch.actions, rewards, info, running)
        ended = running & (terminated | truncated)
        running &= ~ended
        if ended.any():
            yield [counter.episode(i) for i in np.flatnonzero(ended).tolist()]
