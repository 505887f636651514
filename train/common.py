"""What the training scripts share: the command line, configs in layers, the record of what a run was made with."""

import argparse
import os
import platform
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mc_place_env.command_line import exit_status
from mc_place_env.config import refuse_unknown
from mc_place_env.errors import ConfigError
from mc_place_env.evaluation.record import git_state, versions

__all__ = ["combine", "command", "git_state", "merge", "versions"]


def command(
    doc: str | None,
    load_config: Callable[[Path, list[str]], dict[str, Any]],
    train: Callable[[dict[str, Any], Path, Path | None], None],
) -> int:
    """A training script's command line: reads the config, trains, and returns the exit status."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path, help="YAML file")
    parser.add_argument("overrides", nargs="*", metavar="key=value")
    parser.add_argument("--out", type=Path, help="folder of the run; default: runs/ and the config's name")
    parser.add_argument("--resume", type=Path, help="checkpoint to go on from")
    arguments = parser.parse_intermixed_args()

    def run() -> None:
        config = load_config(arguments.config, arguments.overrides)
        train(config, arguments.out or Path("runs") / arguments.config.stem, arguments.resume)

    return exit_status(run, "interrupted before anything was learned")


def merge(defaults: Mapping[str, Any], given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """`defaults` overridden by `given`, mapping by mapping; ConfigError names a key that is not known.

    An empty mapping among the defaults takes any key.
    """
    merged = dict(defaults)
    for key, value in given.items():
        refuse_unknown([key], defaults, where)
        if isinstance(defaults[key], Mapping):
            if not isinstance(value, Mapping):
                raise ConfigError(f"{where}: {key}={value!r}: expected a mapping")
            value = merge(defaults[key], value, f"{where}: {key}") if defaults[key] else dict(value)
        merged[key] = value
    return merged


def combine(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Nested mappings as one; later layers win."""
    result: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
            result[key] = combine(result[key], value) if both else value
    return result


def machine() -> str:
    """Processor and number of cores, as the operating system names them."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores"
