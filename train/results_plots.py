"""The two plots of docs/results.md: learning curves by family, and what the delay costs."""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = ("#0072b2", "#009e73", "#d55e00")  # by seed; Okabe and Ito
COLUMNS = 4
DELAY: dict[str, Callable[[dict[str, Any]], float | None]] = {  # panel: figure of an evaluation
    "success on the test split": lambda record: record["success"],
    "requests an episode": lambda record: record["accepted"] / record["episodes"],
    "ticks to success": lambda record: record["ticks_to_success"],
}


def plot_curves(rows: Sequence[Any], targets: Mapping[str, float], path: Path) -> None:
    """Success of the last training episodes over steps: a panel a family, a line a run; variants are dashed."""
    names = list(dict.fromkeys(row.family for row in rows))
    lines = -(-len(names) // COLUMNS)
    size = (3.2 * COLUMNS, 2.6 * lines)
    figure, axes = plt.subplots(lines, COLUMNS, figsize=size, sharey=True, squeeze=False, layout="constrained")
    for panel, name in zip(axes.flat, names, strict=False):
        draw_family(panel, [row for row in rows if row.family == name and row.training])
        panel.set_title(name)
        if name in targets:
            panel.axhline(targets[name], color="grey", linewidth=0.8, linestyle=":")
    for panel in axes.flat[len(names) :]:
        panel.set_axis_off()
    figure.supylabel("success in training")
    figure.supxlabel("steps, thousands")
    save(figure, path)


def draw_family(panel: Any, rows: Sequence[Any]) -> None:
    """The curves of one family."""
    others = cycle(("black", "#cc79a7", "#e69f00", "#56b4e9"))
    for row in rows:
        known = [(steps / 1000, success) for steps, _, success in row.training["curve"]["rows"] if success is not None]
        seed = {"color": COLOURS[row.entry.seed % len(COLOURS)], "label": f"seed {row.entry.seed}"}
        style = {"color": next(others), "linestyle": "--", "label": row.entry.name} if row.entry.variant else seed
        panel.plot(*zip(*known, strict=True), linewidth=1.2, **style)
    panel.set_ylim(-0.02, 1.02)
    panel.grid(alpha=0.3)
    if rows:
        panel.legend(fontsize=6)


def plot_delay(recorded: Mapping[tuple[int, bool], Sequence[dict[str, Any]]], path: Path) -> None:
    """Success, requests and ticks over the latency, with the queue seen and hidden: dots for seeds, lines for means."""
    figure, panels = plt.subplots(1, len(DELAY), figsize=(12, 3.2), layout="constrained")
    for panel, (name, value) in zip(panels, DELAY.items(), strict=True):
        for label, wanted, colour in (("queue seen", True, COLOURS[0]), ("queue hidden", False, COLOURS[2])):
            points = {t: [value(r) for r in records] for (t, seen), records in recorded.items() if seen is wanted}
            dots = [(ticks, y) for ticks, values in points.items() for y in values if y is not None]
            means = {ticks: np.mean([y for t, y in dots if t == ticks]) for ticks, _ in dots}
            panel.plot(list(means), list(means.values()), color=colour, label=label)
            panel.scatter(*zip(*dots, strict=True) if dots else ([], []), color=colour, s=16)
        panel.set_ylabel(name)
        panel.set_xlabel("latency, ticks")
        panel.set_xticks(sorted({ticks for ticks, _ in recorded}))
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
        panel.legend()
    save(figure, path)


def save(figure: Any, path: Path) -> None:
    """Writes a PNG; the same figure gives the same bytes."""
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
