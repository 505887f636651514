"""What is counted of an episode, and what a set of episodes comes to.

An episode is a flat dict: `checkpoint` (see policies.py), `seed`, `instance` (number of the start within its split),
`success` (None where the task has none), `return`, `steps`, `ticks`; `goal_overlap` in [0, 1] (see overlap.py) and
`exact`, both None where the task asks for no block; numbers of requests by fate: `accepted`, `rejected`, `placed`,
`failed`, `cancelled`; `failed_by_reason` {reason: number}; `ticks_to_verdict`, the mean over placed and failed requests
or None; `repeats_after_failure`, requests with the anchor offset and face of the request whose failure was the last
thing heard; `requests_while_pending`, requests made with others in flight.
"""

from collections import Counter
from typing import Any

import numpy as np

from mc_place_env.evaluation.overlap import Overlap
from mc_place_env.evaluation.statistics import bootstrap_interval, mean, mean_over_tasks, ratio, wilson_interval
from mc_place_env.simulation.view import RowView
from mc_place_env.types import Outcome, Reason, Status, SuccessKind

REASON_NAMES = tuple(reason.name.lower() for reason in Reason)
COUNTS = ("accepted", "rejected", "placed", "failed", "cancelled", "repeats_after_failure", "requests_while_pending")
NOTHING = np.iinfo(np.int64).min  # no anchor offset


class EpisodeCounter:
    """Counts one episode in each of n rows, step by step, from the facts of a vector environment."""

    def __init__(self, seeds: list[int], rows: np.ndarray, views: list[RowView]):
        n = len(seeds)
        self.seeds, self.instances = seeds, rows["instance"].tolist()
        self.can_succeed = rows["success_kind"] != SuccessKind.NEVER
        self.overlaps = [Overlap(view) for view in views]
        self.counts = {name: np.zeros(n, np.int64) for name in (*COUNTS, "steps", "ticks", "verdict_ticks")}
        self.returns, self.success = np.zeros(n), np.zeros(n, np.bool_)
        self.reasons = np.zeros((n, len(Reason)), np.int64)
        self._asked: list[dict[int, np.ndarray]] = [{} for _ in seeds]  # anchor offset and face by request id
        self._just_failed = np.full((n, 4), NOTHING)
        self._pending = np.zeros(n, np.int64)  # before the step

    def update(self, actions: np.ndarray, rewards: np.ndarray, info: dict[str, Any], running: np.ndarray) -> None:
        """Takes in a step: ACTION (n,), rewards (n,), the info, and which rows' episodes are under way."""
        self.counts["steps"] += running
        self.returns += np.where(running, rewards, 0.0)
        np.copyto(self.counts["ticks"], info["tick"], where=running)
        np.copyto(self.success, info["is_success"], where=running)
        self._count_request(actions, info, running)
        self._count_verdicts(info, running)
        self._pending[:] = info["pending_count"]

    def _count_request(self, actions: np.ndarray, info: dict[str, Any], running: np.ndarray) -> None:
        accepted = running & (info["status"] == Status.ACCEPTED)
        rejected = running & (info["status"] == Status.REJECTED)
        asked = accepted | rejected
        what = place_of(actions)
        self.counts["accepted"] += accepted
        self.counts["rejected"] += rejected
        self.counts["requests_while_pending"] += asked & (self._pending > 0)
        self.counts["repeats_after_failure"] += asked & (what == self._just_failed).all(axis=1)
        self._just_failed[asked] = NOTHING
        for i in np.flatnonzero(accepted).tolist():
            self._asked[i][int(info["request_id"][i])] = what[i]

    def _count_verdicts(self, info: dict[str, Any], running: np.ndarray) -> None:
        outcome = np.where(running[:, None], info["outcome"], Outcome.PENDING)  # (n, groups)
        ticks = info["outcome_resolved_tick"] - info["outcome_submitted_tick"]
        judged = (outcome == Outcome.PLACED) | (outcome == Outcome.FAILED)
        for name in ("placed", "failed", "cancelled"):
            self.counts[name] += (outcome == Outcome[name.upper()]).sum(axis=1)
        self.counts["verdict_ticks"] += np.where(judged, ticks, 0).sum(axis=1)
        for i, k in np.argwhere(outcome == Outcome.FAILED).tolist():
            self.reasons[i, info["outcome_reason"][i, k]] += 1
            self._just_failed[i] = self._asked[i][int(info["outcome_request_id"][i, k])]

    def episode(self, i: int) -> dict[str, Any]:
        """What row i's episode comes to; to be asked in the step that ended it."""
        overlap = self.overlaps[i].measure()
        counts = {name: int(values[i]) for name, values in self.counts.items()}
        ticks = counts.pop("verdict_ticks")
        return {
            "seed": self.seeds[i],
            "instance": self.instances[i],
            "success": bool(self.success[i]) if self.can_succeed[i] else None,
            "return": float(self.returns[i]),
            "goal_overlap": overlap,
            "exact": None if overlap is None else overlap == 1.0,
            **counts,
            "ticks_to_verdict": ratio(ticks, counts["placed"] + counts["failed"]),
            "failed_by_reason": {REASON_NAMES[k]: int(self.reasons[i, k]) for k in np.flatnonzero(self.reasons[i])},
        }


