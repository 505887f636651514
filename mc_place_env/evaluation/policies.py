"""Policies as evaluation sees them: something that names its options and gives a batch of actions."""

import hashlib
import inspect
import json
from collections.abc import Callable
from functools import partial
from glob import glob
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from mc_place_env import IDS
from mc_place_env.envs.actions import KEYS, N_RELATIVE_FACES
from mc_place_env.envs.vector_env import PlaceVectorEnv
from mc_place_env.errors import ConfigError
from mc_place_env.tasks import TASKS
from mc_place_env.types import ACTION, ActionType

# options that decide what a policy sees and can say, as opposed to what is asked of it
INTERFACE = ("action_view", "actions", "items", "max_pending", "observe", "offset_range", "view_radius")

DEFAULT_STEMS = ("model", "checkpoint")  # what the scripts call their files; the folder's name says more


class Policy:
    """Base: `name` for tables, `options` of `make` that it cannot do without.

    `checkpoint` tells the training runs of one policy apart; "" where it has only one.
    """

    name = "policy"
    checkpoint = ""
    options: dict[str, Any] = {}

    def identity(self) -> dict[str, Any]:
        """What a record must hold to know this policy again: plain data."""
        return {"name": self.name, "kind": type(self).__name__}

    def merged(self, given: dict[str, Any]) -> dict[str, Any]:
        """The policy's options and the caller's; ConfigError where they differ."""
        for key, value in self.options.items():
            if key in given and plain(given[key]) != plain(value):
                raise ConfigError(f"{key}={given[key]!r}: the policy {self.name} was trained with {key}={value!r}")
        return self.options | given

    def check(self, env: PlaceVectorEnv, env_id: str) -> None:
        """ConfigError where the policy cannot play in this environment."""

    def begin(self, env: PlaceVectorEnv, seeds: list[int]) -> None:
        """Every row begins an episode."""

    def actions(self, env: PlaceVectorEnv, observations: dict[str, np.ndarray], running: np.ndarray) -> Any:
        """A batch of actions in the environment's view; those of rows that are not `running` count for nothing."""
        raise NotImplementedError


class CallablePolicy(Policy):
    """Any function from a batch of observations to a batch of actions in the environment's view."""

    def __init__(self, function: Callable[[dict[str, np.ndarray]], Any]):
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    def identity(self) -> dict[str, Any]:
        """With a hash of the source file, where there is one."""
        source = source_file(inspect.unwrap(self.function)) or source_file(type(self.function))
        return super().identity() | {"sha256": content_hash(Path(source)) if source else None}

    def actions(self, env: PlaceVectorEnv, observations: dict[str, np.ndarray], running: np.ndarray) -> Any:
        """What the function says."""
        return self.function(observations)


class RandomPolicy(Policy):
    """Uniform over the offered types, offsets, relative faces and items; each episode has its own random numbers."""

    name = "random"

    def begin(self, env: PlaceVectorEnv, seeds: list[int]) -> None:
        """Begins the episodes' random numbers."""
        self._generators = [np.random.default_rng(seed) for seed in seeds]

    def actions(self, env: PlaceVectorEnv, observations: dict[str, np.ndarray], running: np.ndarray) -> Any:
        """One draw for each running row; the others wait."""
        offered, r = np.array(env.batch.offered), env.config.offset_range
        high = np.array([len(offered), *[2 * r + 1] * 3, N_RELATIVE_FACES, len(env.items)])
        packed = np.zeros(env.num_envs, ACTION)
        for i in np.flatnonzero(running).tolist():
            drawn = self._generators[i].integers(high)
            packed[i] = (offered[drawn[0]], tuple(drawn[1:4] - r), drawn[4], drawn[5])
        return env.encode_actions(packed)


class ScriptedPolicy(Policy):
    """The task's own expert."""

    name = "scripted"

    def check(self, env: PlaceVectorEnv, env_id: str) -> None:
        """ConfigError where the task has no expert."""
        if TASKS[env.config.task].expert is None:
            raise ConfigError(f"policy 'scripted': the task {env.config.task} has no expert")

    def actions(self, env: PlaceVectorEnv, observations: dict[str, np.ndarray], running: np.ndarray) -> Any:
        """The expert's choice for each running row; the others wait."""
        expert = TASKS[env.config.task].expert
        assert expert is not None
        packed = np.zeros(env.num_envs, ACTION)
        packed["type"] = ActionType.WAIT
        for i in np.flatnonzero(running).tolist():
            action: Any = expert(env.view(i))
            packed[i] = tuple(tuple(action[key]) if key == "anchor" else action[key] for key in KEYS)
        return env.encode_actions(packed)


