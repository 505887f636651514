"""Evaluation: which episodes are played, what is counted of them, and that nothing unmeasured is printed."""

import math

import numpy as np
import pytest
from helpers import make, place

from mc_place_env.errors import ConfigError
from mc_place_env.evaluation import Evaluation, evaluate, format_table, summarise, wilson_interval
from mc_place_env.evaluation.policies import Policy, RandomPolicy
from mc_place_env.types import ACTION, ActionType

WALL, SINGLE, SANDBOX = "McPlace/Wall-v0", "McPlace/Single-v0", "McPlace/Sandbox-v0"


class Script(Policy):
    """Plays the canonical actions of a list in every row, then waits."""

    name = "script"

    def __init__(self, *actions):
        self.script = actions

    def begin(self, env, seeds):
        self.step = 0

    def actions(self, env, observations, running):
        packed = np.zeros(env.num_envs, ACTION)
        if self.step < len(self.script):
            for key, value in self.script[self.step].items():
                packed[key] = value
        self.step += 1
        return env.encode_actions(packed)


def episode(**given):
    counts = dict.fromkeys(("accepted", "rejected", "placed", "failed", "cancelled"), 0)
    counts |= dict.fromkeys(("repeats_after_failure", "requests_while_pending"), 0)
    told = {"checkpoint": "", "seed": 0, "instance": 0, "success": False, "return": 0.0, "steps": 32, "ticks": 128}
    told |= {"goal_overlap": None, "exact": None, "ticks_to_verdict": None}
    return told | counts | {"failed_by_reason": {}} | given


# -- which episodes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["random", "scripted"])
def test_one_episode_a_seed_whatever_the_number_of_rows(policy):
    many = evaluate(policy, WALL, episodes=13, seed=40, num_envs=5)
    one = evaluate(policy, WALL, episodes=13, seed=40, num_envs=1)
    assert [played["seed"] for played in many.episodes] == list(range(40, 53))
    assert many.episodes == one.episodes


def test_an_episode_is_the_single_environments():
    played = evaluate("scripted", WALL, episodes=4, seed=9).episodes
    for told in played:
        env = make(WALL, split="test")
        env.reset(seed=told["seed"])
        total, steps, ended = 0.0, 0, False
        while not ended:
            action = as_policy_expert(env)
            _, reward, terminated, truncated, info = env.step(action)
            total, steps, ended = total + reward, steps + 1, terminated or truncated
        assert (told["steps"], told["ticks"], told["success"]) == (steps, info["tick"], info["is_success"])
        assert told["return"] == pytest.approx(total)


def as_policy_expert(env):
    from mc_place_env.tasks import TASKS

    return TASKS["Wall"].expert(env.unwrapped.view)


def test_the_experts_solve_their_tasks():
    for env_id in (WALL, SINGLE, "McPlace/Bridge-v0"):
        result = evaluate("scripted", env_id, episodes=32)
        assert result.summary["success"] == 1.0, env_id
        assert result.summary["accepted_but_failed"] == 0.0, env_id


def test_short_episodes_are_not_preferred():
    """Half of the episodes end early; each is still counted once."""
    result = evaluate("scripted", WALL, episodes=30, num_envs=4)
    assert len({played["seed"] for played in result.episodes}) == len(result.episodes) == 30


def test_progress_is_told_in_pieces():
    told = []
    played = evaluate("scripted", SINGLE, episodes=7, num_envs=3, on_progress=told.append).episodes
    assert len(told) > 3  # as episodes end, not as rounds do
    assert sorted((e for piece in told for e in piece), key=lambda e: e["seed"]) == played


def test_what_is_done_is_not_played_again():
    whole = evaluate("random", WALL, episodes=9, num_envs=4).episodes
    rest = evaluate("random", WALL, episodes=9, num_envs=4, done={0, 1, 2, 3, 6}).episodes
    assert rest == [played for played in whole if played["seed"] in {4, 5, 7, 8}]


def test_any_function_is_a_policy():
    def wait(observations):
        return np.zeros((len(observations["voxels"]), 6), np.int64)

    result = evaluate(wait, WALL, episodes=5, action_view="multi_discrete")
    assert (result.policy, result.summary["success"]) == ("wait", 0.0)
    assert all(played["steps"] == 32 for played in result.episodes)


# -- what is counted --------------------------------------------------------------------------------------------------


def test_requests_are_counted_by_fate():
    far, floor = place(anchor=(0, -1, 5)), place(anchor=(2, -1, 2))
    bad = place(anchor=(math.nan, 0, 0))
    script = Script(floor, far, bad, place(anchor=(1, -1, 2)))
    (told,) = evaluate(script, WALL, episodes=1, latency=6, episode_steps=5).episodes
    fates = {key: told[key] for key in ("accepted", "rejected", "placed", "failed", "cancelled")}
    assert fates == {"accepted": 3, "rejected": 1, "placed": 2, "failed": 1, "cancelled": 0}
    assert told["failed_by_reason"] == {"out_of_reach": 1}
    assert told["ticks_to_verdict"] == 6.0
    assert told["requests_while_pending"] == 2  # 6 ticks are a step and a half


