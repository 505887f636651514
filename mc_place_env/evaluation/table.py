"""Results as tables of text: for the terminal, and the same cells for the report. `-` is what was not measured."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from mc_place_env.evaluation.runner import Evaluation
from mc_place_env.evaluation.statistics import Estimate, Interval


class Table(NamedTuple):
    """Column names and lines of cells; the first `left` columns are text, the others figures."""

    header: list[str]
    lines: list[list[str]]
    left: int


TEXT = {"run", "policy", "backend", "id", "split", "baseline"}  # names of columns
LONGEST = 40  # characters of a configuration's value
ONLY_IF_VARIED = ("id", "split", "run", "backend")


def percent(rate: float | None) -> str:
    """A rate with one decimal, or `-`."""
    return "-" if rate is None else f"{rate:.1%}"


def number(value: float | None, digits: int = 1) -> str:
    """A number, or `-`."""
    return "-" if value is None else f"{value:.{digits}f}"


def with_interval(rate: float | None, interval: Interval | None) -> str:
    """A rate and the interval around it, where there is one."""
    return percent(rate) + (f" [{interval[0]:.1%}, {interval[1]:.1%}]" if interval else "")


def estimated(estimate: Estimate | None) -> str:
    """An estimated rate."""
    return "-" if estimate is None else with_interval(estimate["value"], estimate["interval"])


Columns = dict[str, Callable[[Any], str]]
SERIES: Columns = {
    "policy": lambda e: e.policy,
    "backend": lambda e: e.backend,
    "id": lambda e: e.env_id,
    "split": lambda e: e.split,
    "episodes": lambda e: str(e.summary["episodes"]),
    "success [95 %]": lambda e: with_interval(e.summary["success"], e.summary["success_interval"]),
    "goal overlap": lambda e: percent(e.summary["goal_overlap"]),
    "exact": lambda e: percent(e.summary["exact"]),
    "steps to success": lambda e: number(e.summary["steps_to_success"]),
    "ticks to success": lambda e: number(e.summary["ticks_to_success"]),
    "return": lambda e: number(e.summary["return"], 2),
    "accepted": lambda e: percent(e.summary["acceptance"]),
    "accepted but failed": lambda e: percent(e.summary["accepted_but_failed"]),
    "repeated after failure": lambda e: percent(e.summary["repeat_after_failure"]),
    "asked while pending": lambda e: percent(e.summary["while_pending"]),
    "ticks to verdict": lambda e: number(e.summary["ticks_to_verdict"]),
}
POLICIES: Columns = {
    "run": itemgetter("run"),
    "policy": itemgetter("policy"),
    "backend": itemgetter("backend"),
    "split": itemgetter("split"),
    "tasks": lambda a: str(a["tasks"]),
    "training runs": lambda a: str(a["training_runs"]),
    "episodes": lambda a: str(a["episodes"]),
    "success [95 %]": lambda a: estimated(a["success"]),
    "goal overlap, IQM [95 %]": lambda a: estimated(a["goal_overlap_iqm"]),
}
COMPARISONS: Columns = {
    "policy": itemgetter("policy"),
    "baseline": itemgetter("baseline"),
    "pairs": lambda c: str(c["pairs"]),
    "gain in success [95 %]": lambda c: estimated(c["success_gain"]),
    "P(better success) [95 %]": lambda c: estimated(c["improvement_in_success"]),
    "P(better overlap) [95 %]": lambda c: estimated(c["improvement_in_goal_overlap"]),
}


def make_table(columns: Columns, entries: Sequence[Any], names: Sequence[str] | None = None) -> Table:
    """One line an entry; columns that say the same of all of them (ONLY_IF_VARIED) are left out."""
    lines = {name: [columns[name](entry) for entry in entries] for name in names or columns}
    kept = [name for name, cells in lines.items() if name not in ONLY_IF_VARIED or len(set(cells)) > 1]
    return Table(kept, [[lines[name][k] for name in kept] for k in range(len(entries))], len(TEXT & set(kept)))


def changed_table(names: Sequence[str], changed: Sequence[tuple[str, list[Any]]]) -> Table:
    """What differs between runs, one line a key."""
    lines = [[key, *(short(value) for value in values)] for key, values in changed]
    return Table(["key", *names], lines, 1 + len(names))


def short(value: Any) -> str:
    """A value in few characters; `-` for None."""
    text = "-" if value is None else str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def format_table(evaluations: Sequence[Evaluation]) -> str:
    """The most important columns, one line a result."""
    figures = ("episodes", "success [95 %]", "goal overlap", "accepted but failed", "ticks to verdict")
    return aligned(make_table(SERIES, evaluations, ("policy", "backend", "id", "split", *figures)))


def aligned(table: Table) -> str:
    """Text to the left, figures to the right, a rule below the header."""
    rows = [table.header, *table.lines]
    widths = [max(len(row[k]) for row in rows) for k in range(len(table.header))]
    padded = [
        "  ".join(c.ljust(w) if k < table.left else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths)))
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in [padded[0], "  ".join("-" * w for w in widths), *padded[1:]])
