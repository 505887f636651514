"""Episodes as rows of a CSV file: the same bytes for the same episodes, and readable by any table program.

A row is one episode of a series; an empty cell is what was not measured. There is a column `failed_<reason>` for every
reason a verdict can have.
"""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from mc_place_env.errors import ConfigError
from mc_place_env.evaluation.metrics import COUNTS, REASON_NAMES
from mc_place_env.types import Reason


class Series(NamedTuple):
    """Episodes that make one line of a table."""

    policy: str
    backend: str
    id: str
    split: str


Key = tuple[str, int]  # checkpoint, seed: one episode of a series
Episodes = dict[Series, dict[Key, dict[str, Any]]]
VERDICTS = tuple(REASON_NAMES[reason] for reason in Reason if reason > Reason.API_FAILED)
FLAGS, MEASURES = ("success", "exact"), ("return", "goal_overlap", "ticks_to_verdict")
ENDING = ("seed", "instance", "success", "return", "steps", "ticks", "goal_overlap", "exact")
FIGURES = (*ENDING, *COUNTS, "ticks_to_verdict")
COLUMNS = (*Series._fields, "checkpoint", *FIGURES, *(f"failed_{name}" for name in VERDICTS))


def to_line(series: Series, episode: dict[str, Any]) -> str:
    """One episode as a line of the file."""
    reasons = {f"failed_{name}": episode["failed_by_reason"].get(name, 0) for name in VERDICTS}
    values = series._asdict() | episode | reasons
    return csv_line(as_text(values[column]) for column in COLUMNS)


def from_row(row: dict[str, str]) -> tuple[Series, dict[str, Any]]:
    """The inverse of `to_line`, from a row of csv.DictReader."""
    episode = {column: as_value(column, row[column]) for column in FIGURES}
    counts = {name: int(row[f"failed_{name}"]) for name in VERDICTS}
    episode["checkpoint"] = row["checkpoint"]
    episode["failed_by_reason"] = {name: count for name, count in counts.items() if count}
    return Series(*(row[field] for field in Series._fields)), episode


def as_text(value: Any) -> str:
    """A cell: floats with all their digits, so that reading gives the same number."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def as_value(column: str, text: str) -> Any:
    """The value of a cell; None for an empty one."""
    if text == "":
        return None
    if column in FLAGS:
        return {"true": True, "false": False}[text]
    return float(text) if column in MEASURES else int(text)


def csv_line(cells: Iterable[str]) -> str:
    """Cells as a line, quoted where they must be."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


HEADER = csv_line(COLUMNS)


def read_episodes(path: Path) -> Episodes:
    """All complete rows of a file; a last line without its end, as a kill leaves it, is left out."""
    whole = path.read_text().rpartition("\n")[0]
    reader = csv.DictReader(io.StringIO(whole))
    if whole and tuple(reader.fieldnames or ()) != COLUMNS:
        raise ConfigError(f"{path}: not the episodes of this version: other columns")
    found: Episodes = {}
    for number, row in enumerate(reader, 2):
        try:
            series, episode = from_row(row)
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(f"{path}: line {number} is damaged ({error!r})") from None
        found.setdefault(series, {})[key_of(episode)] = episode
    return found


def key_of(episode: dict[str, Any]) -> Key:
    """Which one of its series an episode is."""
    return episode["checkpoint"], episode["seed"]


def file_text(episodes: Episodes, order: Iterable[Series]) -> str:
    """The whole file: series in the order given, by checkpoint and seed."""
    lines = (to_line(series, episodes[series][key]) for series in order for key in sorted(episodes.get(series, {})))
    return HEADER + "".join(lines)
