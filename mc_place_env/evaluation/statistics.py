"""Intervals for what was measured."""

from math import sqrt
from statistics import NormalDist


def wilson_interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float] | None:
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
