"""Episodes as a Minari dataset, for learning offline and from demonstrations.

    python -m mc_place_env.integrations.minari --id McPlace/Wall-v0 --policy scripted --episodes 100 \\
        --dataset mcplace/wall/scripted-v0

Then `minari.load_dataset("mcplace/wall/scripted-v0")`; train/clone.py clones a policy from one. Observations are the
environment's, actions are canonical (the dict view) whatever view the policy plays in, infos are `numeric_info`.
MINARI_DATASETS_PATH says where datasets are. Exit status: 0 written, 2 anything that cannot be, 130 interrupted.
"""

import argparse
import sys
import warnings
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import gymnasium as gym
import numpy as np

from mc_place_env.command_line import exit_status, overrides
from mc_place_env.config import check_int
from mc_place_env.envs.actions import KEYS
from mc_place_env.envs.vector_env import PlaceVectorEnv
from mc_place_env.errors import ConfigError
from mc_place_env.evaluation.policies import Policy, as_policy
from mc_place_env.integrations import make_vector_env

try:
    import minari
    from minari.data_collector import EpisodeBuffer
    from minari.dataset.minari_dataset import parse_dataset_id
    from minari.storage import get_dataset_path
    from tqdm import tqdm
except ImportError as error:
    raise ImportError("datasets need Minari: pip install 'mc_place_env[minari]'") from error

ROWS = 32  # episodes played at once


def numeric_info(info: Mapping[str, Any], i: int) -> dict[str, np.ndarray]:
    """The facts of row i of a vector environment's info: the same keys, shapes and dtypes in every step.

    Keys and codes are those of PlaceVectorEnv; `reward_terms` become `reward_<term>`.
    """
    facts = {key: np.asarray(info[key][i]) for key in info if key != "reward_terms"}
    return facts | {f"reward_{name}": np.asarray(values[i]) for name, values in info["reward_terms"].items()}


def create_dataset(
    dataset_id: str, env_id: str, policy: Any, episodes: int = 100, seed: int = 0, **options: Any
) -> "minari.MinariDataset":
    """Plays episodes seeded seed, seed + 1, ... and keeps them as a dataset.

    `policy` is what `evaluate` takes, options are those of `make`. ConfigError if there is such a dataset already.
    """
    policy = as_policy(policy)
    check_int("episodes", episodes, 1, 10_000_000)
    check_new(dataset_id)
    options = policy.merged(options)
    env = make_vector_env(env_id, min(ROWS, episodes), autoreset_mode="Disabled", **options)
    try:
        policy.check(env, env_id)
        rounds = play_rounds(policy, env, list(range(seed, seed + episodes)))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* is set to None")  # author and the like: not ours to say
            dataset = minari.create_dataset_from_buffers(
                dataset_id,
                next(rounds),
                env=spec_of(env_id, options),
                observation_space=env.single_observation_space,
                algorithm_name=policy.name,
                description=f"{episodes} episodes of {env_id}, policy {policy.name}, seeds from {seed}",
                requirements=["mc_place_env"],
                jpeg_encoding=False,
            )
        with tqdm(total=episodes, initial=dataset.total_episodes, unit="episode", disable=None, leave=False) as bar:
            for buffers in rounds:
                dataset.storage.update_episodes(buffers)
                bar.update(len(buffers))
    finally:
        env.close()
    return minari.load_dataset(dataset_id)


def check_new(dataset_id: str) -> None:
    """ConfigError for a name that Minari refuses, or that is taken."""
    try:
        parse_dataset_id(dataset_id)
    except ValueError as error:
        raise ConfigError(f"dataset={dataset_id!r}: {error}") from None
    path = get_dataset_path(dataset_id)
    if path.exists():
        raise ConfigError(f"dataset={dataset_id!r}: {path} exists already; delete it or take another version")


