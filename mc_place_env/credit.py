"""Credit for delayed verdicts: rewards fall when a verdict is reported; this moves them to the step that asked."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

KEPT = ("time",)  # terms that belong to the step they fell in


def relabel_credit(infos: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """Rewards of one episode, float64 (steps,), with the credit at submission.

    `infos`: the info of every step of the episode, in order, without the reset's. Whatever of a step's reward a verdict
    brought (every term but `time`) goes in equal parts to the steps that submitted the requests reported in it; without
    verdicts it stays. The sum over the episode is unchanged.
    """
    rewards = np.array([sum(info["reward_terms"].values()) for info in infos])
    for step, info in enumerate(infos):
        judged = [outcome for outcome in info["outcomes"] if outcome["outcome"] != "cancelled"]
        moved = sum(value for term, value in info["reward_terms"].items() if term not in KEPT)
        for outcome in judged:
            rewards[step] -= moved / len(judged)
            rewards[outcome["submitted_step"]] += moved / len(judged)
    return rewards
