"""What the package's commands share: `key=value` on the command line, and how they end."""

import sys
from collections.abc import Callable
from typing import Any

import yaml

from mc_place_env.errors import ConfigError, McPlaceError


def exit_status(command: Callable[[], None], interrupted: str = "interrupted") -> int:
    """Runs a command: 0; 2 for bad input or a file that cannot be read or written, in one line; 130 for Ctrl-C."""
    try:
        command()
    except (McPlaceError, OSError) as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(interrupted, file=sys.stderr)
        return 130
    return 0


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