def spec_of(env_id: str, options: dict[str, Any]) -> Any:
    """The single environment the dataset is of: with canonical actions, so without masks; on the simulator."""
    kept = {key: value for key, value in options.items() if key not in ("action_view", "backend")}
    if "observe" in kept:
        kept["observe"] = [name for name in kept["observe"] if name != "action_mask"]
    spec = deepcopy(gym.spec(env_id))  # not the registry's own
    spec.kwargs = spec.kwargs | kept
    return spec


def play_rounds(policy: Policy, env: PlaceVectorEnv, seeds: list[int]) -> Iterator[list[EpisodeBuffer]]:
    """One episode a seed, `env.num_envs` at a time."""
    for first in range(0, len(seeds), env.num_envs):
        yield play_round(policy, env, seeds[first : first + env.num_envs])


def play_round(policy: Policy, env: PlaceVectorEnv, seeds: list[int]) -> list[EpisodeBuffer]:
    """An episode in each of the first len(seeds) rows."""
    running = np.arange(env.num_envs) < len(seeds)
    row_seeds = seeds + [0] * (env.num_envs - len(seeds))
    observations, info = env.reset(seed=row_seeds)
    policy.begin(env, row_seeds)
    kept = [Steps(observations, info, i) for i in range(len(seeds))]
    while running.any():
        observations, *outcome, info = env.step(policy.actions(env, observations, running))
        for i in np.flatnonzero(running).tolist():
            kept[i].add(env.batch.actions[i], observations, outcome, info)
        running &= ~(outcome[1] | outcome[2])
    return [steps.buffer(seed) for steps, seed in zip(kept, seeds, strict=True)]


class Steps:
    """One row's episode, step by step."""

    def __init__(self, observations: dict[str, np.ndarray], info: dict[str, Any], i: int):
        self._i = i
        self._observations = [{key: part[i] for key, part in observations.items()}]
        self._infos = [numeric_info(info, i)]
        self._actions: list[dict[str, Any]] = []
        self._outcomes: list[list[Any]] = []

    def add(self, action: np.void, observations: dict[str, np.ndarray], outcome: list[Any], info: dict) -> None:
        """A step: ACTION, the observations after it, and reward, terminated, truncated of all rows."""
        self._observations.append({key: part[self._i] for key, part in observations.items()})
        self._infos.append(numeric_info(info, self._i))
        self._actions.append({key: action[key].astype(np.float32 if key == "anchor" else np.int64) for key in KEYS})
        self._outcomes.append([part[self._i] for part in outcome])

    def buffer(self, seed: int) -> EpisodeBuffer:
        """The episode as Minari stores it."""
        rewards, terminations, truncations = (list(part) for part in zip(*self._outcomes, strict=True))
        return EpisodeBuffer(
            seed=seed,
            observations=stacked(self._observations),
            actions=stacked(self._actions),
            rewards=rewards,
            terminations=terminations,
            truncations=truncations,
            infos=stacked(self._infos),
        )


def stacked(parts: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """A list of dicts of arrays as one dict of arrays with a leading axis."""
    return {key: np.stack([part[key] for part in parts]) for key in parts[0]}


def main(arguments: list[str] | None = None) -> int:
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m mc_place_env.integrations.minari", description="Write episodes as a Minari dataset."
    )
    parser.add_argument("--id", default="McPlace/Wall-v0")
    parser.add_argument("--policy", default="scripted", help="scripted (default), random or a model.zip")
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first episode")
    parser.add_argument("--dataset", required=True, help="its Minari id, such as mcplace/wall/scripted-v0")
    parser.add_argument("options", nargs="*", metavar="key=value")
    given = parser.parse_intermixed_args(arguments)

    def create() -> None:
        options = overrides(given.options)
        dataset = create_dataset(given.dataset, given.id, given.policy, given.episodes, given.seed, **options)
        print(f"{given.dataset}: {dataset.total_episodes} episodes, {dataset.total_steps} steps")

    return exit_status(create, "interrupted: the dataset holds what was played so far")


if __name__ == "__main__":
    sys.exit(main())
