"""The configuration of an environment: one frozen dataclass, from keyword arguments or YAML, with clear errors."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from mc_place_env.errors import ConfigError
from mc_place_env.types import LATENCY_TABLE, MAX_ITEMS, MAX_PENDING, ActionType, RewardTerm

ACTION_VIEWS = ("dict", "multi_discrete", "discrete", "tuple")
PRECHECKS = ("arguments", "world")
OPTIONAL_OBSERVATIONS = ("spatial_map", "action_mask", "shapes")
LIVE_ONLY = ("server", "version", "username")


def closest(name: str, known) -> str:
    """' (did you mean ...?)' or ''."""
    close = get_close_matches(str(name), list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def refuse_unknown(given, known, where: str) -> None:
    """ConfigError naming the first key that is not known."""
    for key in given:
        if key not in known:
            raise ConfigError(f"{where}: unknown key {key!r}{closest(key, known)}; known: {', '.join(sorted(known))}")


def check_int(key: str, value: Any, low: int, high: int) -> int:
    """The value as int, or ConfigError naming key, value and range."""
    is_int = isinstance(value, int) and not isinstance(value, bool)
    if not is_int and not (hasattr(value, "__index__") and not isinstance(value, bool)):
        raise ConfigError(f"{key}={value!r}: expected an integer in [{low}, {high}]")
    if not low <= int(value) <= high:
        raise ConfigError(f"{key}={value!r}: expected an integer in [{low}, {high}]")
    return int(value)


def check_number(key: str, value: Any, low: float, high: float) -> float:
    """The value as float, or ConfigError naming key, value and range."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ConfigError(f"{key}={value!r}: expected a number in [{low}, {high}]")
    if not low <= value <= high:
        raise ConfigError(f"{key}={value!r}: expected a number in [{low}, {high}]")
    return float(value)


def check_bool(key: str, value: Any) -> bool:
    """The value, or ConfigError naming key and value."""
    if not isinstance(value, bool):
        raise ConfigError(f"{key}={value!r}: expected True or False")
    return value


def check_choice(key: str, value: Any, choices: tuple) -> Any:
    """The value, or ConfigError listing what is allowed."""
    if value not in choices:
        raise ConfigError(f"{key}={value!r}: expected one of {', '.join(map(repr, choices))}")
    return value


@dataclass(frozen=True)
class LatencyModel:
    """Ticks from submission to verdict (`entry`), and from verdict to report (`response`).

    Each part is a tuple of equally likely values, at most 1024. `revert_probability` is the chance that a placed
    block is taken back `revert_ticks` later, as servers with protection plugins do.
    """

    entry: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8, 9, 10)
    response: tuple[int, ...] = (0,)
    revert_probability: float = 0.0
    revert_ticks: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8)

    @staticmethod
    def parse(value: Any, key: str = "latency") -> "LatencyModel":
        """A model from an int, a (low, high) pair, a mapping, or a model.

        Mapping keys: one of `constant`, `uniform`, `geometric` ({p, low}), `empirical` (a list or the path of a file
        with one number of ticks a line); or `entry` and `response`, each such a value; `revert_probability`,
        `revert_ticks`.
        """
        if isinstance(value, LatencyModel):
            for part in ("entry", "response", "revert_ticks"):
                _empirical(getattr(value, part), f"{key}.{part}")
            check_number(f"{key}.revert_probability", value.revert_probability, 0.0, 1.0)
            return value
        if isinstance(value, Mapping) and not set(value) <= set(DISTRIBUTIONS):
            refuse_unknown(value, ("entry", "response", "revert_probability", "revert_ticks", *DISTRIBUTIONS), key)
            shape = {k: v for k, v in value.items() if k in DISTRIBUTIONS}
            if shape and "entry" in value:
                raise ConfigError(f"{key}={dict(value)!r}: expected either 'entry' or {next(iter(shape))!r}, not both")
            return LatencyModel(
                entry=_distribution(shape or value.get("entry", (2, 10)), f"{key}.entry"),
                response=_distribution(value.get("response", 0), f"{key}.response"),
                revert_probability=check_number(
                    f"{key}.revert_probability", value.get("revert_probability", 0.0), 0.0, 1.0
                ),
                revert_ticks=_distribution(value.get("revert_ticks", (1, 8)), f"{key}.revert_ticks"),
            )
        return LatencyModel(entry=_distribution(value, key))


MAX_LATENCY = 100_000


def _constant(value: Any, key: str) -> tuple[int, ...]:
    return (check_int(key, value, 0, MAX_LATENCY),)


