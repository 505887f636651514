"""Our stages under Syllabus's curricula. Runs where Syllabus is installed: `make test-ray`."""

import numpy as np
import pytest

pytest.importorskip("syllabus")
pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]

from helpers import make  # noqa: E402
from syllabus.core import GymnasiumSyncWrapper, make_multiprocessing_curriculum  # noqa: E402
from syllabus.curricula import DomainRandomization, SequentialCurriculum  # noqa: E402

from mc_place_env.curricula import read_curriculum  # noqa: E402
from mc_place_env.integrations.syllabus import StageTasks  # noqa: E402
from mc_place_env.tasks import TASKS  # noqa: E402

STAGES = read_curriculum({"stages": [{"task": "Single", "latency": 0}, {}, {"difficulty": 1.0}]}).stages
GOAL_CELLS = [1, 3, 10]


def play(env):
    """One episode by the expert -> the last info."""
    _, info = env.reset()
    while True:
        action = TASKS[env.unwrapped.batch.task.name].expert(env.unwrapped.view)
        _, _, terminated, truncated, info = env.step(env.unwrapped.encode_action(action))
        if terminated or truncated:
            return info


def test_tasks_are_stages():
    env = StageTasks(make("McPlace/Wall-v0"), STAGES)
    for stage in (2, 0, 1):
        observation, info = env.reset(new_task=stage, seed=5)
        assert (info["task"], info["task_completion"]) == (stage, 0.0)
        assert len(env.unwrapped.view.goal()) == GOAL_CELLS[stage]
    again, _ = env.reset(seed=5)
    np.testing.assert_array_equal(observation["goal"], again["goal"])  # a seed, not a task
    assert play(env)["task_completion"] == 1.0


def test_a_sequence_moves_on_with_success():
    env = StageTasks(make("McPlace/Wall-v0"), STAGES)
    theirs = SequentialCurriculum([0, 1, 2], ["episodes>=2", "episodes>=2"], env.task_space)
    shared = make_multiprocessing_curriculum(theirs, start=True, timeout=30)
    env = GymnasiumSyncWrapper(env, env.task_space, shared.components)
    try:
        assert {play(env)["task"] for _ in range(12)} == {0, 1, 2}
    finally:
        shared.stop()


def test_random_stages():
    env = StageTasks(make("McPlace/Wall-v0"), STAGES)
    theirs = DomainRandomization(env.task_space)
    for task in theirs.sample(k=6):
        env.change_task(env.task_space.decode(task))
        info = play(env)
        assert (info["task"], info["task_completion"]) == (task, 1.0)
