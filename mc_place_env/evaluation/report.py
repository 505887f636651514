"""The report of a run or of a comparison: one HTML page with everything in it (only the replays lie beside it)."""

from collections import Counter
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from mc_place_env.errors import ConfigError
from mc_place_env.evaluation.aggregate import contestants, label
from mc_place_env.evaluation.metrics import failure_rates
from mc_place_env.evaluation.plots import Line, Point, bar_chart, line_chart
from mc_place_env.evaluation.policies import content_hash, read_run
from mc_place_env.evaluation.replays import Links
from mc_place_env.evaluation.run import Run, as_json
from mc_place_env.evaluation.statistics import THRESHOLDS, Estimate
from mc_place_env.evaluation.table import COMPARISONS, POLICIES, SERIES, changed_table, make_table

NOTES = {
    "series": "Success over several training runs: bootstrap over these; otherwise Wilson's interval over episodes. "
    "Goal overlap: cells filled as asked / cells asked for or changed. Rates are of requests; cancelled ones, judged "
    "by nobody, enter none. A dash is what was not measured.",
    "policies": "Mean success over tasks and interquartile mean (IQM) of the goal overlap, with 95 % intervals of a "
    "bootstrap stratified by task (Agarwal et al. 2021), over training runs where a policy has several, else over "
    "episodes. No interval where all scores are equal.",
    "comparisons": "Paired by id, split and seed, so by the start. P(better): how probable it is that the policy does "
    "better than the baseline from the same start, a tie counting half. Mean over tasks, stratified bootstrap.",
    "profile": "Share of episodes that reach a goal overlap; the bands are pointwise 95 % intervals.",
    "reasons": "Share of all verdicts (placed or failed) of a policy that failed for a reason.",
    "record": "To play it again: python -m mc_place_env.evaluation repeat {name} --out FOLDER",
    "replays": "Every policy's first success, and every policy's first failure.",
    "curves": "Success of the last episodes in training, from the run.json beside the checkpoint.",
}


def run_page(run: Run, summary: dict[str, Any], links: Links) -> str:
    """The page of one finished run; `links` are those to its replays."""
    plan = run.plan
    sections = [
        {"title": "Results", "table": make_table(SERIES, run.evaluations()), "note": NOTES["series"]},
        *shared_sections([run], summary),
        {"title": "Replays", "links": links, "note": NOTES["replays"]},
        {"title": "How it was made", "text": as_json(run.record), "note": NOTES["record"].format(name=run.name)},
    ]
    where = "; ".join(", ".join(names) for names in (plan.ids, plan.splits, plan.backends))
    played = f"{plan.episodes} episodes a policy and task, seeds from {plan.seed}"
    version = run.record["versions"]["mc_place_env"]
    return page(f"Evaluation {run.name}", f"{where}; {played}; mc_place_env {version}", [], sections)


def compare_page(runs: Sequence[Run], compared: dict[str, Any]) -> str:
    """The page of a comparison."""
    changed = changed_table(compared["runs"], compared["changed"]) if compared["changed"] else None
    tables = [{"title": f"Results of {run.name}", "table": make_table(SERIES, run.evaluations())} for run in runs]
    sections = [
        *shared_sections(runs, compared),
        {
            "title": "What changed",
            "table": changed,
            "text": "" if changed else "Nothing: configs and versions are equal.",
        },
        *tables,
    ]
    return page("Comparison", " and ".join(compared["runs"]), compared["warnings"], sections)


def shared_sections(runs: Sequence[Run], told: dict[str, Any]) -> list[dict[str, Any]]:
    """What is shown of one run as of several."""
    compared = make_table(COMPARISONS, told["comparisons"]) if told["comparisons"] else None
    return [
        {
            "title": "Policies over all tasks",
            "table": make_table(POLICIES, told["policies"]),
            "note": NOTES["policies"],
        },
        {"title": "Against the first", "table": compared, "note": NOTES["comparisons"]},
        {"title": "Performance profile", "chart": profiles(told["policies"]), "note": NOTES["profile"]},
        {"title": "Why accepted requests failed", "chart": reasons(runs), "note": NOTES["reasons"]},
        {"title": "Learning curves", "chart": curves(runs), "note": NOTES["curves"]},
    ]


def page(title: str, subtitle: str, warnings: Sequence[str], sections: Sequence[dict[str, Any]]) -> str:
    """The page itself, of the sections that have anything; ConfigError without jinja2."""
    try:
        from jinja2 import Environment
    except ImportError:
        raise ConfigError("the report needs jinja2: pip install 'mc_place_env[render]'") from None
    template = Environment(autoescape=True, trim_blocks=True).from_string(
        (resources.files("mc_place_env.evaluation") / "report.html").read_text(encoding="utf-8")
    )
    shown = [s for s in sections if any(s.get(key) for key in ("table", "chart", "links", "text"))]
    return template.render(title=title, subtitle=subtitle, warnings=warnings, sections=shown)


def profiles(aggregates: Sequence[dict[str, Any]]) -> str:
    """Performance profiles of all policies; "" where no goal overlap was measured."""
    lines = [profile_line(each["label"], each["profile"]) for each in aggregates if each["profile"]]
    return line_chart(lines, "goal overlap of at least", "share of episodes") if lines else ""


def profile_line(name: str, profile: Sequence[Estimate]) -> Line:
    """One policy's; a band where there are intervals."""

    def curve(values: Sequence[float]) -> list[Point]:
        return list(zip(THRESHOLDS.tolist(), values, strict=True))

    bounds = [each["interval"] or (each["value"], each["value"]) for each in profile]
    band = (curve([low for low, _ in bounds]), curve([high for _, high in bounds]))
    return Line(name, curve([each["value"] for each in profile]), band)


def reasons(runs: Sequence[Run]) -> str:
    """Bars for every reason that was met, the most frequent first; "" where no request failed."""
    everyone = [(c, [episode for task in c.tasks.values() for episode in task]) for c in contestants(runs)]
    rates = [failure_rates(episodes) for _, episodes in everyone]
    judged = [any(episode["placed"] + episode["failed"] for episode in episodes) for _, episodes in everyone]
    met: Counter[str] = Counter()
    for each in rates:
        met.update(each)
    groups = [
        (name, [each.get(name, 0.0) if told else None for each, told in zip(rates, judged, strict=True)])
        for name, _ in met.most_common()
    ]
    return bar_chart(groups, [label(c, [other for other, _ in everyone]) for c, _ in everyone]) if groups else ""


def curves(runs: Sequence[Run]) -> str:
    """The learning curves of all checkpoints, as far as they are still where they were; "" without any."""
    lines = []
    for run in runs:
        where = f", {run.name}" if len(runs) > 1 else ""
        for policy in run.record["policies"]:
            if points := learned(policy):
                lines.append(Line((policy["checkpoint"] or policy["name"]) + where, points))
    return line_chart(lines, "steps of training", "success") if lines else ""


def learned(identity: dict[str, Any]) -> list[Point]:
    """(steps, success) from the record beside a checkpoint; nothing if it has moved or is another by now."""
    path = Path(identity.get("path", ""))
    if "path" not in identity or not path.exists() or content_hash(path) != identity["sha256"]:
        return []
    curve = read_run(path).get("curve", {"columns": [], "rows": []})
    rows = (dict(zip(curve["columns"], row, strict=True)) for row in curve["rows"])
    return [(row["steps"], row["success"]) for row in rows if row["success"] is not None]
