"""The task families: experts, splits, parameters, shaping."""

from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from helpers import make, make_vec, random_actions

from mc_place_env.errors import ConfigError, ScenarioError
from mc_place_env.tasks import TASKS
from mc_place_env.tasks.base import FILE, Instance, check_goal, split_of
from mc_place_env.types import ActionType, SuccessKind

FAMILIES = tuple(name for name, task in TASKS.items() if task.varied)


def play(envs, name, noise=None):
    """Plays one episode in every row by the family's expert -> solved (n,), and the list of what every
    step gave: running (n,), potential (n,), info.

    `noise`: a generator; it then draws the actions of every other row.
    """
    n, expert, batch = envs.num_envs, TASKS[name].expert, envs.unwrapped.batch
    solved, ended, results = np.zeros(n, bool), np.zeros(n, bool), []
    while not ended.all():
        for i in np.flatnonzero(~ended):
            for key, value in expert(envs.view(i)).items():
                batch.actions[key][i] = value
        if noise is not None:
            for key, values in random_actions(noise, n, len(envs.items)).items():
                batch.actions[key][::2] = values[::2]
        _, _, terminated, truncated, info = envs.step(envs.encode_actions(batch.actions))
        results.append((~ended, batch.rows["potential"].copy(), info))
        solved |= info["is_success"] & ~ended
        ended |= terminated | truncated
    return solved, results


def solved_by_expert(name, n, **options):
    envs = make_vec(f"McPlace/{name}-v0", n, split="test", autoreset_mode="Disabled", **options)
    envs.reset(seed=1)
    return play(envs, name)[0].sum()


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("difficulty", [0.0, None, 1.0])
def test_experts_solve_their_tasks(name, difficulty):
    assert solved_by_expert(name, 25, difficulty=difficulty) == 25


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("latency", [0, 3, 5, 6, 10])
def test_experts_solve_their_tasks_at_every_latency(name, latency):
    assert solved_by_expert(name, 3, difficulty=1.0, latency=latency) == 3


def test_no_pillar_at_some_latencies_if_steps_are_long():
    solved = {latency: solved_by_expert("Pillar", 2, latency=latency, ticks_per_step=4) for latency in (4, 5, 6, 7)}
    assert solved == {4: 2, 5: 0, 6: 0, 7: 2}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("difficulty", [0.0, 1.0])
def test_equal_worlds_are_in_one_split(name, difficulty):
    task = TASKS[name]
    splits = {split: task.instances(split, task.resolve(difficulty, {}), task.items) for split in ("train", "test")}
    content = {split: {repr(instance) for instance in drawn} for split, drawn in splits.items()}
    assert len(content["train"]) >= 64
    assert len(content["test"]) >= 16
    assert not content["train"] & content["test"]
    assert all(split_of(instance) == split for split, drawn in splits.items() for instance in drawn)


def test_instances_are_drawn_once():
    task = TASKS["Wall"]
    assert task.instances("test", {"width": 3, "height": 1, "missing": 1}, task.items) is task.instances(
        "test", task.resolve(0.0, {}), task.items
    )


def test_standing_at_the_goal_already_is_an_error():
    start = Instance(blocks={}, success=SuccessKind.STAND_AT, stand_at=(0, 64, 0))
    with pytest.raises(ScenarioError, match="here: the goal is already met at reset"):
        check_goal({}, start, "here")


# -- parameters ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAMILIES)
def test_difficulties_stand_for_parameters_in_range(name):
    task = TASKS[name]
    for difficulty in np.linspace(0.0, 1.0, 21):
        parameters = task.parameters(float(difficulty))
        assert parameters == task.resolve(float(difficulty), parameters)
        assert set(parameters) == {key for key, allowed in task.ranges.items() if allowed is not FILE}


def heights(env):
    return max(y for _, y, _ in env.unwrapped.view.goal()) - 63


