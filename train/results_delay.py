"""The section of the results page on what the delay costs: a table, and a paragraph in its own figures."""

import textwrap
from collections.abc import Sequence
from typing import Any

from results_tables import Row, percent, pooled, rate, table

TEXT = """## What the delay costs

Wall, the same policy, settings and number of steps at constant latencies (a step is 4 ticks), with the pending requests
in the observation and without (`hide: [pending]`). One seed each, so a difference of a few points may be the seed's.
Tested on the simulator at the latency of the training. The budget stops the runs before they have fully learned, so the
policies act as in training, at random by their probabilities: the likeliest offset of each axis, taken together, may
aim at no open cell while they are still unsure. Hidden or not, the masks tell when three requests are in flight.

![Success and requests an episode over latency]({name}-delay.png)"""

COLUMNS = ("latency, ticks", "queue seen", "success", "requests an episode", "failed", "ticks to success")


def delay_section(rows: Sequence[Row], name: str) -> str:
    """The section; `name` is that of the page."""
    parts = [TEXT.format(name=name), table(COLUMNS, delay_cells(rows)), delay_paragraph(rows)]
    return "\n\n".join(parts).strip()


def delay_cells(rows: Sequence[Row]) -> list[list[str]]:
    """The delay study, by latency."""
    return [[*delay_key(row), *delay_figures(row.simulator)] for row in rows]


def delay_key(row: Row) -> tuple[str, str]:
    """Latency and whether the queue was seen, as the run was asked for."""
    config = row.entry.settings()
    return str(config["env"]["latency"]), "no" if config["hide"] else "yes"


def delay_figures(record: dict[str, Any]) -> list[str]:
    """What is quoted of one evaluation."""
    if not record:
        return ["-"] * 4
    ticks = record["ticks_to_success"]
    return [
        rate(pooled([record])),
        f"{record['accepted'] / record['episodes']:.2f}",
        percent(record["accepted_but_failed"]),
        "-" if ticks is None else f"{ticks:.1f}",
    ]


def delay_paragraph(rows: Sequence[Row]) -> str:
    """What the study found, in its own figures."""
    told = [delay_sentence(rows, "yes"), delay_sentence(rows, "no"), hidden_sentence(rows)]
    return textwrap.fill(" ".join(sentence for sentence in told if sentence), 120)


def hidden_sentence(rows: Sequence[Row]) -> str:
    """What hiding the queue cost at each latency, beside what it seemed to cost where there is no queue to see."""
    success = {delay_key(row): row.simulator["success"] for row in rows if row.simulator}
    ticks = [latency for latency, seen in success if seen == "yes" and (latency, "no") in success]
    cost = {latency: 100 * (success[latency, "yes"] - success[latency, "no"]) for latency in ticks}
    listed = ", ".join(f"{points:+.1f} at {latency}" for latency, points in cost.items())
    if not {"0"} < set(ticks):
        return ""
    return (
        f"Success with the queue less that without it, in points: {listed} ticks. A verdict within the step leaves no "
        f"queue to see, so what differs at 0 ticks ({abs(cost['0']):.1f} points) is chance, as it may be elsewhere."
    )


def delay_sentence(rows: Sequence[Row], seen: str) -> str:
    """From the lowest latency to the highest, with the queue seen or not."""
    mine = [row for row in rows if delay_key(row)[1] == seen and row.simulator]
    if len(mine) < 2:
        return ""
    first, last = min(mine, key=latency_of), max(mine, key=latency_of)
    what = ("success goes", "requests an episode", "the share of them that fails", "ticks to success")
    figures = zip(what, delay_figures(first.simulator), delay_figures(last.simulator), strict=True)
    moved = ", ".join(f"{name} from {before} to {after}" for name, before, after in figures)
    where = "With the queue in the observation" if seen == "yes" else "Without it"
    return f"{where}, from {latency_of(first)} to {latency_of(last)} ticks, {moved}."


def latency_of(row: Row) -> int:
    """In ticks."""
    return int(delay_key(row)[0])
