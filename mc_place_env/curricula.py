"""Curricula: which task the next episode plays, by the success of the episodes before.

A curriculum is YAML (configs/curriculum_*.yaml):

    sampler: stages          # or learning_progress
    success: 0.9             # promotion: this share of the last `window` episodes of the stage
    window: 500
    share: 0.2               # of the episodes replay an earlier stage
    stages:
      - {difficulty: 0.0, latency: 0}
      - {difficulty: 0.5, success: 0.8}
      - {task: Bridge, length: 5, latency: [2, 10]}

A stage holds settings of the environment's `set_task` (task, split, difficulty, latency, parameters of the family), and
may hold its own `success` and `window`. What it does not say is as the environment was made. Nothing here knows an
environment or a learner: draw a stage for an episode, play it, record whether it succeeded. Stages are numbered from 0.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mc_place_env.config import check_choice, check_int, check_number, read_yaml, refuse_unknown
from mc_place_env.envs.making import SETTINGS, check_mapping, check_task
from mc_place_env.errors import ConfigError
from mc_place_env.tasks import TASKS


@dataclass(frozen=True)
class Stage:
    """Settings of `set_task`, and when they are mastered: `success` of the last `window` episodes."""

    task: dict[str, Any]
    success: float
    window: int


class Curriculum(ABC):
    """Draws stages and records episodes. `state` is plain data: all that changes."""

    sampler: str

    def __init__(self, stages: tuple[Stage, ...], share: float):
        self.stages, self.share = stages, share
        self.state: dict[str, Any] = {"sampler": self.sampler, "stage": 0, "episodes": 0, "promotions": []}
        self.state["recent"] = [[] for _ in stages]  # 1 or 0 an episode, at most `window` of them

    @property
    def stage(self) -> int:
        """The stage learned now: the latest reached, or the one drawn most."""
        return self.state["stage"]

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether there is nothing left to master."""

    @abstractmethod
    def probabilities(self) -> np.ndarray:
        """The chance of each stage to be drawn: float64 (stages,), of sum 1."""

    @abstractmethod
    def _advance(self, stage: int, success: bool) -> None:
        """Takes in an episode that is among the recent ones already."""

    def draw(self, rng: np.random.Generator) -> int:
        """The stage of the next episode."""
        return int(rng.choice(len(self.stages), p=self.probabilities()))

    def record(self, success: bool, stage: int | None = None) -> bool:
        """Takes in one ended episode of `stage` (default: the present one); True if it moved the present stage."""
        before = self.stage
        stage = before if stage is None else stage
        recent = self.state["recent"][stage]
        recent.append(int(success))
        del recent[: -self.stages[stage].window]
        self.state["episodes"] += 1
        self._advance(stage, success)
        return self.stage != before

    def success(self, stage: int) -> float | None:
        """Success rate of the stage's last `window` episodes, or of as many as there were; None without any."""
        recent = self.state["recent"][stage]
        return sum(recent) / len(recent) if recent else None

    def mastered(self, stage: int) -> bool:
        """Whether the stage's window is full and its success reached."""
        recent, asked = self.state["recent"][stage], self.stages[stage]
        return len(recent) == asked.window and sum(recent) >= asked.success * asked.window

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Goes on from a saved `state`; ConfigError if it is of another sampler or number of stages."""
        if state["sampler"] != self.sampler or len(state["recent"]) != len(self.stages):
            theirs, ours = (f"{len(s['recent'])} stages, sampler {s['sampler']}" for s in (state, self.state))
            raise ConfigError(f"curriculum: the saved state is of {theirs}, this curriculum has {ours}")
        self.state.update(deepcopy(dict(state)))

    def summary(self) -> str:
        """One line for people, who count stages from 1: `stage 2/3, success 97% 41% -`."""
        rates = (self.success(k) for k in range(len(self.stages)))
        told = " ".join("-" if rate is None else f"{rate:.0%}" for rate in rates)
        return f"stage {self.stage + 1}/{len(self.stages)}, success {told}"


class StageCurriculum(Curriculum):
    """One stage after the other; a `share` of the episodes goes to the earlier ones, all alike."""

    sampler = "stages"

    @property
    def finished(self) -> bool:
        """Whether the last stage is reached and mastered."""
        return self.stage == len(self.stages) - 1 and self.mastered(self.stage)

    def probabilities(self) -> np.ndarray:
        """`share` over the earlier stages, the rest on the present one."""
        chances, stage = np.zeros(len(self.stages)), self.stage
        chances[:stage] = self.share / max(stage, 1)
        chances[stage] = 1.0 - chances[:stage].sum()
        return chances

    def _advance(self, stage: int, success: bool) -> None:
        if stage == self.stage < len(self.stages) - 1 and self.mastered(stage):
            self.state["stage"] += 1
            self.state["promotions"].append({"stage": self.stage, "episodes": self.state["episodes"]})


class LearningProgressCurriculum(Curriculum):
    """Draws stages in proportion to the absolute learning progress in them, and a `share` uniformly.

    Progress is the distance between a fast and a slow average of success, so that forgetting counts as learning does:
    the Teacher of Matiisen et al. 2017 (arXiv:1707.00183), with the two averages of Kanitscheider et al. 2021
    (arXiv:2106.14876).
    """

    sampler = "learning_progress"

    def __init__(self, stages: tuple[Stage, ...], share: float):
        super().__init__(stages, share)
        self.state |= {"fast": [0.0] * len(stages), "slow": [0.0] * len(stages)}

    @property
    def finished(self) -> bool:
        """Whether all stages are mastered."""
        return all(self.mastered(stage) for stage in range(len(self.stages)))

    def progress(self) -> np.ndarray:
        """Absolute learning progress in each stage, 0 to 1: float64 (stages,)."""
        return np.abs(np.subtract(self.state["fast"], self.state["slow"]))

    def probabilities(self) -> np.ndarray:
        """`share` over all stages alike, the rest by progress; uniform while there is none."""
        progress, uniform = self.progress(), np.full(len(self.stages), 1.0 / len(self.stages))
        total = progress.sum()
        return uniform if total == 0.0 else self.share * uniform + (1.0 - self.share) * progress / total

    def _advance(self, stage: int, success: bool) -> None:
        rate, fast, slow = 2.0 / (self.stages[stage].window + 1), self.state["fast"], self.state["slow"]
        fast[stage] += rate * (success - fast[stage])
        slow[stage] += rate * (fast[stage] - slow[stage])
        self.state["stage"] = int(np.argmax(self.progress()))


# -- reading -----------------------------------------------------------------------------------------------------------

SAMPLERS = {kind.sampler: kind for kind in (StageCurriculum, LearningProgressCurriculum)}
DEFAULTS = {"sampler": "stages", "success": 0.9, "window": 500, "share": 0.2}


def read_curriculum(source: Mapping[str, Any] | str | Path, where: str = "curriculum") -> Curriculum:
    """A curriculum from a mapping or a YAML file; ConfigError names the first bad key, its value and what was meant."""
    if isinstance(source, (str, Path)):
        source, where = read_yaml(source), str(source)
    given = check_mapping(where, source)
    refuse_unknown(given, (*DEFAULTS, "stages"), where)
    sampler = check_choice(f"{where}: sampler", given.get("sampler", DEFAULTS["sampler"]), tuple(SAMPLERS))
    share = check_number(f"{where}: share", given.get("share", DEFAULTS["share"]), 0.0, 1.0)
    stages = given.get("stages")
    if not isinstance(stages, (list, tuple)) or not stages:
        raise ConfigError(f"{where}: stages={stages!r}: expected a list of at least one stage")
    ends = {key: given.get(key, DEFAULTS[key]) for key in ("success", "window")}
    return SAMPLERS[sampler](tuple(_stage(s, ends, f"{where}: stages[{k}]") for k, s in enumerate(stages)), share)


def _stage(given: Any, ends: Mapping[str, Any], where: str) -> Stage:
    own = dict(check_mapping(where, given))
    success, window = (own.pop(key, ends[key]) for key in ("success", "window"))
    families = [TASKS[own["task"]]] if own.get("task") in TASKS else TASKS.values()
    refuse_unknown(own, {*SETTINGS, *(name for family in families for name in family.ranges)}, where)
    return Stage(
        task=check_task(own, where),
        success=check_number(f"{where}: success", success, 0.0, 1.0),
        window=check_int(f"{where}: window", window, 1, 1_000_000),
    )
