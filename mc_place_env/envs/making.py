"""From a configuration to a batch with its backend, shared by the single and the vector environment."""

from collections.abc import Callable, Mapping
from typing import Any

from mc_place_env.config import LatencyModel, PlaceEnvConfig, check_choice, check_int, check_number, refuse_unknown
from mc_place_env.errors import ConfigError
from mc_place_env.simulation.batch import Batch
from mc_place_env.tasks import TASKS
from mc_place_env.tasks.base import Instance
from mc_place_env.tasks.scenario import parse_scenario
from mc_place_env.types import Autoreset


def make_batch(
    config: PlaceEnvConfig, n: int = 1, threads: int = 1, autoreset: Autoreset = Autoreset.DISABLED
) -> Batch:
    """The arrays of `n` environments, connected to the configured backend."""
    if config.task not in TASKS:
        raise ConfigError(f"task={config.task!r}: expected one of {', '.join(TASKS)}")
    batch = Batch(config, TASKS[config.task], n, threads, autoreset)
    if config.backend == "minecraft":
        from mc_place_env.backends.minecraft import MinecraftBackend

        batch.backend = MinecraftBackend.connect(config, batch)
    elif config.backend != "simulator":
        batch.backend = config.backend
    return batch


SETTINGS = ("task", "split", "difficulty", "latency")  # beside them a task's settings are its family's parameters


def task_options(batch: Batch, options: dict[str, Any] | None) -> Instance | None:
    """Carries out `reset(options=...)`: sets the task, and returns the instance asked for, if any."""
    given = check_mapping("reset options", options)
    refuse_unknown(given, ("scenario", "task"), "reset options")
    if given.get("scenario") is not None:
        return parse_scenario(given["scenario"], batch.palette)
    where = "reset options['task']"
    task = dict(check_mapping(where, given.get("task")))
    number = task.pop("instance", None)
    if number is not None:
        number = check_int("instance", number, 0, 2**31)
    set_task(batch, task, where)
    return None if number is None else batch.task.instance(number, batch.parameters, batch.items)


def set_task(batch: Batch, given: Mapping[str, Any], where: str = "set_task") -> None:
    """Sets what the episodes that begin from now on are drawn from, and their latency.

    With `task`, what is not given is as the environment was made, and the difficulty of another family that family's
    own; without it, what is not given stays as it is. A difficulty begins anew: it forgets parameters given before.
    Reward weights are the family's unless the environment was made with others; step length, items and actions stay
    the environment's.
    """
    given = check_task(given, where)
    if "instance" in given:
        raise ConfigError(f"{where}: instance={given['instance']!r}: only for one reset, in its options")
    if "latency" in given and batch.backend is not None:
        raise ConfigError(f"{where}: latency: on a live backend the latency is the server's; leave it out")
    before = as_made(batch.config, given["task"]) if "task" in given else present(batch)
    parameters = {key: value for key, value in given.items() if key not in SETTINGS}
    kept = {} if "difficulty" in given else before["parameters"]
    wanted = before | {key: given[key] for key in SETTINGS if key in given} | {"parameters": kept | parameters}
    if wanted != present(batch):
        check_items(batch, wanted["task"], where)
        batch.set_task(TASKS[wanted.pop("task")], *wanted.values())


def check_task(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The settings that are given, checked, without those that are None; ConfigError names key, value and range.

    All others are taken for parameters, which the family checks (`Task.resolve`).
    """
    checks: dict[str, Callable[[str, Any], Any]] = {
        "task": lambda key, value: check_choice(key, value, tuple(TASKS)),
        "split": lambda key, value: check_choice(key, value, ("train", "test")),
        "difficulty": lambda key, value: check_number(key, value, 0.0, 1.0),
        "latency": lambda key, value: LatencyModel.parse(value, key),
    }
    given = {key: value for key, value in given.items() if value is not None}
    return {key: checks[key](f"{where}: {key}", value) if key in checks else value for key, value in given.items()}


def check_items(batch: Batch, task: str, where: str) -> None:
    """ConfigError where another family needs an item that the environment, made for its own, does not offer."""
    lacking = [item for item in TASKS[task].items if item not in batch.items]
    if lacking and task != batch.config.task:
        union = [*batch.items, *lacking]
        raise ConfigError(f"{where}: task={task!r}: the environment lacks {lacking}; make it with items={union}")


def as_made(config: PlaceEnvConfig, task: str) -> dict[str, Any]:
    """The settings an environment of this configuration begins with, if its family were `task`."""
    own = task == config.task
    return {
        "task": task,
        "split": config.split,
        "difficulty": config.difficulty if own and config.difficulty is not None else TASKS[task].difficulty,
        "parameters": dict(config.parameters or {}) if own else {},
        "latency": config.latency or LatencyModel(),
    }


def present(batch: Batch) -> dict[str, Any]:
    """The settings of the episodes that begin now, in the order of `Batch.set_task`."""
    return {
        "task": batch.task.name,
        "split": batch.split,
        "difficulty": batch.difficulty,
        "parameters": batch.given,
        "latency": batch.latency,
    }


def check_mapping(key: str, value: Any) -> Mapping[str, Any]:
    """The value, {} for None; ConfigError for anything but a mapping."""
    if value is not None and not isinstance(value, Mapping):
        raise ConfigError(f"{key}={value!r}: expected a mapping")
    return value or {}