def test_parameters_at_make_reset_and_set_task():
    env = make("McPlace/Pillar-v0", parameters={"height": 7})
    env.reset(seed=0)
    assert heights(env) == 7
    env.reset(options={"task": {"height": 2}})
    assert heights(env) == 2
    env.reset(options={"task": {"split": "test"}})
    assert heights(env) == 2
    env.reset(options={"task": {"difficulty": 1.0}})
    assert heights(env) == 5
    env.unwrapped.set_task(difficulty=0.0, height=4)
    env.reset()
    assert heights(env) == 4
    state = env.unwrapped.get_state()
    other = make("McPlace/Pillar-v0")
    other.unwrapped.set_state(state)
    other.reset()
    assert heights(other) == 4
    with pytest.raises(ConfigError, match="parameters=7: expected a mapping"):
        make("McPlace/Pillar-v0", parameters=7)


SETTINGS = [
    (
        "Bridge",
        {"lenght": 2},
        "'lenght' (did you mean 'length'?); Bridge takes split, difficulty, latency, instance, length in",
    ),
    ("Bridge", {"length": 9}, "length=9: expected an integer in [1, 8]; Bridge takes"),
    ("Stairs", {"height": 2.5}, "height=2.5: expected an integer in [2, 5]"),
    ("Wall", {"missing": 3}, "missing=3: expected fewer than the 3 cells of the wall"),
    ("Sandbox", {"height": 2}, "unknown setting 'height'; Sandbox takes split, difficulty, latency, instance"),
]


@pytest.mark.parametrize(("name", "given", "message"), SETTINGS, ids=[f"{s[0]}-{s[1]}" for s in SETTINGS])
def test_bad_parameters(name, given, message):
    env_id = f"McPlace/{name}-v0"
    with pytest.raises(ConfigError) as error:
        make(env_id, parameters=given)
    assert message in str(error.value)
    env = make_vec(env_id, 2, difficulty=0.0)
    with pytest.raises(ConfigError) as error:
        env.reset(options={"task": given})
    assert message in str(error.value)


# -- shaping ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAMILIES)
def test_shaping_leaves_the_optimum_unchanged(name):
    """Discounted, the shaping of an episode adds up to what its last state promises, which is nothing at a success."""
    gamma, n = 0.9, 8
    options = {"gamma": gamma, "rewards": {"progress": 1.0}, "difficulty": 1.0, "autoreset_mode": "Disabled"}
    envs = make_vec(f"McPlace/{name}-v0", n, **options)
    envs.reset(seed=3)
    solved, results = play(envs, name, np.random.default_rng(3))
    total, promised = np.zeros(n), np.zeros(n)
    for step, (running, potential, info) in enumerate(results):
        total += np.where(running, gamma**step * info["reward_terms"]["progress"], 0.0)
        promised = np.where(running, gamma ** (step + 1) * potential, promised)
    assert solved[1::2].all()
    assert (promised[solved] == 0.0).all()
    np.testing.assert_allclose(total, promised, atol=1e-12)


def test_ids_are_registered():
    assert {f"McPlace/{name}-v0" for name in TASKS} <= set(gym.registry)


# -- the page --------------------------------------------------------------------------------------------------------


def described(task):
    """A family's row of the table in docs/tasks.md, but for the goal."""
    named = [
        f"`{name}` {', '.join(allowed) if isinstance(allowed[0], str) else '-'.join(map(str, allowed))}"
        for name, allowed in task.ranges.items()
        if allowed is not FILE
    ]
    parameters = "; ".join(named) + "; or `blueprint`, a file" if FILE in task.ranges.values() else ", ".join(named)
    everything = len(task.actions) == len(ActionType)
    actions = "all" if everything else ", ".join(action.name.lower() for action in task.actions)
    numbers = [str(task.difficulty), str(task.episode_steps), str(task.ticks_per_step)]
    return [f"`{task.name}`", parameters, *numbers, ", ".join(task.items), actions]


def test_the_page_describes_the_families():
    page = (Path(__file__).parent.parent / "docs" / "tasks.md").read_text()
    rows = [[part.strip() for part in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| `")]
    table = [[row[0], *row[2:]] for row in rows if len(row) == 8]
    assert table == [described(TASKS[name]) for name in FAMILIES]
