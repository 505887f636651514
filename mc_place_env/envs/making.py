"""From a configuration to a batch with its backend, shared by the single and the vector environment."""

from collections.abc import Mapping
from typing import Any

from mc_place_env.config import PlaceEnvConfig, check_choice, check_int, check_number, refuse_unknown
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


def task_options(batch: Batch, options: dict[str, Any] | None) -> Instance | None:
    """Carries out `reset(options=...)`: sets the task's settings, and returns the instance asked for, if any."""
    given = check_mapping("reset options", options)
    refuse_unknown(given, ("scenario", "task"), "reset options")
    if given.get("scenario") is not None:
        return parse_scenario(given["scenario"], batch.palette)
    task = dict(check_mapping("reset options['task']", given.get("task")))
    number = task.pop("instance", None)
    if number is not None:
        number = check_int("instance", number, 0, 2**31)
    set_task(batch, task)
    return None if number is None else batch.task.instance(number, batch.parameters, batch.items)


def set_task(batch: Batch, given: Mapping[str, Any]) -> None:
    """Sets `split`, `difficulty` and the family's own parameters for the next resets; None leaves a setting alone.

    What is not given stays, but a difficulty begins anew: it forgets parameters given before.
    """
    wanted = {key: value for key, value in given.items() if value is not None}
    split = check_choice("split", wanted.pop("split", batch.split), ("train", "test"))
    kept = {} if "difficulty" in wanted else batch.given
    difficulty = check_number("difficulty", wanted.pop("difficulty", batch.difficulty), 0.0, 1.0)
    if (split, difficulty, kept | wanted) != (batch.split, batch.difficulty, batch.given):
        batch.set_task(batch.task, split, difficulty, kept | wanted, batch.latency)


def check_mapping(key: str, value: Any) -> Mapping[str, Any]:
    """The value, {} for None; ConfigError for anything but a mapping."""
    if value is not None and not isinstance(value, Mapping):
        raise ConfigError(f"{key}={value!r}: expected a mapping")
    return value or {}
