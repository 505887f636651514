"""Plays episodes for the replay page: by a policy, or as a live run was recorded."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mc_place_env import IDS
from mc_place_env.backends.replay import Replay
from mc_place_env.backends.trace import Trace, episodes_of, read_trace
from mc_place_env.envs.vector_env import PlaceVectorEnv
from mc_place_env.evaluation.policies import Policy, as_policy
from mc_place_env.integrations import make_vector_env
from mc_place_env.rendering.record import record_episode


def play(
    env_id: str, policy: Any, seeds: Sequence[int], backend: Any = "simulator", **options: Any
) -> list[dict[str, Any]]:
    """The record of one episode a seed; `policy` is what `evaluate` takes, options are those of `make`."""
    policy = as_policy(policy)
    options = policy.merged(options)
    env = make_vector_env(env_id, 1, backend=backend, autoreset_mode="Disabled", **options)
    try:
        policy.check(env, env_id)
        return [record_episode(env, policy, seed) for seed in seeds]
    finally:
        env.close()


def replayed(file: Path | str) -> list[dict[str, Any]]:
    """The record of every episode of a trace (backends/trace.py)."""
    trace = read_trace(file)
    return [episode for row in range(len(trace.plots)) for episode in replayed_row(trace, row)]


def replayed_row(trace: Trace, row: int) -> list[dict[str, Any]]:
    """The record of every episode of one bot; they have no seeds."""
    env = make_vector_env(IDS[trace.task], 1, backend=Replay(trace, row), autoreset_mode="Disabled", **trace.options)
    records = []
    for k, episode in enumerate(episodes_of(trace, row)):
        policy = Recorded(f"recorded, bot {row}, episode {k}", episode.actions)
        record = record_episode(env, policy, 0, {"scenario": episode.scenario}, len(episode.actions))
        records.append(record | {"seed": None})
    return records


class Recorded(Policy):
    """Plays ACTION (steps,) one by one."""

    def __init__(self, name: str, actions: np.ndarray):
        self.name, self._left = name, iter(actions)

    def actions(self, env: PlaceVectorEnv, observations: dict[str, np.ndarray], running: np.ndarray) -> Any:
        """The next one."""
        return env.encode_actions(np.array([next(self._left)]))