def place_of(actions: np.ndarray) -> np.ndarray:
    """Rounded anchor offset and face of ACTION (n,): int64 (n, 4); NaN and infinity become 0 (never accepted)."""
    anchor = np.rint(np.nan_to_num(actions["anchor"], posinf=0.0, neginf=0.0)).astype(np.int64)
    return np.column_stack([anchor, actions["face"]])


def summarise(episodes: list[dict[str, Any]]) -> dict[str, Any]:
    """What a set of episodes comes to; None wherever nothing was measured. Cancelled requests enter no rate."""
    total = {name: sum(episode[name] for episode in episodes) for name in COUNTS}
    verdicts = total["placed"] + total["failed"]
    ticks = sum((e["ticks_to_verdict"] or 0.0) * (e["placed"] + e["failed"]) for e in episodes)
    solved = [episode for episode in episodes if episode["success"]]
    return {
        "episodes": len(episodes),
        "success": mean(episode["success"] for episode in episodes),
        "success_interval": success_interval(episodes),
        "goal_overlap": mean(episode["goal_overlap"] for episode in episodes),
        "exact": mean(episode["exact"] for episode in episodes),
        "return": mean(episode["return"] for episode in episodes),
        "steps_to_success": mean(episode["steps"] for episode in solved),
        "ticks_to_success": mean(episode["ticks"] for episode in solved),
        "acceptance": ratio(total["accepted"], total["accepted"] + total["rejected"]),
        "accepted_but_failed": ratio(total["failed"], verdicts),
        "failed_by_reason": failure_rates(episodes),
        "ticks_to_verdict": ratio(ticks, verdicts),
        "repeat_after_failure": ratio(total["repeats_after_failure"], total["failed"]),
        "while_pending": ratio(total["requests_while_pending"], total["accepted"] + total["rejected"]),
    } | total


def failure_rates(episodes: list[dict[str, Any]]) -> dict[str, float]:
    """Share of all verdicts (placed or failed) that were failures for each reason met, the most frequent first."""
    verdicts = sum(episode["placed"] + episode["failed"] for episode in episodes)
    counts: Counter[str] = sum((Counter(episode["failed_by_reason"]) for episode in episodes), Counter())
    return {name: count / verdicts for name, count in counts.most_common()}


def success_interval(episodes: list[dict[str, Any]]) -> tuple[float, float] | None:
    """95 % interval of the success rate: Wilson's over episodes, or of the bootstrap over several training runs."""
    runs = by_checkpoint([episode for episode in episodes if episode["success"] is not None])
    if len(runs) > 1:
        rates = np.array([mean(episode["success"] for episode in run) for run in runs])
        return bootstrap_interval([rates], mean_over_tasks)
    ended = [episode["success"] for run in runs for episode in run]
    return wilson_interval(sum(ended), len(ended))


def by_checkpoint(episodes: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The episodes of each training run, in order of name."""
    names = sorted({episode["checkpoint"] for episode in episodes})
    return [[episode for episode in episodes if episode["checkpoint"] == name] for name in names]
