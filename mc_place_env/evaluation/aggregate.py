"""What runs come to over their tasks, alone and in pairs: plain data for summary.json, the tables and the report.

A contestant is one policy of one run on one backend and split. Its scores are one array a task: of its episodes, or, if
the policy stands for several training runs, of the means of these (the seeds of Agarwal et al. 2021).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mc_place_env.errors import ConfigError
from mc_place_env.evaluation.metrics import by_checkpoint
from mc_place_env.evaluation.run import Run, differences
from mc_place_env.evaluation.statistics import (
    Estimate,
    estimate,
    interquartile_mean,
    mean_over_tasks,
    performance_profile,
    wins,
)

SCORES = ("success", "goal_overlap")
EpisodesOfRuns = list[list[dict[str, Any]]]  # [training run][start]


class Contestant(NamedTuple):
    """Who is compared: `tasks` {id: episodes}."""

    run: str
    policy: str
    backend: str
    split: str
    tasks: dict[str, list[dict[str, Any]]]

    @property
    def full_name(self) -> str:
        """How messages name it."""
        return " ".join(part for part in self[:4] if part)


def contestants(runs: Sequence[Run]) -> list[Contestant]:
    """All of them, run by run."""
    found: dict[tuple[str, ...], Contestant] = {}
    for run in runs:
        for e in run.evaluations():
            key = (run.name, e.policy, e.backend, e.split)
            found.setdefault(key, Contestant(*key, {})).tasks[e.env_id] = e.episodes
    return list(found.values())


def scores_of(contestant: Contestant, score: str) -> list[np.ndarray]:
    """One array a task on which the score was measured; see the module."""
    return [runs[0] if len(runs) == 1 else runs.mean(axis=1) for runs in score_matrices(contestant, score)]


def score_matrices(contestant: Contestant, score: str) -> list[np.ndarray]:
    """One array (training runs, starts played by all of them) a task on which the score was measured."""
    tasks = [episodes for episodes in contestant.tasks.values() if episodes[0][score] is not None]
    return [matrix(on_common_starts(by_checkpoint(episodes)), score) for episodes in tasks]


def on_common_starts(runs: EpisodesOfRuns) -> EpisodesOfRuns:
    """The episodes of some runs from the seeds that all of them have played."""
    common = set.intersection(*({episode["seed"] for episode in run} for run in runs))
    return [[episode for episode in run if episode["seed"] in common] for run in runs]


def matrix(runs: EpisodesOfRuns, score: str) -> np.ndarray:
    """One score of some runs from the same starts, (runs, starts); NaN where it was not measured."""
    return np.array([[episode[score] for episode in run] for run in runs], float)


def aggregate(contestant: Contestant, everyone: Sequence[Contestant]) -> dict[str, Any]:
    """Success, interquartile mean of the goal overlap, and its performance profile; None where nothing was measured."""
    episodes = [episode for task in contestant.tasks.values() for episode in task]
    return {name: getattr(contestant, name) for name in ("run", "policy", "backend", "split")} | {
        "label": label(contestant, everyone),
        "tasks": len(contestant.tasks),
        "training_runs": len({episode["checkpoint"] for episode in episodes}),
        "episodes": len(episodes),
        "success": estimate(scores_of(contestant, "success"), mean_over_tasks),
        "goal_overlap_iqm": estimate(scores_of(contestant, "goal_overlap"), interquartile_mean),
        "profile": performance_profile(score_matrices(contestant, "goal_overlap")),
    }


def aggregates(everyone: Sequence[Contestant]) -> list[dict[str, Any]]:
    """One aggregate each."""
    return [aggregate(contestant, everyone) for contestant in everyone]


def comparisons(everyone: Sequence[Contestant]) -> list[dict[str, Any]]:
    """Each contestant (of several runs, those beyond the first) against its baseline.

    ConfigError for one that shares no start with it.
    """
    found, several_runs = [], len({contestant.run for contestant in everyone}) > 1
    for contestant in everyone:
        baseline = baseline_of(contestant, everyone)
        if contestant is baseline or (several_runs and contestant.run == everyone[0].run):
            continue
        pairs = [] if baseline is None else [pair(contestant, baseline, env_id) for env_id in contestant.tasks]
        pairs = [each for each in pairs if each[0]]
        if baseline is None or not pairs:
            raise ConfigError(f"nothing to pair: {starts_of(contestant)}; {starts_of(baseline or everyone[0])}")
        names = {"policy": label(contestant, everyone), "baseline": label(baseline, everyone)}
        found.append(names | paired_figures(pairs))
    return found


def baseline_of(contestant: Contestant, everyone: Sequence[Contestant]) -> Contestant | None:
    """Whom a contestant is compared to, always of the first run and on the same split; None if there is nobody.

    From another run: the same policy on the same backend, if there; otherwise the first policy.
    """
    first = [other for other in everyone if (other.run, other.split) == (everyone[0].run, contestant.split)]
    same = [other for other in first if other[1:4] == contestant[1:4] and contestant.run != other.run]
    return next(iter(same or first), None)


def label(contestant: Contestant, everyone: Sequence[Contestant]) -> str:
    """What tells a contestant from the others: its policy, and run, backend and split where these vary."""
    varied = [name for name in ("run", "backend", "split") if len({getattr(each, name) for each in everyone}) > 1]
    return ", ".join(getattr(contestant, name) for name in ("policy", *varied))


Pair = tuple[EpisodesOfRuns, EpisodesOfRuns]  # ours and theirs


def pair(ours: Contestant, theirs: Contestant, env_id: str) -> Pair:
    """The episodes of two contestants on one task from the starts that both played; ConfigError if they differ."""
    left, right = (by_checkpoint(contestant.tasks.get(env_id, [])) for contestant in (ours, theirs))
    if not left or not right:
        return [], []
    runs = on_common_starts([*left, *right])
    for start in zip(*runs, strict=True):
        if len({episode["instance"] for episode in start}) > 1:
            who = f"{ours.full_name} and for {theirs.full_name}"
            raise ConfigError(f"not to be paired: {env_id} seed {start[0]['seed']} is not the same instance for {who}")
    return (runs[: len(left)], runs[len(left) :]) if runs[0] else ([], [])


def paired_figures(pairs: list[Pair]) -> dict[str, Any]:
    """Difference in success and probability of improvement over the common starts of some tasks."""
    return {
        "tasks": len(pairs),
        "pairs": sum(len(ours[0]) for ours, _ in pairs),
        "success_gain": estimate([gain(*each) for each in measured(pairs, "success")], mean_over_tasks),
        **{f"improvement_in_{score}": improvement(pairs, score) for score in SCORES},
    }


def improvement(pairs: list[Pair], score: str) -> Estimate | None:
    """How probable it is that we score higher than they from the same start; None where the score was not measured."""
    scored = [(matrix(ours, score), matrix(theirs, score)) for ours, theirs in measured(pairs, score)]
    return estimate([wins(ours, theirs) for ours, theirs in scored], mean_over_tasks)


def gain(ours: EpisodesOfRuns, theirs: EpisodesOfRuns) -> np.ndarray:
    """Our success less theirs at each start, means over training runs: (starts,)."""
    return matrix(ours, "success").mean(axis=0) - matrix(theirs, "success").mean(axis=0)


def measured(pairs: list[Pair], score: str) -> list[Pair]:
    """The pairs from tasks on which a score was measured."""
    return [(ours, theirs) for ours, theirs in pairs if ours[0][0][score] is not None]


def starts_of(contestant: Contestant) -> str:
    """What a contestant played, in words."""
    parts = []
    for env_id, episodes in contestant.tasks.items():
        seeds = [episode["seed"] for episode in episodes]
        parts.append(f"{env_id} {contestant.split} seeds {min(seeds)} to {max(seeds)}")
    return f"{contestant.full_name} played {', '.join(parts)}"


def summary(run: Run) -> dict[str, Any]:
    """Everything summary.json holds of a finished run."""
    everyone = [contestant._replace(run="") for contestant in contestants([run])]
    series = [
        {"policy": e.policy, "backend": e.backend, "id": e.env_id, "split": e.split, **e.summary}
        for e in run.evaluations()
    ]
    return {"series": series, "policies": aggregates(everyone), "comparisons": comparisons(everyone)}


def changed(runs: Sequence[Run]) -> list[tuple[str, list[Any]]]:
    """What differs between the records of runs: (key, one value a run)."""
    records = [run.record | {"policies": identities(run, runs)} for run in runs]
    return [d for part in ("plan", "policies", "versions", "sources", "git") for d in of_part(part, records)]


def of_part(part: str, records: list[dict[str, Any]]) -> list[tuple[str, list[Any]]]:
    """The differences in one part of some records."""
    return differences(part, [record[part] for record in records])


def identities(run: Run, runs: Sequence[Run]) -> dict[str, Any]:
    """A run's policies by name; where every run has only one, just that."""
    if all(len(each.record["policies"]) == 1 for each in runs):
        return run.record["policies"][0]
    return {" ".join([p["name"], p.get("checkpoint", "")]).strip(): p for p in run.record["policies"]}


def mixed_versions(runs: Sequence[Run]) -> list[str]:
    """One line a part of the software that was not the same in all runs."""
    records = [run.record for run in runs]
    found = [d for part in ("versions", "sources") for d in of_part(part, records)]
    return [f"{key}: {', '.join(str(value)[:12] for value in values)}" for key, values in found]


def compare(runs: Sequence[Run]) -> dict[str, Any]:
    """Runs side by side; ConfigError for fewer than two, an empty one, or one that shares no start with the first."""
    if len({run.name for run in runs}) < 2:
        raise ConfigError("compare: expected two or more different runs")
    for run in runs:
        if not run.evaluations():
            raise ConfigError(f"{run.name}: an empty run, no episode was finished")
    everyone = contestants(runs)
    return {
        "runs": [run.name for run in runs],
        "policies": aggregates(everyone),
        "comparisons": comparisons(everyone),
        "changed": changed(runs),
        "warnings": warnings(runs),
    }


def warnings(runs: Sequence[Run]) -> list[str]:
    """What a reader of a comparison must know first."""
    mixed = [f"mixed versions: {line}" for line in mixed_versions(runs)]
    return mixed + [f"{run.name} is not complete: {run.missing} episodes are missing" for run in runs if run.missing]
