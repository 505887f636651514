"""Changing what an environment plays: family, split, difficulty and latency, from a row's next reset on."""

import pickle

import numpy as np
import pytest
from helpers import as_bytes, make, make_vec, random_actions, row_of, same_records

from mc_place_env.errors import ConfigError
from mc_place_env.types import ActionType

WALL, BRIDGE = "McPlace/Wall-v0", "McPlace/Bridge-v0"
ITEMS = ("cobblestone", "dirt", "oak_planks")
AHEAD = np.array([3, 2, 5, 0])  # of the multi-discrete view: the floor cell two ahead, up, first item


def steps(env, count, seed=0):
    """Steps by random actions; everything that came back, as bytes."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield as_bytes(env.step(random_actions(rng, env.num_envs, len(ITEMS))))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_another_family_is_played_as_its_own_environment_plays_it(mode):
    env = make_vec(WALL, 4, items=ITEMS, autoreset_mode=mode)
    env.reset(seed=0)
    env.set_task(task="Bridge", difficulty=0.25, split="test", latency=[0, 3])
    own = make_vec(BRIDGE, 4, items=ITEMS, autoreset_mode=mode, difficulty=0.25, split="test", latency=[0, 3])
    assert as_bytes(env.reset(seed=5)) == as_bytes(own.reset(seed=5))
    assert list(steps(env, 200, seed=1)) == list(steps(own, 200, seed=1))  # beyond the episode's 96 steps


def test_families_side_by_side():
    env = make_vec(WALL, 4, items=ITEMS, autoreset_mode="Disabled")
    env.reset(seed=3)
    env.set_task(task="Bridge")
    env.reset(seed=3, options={"reset_mask": np.array([False, True, False, True])})
    walls, bridges = (make_vec(name, 4, items=ITEMS, autoreset_mode="Disabled") for name in (WALL, BRIDGE))
    walls.reset(seed=3)
    bridges.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(30):
        actions = random_actions(rng, 4, len(ITEMS))
        both, wall, bridge = (one.step(actions)[0] for one in (env, walls, bridges))
        for i, alone in enumerate((wall, bridge, wall, bridge)):
            assert as_bytes(row_of(both, i)) == as_bytes(row_of(alone, i))


def test_single_environment_by_reset_options_and_by_setter():
    env, own = make(WALL, items=ITEMS), make(BRIDGE, items=ITEMS, difficulty=1.0)
    first = env.reset(seed=2, options={"task": {"task": "Bridge", "difficulty": 1.0, "instance": 4}})
    assert as_bytes(first) == as_bytes(own.reset(seed=2, options={"task": {"instance": 4}}))
    assert as_bytes(env.reset(seed=7)) == as_bytes(own.reset(seed=7))  # the instance was for that reset alone
    env.unwrapped.set_task(task="Wall")
    assert as_bytes(env.reset(seed=7)) == as_bytes(make(WALL, items=ITEMS).reset(seed=7))


def test_with_a_task_the_rest_is_as_made_and_without_it_as_it_is():
    env = make(WALL, items=ITEMS, difficulty=0.5, latency=4)
    batch = env.unwrapped.batch

    def now():
        return batch.task.name, batch.split, batch.difficulty, batch.latency.entry

    assert now() == ("Wall", "train", 0.5, (4,))
    env.unwrapped.set_task(difficulty=1.0, latency=0)
    env.unwrapped.set_task(split="test")
    assert now() == ("Wall", "test", 1.0, (0,))
    env.unwrapped.set_task(task="Bridge", latency=[1, 2])
    assert now() == ("Bridge", "train", 0.5, (1, 2))
    env.unwrapped.set_task(task="Wall")
    assert now() == ("Wall", "train", 0.5, (4,))


def test_parameters_of_the_family_are_settings_and_a_difficulty_forgets_them():
    env = make(WALL, items=ITEMS, parameters={"width": 4, "height": 1})
    batch = env.unwrapped.batch
    env.unwrapped.set_task(missing=2)
    assert batch.parameters == {"width": 4, "height": 1, "missing": 2}
    env.unwrapped.set_task(task="Bridge", length=2)
    env.reset(seed=0)
    assert len(env.unwrapped.view.goal()) == 2
    env.unwrapped.set_task(latency=1)
    assert batch.parameters == {"length": 2}
    env.unwrapped.set_task(task="Wall")
    assert (batch.parameters["width"], batch.parameters["height"]) == (4, 1)
    env.unwrapped.set_task(difficulty=1.0)
    assert batch.given == {}


def heard_after(env, row):
    """Asks for a block in every row; the ticks until row `row` hears what became of it."""
    types = np.array([[ActionType.PLACE], [ActionType.WAIT]])
    for step in range(40):
        info = env.step(np.tile([types[min(step, 1), 0], 3, *AHEAD], (env.num_envs, 1)))[-1]
        if info["outcome_count"][row]:
            return info["outcome_resolved_tick"][row][0] - info["outcome_submitted_tick"][row][0]
    raise AssertionError("nothing heard")


def test_latency_is_that_of_the_reset_however_often_it_is_set_afterwards():
    env = make_vec(WALL, 2, latency=3, action_view="multi_discrete", autoreset_mode="Disabled", episode_steps=100)
    env.reset(seed=0)
    for ticks in range(20, 40):  # many more models than there are slots
        env.set_task(latency=ticks)
    assert heard_after(env, 0) == heard_after(env, 1) == 3
    env.reset(options={"reset_mask": np.array([False, True])})
    assert heard_after(env, 1) == 39
    assert heard_after(env, 0) == 3


def test_more_models_at_once_than_slots_is_one_error_that_changes_nothing():
    env = make_vec(WALL, 8, latency=0, autoreset_mode="Disabled")
    env.reset(seed=0)
    for k in range(1, 8):
        env.set_task(latency=k)
        env.reset(options={"reset_mask": np.arange(8) == k})
    with pytest.raises(ConfigError, match="8 other models"):
        env.set_task(difficulty=1.0, latency=99)
    assert (env.batch.difficulty, env.batch.latency.entry) == (0.0, (7,))
    env.set_task(latency=3)


def test_a_state_with_several_families_goes_on_in_another_environment():
    env, other = (make_vec(WALL, 4, items=ITEMS) for _ in range(2))
    env.reset(seed=0)
    for task, latency in (("Single", 1), ("Bridge", 2)):
        env.set_task(task=task, latency=latency)
        env.reset(seed=1)
    other.set_task(task="Bridge", latency=9)  # its second floor is env's third
    other.reset(seed=8)
    other.set_state(pickle.loads(pickle.dumps(env.get_state())))
    assert list(steps(env, 150)) == list(steps(other, 150))
    assert same_records(env.get_state()["rows"], other.get_state()["rows"])


@pytest.mark.parametrize(
    ("settings", "culprit", "expected"),
    [
        ({"task": "Wal"}, "set_task: task='Wal'", "'Wall'"),
        ({"task": "Wall"}, "lacks ['dirt', 'oak_planks']", "items=['cobblestone', 'dirt', 'oak_planks']"),
        ({"difficulty": -0.1}, "set_task: difficulty=-0.1", "[0.0, 1.0]"),
        ({"latency": [5, 2]}, "set_task: latency[1]=2", "integer in [5,"),
        ({"instance": 3}, "set_task: instance=3", "only for one reset"),
        ({"width": 3}, "unknown setting 'width'", "length in [1, 8]"),
        ({"task": "Shelter", "missing": 99}, "missing=99", "missing in [1, "),
        ({"difficulty": 1.0, "split": "valid"}, "split='valid'", "'train', 'test'"),
    ],
)
def test_what_cannot_be_played_is_named_and_changes_nothing(settings, culprit, expected):
    env = make_vec(BRIDGE, 2)
    env.reset(seed=0)
    before = env.get_state()
    with pytest.raises(ConfigError) as error:
        env.set_task(**settings)
    assert culprit in str(error.value)
    assert expected in str(error.value)
    after = env.get_state()
    assert same_records(after["rows"], before["rows"])
    assert [after[key] for key in ("task", "floors", "latencies")] == [
        before[key] for key in ("task", "floors", "latencies")
    ]


def test_latency_is_refused_on_a_live_backend():
    env = make(BRIDGE)
    env.unwrapped.batch.backend = object()
    with pytest.raises(ConfigError, match="latency: on a live backend"):
        env.unwrapped.set_task(latency=3)
    env.unwrapped.set_task(difficulty=0.0)
    env.unwrapped.batch.backend = None
