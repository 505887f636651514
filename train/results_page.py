"""Renders docs/results.md and its plots from what train/results.py recorded, and from nothing else.

    python train/results_page.py

A cell that is not measured is a dash.
"""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from results_delay import by_key, delay_section
from results_plots import plot_curves, plot_delay
from results_tables import Row, percent, pooled, rate, spread, table

from mc_place_env.evaluation.policies import INTERFACE

TARGETS = {"Single": 0.95, "Wall": 0.95, "Bridge": 0.95, "Stairs": 0.95, "Pillar": 0.9, "Shelter": 0.9}
MINUTES, GAP = 10.0, 0.02  # of training on one core; success lost on Minecraft
BACKENDS = ("simulator", "prompt", "minecraft")

HEAD = """# Results

Written by `make results` (`train/results.py`) from the records in `results/`, and from nothing else: {recorded} of the
{listed} runs listed are recorded, and `-` stands for what is not. Trained on {machines}.
All runs use `train/ppo.py` with the settings in `configs/`, 256 environments and one thread. Core minutes are processor
time of the whole process, with imports: other work on the machine does not count. A run ends when 98.5 % of the last
1,000 training episodes succeeded.

Success is that of the trained policy, at its most likely actions, on instances of the test split, which it never saw:
1,000 episodes on the simulator at the default latency (2 to 10 ticks), 1,000 there at 0 ticks, and 60 on an embedded
Minecraft server at the server's own latency, mostly 0; in brackets the 95 % Wilson interval of the episodes."""

LEGEND = """Episodes of a family's seeds are pooled. The gap is success on the simulator less that on Minecraft, in
points, of the runs that were played on both: 60 episodes without a failure still have an interval down to 94 %. What
of it is the server's shorter latency is gone at 0 ticks; what is left there is physics and timing."""

CURVES = """![Success in training over steps, by family]({name}-curves.png)

Success in training is that of the last 1,000 episodes, of the policy that still explores. The dotted line is the target
of the test success."""

OTHERS = """## Variants

One seed each. *Without masks*: the same settings as PPO without action masks. *Curriculum*: `train/curriculum.py` with
the stages of the config of that name, beside the same task without one (Bridge: the best setting above). The best
settings need none. *Marginal masks*: the multi-discrete view where the best setting chooses among all placements at
once. Pillar then learns to ask before it jumps: too early for a server that answers sooner than the simulator did in
training."""

AGAIN = """## Again

`make results` does what is not recorded; `results/runs.yaml` lists the runs. Delete a folder of `results/` to repeat
it; `make results JOBS=2` uses two cores. The checkpoints of the best settings are in the repository. These commands
evaluate them again (`--backend minecraft` too):

```
{commands}
```"""
NO_TASK = (*INTERFACE, "rewards", "latency")  # options that are the policy's or the training's


def write_page(entries: Sequence[Any], out: Path, page: Path) -> None:
    """The page, with curves.png and delay.png beside it."""
    rows = read_rows(entries, out)
    best = [row for row in rows if not row.entry.variant]
    delay = [row for row in rows if row.entry.variant.startswith("latency")]
    others = [row for row in rows if row.entry.variant and row not in delay]
    name = page.stem
    plot_curves([*best, *others], TARGETS, page.with_name(f"{name}-curves.png"))
    plot_delay(by_key(delay), page.with_name(f"{name}-delay.png"))
    sections = [
        head(rows),
        table(FAMILY_COLUMNS, [family_cells(family, best) for family in families(best)]),
        LEGEND,
        "\n".join(verdicts(best)),
        CURVES.format(name=name),
        "## Every run",
        table(RUN_COLUMNS, [run_cells(row) for row in best]),
        OTHERS,
        table(RUN_COLUMNS, [run_cells(row) for row in others]),
        delay_section(delay, name),
        AGAIN.format(commands="\n".join(command(row) for row in best if row.entry.seed == 0)),
    ]
    page.write_text("\n\n".join(sections) + "\n")


def read_rows(entries: Sequence[Any], out: Path) -> list[Row]:
    """Of every listed run what its folder holds. What was recorded with other settings does not count."""
    from results import missing, read_record

    rows = []
    for entry in entries:
        lacking = missing(entry, out / entry.name)
        parts = [
            {} if name in lacking else read_record(out / entry.name / file)
            for name, file in (("training", "run.json"), *((backend, f"{backend}.json") for backend in BACKENDS))
        ]
        rows.append(Row(entry, entry.settings()["id"].partition("/")[2].removesuffix("-v0"), *parts))
    return rows


