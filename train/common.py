"""What the training scripts share: `key=value` overrides, and the record of what a run was made with."""

import os
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml

from mc_place_env.config import refuse_unknown
from mc_place_env.errors import ConfigError

PACKAGES = ("numpy", "numba", "torch", "gymnasium", "stable_baselines3", "sb3_contrib")


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


def machine() -> str:
    """Processor and number of cores, as the operating system names them."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores"
