"""Syllabus: our stages as the tasks of its curricula.

    curriculum = read_curriculum("stages.yaml")
    env = StageTasks(gymnasium.make("McPlace/Wall-v0"), curriculum.stages)
    theirs = DomainRandomization(env.task_space)  # of syllabus.curricula
    env = GymnasiumSyncWrapper(env, env.task_space, make_multiprocessing_curriculum(theirs).components)

Syllabus 0.7 imports matplotlib without asking for it, and its curricula that draw from an array of probabilities
(OnlineLearningProgress) fail under numpy 2.4; ours by learning progress is in `mc_place_env.curricula`.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
from syllabus.core import TaskWrapper
from syllabus.task_space import DiscreteTaskSpace

from mc_place_env.curricula import Stage


class StageTasks(TaskWrapper):
    """A single environment whose task k is stage k; `info["task_completion"]` is 1.0 once the goal is reached."""

    def __init__(self, env: gym.Env, stages: Sequence[Stage]):
        super().__init__(env)
        self.stages, self.task_space = tuple(stages), DiscreteTaskSpace(len(stages))

    def reset(self, new_task: int | None = None, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Begins an episode, of stage `new_task` if given. Unlike the base class, a seed is a seed."""
        if new_task is not None:
            self.change_task(new_task)
        observation, info = self.env.reset(**options)
        return observation, info | {"task_completion": 0.0, "task": self.task}

    def change_task(self, new_task: int) -> None:
        """Takes effect at the next reset; ConfigError where the environment cannot play the stage."""
        unwrapped: Any = self.env.unwrapped
        unwrapped.set_task(**{"task": unwrapped.config.task} | self.stages[new_task].task)
        self.task = new_task

    def _task_completion(self, obs: Any, rew: float, term: bool, trunc: bool, info: dict[str, Any]) -> float:
        return float(info["is_success"])
