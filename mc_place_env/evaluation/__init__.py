"""Evaluation: policies on tasks, one episode a seed, on either backend.

results = [evaluate(policy, "McPlace/Wall-v0", episodes=200) for policy in ("runs/wall/model.zip", "random")]
print(format_table(results))

In a folder that can be resumed, repeated, compared and read: `python -m mc_place_env.evaluation`, or run.py.
"""

from mc_place_env.evaluation.metrics import summarise
from mc_place_env.evaluation.policies import Policy, as_policy
from mc_place_env.evaluation.runner import Evaluation, evaluate, run_episodes
from mc_place_env.evaluation.statistics import wilson_interval
from mc_place_env.evaluation.table import format_table

__all__ = [
    "Evaluation",
    "Policy",
    "as_policy",
    "evaluate",
    "format_table",
    "run_episodes",
    "summarise",
    "wilson_interval",
]
