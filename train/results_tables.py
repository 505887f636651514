"""What the parts of the results page share: a listed run's records, and the cells of tables."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from mc_place_env.evaluation import wilson_interval


class Row(NamedTuple):
    """A listed run and what is recorded of it; a part that is not recorded is an empty dict."""

    entry: Any
    family: str
    training: dict[str, Any]
    simulator: dict[str, Any]
    prompt: dict[str, Any]  # the simulator at 0 ticks
    minecraft: dict[str, Any]


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def pooled(records: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """Successes and episodes of the recorded evaluations together."""
    counted = [(round(record["success"] * record["episodes"]), record["episodes"]) for record in records if record]
    return sum(n for n, _ in counted), sum(n for _, n in counted)


def rate(counted: tuple[int, int]) -> str:
    """Success with its interval, in per cent; a dash where nothing was played."""
    interval = wilson_interval(*counted)
    if interval is None:
        return "-"
    low, high = (f"{100 * bound:.1f}" for bound in interval)
    return f"{100 * counted[0] / counted[1]:.1f} % [{low}, {high}]"


def percent(share: float | None) -> str:
    """With one decimal; a dash where nothing was counted."""
    return "-" if share is None else f"{100 * share:.1f} %"


def spread(values: Sequence[float], form: str) -> str:
    """Lowest to highest."""
    if not values:
        return "-"
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low}-{high}"