def _uniform(value: Any, key: str) -> tuple[int, ...]:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ConfigError(f"{key}={value!r}: expected a pair (low, high) of ticks")
    low = check_int(f"{key}[0]", value[0], 0, MAX_LATENCY)
    high = check_int(f"{key}[1]", value[1], low, low + LATENCY_TABLE - 1)
    return tuple(range(low, high + 1))


def _geometric(value: Any, key: str) -> tuple[int, ...]:
    """Quantiles of low + number of failures before the first success, in 1024 equally likely steps."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"{key}={value!r}: expected a mapping {{p: ..., low: ...}}")
    refuse_unknown(value, ("p", "low"), key)
    p = check_number(f"{key}.p", value.get("p"), 1e-3, 1.0)
    low = check_int(f"{key}.low", value.get("low", 0), 0, MAX_LATENCY)
    if p == 1.0:
        return (low,)
    middles = ((k + 0.5) / LATENCY_TABLE for k in range(LATENCY_TABLE))
    return tuple(low + int(math.log1p(-u) / math.log1p(-p)) for u in middles)


def _empirical(value: Any, key: str) -> tuple[int, ...]:
    """Recorded ticks, from a list or a file; more than 1024 are thinned evenly in order of size."""
    if isinstance(value, (str, Path)):
        path = Path(value)
        if not path.is_file():
            raise ConfigError(f"{key}={str(value)!r}: no such file")
        try:
            value = [int(line) for line in path.read_text().split()]
        except ValueError as error:
            raise ConfigError(f"{key}={str(path)!r}: expected one integer of ticks a line ({error})") from None
    if not isinstance(value, (list, tuple)) or not value:
        raise ConfigError(f"{key}={value!r}: expected a non-empty list of ticks or a file of them")
    ticks = sorted(check_int(f"{key}[{k}]", v, 0, MAX_LATENCY) for k, v in enumerate(value))
    if len(ticks) <= LATENCY_TABLE:
        return tuple(ticks)
    return tuple(ticks[int((k + 0.5) * len(ticks) / LATENCY_TABLE)] for k in range(LATENCY_TABLE))


DISTRIBUTIONS = {"constant": _constant, "uniform": _uniform, "geometric": _geometric, "empirical": _empirical}


def _distribution(value: Any, key: str) -> tuple[int, ...]:
    if isinstance(value, Mapping):
        refuse_unknown(value, DISTRIBUTIONS, key)
        if len(value) != 1:
            raise ConfigError(f"{key}={dict(value)!r}: expected exactly one of {', '.join(DISTRIBUTIONS)}")
        name, parameters = next(iter(value.items()))
        return DISTRIBUTIONS[name](parameters, f"{key}.{name}")
    if isinstance(value, (tuple, list)):
        return _uniform(value, key)
    return _constant(value, key)


def reward_weights(given: Any, default: Mapping[str, float]) -> dict[str, float]:
    """The weight of every reward term: the task's, overridden by a mapping. Penalties are given as positive numbers."""
    if given is not None and not isinstance(given, Mapping):
        raise ConfigError(f"rewards={given!r}: expected a mapping of term to weight")
    names = [term.name.lower() for term in RewardTerm]
    refuse_unknown(given or {}, names, "rewards")
    checked = {key: check_number(f"rewards.{key}", value, -1e6, 1e6) for key, value in (given or {}).items()}
    return dict.fromkeys(names, 0.0) | dict(default) | checked


@dataclass(frozen=True)
class PlaceEnvConfig:
    """Everything `gymnasium.make` takes; `None` means the task's own value (see the table in PlaceEnv)."""

    task: str = "Sandbox"
    difficulty: float | None = None
    split: str = "train"
    parameters: Mapping[str, Any] | None = None  # of the task's family, instead of those its difficulty stands for
    backend: Any = "simulator"
    action_view: str = "dict"
    ticks_per_step: int | None = None
    latency: Any = None
    max_pending: int = 3
    precheck: str = "arguments"
    episode_steps: int | None = None
    view_radius: int = 4
    offset_range: int = 3
    items: tuple[str, ...] | None = None
    actions: tuple[ActionType, ...] | None = None
    reach: float = 4.5
    gamma: float = 0.95
    rewards: Any = None
    observe: tuple[str, ...] = ()
    keep_spatial_map: bool = False
    server: str = "embedded"
    version: str = "1.20.4"
    username: str | None = None
    render_mode: str | None = None
    given: frozenset[str] = field(default=frozenset(), compare=False, repr=False)  # keys set by the caller

    @staticmethod
    def parse(options: Mapping[str, Any]) -> "PlaceEnvConfig":
        """A checked configuration; ConfigError names the first bad key, its value and what was expected."""
        names = [f.name for f in fields(PlaceEnvConfig) if f.name != "given"]
        refuse_unknown(options, names, "PlaceEnvConfig")
        config = PlaceEnvConfig(**options, given=frozenset(options))
        return replace(config, **_checked(config))

    @staticmethod
    def from_yaml(path: str | Path) -> "PlaceEnvConfig":
        """Reads a YAML mapping of the same keys."""
        return PlaceEnvConfig.parse(read_yaml(path))


