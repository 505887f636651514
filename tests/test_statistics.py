"""Figures with intervals: known values, and what must hold for any scores."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mc_place_env.evaluation.statistics import (
    bootstrap_interval,
    estimate,
    interquartile_mean,
    mean,
    mean_over_tasks,
    performance_profile,
    wins,
)

# scores (runs, tasks) and what rliable 1.2.0 (Agarwal et al. 2021) answers for them
OURS = np.array([[0.9, 0.1, 0.5], [0.8, 0.3, 0.5], [0.7, 0.2, 0.9], [1.0, 0.0, 0.4], [0.6, 0.9, 0.3]])
THEIRS = np.array([[0.5, 0.2, 0.5], [0.9, 0.1, 0.6], [0.3, 0.2, 0.2], [0.8, 0.4, 0.1], [0.6, 0.3, 0.5]])
RLIABLE = {"iqm": 0.5555555555555556, "mean": 0.54, "iqm_interval": (0.4222, 0.7333), "improvement": 0.5933333333333333}

scores = arrays(np.float64, st.integers(1, 30), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0]))


def tasks(matrix):
    return list(matrix.T)


def test_as_rliable():
    assert interquartile_mean(tasks(OURS)) == pytest.approx(RLIABLE["iqm"])
    assert mean_over_tasks(tasks(OURS)) == pytest.approx(RLIABLE["mean"])
    low, high = bootstrap_interval(tasks(OURS), interquartile_mean, draws=20_000)
    assert (low, high) == pytest.approx(RLIABLE["iqm_interval"], abs=0.02)
    # rliable compares every run of ours with every one of theirs, as if all had the same start
    better = [wins(ours[:, None], theirs[:, None]) for ours, theirs in zip(tasks(OURS), tasks(THEIRS))]
    assert mean_over_tasks(better) == pytest.approx(RLIABLE["improvement"])


@pytest.mark.parametrize(("values", "expected"), [([1, 2, 3, 100], 2.5), ([7], 7.0), ([0, 0, 1, 1, 1], 2 / 3)])
def test_interquartile_mean(values, expected):
    assert interquartile_mean([np.array(values, float)]) == pytest.approx(expected)


@settings(max_examples=40)
@given(st.lists(scores, min_size=1, max_size=3))
def test_an_interval_lies_within_the_scores_and_is_the_same_again(strata):
    low, high = bootstrap_interval(strata, mean_over_tasks, draws=200)
    assert min(map(np.min, strata)) - 1e-12 <= low <= high <= max(map(np.max, strata)) + 1e-12
    assert bootstrap_interval(strata, mean_over_tasks, draws=200) == (low, high)


def test_the_interval_of_a_mean_covers_as_often_as_it_says():
    random = np.random.default_rng(5)
    strata = [(random.random(60) < rate).astype(float) for _ in range(300) for rate in (0.3, 0.8)]
    pairs = list(zip(strata[::2], strata[1::2]))
    intervals = [bootstrap_interval(pair, mean_over_tasks, draws=300) for pair in pairs]
    assert 0.90 <= np.mean([low <= 0.55 <= high for low, high in intervals]) <= 0.99


def test_resampling_stays_within_a_task():
    """Between two tasks that never vary lies no uncertainty; mixing them would make some."""
    low, high = bootstrap_interval([np.zeros(5), np.ones(5)], mean_over_tasks)
    assert low == high == 0.5


def test_a_task_weighs_the_same_however_many_episodes_it_has():
    assert mean_over_tasks([np.zeros(1000), np.ones(10)]) == 0.5


def test_many_scores_are_resampled_in_pieces(monkeypatch):
    whole = bootstrap_interval(tasks(OURS), mean_over_tasks, draws=4000)
    monkeypatch.setattr("mc_place_env.evaluation.statistics.AT_ONCE", 100)
    assert bootstrap_interval(tasks(OURS), mean_over_tasks, draws=4000) == pytest.approx(whole, abs=0.01)


@given(scores, st.randoms(use_true_random=False))
def test_wins_of_both_sides_add_up(ours, random):
    theirs = ours.copy()
    random.shuffle(theirs)
    assert wins(ours[None], theirs[None]) + wins(theirs[None], ours[None]) == pytest.approx(1.0)
    assert wins(ours[None], ours[None]) == pytest.approx(0.5)


def test_wins_are_counted_by_start():
    ours, theirs = np.array([[1.0, 0.0, 0.5]]), np.array([[0.0, 1.0, 0.5]])
    assert wins(ours, theirs).tolist() == [1.0, 0.0, 0.5]
    two_runs = np.array([[1.0, 0.0], [0.0, 0.0]])
    assert wins(two_runs, np.array([[0.5, 0.5]])).tolist() == [0.5, 0.0]


@settings(max_examples=10)
@given(arrays(np.float64, (2, 9), elements=st.floats(0, 1)))
def test_a_profile_falls_from_one(matrix):
    shares = [point["value"] for point in performance_profile([matrix])]
    assert shares[0] == 1.0
    assert all(a >= b for a, b in pairwise(shares))
    assert shares[-1] == pytest.approx((matrix == 1.0).mean())


def test_nothing_measured_is_none_and_never_a_number():
    assert mean([]) is mean([None, None]) is None
    assert mean([None, 1.0, 0.0]) == 0.5
    assert estimate([], mean_over_tasks) is None
    assert estimate([np.zeros(0)], mean_over_tasks) is None
    assert performance_profile([]) is None
    assert estimate([np.ones(8)], mean_over_tasks) == {"value": 1.0, "interval": None}  # it cannot be told
