"""What the training scripts share: configs in layers, and the record of what a run was made with."""

import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

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