def test_cancelled_requests_enter_no_rate():
    result = evaluate(Script(place(anchor=(2, -1, 2))), WALL, episodes=2, latency=90, episode_steps=3)
    assert [played["cancelled"] for played in result.episodes] == [1, 1]
    assert result.summary["accepted_but_failed"] is None
    assert result.summary["ticks_to_verdict"] is None


@pytest.mark.parametrize(
    ("second", "repeats"),
    [
        (place(anchor=(0, -1, 5)), 1),
        (place(anchor=(0.2, -1, 5)), 1),  # the same after rounding
        (place(anchor=(0, -1, 5), item=1), 1),  # another item does not matter
        (place(anchor=(0, -1, 5), face=2), 0),
        (place(anchor=(1, -1, 5)), 0),
    ],
)
def test_repeats_after_failure(second, repeats):
    wait = place(ActionType.WAIT)
    script = Script(place(anchor=(0, -1, 5)), wait, second, wait)
    (told,) = evaluate(script, WALL, episodes=1, latency=2, episode_steps=6).episodes
    assert told["repeats_after_failure"] == repeats


def test_a_retry_after_something_else_is_no_repeat():
    far, other = place(anchor=(0, -1, 5)), place(anchor=(2, -1, 2))
    (told,) = evaluate(Script(far, other, far), WALL, episodes=1, latency=2, episode_steps=6).episodes
    assert (told["failed"], told["repeats_after_failure"]) == (2, 0)


def test_summary_weighs_requests_and_not_episodes():
    summary = summarise(
        [
            episode(success=True, placed=1, failed=3, ticks_to_verdict=4.0, steps=2, failed_by_reason={"no_item": 3}),
            episode(placed=4, failed=0, cancelled=9, ticks_to_verdict=8.0, accepted=13),
        ]
    )
    assert summary["accepted_but_failed"] == 3 / 8
    assert summary["ticks_to_verdict"] == 6.0
    assert summary["steps_to_success"] == 2
    assert summary["failed_by_reason"] == {"no_item": 3 / 8}


# -- figures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (190, 200, 0.9104, 0.9726)],
)
def test_wilson_interval(successes, trials, low, high):
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=1e-4)


def test_no_interval_of_nothing():
    assert wilson_interval(0, 0) is None


def test_table_prints_a_dash_for_what_was_not_measured():
    waiting = Evaluation("wait", "simulator", WALL, "test", {}, [episode(), episode()])
    nothing = Evaluation("never", "minecraft", WALL, "test", {}, [])
    given = episode(placed=1, failed=1, ticks_to_verdict=5.0, goal_overlap=0.5, exact=False)
    half = Evaluation("half", "simulator", WALL, "test", {}, [given])
    header, rule, *lines = format_table([waiting, nothing, half]).splitlines()
    assert header.split()[:3] == ["policy", "backend", "episodes"]  # one id and one split need no column
    assert set(rule) == {"-", " "}
    assert lines[0].split() == ["wait", "simulator", "2", "0.0%", "[0.0%,", "65.8%]", "-", "-", "-"]
    assert lines[1].split() == ["never", "minecraft", "0", "-", "-", "-", "-"]
    assert lines[2].split()[-3:] == ["50.0%", "50.0%", "5.0"]
    assert len({line.rindex(line.split()[-1]) + len(line.split()[-1]) for line in lines}) == 1


# -- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "env_id", "options", "match"),
    [
        ("runs/none/model.zip", WALL, {}, "runs/none/model.zip"),
        ("randm", WALL, {}, "randm"),
        (7, WALL, {}, "policy=7"),
        ("scripted", SANDBOX, {}, "Sandbox has no expert"),
        ("no_such_module:act", WALL, {}, "No module named 'no_such_module'"),
        ("math:no_such_function", WALL, {}, "no_such_function"),
        ("math:pi", WALL, {}, "a float, which cannot be called"),
        ("random", "McPlace/Wal-v0", {}, "Wal"),
        ("random", "CartPole-v1", {}, "not an environment of mc_place_env"),
        ("random", WALL, {"episodes": 0}, "episodes=0"),
        ("random", WALL, {"split": "tset"}, "split='tset'"),
        ("random", WALL, {"latencyy": 3}, "latency"),
    ],
)
def test_bad_input_names_the_culprit(policy, env_id, options, match):
    with pytest.raises(ConfigError, match=match):
        evaluate(policy, env_id, **options)


def test_options_a_policy_cannot_do_without():
    policy = RandomPolicy()
    policy.options = {"action_view": "discrete", "actions": ["wait", "place"]}
    result = evaluate(policy, WALL, episodes=2, actions=("wait", "place"))
    assert result.options["action_view"] == "discrete"
    with pytest.raises(ConfigError, match=r"action_view='dict'.*trained with action_view='discrete'"):
        evaluate(policy, WALL, episodes=2, action_view="dict")