def families(rows: Sequence[Row]) -> list[str]:
    """In order of the list."""
    return list(dict.fromkeys(row.family for row in rows))


def head(rows: Sequence[Row]) -> str:
    """What the page is, with what it is made from."""
    recorded = sum(bool(row.training) for row in rows)
    return HEAD.format(machines=" and ".join(machines(rows)) or "-", recorded=recorded, listed=len(rows))


def machines(rows: Sequence[Row]) -> list[str]:
    """On which the runs were trained."""
    return sorted({row.training["machine"] for row in rows if row.training})


def command(row: Row) -> str:
    """The line that evaluates a run's checkpoint, and those of its other seeds, again."""
    config = row.entry.settings()
    options = [f"{key}={value}" for key, value in config["env"].items() if key not in NO_TASK]
    policy = f"'results/{row.entry.config}-[0-9]*/model.zip'"
    words = ["python train/evaluate.py --policy", policy, "--id", config["id"], "--episodes 1000"]
    return " ".join([*words, *(shlex.quote(option.replace("'", "")) for option in options)])


# -- cells -----------------------------------------------------------------------------------------------------------

FAMILY_COLUMNS = (
    "family",
    "asks for",
    "seeds",
    "steps, k",
    "core minutes",
    "simulator",
    "at 0 ticks",
    "Minecraft",
    "gap",
)
RUN_COLUMNS = ("run", "steps, k", "minutes", "core minutes", "simulator", "at 0 ticks", "Minecraft", "failed")


def family_cells(family: str, rows: Sequence[Row]) -> list[str]:
    """A family's best setting over its seeds; episodes are pooled."""
    mine = [row for row in rows if row.family == family]
    trained = [row.training for row in mine if row.training]
    return [
        family,
        asked(family, mine[0].entry.settings()["env"]),
        f"{len(trained)} of {len(mine)}",
        spread([record["steps"] / 1000 for record in trained], ".0f"),
        spread([record["cpu_minutes"] for record in trained], ".1f"),
        *(rate(pooled([getattr(row, backend) for row in mine])) for backend in BACKENDS),
        "-" if gap(mine) is None else f"{100 * gap(mine):+.1f}",
    ]


def run_cells(row: Row) -> list[str]:
    """One run."""
    training = row.training
    failed = row.simulator.get("accepted_but_failed")
    return [
        row.entry.name,
        f"{training['steps'] / 1000:.0f}" if training else "-",
        f"{training['minutes']:.1f}" if training else "-",
        f"{training['cpu_minutes']:.1f}" if training else "-",
        *(rate(pooled([getattr(row, backend)])) for backend in BACKENDS),
        percent(failed),
    ]


def asked(family: str, env: dict[str, Any]) -> str:
    """The parameters of the family's instances."""
    from mc_place_env.tasks import TASKS

    task = TASKS[family]
    parameters = task.resolve(env.get("difficulty", task.difficulty), env.get("parameters", {}))
    return ", ".join(f"{name} {value}" for name, value in parameters.items())


def gap(rows: Sequence[Row]) -> float | None:
    """Success on the simulator less that on Minecraft, of the runs that were played on both."""
    both = [row for row in rows if row.simulator and row.minecraft]
    if not both:
        return None
    (won, played), (won_live, played_live) = pooled([r.simulator for r in both]), pooled([r.minecraft for r in both])
    return won / played - won_live / played_live


# -- sentences -------------------------------------------------------------------------------------------------------


def verdicts(rows: Sequence[Row]) -> list[str]:
    """Which targets are met, missed, or not measured: a line each."""
    return [f"* {family}: {verdict(family, rows)}" for family in families(rows) if family in TARGETS]


def verdict(family: str, rows: Sequence[Row]) -> str:
    """The family against its targets, in words."""
    mine = [row for row in rows if row.family == family]
    won, played = pooled([row.simulator for row in mine])
    if not played:
        return "not measured."
    target, minutes = TARGETS[family], max(row.training["cpu_minutes"] for row in mine if row.training)
    reached = "met" if won / played >= target else "**missed** (see its curve)"
    in_time = "in time" if minutes <= MINUTES else f"but a seed took {minutes:.1f} core minutes, **too long**"
    lost = gap(mine)
    far = "not measured" if lost is None else f"{100 * lost:+.1f} points, " + ("met" if lost <= GAP else "**missed**")
    return f"{100 * target:.0f} % success {reached}, {in_time}; gap to Minecraft {far}."


if __name__ == "__main__":
    from results import ROOT, read_entries

    write_page(read_entries(ROOT / "results" / "runs.yaml"), ROOT / "results", ROOT / "docs" / "results.md")
