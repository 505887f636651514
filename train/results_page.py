"""Renders docs/results.md and its plots from what train/results.py recorded, and from nothing else.

    python train/results_page.py

A cell that is not measured is a dash.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from results_plots import plot_curves, plot_delay

from mc_place_env.evaluation import wilson_interval

TARGETS = {"Single": 0.95, "Wall": 0.95, "Bridge": 0.95, "Stairs": 0.95, "Pillar": 0.9, "Shelter": 0.9}
MINUTES, GAP = 10.0, 0.02  # of training on one core; success lost on Minecraft
BACKENDS = ("simulator", "minecraft")

HEAD = """# Results

Written by `make results` (`train/results.py`) from the records in `results/`, and from nothing else; `-` stands where
nothing is recorded yet. Trained on {machines}. All runs use `train/ppo.py` with the settings in `configs/`, 256
environments and one thread. Core minutes are processor time of the whole process, with imports: other work on the
machine does not count. A run ends when 98.5 % of the last 1,000 training episodes succeeded.

Success is that of the trained policy on instances of the test split, which it never saw: 1,000 episodes on the
simulator at the default latency (2 to 10 ticks), 60 on an embedded Minecraft server at the server's own; in brackets
the 95 % Wilson interval of the episodes."""

LEGEND = """Episodes of a family's seeds are pooled. The gap is success on the simulator less that on Minecraft, in
points, of the runs that were played on both: 60 episodes without a failure still have an interval down to 94 %."""

CURVES = """![Success in training over steps, by family]({name}-curves.png)

Success in training is that of the last 1,000 episodes, of the policy that still explores. The dotted line is the target
of the test success."""

OTHERS = """## Variants

The same settings but for what the name says, one seed each: PPO without action masks (`algorithm=ppo`), and Pillar
trained at the default latency alone: a server answers sooner, and the policy only knows how to ask before it jumps."""

DELAY = """## What the delay costs

Wall, the same policy, settings and number of steps at constant latencies (a step is 4 ticks), with the pending requests
in the observation and without (`hide: [pending]`). One seed each, so a difference of a few points may be the seed's.
Tested on the simulator at the latency of the training. The budget stops the runs before they have fully learned, so the
policies act as in training, at random by their probabilities: the likeliest offset of each axis, taken together, may
aim at no open cell while they are still unsure. Hidden or not, the masks tell when three requests are in flight.

![Success and requests an episode over latency]({name}-delay.png)"""

AGAIN = """## Again

`make results` does what is not recorded; `results/runs.yaml` lists the runs. Delete a folder of `results/` to repeat
it; `make results JOBS=2` uses two cores. The checkpoints quoted here are in the repository; one of them is evaluated
again by

```
python train/evaluate.py --policy results/wall-0/model.zip --id McPlace/Wall-v0 --episodes 1000
```"""


class Row(NamedTuple):
    """A listed run and what is recorded of it; a part that is not recorded is an empty dict."""

    entry: Any
    family: str
    training: dict[str, Any]
    simulator: dict[str, Any]
    minecraft: dict[str, Any]


def write_page(entries: Sequence[Any], out: Path, page: Path) -> None:
    """The page, with curves.png and delay.png beside it."""
    rows = read_rows(entries, out)
    best = [row for row in rows if not row.entry.variant]
    delay = [row for row in rows if row.entry.variant.startswith("latency")]
    others = [row for row in rows if row.entry.variant and row not in delay]
    name = page.stem
    plot_curves([*best, *others], TARGETS, page.with_name(f"{name}-curves.png"))
    plot_delay(delay, page.with_name(f"{name}-delay.png"))
    sections = [
        HEAD.format(machines=" and ".join(machines(rows)) or "-", name=name),
        table(FAMILY_COLUMNS, [family_cells(family, best) for family in families(best)]),
        LEGEND,
        "\n".join(verdicts(best)),
        CURVES.format(name=name),
        "## Every run",
        table(RUN_COLUMNS, [run_cells(row) for row in best]),
        OTHERS,
        table(RUN_COLUMNS, [run_cells(row) for row in others]),
        DELAY.format(name=name),
        table(DELAY_COLUMNS, delay_cells(delay)),
        delay_paragraph(delay),
        AGAIN,
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


def machines(rows: Sequence[Row]) -> list[str]:
    """On which the runs were trained."""
    return sorted({row.training["machine"] for row in rows if row.training})


# -- cells -----------------------------------------------------------------------------------------------------------

FAMILY_COLUMNS = ("family", "asks for", "seeds", "steps, k", "core minutes", "simulator", "Minecraft", "gap")
RUN_COLUMNS = ("run", "steps, k", "minutes", "core minutes", "simulator", "Minecraft", "failed requests")
DELAY_COLUMNS = ("latency, ticks", "queue seen", "success", "requests an episode", "failed", "ticks to success")


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def family_cells(family: str, rows: Sequence[Row]) -> list[str]:
    """A family's best setting over its seeds; episodes are pooled."""
    mine = [row for row in rows if row.family == family]
    trained = [row.training for row in mine if row.training]
    simulator, minecraft = (pooled([getattr(row, backend) for row in mine]) for backend in BACKENDS)
    return [
        family,
        asked(family, mine[0].entry.settings()["env"]),
        f"{len(trained)} of {len(mine)}",
        spread([record["steps"] / 1000 for record in trained], ".0f"),
        spread([record["cpu_minutes"] for record in trained], ".1f"),
        rate(simulator),
        rate(minecraft),
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
        rate(pooled([row.simulator])),
        rate(pooled([row.minecraft])),
        percent(failed),
    ]


def asked(family: str, env: dict[str, Any]) -> str:
    """The parameters of the family's instances."""
    from mc_place_env.tasks import TASKS

    task = TASKS[family]
    parameters = task.resolve(env.get("difficulty", task.difficulty), env.get("parameters", {}))
    return ", ".join(f"{name} {value}" for name, value in parameters.items())


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


def gap(rows: Sequence[Row]) -> float | None:
    """Success on the simulator less that on Minecraft, of the runs that were played on both."""
    both = [row for row in rows if row.simulator and row.minecraft]
    if not both:
        return None
    (won, played), (won_live, played_live) = pooled([r.simulator for r in both]), pooled([r.minecraft for r in both])
    return won / played - won_live / played_live


def spread(values: Sequence[float], form: str) -> str:
    """Lowest to highest."""
    if not values:
        return "-"
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low}-{high}"


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
    told = [delay_sentence(rows, "yes"), delay_sentence(rows, "no")]
    return " ".join(sentence for sentence in told if sentence)


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


if __name__ == "__main__":
    from results import ROOT, read_entries

    write_page(read_entries(ROOT / "results" / "runs.yaml"), ROOT / "results", ROOT / "docs" / "results.md")
