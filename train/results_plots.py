"""The two plots of docs/results.md: learning curves by family, and what the delay costs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = ("#0072b2", "#009e73", "#d55e00")  # by seed; Okabe and Ito
COLUMNS = 4


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
    for row in rows:
        known = [(steps / 1000, success) for steps, _, success in row.training["curve"]["rows"] if success is not None]
        label = row.entry.variant or f"seed {row.entry.seed}"
        style = {"color": COLOURS[row.entry.seed % len(COLOURS)]} if not row.entry.variant else {"linestyle": "--"}
        panel.plot(*zip(*known, strict=True), linewidth=1.2, label=label, **style)
    panel.set_ylim(-0.02, 1.02)
    panel.grid(alpha=0.3)
    if rows:
        panel.legend(fontsize=7, loc="lower right")


def plot_delay(rows: Sequence[Any], path: Path) -> None:
    """Success with its interval, requests and ticks over the latency, with the queue seen and hidden."""
    figure, panels = plt.subplots(1, 3, figsize=(12, 3.2), layout="constrained")
    for label, hidden, colour in (("queue seen", False, COLOURS[0]), ("queue hidden", True, COLOURS[2])):
        mine = [row for row in rows if row.simulator and bool(row.entry.settings()["hide"]) is hidden]
        mine.sort(key=latency)
        draw_delay(panels, [latency(row) for row in mine], [row.simulator for row in mine], label, colour)
    for panel, name in zip(
        panels, ("success on the test split", "requests an episode", "ticks to success"), strict=True
    ):
        panel.set_ylabel(name)
        panel.set_xlabel("latency, ticks")
        panel.grid(alpha=0.3)
        panel.legend(loc="best")
    save(figure, path)


def draw_delay(panels: Any, ticks: list[int], records: list[dict[str, Any]], label: str, colour: str) -> None:
    """One line in each panel."""
    success = [record["success"] for record in records]
    low = [record["success"] - record["success_interval"][0] for record in records]
    high = [record["success_interval"][1] - record["success"] for record in records]
    style = {"color": colour, "marker": "o", "markersize": 4, "label": label}
    panels[0].errorbar(ticks, success, yerr=[low, high], capsize=3, **style)
    panels[1].plot(ticks, [record["accepted"] / record["episodes"] for record in records], **style)
    panels[2].plot(ticks, [record["ticks_to_success"] for record in records], **style)


def latency(row: Any) -> int:
    """In ticks."""
    return row.entry.settings()["env"]["latency"]


def save(figure: Any, path: Path) -> None:
    """Writes a PNG; the same figure gives the same bytes."""
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)
