"""The section of the results page on what the delay costs: a table, and a paragraph in its own figures."""

import textwrap
from collections.abc import Sequence
from typing import Any

from results_tables import Row, percent, pooled, rate, table

from mc_place_env.evaluation.statistics import ratio

TEXT = """## What the delay costs

Wall, the same policy, settings and number of steps at constant latencies (a step is 4 ticks), with the pending requests
in the observation and without (`hide: [pending]`). Tested on the simulator at the latency of the training, 1,000
episodes a seed. The budget stops the runs before they have fully learned, so the policies act as in training, at random
by their probabilities: the likeliest offset of each axis, taken together, may aim at no open cell while they are still
unsure. Hidden or not, the masks tell when three requests are in flight.

![Success, requests an episode and ticks to success over latency; a dot a seed]({name}-delay.png)"""

COLUMNS = ("latency, ticks", "queue", "seeds", "success", "requests an episode", "failed", "ticks to success")
Key = tuple[int, bool]  # latency in ticks, whether the queue is seen


def delay_section(rows: Sequence[Row], name: str) -> str:
    """The section; `name` is that of the page."""
    parts = [TEXT.format(name=name), table(COLUMNS, delay_cells(rows)), delay_paragraph(rows)]
    return "\n\n".join(parts).strip()


def delay_cells(rows: Sequence[Row]) -> list[list[str]]:
    """The delay study, by latency; seeds are pooled."""
    return [
        [str(ticks), "seen" if seen else "hidden", str(len(records)), *delay_figures(records)]
        for (ticks, seen), records in by_key(rows).items()
    ]


def by_key(rows: Sequence[Row]) -> dict[Key, list[dict[str, Any]]]:
    """What is recorded of each latency, with the queue seen and without, in this order."""
    found: dict[Key, list[dict[str, Any]]] = {}
    for row in rows:
        config = row.entry.settings()
        key = config["env"]["latency"], "pending" not in config["hide"]
        found.setdefault(key, []).extend([row.simulator] if row.simulator else [])
    return dict(sorted(found.items(), key=lambda item: (not item[0][1], item[0][0])))


def delay_figures(records: Sequence[dict[str, Any]]) -> list[str]:
    """What is quoted of some evaluations together."""
    if not records:
        return ["-"] * 4
    total = {name: sum(record[name] for record in records) for name in ("episodes", "accepted", "failed", "placed")}
    solved = [record["success"] * record["episodes"] for record in records]
    ticks = sum(n * record["ticks_to_success"] for n, record in zip(solved, records, strict=True) if n)
    return [
        rate(pooled(records)),
        f"{total['accepted'] / total['episodes']:.2f}",
        percent(ratio(total["failed"], total["failed"] + total["placed"])),
        f"{ticks / sum(solved):.1f}" if sum(solved) else "-",
    ]


def delay_paragraph(rows: Sequence[Row]) -> str:
    """What the study found, in its own figures."""
    recorded = {key: records for key, records in by_key(rows).items() if records}
    told = [delay_sentence(recorded, True), delay_sentence(recorded, False), hidden_sentence(recorded)]
    return textwrap.fill(" ".join(sentence for sentence in told if sentence), 120)


def delay_sentence(recorded: dict[Key, list[dict[str, Any]]], seen: bool) -> str:
    """From the lowest latency to the highest, with the queue seen or not."""
    mine = [ticks for ticks, with_queue in recorded if with_queue is seen]
    if len(mine) < 2:
        return ""
    first, last = min(mine), max(mine)
    what = ("success goes", "requests an episode", "the share of them that fails", "ticks to success")
    figures = zip(what, *(delay_figures(recorded[ticks, seen]) for ticks in (first, last)), strict=True)
    moved = ", ".join(f"{name} from {before} to {after}" for name, before, after in figures)
    return f"{'With the queue in the observation' if seen else 'Without it'}, from {first} to {last} ticks, {moved}."


def hidden_sentence(recorded: dict[Key, list[dict[str, Any]]]) -> str:
    """What seeing the queue gained at each latency, beside what it seemed to gain where there is none to see."""
    success = {key: won / played for key, (won, played) in ((key, pooled(r)) for key, r in recorded.items())}
    both = [ticks for ticks, seen in success if seen and (ticks, False) in success]
    gained = {ticks: 100 * (success[ticks, True] - success[ticks, False]) for ticks in both}
    if len(gained) < 2 or 0 not in gained:
        return ""
    listed = ", ".join(f"{points:+.1f} at {ticks}" for ticks, points in gained.items())
    return (
        f"Success with the queue less that without it, in points: {listed} ticks. Up to 4 ticks the verdict comes "
        "within the step, so the runs of a seed are the same, and there is no queue to see: the "
        f"{abs(gained[0]):.1f} points there are chance."
    )
