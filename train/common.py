"""What the training scripts share: configs in layers, and the record of what a run was made with."""

from collections.abc import Mapping
from typing import Any

from mc_place_env.config import refuse_unknown
from mc_place_env.errors import ConfigError
from mc_place_env.evaluation.record import git_state, versions

__all__ = ["combine", "git_state", "merge", "versions"]


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
