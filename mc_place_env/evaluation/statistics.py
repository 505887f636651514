"""Figures with intervals for what was measured; None where nothing was.

Aggregates over tasks follow Agarwal et al. 2021 ("Deep RL at the edge of the statistical precipice"): scores come as
one array a task, and the bootstrap resamples within each task. Every function gives the same figure for the same
scores: the bootstrap has its own fixed seed.
"""

from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from statistics import NormalDist
from typing import TypedDict

import numpy as np

Interval = tuple[float, float]


class Estimate(TypedDict):
    """A figure and its 95 % interval, None where that cannot be told."""

    value: float
    interval: Interval | None


Strata = Sequence[np.ndarray]  # one array a task, scores on the last axis
Statistic = Callable[[Strata], np.ndarray]  # reduces the last axis of all strata to one figure

DRAWS = 2000  # bootstrap resamples
PROFILE_DRAWS = 500  # of each point of a profile
AT_ONCE = 4_000_000  # resampled scores in memory
THRESHOLDS = np.linspace(0.0, 1.0, 21)


def wilson_interval(successes: int, trials: int, confidence: float = 0.95) -> Interval | None:
    """Wilson's score interval for a rate (Wilson 1927); None where nothing was tried.

    Unlike the normal interval it stays within [0, 1] and has a width at 0 and at `trials` successes.
    """
    if trials == 0:
        return None
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate, spread = successes / trials, z * z / trials
    middle = (rate + spread / 2) / (1 + spread)
    half = z / (1 + spread) * sqrt(rate * (1 - rate) / trials + spread / (4 * trials))
    return max(0.0, middle - half), min(1.0, middle + half)


def ratio(part: float, whole: float) -> float | None:
    """part / whole; None where there was nothing to count."""
    return part / whole if whole else None


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of those that were measured; None where none was."""
    measured = [value for value in values if value is not None]
    return ratio(float(sum(measured)), len(measured))


def mean_over_tasks(strata: Strata) -> np.ndarray:
    """Mean of the tasks' means: each task weighs the same, however many scores it has."""
    return np.mean([scores.mean(axis=-1) for scores in strata], axis=0)


def interquartile_mean(strata: Strata) -> np.ndarray:
    """Mean of the middle half of all scores: a quarter of them, rounded down, is left out at either end."""
    ordered = np.sort(np.concatenate(strata, axis=-1), axis=-1)
    cut = ordered.shape[-1] // 4
    return ordered[..., cut : ordered.shape[-1] - cut].mean(axis=-1)


def bootstrap_interval(
    strata: Strata, statistic: Statistic, confidence: float = 0.95, draws: int = DRAWS
) -> Interval | None:
    """Percentile interval of `statistic` under resampling within each stratum; None without scores."""
    if not strata or any(len(scores) == 0 for scores in strata):
        return None
    random = np.random.default_rng(0)
    step = max(1, AT_ONCE // sum(len(scores) for scores in strata))
    found = []
    for first in range(0, draws, step):
        count = min(step, draws - first)
        found.append(statistic([scores[random.integers(len(scores), size=(count, len(scores)))] for scores in strata]))
    low, high = np.quantile(np.concatenate(found), [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def estimate(strata: Strata, statistic: Statistic, draws: int = DRAWS) -> Estimate | None:
    """A statistic and its interval; None without scores.

    Where each task's scores are all equal no interval is given: resampling them shows nothing but their value.
    """
    interval = bootstrap_interval(strata, statistic, draws=draws)
    if interval is None:
        return None
    varied = any(scores.min() < scores.max() for scores in strata)
    return {"value": float(statistic(strata)), "interval": interval if varied else None}


def wins(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """How often we do better on each start, a tie counting half: (starts,) from scores (training runs, starts)."""
    better, same = ours[:, None] > theirs[None], ours[:, None] == theirs[None]
    return (better + 0.5 * same).mean(axis=(0, 1))


def performance_profile(strata: Strata) -> list[Estimate] | None:
    """Share of scores that reach each of THRESHOLDS, mean over tasks; None without scores.

    `strata`: one array (training runs, starts) a task; starts are resampled.
    """
    reached = ([(scores >= threshold).mean(axis=0) for scores in strata] for threshold in THRESHOLDS)
    found = [estimate(shares, mean_over_tasks, PROFILE_DRAWS) for shares in reached]
    return [each for each in found if each is not None] or None
