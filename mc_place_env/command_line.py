"""What the package's commands share: `key=value` on the command line."""

from typing import Any

import yaml

from mc_place_env.errors import ConfigError


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
