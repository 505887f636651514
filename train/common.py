"""What the training scripts share: the command line, `key=value` overrides, the record of what a run was made with."""

import argparse
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml

from mc_place_env.config import refuse_unknown
from mc_place_env.errors import ConfigError, McPlaceError

PACKAGES = ("numpy", "numba", "torch", "gymnasium", "stable_baselines3", "sb3_contrib")


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
    try:
        config = load_config(arguments.config, arguments.overrides)
        train(config, arguments.out or Path("runs") / arguments.config.stem, arguments.resume)
    except McPlaceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted before anything was learned", file=sys.stderr)
        return 130
    return 0


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


def overrides(arguments: list[str]) -> dict[str, Any]:
    """`["ppo.learning_rate=1e-3"]` -> `{"ppo": {"learning_rate": 0.001}}`; values are YAML."""
    result: dict[str, Any] = {}
    for argument in arguments:
        path, equals, text = argument.partition("=")
        if not equals or not path:
            raise ConfigError(f"{argument!r}: expected key=value")
        *parents, last = path.split(".")
        place = result
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = parse_value(text)
    return result


def parse_value(text: str) -> Any:
    """A YAML value; `1e-3` is a number too, which YAML 1.1 reads as text."""
    value = yaml.safe_load(text)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def combine(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Nested mappings as one; later layers win."""
    result: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
            result[key] = combine(result[key], value) if both else value
    return result


def versions() -> dict[str, str | None]:
    """Of Python and of the packages a result depends on; None where one is not installed."""
    import mc_place_env

    found: dict[str, str | None] = {"python": platform.python_version(), "mc_place_env": mc_place_env.__version__}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def git_state() -> dict[str, Any] | None:
    """Commit of the checkout this file lies in and whether it was changed; None outside a repository."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(Path(__file__).parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no") != ""
        return {"commit": git("rev-parse", "HEAD"), "changed": changed}
    except (OSError, subprocess.CalledProcessError):
        return None