class CheckpointPolicy(Policy):
    """What train/ppo.py, curriculum.py or rllib.py saved; `run.json` beside it says what it was trained for."""

    def __init__(self, path: str | Path, deterministic: bool = True):
        self.path = path = Path(path)
        self.run = read_run(path)
        self.name, self.deterministic = path.parent.name if path.stem in DEFAULT_STEMS else path.stem, deterministic
        config = self.run["config"]
        self.masked = config["algorithm"] == "maskable_ppo"
        given = {"action_view": config["action_view"]} | config["env"]
        self.options = {key: given[key] for key in INTERFACE if key in given}
        self.model = load_model(path, config["algorithm"])

    def identity(self) -> dict[str, Any]:
        """With path and hash of the file, and what its training was."""
        trained = {key: self.run.get(key) for key in ("config", "steps", "versions", "git")}
        more = {"checkpoint": self.checkpoint, "path": str(self.path), "sha256": content_hash(self.path)}
        return super().identity() | more | {"trained": trained}

    def check(self, env: PlaceVectorEnv, env_id: str) -> None:
        """ConfigError where the environment asks, offers or shows something else than in training."""
        ids = trained_ids(self.run["config"])
        if env_id.rpartition(":")[2] not in ids:
            raise ConfigError(f"policy {self.name}: trained for id {' and '.join(ids)}, the environment is {env_id}")
        self.check_interface(env)

    def check_interface(self, env: PlaceVectorEnv) -> None:
        """ConfigError where the environment offers or shows something else than in training."""
        for what, trained, here in (
            ("action_view", self.run["config"]["action_view"], env.config.action_view),
            ("items", self.run["items"], list(env.items)),
            ("action space", self.model.action_space, env.single_action_space),
            ("observation space", self.model.observation_space, env.single_observation_space),
        ):
            if trained != here:
                raise ConfigError(f"policy {self.name}: trained for {what} {trained}, the environment has {here}")

    def actions(self, env: PlaceVectorEnv, observations: dict[str, np.ndarray], running: np.ndarray) -> Any:
        """The model's choice, with masks if it was trained with them."""
        masks = {"action_masks": env.action_masks()} if self.masked else {}
        return self.model.predict(observations, deterministic=self.deterministic, **masks)[0]


def as_policy(policy: Any) -> Policy:
    """A Policy from "random", "scripted", the path of a checkpoint, "module:function", a callable or a Policy."""
    named = {"random": RandomPolicy, "scripted": ScriptedPolicy}
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, str) and policy in named:
        return named[policy]()
    if isinstance(policy, (str, Path)) and Path(policy).exists():
        return CheckpointPolicy(policy)
    if isinstance(policy, str) and all(part.replace(".", "_").isidentifier() for part in policy.split(":", 1)):
        return CallablePolicy(named_function(policy))
    if isinstance(policy, (str, Path)):
        raise ConfigError(f"policy={str(policy)!r}: no such file, nor one of {', '.join(named)}")
    if callable(policy):
        return CallablePolicy(policy)
    raise ConfigError(f"policy={policy!r}: expected 'random', 'scripted', the path of a model, or a callable")


def as_policies(given: str) -> list[Policy]:
    """The training runs of one policy: all files that a pattern such as `runs/wall-*/model.zip` matches, or just one.

    A pattern's policies bear its text as their name and differ in `checkpoint`.
    """
    if "*" not in given:
        return [as_policy(given)]
    paths = sorted(glob(given))
    if not paths:
        raise ConfigError(f"policy={given!r}: no file matches")
    policies = [CheckpointPolicy(path) for path in paths]
    for policy, path in zip(policies, paths, strict=True):
        policy.name, policy.checkpoint = given, path
    return list(policies)


def named_function(name: str) -> Callable[..., Any]:
    """What "module:function" names; ConfigError if it cannot be imported, or cannot be called."""
    module, _, attribute = name.partition(":")
    if not attribute:
        raise ConfigError(f"policy={name!r}: no such file, nor 'random', 'scripted' or 'module:function'")
    try:
        function = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"policy={name!r}: {error}") from None
    if not callable(function):
        raise ConfigError(f"policy={name!r}: a {type(function).__name__}, which cannot be called")
    return function


def source_file(made: Any) -> str | None:
    """Where a function or class was written; None for compiled code and for an object that is neither."""
    try:
        return inspect.getsourcefile(made)
    except TypeError:
        return None


def content_hash(path: Path) -> str:
    """SHA-256 of a file, or of all files in a folder with their names."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    digest = hashlib.sha256()
    for file in sorted(file for file in path.rglob("*") if file.is_file()):
        digest.update(file.relative_to(path).as_posix().encode() + file.read_bytes())
    return digest.hexdigest()


def trained_ids(config: dict[str, Any]) -> list[str]:
    """The environments a run was made on: its own, and those of its curriculum's stages."""
    stages = (config.get("curriculum") or {}).get("stages", ())
    named = [IDS[stage["task"]] for stage in stages if stage.get("task") in IDS]
    return list(dict.fromkeys([config["id"].rpartition(":")[2], *named]))


def read_run(path: Path) -> dict[str, Any]:
    """The record beside a model; ConfigError if there is none, or another kind of file."""
    record = path.with_name("run.json")
    if not record.is_file():
        raise ConfigError(f"{path}: no run.json beside it, so what it was trained for is not known")
    try:
        run = json.loads(record.read_text())
    except ValueError as error:
        raise ConfigError(f"{record}: not JSON ({error})") from None
    known = isinstance(run, dict) and {"config", "items"} <= run.keys() and isinstance(run["config"], dict)
    if not known or not {"id", "env", "algorithm", "action_view"} <= run["config"].keys():
        raise ConfigError(f"{record}: not the record of a training run")
    return run


def load_model(path: Path, algorithm: str) -> Any:
    """The model itself; ConfigError if the file is none."""
    try:
        return model_class(algorithm)(path)
    except Exception as error:
        raise ConfigError(f"{path}: cannot be loaded as a model ({type(error).__name__}: {error})") from None


def model_class(algorithm: str) -> Callable[[Path], Any]:
    """What loads a checkpoint of `ppo`, `maskable_ppo` or `rllib`."""
    if algorithm == "rllib":
        from mc_place_env.integrations.rllib import TrainedModule

        return TrainedModule
    from sb3_contrib import MaskablePPO
    from stable_baselines3 import PPO

    return partial((MaskablePPO if algorithm == "maskable_ppo" else PPO).load, device="cpu")


def plain(value: Any) -> Any:
    """Lists and tuples alike."""
    return list(value) if isinstance(value, tuple) else value