def _checked(config: PlaceEnvConfig) -> dict[str, Any]:
    """The fields that need checking or converting."""
    live = config.backend == "minecraft"
    if live and config.latency is not None:
        raise ConfigError(
            f"latency={config.latency!r}: on the minecraft backend the latency is the server's; leave it out"
        )
    for key in LIVE_ONLY:
        if not live and key in config.given and isinstance(config.backend, str) and key != "version":
            raise ConfigError(f"{key}={getattr(config, key)!r}: only for backend='minecraft'")
    if isinstance(config.backend, str):
        check_choice("backend", config.backend, ("simulator", "minecraft"))
    optional_ints = {
        key: None if getattr(config, key) is None else check_int(key, getattr(config, key), 1, high)
        for key, high in (("ticks_per_step", 100), ("episode_steps", 1_000_000))
    }
    return optional_ints | {
        "action_view": check_choice("action_view", config.action_view, ACTION_VIEWS),
        "precheck": check_choice("precheck", config.precheck, PRECHECKS),
        "split": check_choice("split", config.split, ("train", "test")),
        "parameters": _checked_parameters(config.parameters),
        "latency": None if config.latency is None else LatencyModel.parse(config.latency),
        "max_pending": check_int("max_pending", config.max_pending, 1, MAX_PENDING),
        "view_radius": check_int("view_radius", config.view_radius, 1, 8),
        "offset_range": check_int("offset_range", config.offset_range, 1, 5),
        "reach": check_number("reach", config.reach, 0.0, 64.0),
        "gamma": check_number("gamma", config.gamma, 0.0, 1.0),
        "items": None if config.items is None else _checked_items(config.items),
        "actions": None if config.actions is None else _checked_actions(config.actions),
        "observe": _checked_names("observe", config.observe, OPTIONAL_OBSERVATIONS),
        "keep_spatial_map": check_bool("keep_spatial_map", config.keep_spatial_map),
        "render_mode": check_choice("render_mode", config.render_mode, (None, "rgb_array", "human", "ansi")),
        "difficulty": None if config.difficulty is None else check_number("difficulty", config.difficulty, 0.0, 1.0),
    }


def _checked_parameters(parameters: Any) -> dict[str, Any]:
    """A plain dict; what the names mean is the task's business."""
    if parameters is not None and not isinstance(parameters, Mapping):
        raise ConfigError(f"parameters={parameters!r}: expected a mapping of the task's parameters")
    return dict(parameters or {})


def _checked_items(items: Any) -> tuple[str, ...]:
    if not isinstance(items, (list, tuple)) or not all(isinstance(i, str) for i in items):
        raise ConfigError(f"items={items!r}: expected a list of item names")
    if not 1 <= len(items) <= MAX_ITEMS or len(set(items)) != len(items):
        raise ConfigError(f"items={items!r}: expected 1 to {MAX_ITEMS} different item names")
    return tuple(items)


def _checked_actions(actions: Any) -> tuple[ActionType, ...]:
    """Offered action types, by name or number, in the order of ActionType; WAIT is always offered."""
    names = {a.name.lower(): a for a in ActionType}
    chosen = {ActionType.WAIT}
    for action in _checked_list("actions", actions):
        if action not in names and action not in list(ActionType):
            raise ConfigError(f"actions: {action!r} is none of {', '.join(names)}{closest(action, names)}")
        chosen.add(names[action] if action in names else ActionType(action))
    return tuple(sorted(chosen))


def _checked_names(key: str, values: Any, choices: tuple[str, ...]) -> tuple[str, ...]:
    values = _checked_list(key, values)
    for value in values:
        check_choice(key, value, choices)
    return values


def _checked_list(key: str, values: Any) -> tuple:
    values = (values,) if isinstance(values, str) else values
    if not isinstance(values, (list, tuple)):
        raise ConfigError(f"{key}={values!r}: expected a list of names")
    return tuple(values)


def read_yaml(path: str | Path) -> dict[str, Any]:
    """A YAML file that holds a mapping; ConfigError names the file otherwise."""
    import yaml

    path = Path(path)
    if not path.is_file():
        raise ConfigError(f"{path}: no such file")
    try:
        data = yaml.safe_load(path.read_text())
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not YAML ({error})") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: expected a mapping of keys, found {type(data).__name__}")
    return data
