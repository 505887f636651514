"""The contract with Gymnasium and with callers: checkers, seeds, requests in time, verdicts, tasks, the spatial map."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from helpers import IDS, as_bytes, make, make_vec, run_python, sandbox, scenario

import mc_place_env
from mc_place_env.config import LatencyModel, PlaceEnvConfig
from mc_place_env.errors import ScenarioError
from mc_place_env.tasks.base import Instance, check_goal

VIEW_NAMES = ("dict", "multi_discrete", "discrete", "tuple")
UNDERFOOT = ("cobblestone", 0, -1, 0, "up")
AHEAD = ("cobblestone", 0, -1, 1, "up")


def steps(env, action, count):
    """The infos of `count` equal steps."""
    return [env.step(action)[-1] for _ in range(count)]


def outcomes_of(infos):
    return [outcome for info in infos for outcome in info["outcomes"]]


# -- Gymnasium and stable-baselines3 ---------------------------------------------------------------------------------


# What the checkers advise against and the contract wants: a Box of offsets in blocks, cubes that are no images.
@pytest.mark.filterwarnings("ignore:.*we recommend using a symmetric and normalized space")
@pytest.mark.parametrize("view", VIEW_NAMES)
@pytest.mark.parametrize("env_id", IDS)
def test_gymnasium_checker(env_id, view):
    check_env(make(env_id, action_view=view).unwrapped, skip_render_check=True)


@pytest.mark.filterwarnings("ignore:It seems that your observation.* is an image")
@pytest.mark.filterwarnings("ignore:The minimal resolution for an image is 36x36")
@pytest.mark.filterwarnings("ignore:Your observation .* has an unconventional shape")
@pytest.mark.parametrize("view", ["multi_discrete", "discrete"])
@pytest.mark.parametrize("env_id", IDS)
def test_stable_baselines3_checker(env_id, view):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(make(env_id, action_view=view), warn=True)


@pytest.mark.parametrize("env_id", IDS)
def test_make_wraps_it_with_gymnasiums_own_checker(env_id):
    env = gym.make(env_id)
    env.reset(seed=0)
    for _ in range(5):
        env.step(env.action_space.sample())
    env.close()
    env.close()


def test_an_id_may_name_its_package():
    assert gym.make("mc_place_env:McPlace/Wall-v0").spec.id == "McPlace/Wall-v0"


def test_step_before_reset_is_refused():
    with pytest.raises(gym.error.ResetNeeded):
        make().step(make().action_space.sample())


def test_time_limit_around_it_works():
    env = gym.wrappers.TimeLimit(make("McPlace/Wall-v0"), max_episode_steps=4)
    env.reset(seed=0)
    wait = mc_place_env.Actions(env).wait()
    assert [env.step(wait)[3] for _ in range(4)] == [False, False, False, True]


@pytest.mark.parametrize("view", VIEW_NAMES)
def test_vector_spaces_are_batches_of_the_single_ones(view):
    env, envs = make("McPlace/Wall-v0", action_view=view), make_vec("McPlace/Wall-v0", 3, action_view=view)
    assert envs.single_action_space == env.action_space
    assert envs.single_observation_space == env.observation_space
    observation, _ = envs.reset(seed=0)
    assert observation in envs.observation_space
    for _ in range(5):
        observation, *_ = envs.step(envs.action_space.sample())
        assert observation in envs.observation_space


@pytest.mark.parametrize("mode", AutoresetMode)
def test_autoreset_mode_is_declared(mode):
    assert make_vec("McPlace/Wall-v0", 2, autoreset_mode=mode).metadata["autoreset_mode"] is mode
    assert make_vec("McPlace/Wall-v0", 2, autoreset_mode=mode.value).metadata["autoreset_mode"] is mode


def test_import_is_quick_and_compiles_nothing():
    code = """
import time, sys
import gymnasium, numpy
begin = time.perf_counter()
import mc_place_env
print(time.perf_counter() - begin)
print([name for name in ("numba", "torch", "javascript", "stable_baselines3", "yaml", "PIL") if name in sys.modules])
print(len(gymnasium.registry) >= 4 and "McPlace/Wall-v0" in gymnasium.registry)
"""
    seconds, loaded, registered = run_python(code).split("\n")[:3]
    assert float(seconds) < 0.5
    assert loaded == "[]"
    assert registered == "True"


def test_public_names():
    for name in mc_place_env.__all__:
        assert getattr(mc_place_env, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = mc_place_env.no_such_name


# -- seeds and options -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", ["McPlace/Single-v0", "McPlace/Wall-v0", "McPlace/Bridge-v0"])
def test_seeds(env_id):
    def first(seed):
        return as_bytes(make(env_id).reset(seed=seed)[0])

    assert first(0) == first(0)
    assert len({first(seed) for seed in range(6)}) > 3
    unseeded = {as_bytes(make(env_id).reset()[0]) for _ in range(6)}
    assert len(unseeded) > 3
    env = make(env_id)
    env.reset(seed=0)
    later = [as_bytes(env.reset()[0]) for _ in range(4)]
    assert len(set(later)) > 1
    env.reset(seed=0)
    assert [as_bytes(env.reset()[0]) for _ in range(4)] == later


def test_seed_0_is_a_seed_for_vectors():
    def first(seed):
        return as_bytes(make_vec("McPlace/Wall-v0", 8).reset(seed=seed)[0])

    assert first(0) == first(0)
    assert first(None) != first(None)


def test_scenario_sets_the_start():
    world = scenario(
        [0, 64, 2, "stone_slab[type=top]"],
        [0, 64, 3, "grass"],  # its name before 1.20.3
        position=(-4.5, 64.0, 3.25),
        yaw=-90.0,
        inventory={"dirt": 5, "minecraft:stone": 2},
    )
    env = make(items=("dirt", "stone"))
    env.reset(seed=0, options={"scenario": world})
    agent = env.unwrapped.agent
    assert (agent.position, agent.yaw, agent.on_ground) == ((-4.5, 64.0, 3.25), -90.0, True)
    assert env.unwrapped.inventory == {"dirt": 5, "stone": 2}
    assert env.unwrapped.block_at(0, 64, 2) == "stone_slab[type=top]"
    assert env.unwrapped.block_at(0, 64, 3) == "short_grass"
    assert env.unwrapped.block_at(0, 64, 4) == "air"
    assert env.unwrapped.block_at(1000, 64, 4) == "void_air"
    env.reset()
    assert env.unwrapped.block_at(0, 64, 2) == "air"
    assert env.unwrapped.inventory == {"dirt": 64, "stone": 64}


def test_blocks_come_after_fills_and_later_entries_win():
    world = scenario(
        [0, 63, 1, "dirt"], [0, 63, 2, "dirt"], [0, 63, 2, "sand"], fill=([-2, 63, -2, 2, 63, 2, "stone"],)
    )
    env = make()
    env.reset(seed=0, options={"scenario": world})
    assert [env.unwrapped.block_at(0, 63, z) for z in (0, 1, 2, 3)] == ["stone", "dirt", "sand", "air"]


def test_the_region_reaches_as_far_as_promised():
    corners = [[x, y, z, "stone"] for x in (-16, 16) for y in (52, 76) for z in (-16, 16)]
    env = make()
    env.reset(seed=0, options={"scenario": scenario(*corners)})
    assert all(env.unwrapped.block_at(x, y, z) == "stone" for x, y, z, _ in corners)


def test_goal_of_a_scenario_ends_the_episode():
    world = scenario(goal=[[0, 64, 1, "cobblestone"]])
    env, act = sandbox(goal=world["goal"], latency=2, ticks_per_step=1)
    infos = [env.step(act.place(*AHEAD)), env.step(act.wait()), env.step(act.wait())]
    assert [step[2] for step in infos[:2]] == [False, True]
    assert infos[1][-1]["is_success"]
    assert infos[1][-1]["outcomes"][0]["cell"] == (0, 64, 1)


def test_task_options():
    env = make("McPlace/Wall-v0")
    env.reset(seed=0, options={"task": {"instance": 7}})
    first = as_bytes(env.unwrapped.view.goal())
    env.reset(seed=5, options={"task": {"instance": 7}})
    assert as_bytes(env.unwrapped.view.goal()) == first
    env.reset(seed=5, options={"task": {"instance": 8}})
    assert as_bytes(env.unwrapped.view.goal()) != first
    env.reset(seed=0, options={"task": {"difficulty": 1.0}})
    assert len(env.unwrapped.view.goal()) == 10
    env.reset()
    assert len(env.unwrapped.view.goal()) == 10
    env.unwrapped.set_task(difficulty=0.0)
    assert len(env.unwrapped.view.goal()) == 10
    env.reset()
    assert len(env.unwrapped.view.goal()) == 3


def test_set_task_reaches_rows_at_their_next_reset():
    envs = make_vec("McPlace/Wall-v0", 2, autoreset_mode="Disabled")
    envs.reset(seed=0)
    envs.set_task(difficulty=1.0)
    envs.reset(options={"reset_mask": np.array([False, True])})
    assert [len(envs.view(i).goal()) for i in range(2)] == [3, 10]


def test_fewer_actions_may_be_offered():
    env = make("McPlace/Wall-v0", actions=("place", "wait", "jump"), action_view="multi_discrete")
    assert env.action_space.nvec[0] == 3
    env = make("McPlace/Wall-v0", actions=("place",))
    env.reset(seed=0)
    assert env.step(mc_place_env.Actions(env).jump())[-1]["reason"] == "invalid_type"
    assert env.step(mc_place_env.Actions(env).wait())[-1]["reason"] == ""


# -- time ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("latency", [0, 1, 2, 5, 11])
def test_constant_latency(latency):
    env, act = sandbox(latency=latency, ticks_per_step=1)
    infos = [env.step(act.place(*AHEAD))[-1], *steps(env, act.wait(), 12)]
    (outcome,) = outcomes_of(infos)
    assert (outcome["submitted_tick"], outcome["resolved_tick"], outcome["reported_tick"]) == (0, latency, latency)
    heard = next(k for k, info in enumerate(infos) if info["outcomes"])
    assert infos[heard]["tick"] == max(latency, 1)
    assert [info["pending"] for info in infos] == [(1,)] * heard + [()] * (13 - heard)


@pytest.mark.parametrize(
    ("latency", "values"),
    [
        (3, {3}),
        ((2, 5), {2, 3, 4, 5}),
        ({"uniform": (2, 5)}, {2, 3, 4, 5}),
        ({"constant": 4}, {4}),
        ({"empirical": [1, 1, 9]}, {1, 9}),
        ({"entry": {"empirical": [6]}, "response": 0}, {6}),
        ({"geometric": {"p": 1.0, "low": 2}}, {2}),
        (LatencyModel(entry=(7,)), {7}),
        (None, set(range(2, 11))),
    ],
)
def test_latency_models_draw_what_they_say(latency, values):
    assert set(drawn_latencies(latency)) == values


def drawn_latencies(latency, count=150):
    env, act = sandbox(latency=latency, ticks_per_step=40, options={"max_pending": 1, "episode_steps": 1000})
    infos = [env.step(act.place("cobblestone", 0, -1, 0, "up"))[-1] for _ in range(count)]
    return [outcome["resolved_tick"] - outcome["submitted_tick"] for outcome in outcomes_of(infos)]


def test_draws_of_the_empirical_model_keep_its_shares():
    drawn = drawn_latencies({"empirical": [1, 1, 1, 9]}, 400)
    assert 0.65 < drawn.count(1) / len(drawn) < 0.85


def test_geometric_latency_has_its_mean():
    drawn = drawn_latencies({"geometric": {"p": 0.25, "low": 2}}, 900)
    assert min(drawn) == 2
    assert 2 + 3 * 0.85 < np.mean(drawn) < 2 + 3 * 1.15  # mean of failures before a success: (1 - p) / p
    ticks = LatencyModel.parse({"geometric": {"p": 0.25, "low": 2}}).entry
    assert np.mean(ticks) == pytest.approx(5.0, rel=0.01)


def test_empirical_latency_from_a_file(tmp_path):
    recorded = tmp_path / "ticks.txt"
    recorded.write_text("3\n3\n8\n")
    assert LatencyModel.parse({"empirical": str(recorded)}).entry == (3, 3, 8)
    assert LatencyModel.parse({"empirical": recorded}) == LatencyModel.parse({"empirical": [8, 3, 3]})


def test_long_recordings_are_thinned_evenly():
    entry = LatencyModel.parse({"empirical": list(range(5000))}).entry
    assert len(entry) == 1024
    assert np.mean(entry) == pytest.approx(2499.5, abs=3)
    assert list(entry) == sorted(entry)


def test_the_block_is_seen_before_a_late_response_is_heard():
    env, act = sandbox(latency={"entry": 2, "response": 3}, ticks_per_step=1)
    infos = [env.step(act.place(*AHEAD))[-1]]
    seen = [env.unwrapped.block_at(0, 64, 1)]
    for _ in range(5):
        infos.append(env.step(act.wait())[-1])
        seen.append(env.unwrapped.block_at(0, 64, 1))
    assert seen == ["air"] + ["cobblestone"] * 5
    (outcome,) = outcomes_of(infos)
    assert (outcome["resolved_tick"], outcome["reported_tick"]) == (2, 5)
    assert infos[4]["outcomes"] == (outcome,)
    assert [info["pending"] for info in infos] == [(1,)] * 4 + [()] * 2


def test_outcomes_of_one_step_come_in_order_of_resolution():
    turned = 0
    env, act = sandbox(latency={"empirical": [5, 11]}, ticks_per_step=4, options={"max_pending": 8})
    for seed in range(8):
        env.reset(seed=seed, options={"scenario": scenario(inventory={"cobblestone": 8})})
        infos = [env.step(act.place("cobblestone", right, -1, 1, "up"))[-1] for right in (-1, 0, 1)]
        for info in infos + steps(env, act.wait(), 3):
            ticks = [outcome["resolved_tick"] for outcome in info["outcomes"]]
            assert ticks == sorted(ticks)
            turned += [o["request_id"] for o in info["outcomes"]] == [2, 1]
    assert turned > 0


def test_requests_of_one_tick_are_judged_in_order_of_submission():
    env, act = sandbox(latency={"empirical": [3]}, ticks_per_step=1)
    env.step(act.place(*AHEAD))
    again = env.step(act.place(*AHEAD))[-1]
    assert again["status"] == "accepted"
    heard = outcomes_of(steps(env, act.wait(), 4))
    assert [(o["request_id"], o["outcome"], o["detail"]) for o in heard] == [
        (1, "placed", ""),
        (2, "failed", "destination_occupied"),
    ]


def test_the_anchor_is_fixed_at_acceptance_but_body_and_world_are_judged_at_resolution():
    env, act = sandbox(latency=8, ticks_per_step=1)
    accepted = env.step(act.place(*AHEAD))[-1]["data"]
    env.step(act.turn_right())
    infos = [env.step(act.move_left())[-1], *steps(env, act.wait(), 8)]  # walks onto the cell it aimed at
    (outcome,) = outcomes_of(infos)
    assert accepted["destination"] == {"x": 0, "y": 64, "z": 1}
    assert outcome["destination"] == (0, 64, 1)
    assert outcome["reason"] == "placement_overlaps_agent"


def test_inventory_and_reach_are_judged_at_resolution():
    env, act = sandbox(inventory={"cobblestone": 1}, latency=4, ticks_per_step=1)
    env.step(act.place("cobblestone", 1, -1, 0, "up"))
    env.step(act.place("cobblestone", 2, -1, 0, "up"))
    heard = outcomes_of(steps(env, act.wait(), 6))
    assert [(o["outcome"], o["reason"]) for o in heard] == [("placed", ""), ("failed", "no_item")]
    assert env.unwrapped.inventory == {"cobblestone": 0}
    env, act = sandbox(latency=7, ticks_per_step=1)
    env.step(act.place("cobblestone", 0, -1, 4, "up"))
    infos = [env.step(act.move_back())[-1], *steps(env, act.wait(), 8)]
    assert outcomes_of(infos)[0]["reason"] == "out_of_reach"


@pytest.mark.parametrize("max_pending", [1, 3, 32])
def test_one_request_too_many_is_refused(max_pending):
    env, act = sandbox(latency=90, ticks_per_step=1, options={"max_pending": max_pending})
    infos = [env.step(act.place(*AHEAD))[-1] for _ in range(max_pending + 1)]
    assert [info["status"] for info in infos] == ["accepted"] * max_pending + ["rejected"]
    assert infos[-1]["reason"] == "queue_full"
    assert infos[-1]["data"] == {
        "success": False,
        "status": "rejected",
        "reason": "queue_full",
        "request_id": None,
        "placed": None,
        "anchor": None,
        "destination": None,
    }
    assert infos[-1]["pending"] == tuple(range(1, max_pending + 1))
    assert env.unwrapped.observation_space["pending"].shape == (max_pending, 7)


def test_precheck_world_refuses_what_can_be_seen():
    for precheck, status in (("arguments", "accepted"), ("world", "rejected")):
        env, act = sandbox([0, 64, 2, "stone"], latency=3, options={"precheck": precheck})
        info = env.step(act.place("cobblestone", 0, -1, 2, "up"))[-1]
        assert info["status"] == status
        assert info["reason"] == ("" if status == "accepted" else "invalid_placement")
        assert info["pending"] == ((1,) if status == "accepted" else ())
        assert env.step(act.place(*AHEAD))[-1]["status"] == "accepted"


def test_precheck_world_can_still_fail_later():
    env, act = sandbox(latency=3, options={"precheck": "world"})
    env.step(act.place(*AHEAD))
    env.step(act.place(*AHEAD))
    assert [o["outcome"] for o in outcomes_of(steps(env, act.wait(), 5))] == ["placed", "failed"]


# -- reverts ---------------------------------------------------------------------------------------------------------


def reverting(**latency):
    return sandbox(latency={"entry": 1, "revert_probability": 1.0} | latency, ticks_per_step=1)


def test_a_revert_before_the_report_is_the_verdict():
    env, act = reverting(response=6, revert_ticks=3)
    infos = [env.step(act.place(*AHEAD))[-1], *steps(env, act.wait(), 9)]
    (outcome,) = outcomes_of(infos)
    assert (outcome["outcome"], outcome["reason"], outcome["detail"]) == ("failed", "reverted", "")
    assert outcome["cell"] is None
    assert not any(info["changes"] for info in infos)
    assert env.unwrapped.block_at(0, 64, 1) == "air"
    assert env.unwrapped.inventory == {"cobblestone": 8}


def test_a_revert_after_the_report_is_a_change():
    env, act = reverting(response=0, revert_ticks=3)
    infos = [env.step(act.place(*AHEAD))[-1]]
    assert env.unwrapped.inventory == {"cobblestone": 7}
    infos += steps(env, act.wait(), 9)
    (outcome,) = outcomes_of(infos)
    (change,) = [change for info in infos for change in info["changes"]]
    assert outcome["outcome"] == "placed"
    assert change == {
        "request_id": 1,
        "tick": 4,
        "block": "cobblestone",
        "from": (0, 64, 1),
        "to": None,
        "kind": "revert",
    }
    assert infos[3]["changes"] == (change,)
    assert env.unwrapped.block_at(0, 64, 1) == "air"
    assert env.unwrapped.inventory == {"cobblestone": 8}


@pytest.mark.parametrize(
    ("probability", "expected"), [(0.0, {"placed"}), (1.0, {"reverted"}), (0.5, {"placed", "reverted"})]
)
def test_revert_probability(probability, expected):
    env, act = sandbox(
        inventory={"cobblestone": 64},
        latency={"entry": 0, "response": 4, "revert_probability": probability, "revert_ticks": 2},
        ticks_per_step=1,
    )
    ends = set()
    for seed in range(12):
        env.reset(seed=seed, options={"scenario": scenario(inventory={"cobblestone": 64})})
        infos = [env.step(act.place(*AHEAD))[-1], *steps(env, act.wait(), 5)]
        ends |= {outcome["reason"] or "placed" for outcome in outcomes_of(infos)}
    assert ends == expected


# -- the end of an episode -------------------------------------------------------------------------------------------


def test_success_on_the_last_allowed_step_is_termination():
    goal = [[0, 64, 1, "cobblestone"]]
    env, act = sandbox(goal=goal, latency=0, options={"episode_steps": 3})
    env.step(act.wait())
    env.step(act.wait())
    *_, terminated, truncated, info = env.step(act.place(*AHEAD))
    assert (terminated, truncated, info["is_success"]) == (True, False, True)
    env, act = sandbox(goal=goal, latency=0, options={"episode_steps": 3})
    ends = [env.step(act.wait())[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]


def test_what_is_not_judged_at_the_end_is_cancelled():
    env, act = sandbox(latency=50, options={"episode_steps": 3})
    env.step(act.place(*AHEAD))
    env.step(act.place(*AHEAD))
    *_, truncated, info = env.step(act.wait())
    assert truncated
    assert [(o["request_id"], o["outcome"], o["reason"]) for o in info["outcomes"]] == [
        (1, "cancelled", ""),
        (2, "cancelled", ""),
    ]
    assert [(o["resolved_tick"], o["reported_tick"], o["cell"]) for o in info["outcomes"]] == [(3, 3, None)] * 2
    assert info["pending"] == ()


def test_what_is_judged_but_not_heard_at_the_end_is_reported():
    env, act = sandbox(latency={"entry": 1, "response": 90}, options={"episode_steps": 3})
    env.step(act.place(*AHEAD))
    env.step(act.place(*AHEAD))
    *_, truncated, info = env.step(act.wait())
    assert truncated
    assert [(o["outcome"], o["reason"]) for o in info["outcomes"]] == [("placed", ""), ("failed", "invalid_placement")]
    assert [o["reported_tick"] for o in info["outcomes"]] == [3, 3]


def test_termination_cancels_too():
    env, act = sandbox(goal=[[0, 64, 1, "cobblestone"]], latency=4)
    env.step(act.place(*AHEAD))
    env.step(act.place("cobblestone", 1, -1, 0, "up"))
    ends = [env.step(act.wait()) for _ in range(2)]
    assert [step[2:4] for step in ends] == [(False, False), (True, False)]
    assert [o["outcome"] for o in outcomes_of(step[-1] for step in ends)] == ["placed", "cancelled"]


def test_request_ids_start_anew_with_every_episode():
    env, act = sandbox(latency=3)
    assert env.step(act.place(*AHEAD))[-1]["data"]["request_id"] == 1
    assert env.step(act.wait())[0]["pending"].any()
    assert env.step(act.wait())[0]["last_outcome"].any()
    assert env.step(act.place(*AHEAD))[-1]["data"]["request_id"] == 2
    observation, info = env.reset(options={"scenario": scenario(inventory={"cobblestone": 2})})
    assert (info["pending"], info["outcomes"], info["tick"]) == ((), (), 0)
    assert not observation["pending"].any()
    assert not observation["last_outcome"].any()
    assert env.step(act.place(*AHEAD))[-1]["data"]["request_id"] == 1
    assert outcomes_of(steps(env, act.wait(), 12))[0]["request_id"] == 1


def test_a_rejected_row_is_told_apart_from_one_that_asked_nothing():
    envs = make_vec(num_envs=3, latency=0)
    envs.reset(seed=0)
    batch = {
        "type": np.array([0, 1, 1]),
        "anchor": np.array([[0, 0, 0], [np.nan, 0, 0], [0, -1, 1]], np.float32),
        "face": np.zeros(3, np.int64),
        "item": np.zeros(3, np.int64),
    }
    info = envs.step(batch)[-1]
    assert info["status"].tolist() == [0, 2, 1]
    assert info["reason"].tolist() == [0, mc_place_env.Reason.INVALID_POSITION, 0]
    assert info["request_id"].tolist() == [0, 0, 1]
    assert info["outcome_count"].tolist() == [0, 0, 1]


def test_reading_a_response():
    env, act = sandbox(position=(1.5, 64.0, 2.5), yaw=180.0, inventory={"dirt": 3}, latency=9)
    info = env.step(act.place("dirt", 0, -1, 1, "forward"))[-1]
    assert info["value"] == "Place request accepted: dirt at (1, 63, 0) (face=north)"
    assert info["data"] == {
        "success": True,
        "status": "accepted",
        "reason": "",
        "request_id": 1,
        "placed": {"name": "dirt", "position": {"x": 1, "y": 63, "z": 0}, "face": "north"},
        "anchor": {"x": 1, "y": 63, "z": 1},
        "destination": {"x": 1, "y": 63, "z": 0},
    }


# -- observation -----------------------------------------------------------------------------------------------------


def test_the_observation_reads_as_documented():
    env, act = sandbox(
        [-1, 64, 2, "chest"], [0, 64, 1, "short_grass"], inventory={"dirt": 32, "stone": 64}, latency=9, yaw=90.0
    )
    observation = env.step(act.place("stone", 0, -1, 2, "right"))[0]
    voxels = observation["voxels"]  # right, forward, up from -4; looking west: right is north, forward is west
    assert voxels[4, 4, 4] == 0
    assert voxels[4, 4, 3] == 6  # stone, the second item
    assert voxels[2, 5, 4] == 3  # the chest, one forward and two to the left, intercepts
    assert voxels[3, 4, 4] == 1  # the grass, one to the left, is replaceable
    np.testing.assert_allclose(observation["inventory"], [0.5, 1.0])
    np.testing.assert_allclose(observation["pose"][:5], [1, 0, 0, 0, 0], atol=1e-7)
    np.testing.assert_allclose(observation["pending"][0], [1, 1, -1, 2, 5, 1, 1])
    assert not observation["pending"][1:].any()
    env.step(act.turn_left())
    heard = [env.step(act.wait())[0] for _ in range(8)][-1]  # looking south now: what was ahead is to the right
    np.testing.assert_allclose(heard["last_outcome"], [1, 0, 1, 15, 2, -1, -1, 1])


def test_goal_is_seen_in_the_agents_frame():
    env, act = sandbox(goal=[[0, 64, 2, "cobblestone"], [-3, 65, 0, "cobblestone"]])
    observation = env.step(act.wait())[0]
    assert np.argwhere(observation["goal"]).tolist() == [[4, 6, 4], [7, 4, 5]]
    assert observation["goal"].max() == 5


def test_what_is_seen_does_not_depend_on_the_order_of_meeting_blocks():
    blocks = [[1, 64, 1, "dirt"], [2, 64, 1, "oak_leaves"], [0, 64, 2, "chest"]]
    seen = []
    for order in (blocks, blocks[::-1]):
        env, act = sandbox(*order)
        seen.append(as_bytes(env.step(act.wait())[0]))
    env, act = sandbox([3, 64, 3, "glass"], [3, 65, 3, "snow[layers=2]"])
    env.reset(seed=0, options={"scenario": scenario(*blocks, inventory={"cobblestone": 8})})
    seen.append(as_bytes(env.step(act.wait())[0]))
    assert len(set(seen)) == 1


def test_the_world_ends_where_the_region_does():
    env, act = sandbox(position=(0.5, 64.0, 0.5))
    observation = env.step(act.wait())[0]
    assert 4 not in observation["voxels"]
    top = scenario(fill=([-2, 318, -2, 2, 318, 2, "stone"],), position=(0.5, 319.0, 0.5))
    env = make()
    observation, _ = env.reset(seed=0, options={"scenario": top})
    assert (observation["voxels"][:, :, 5:] == 4).all()
    assert not (observation["voxels"][:, :, :5] == 4).any()


# -- rewards and tasks -----------------------------------------------------------------------------------------------


def test_the_sandbox_has_no_reward():
    env, act = sandbox(latency=1)
    rewards = [env.step(act.place(*UNDERFOOT))[1], env.step(act.place(*AHEAD))[1], env.step(act.wait())[1]]
    assert rewards == [0.0] * 3


def test_reward_falls_with_the_verdict():
    weights = {"progress": 0.0, "success": 0.0, "time": 0.0, "wrong_block": 0.5, "failed_request": 0.25}
    env, act = sandbox(goal=[[3, 64, 3, "cobblestone"]], latency=2, options={"rewards": weights})
    rewards = [env.step(act.place(*AHEAD))[1], env.step(act.place(*UNDERFOOT))[1]]
    rewards += [env.step(act.wait())[1] for _ in range(3)]
    assert rewards == [0.0, -0.5, -0.25, 0.0, 0.0]


def test_a_row_draws_from_its_split():
    goals = {}
    for split in ("train", "test"):
        envs = make_vec("McPlace/Single-v0", 200, split=split)
        envs.reset(seed=0)
        goals[split] = {repr((envs.view(i).goal(), envs.view(i).agent.yaw)) for i in range(200)}
    assert not goals["train"] & goals["test"]


def test_a_goal_already_met_is_an_error():
    with pytest.raises(ScenarioError, match="already met"):
        check_goal({(0, 64, 1): "stone"}, Instance(blocks={}, goal={(0, 64, 1): "stone"}), "here")
    world = scenario([0, 64, 1, "cobblestone"], goal=[[0, 64, 1, "cobblestone"]])
    with pytest.raises(ScenarioError, match="already met"):
        make().reset(options={"scenario": world})


@pytest.mark.parametrize(
    ("block", "goal"),
    [("minecraft:cobblestone", "cobblestone"), ("stone_slab[type=top]", "stone_slab"), ("grass", "short_grass")],
)
def test_a_goal_met_in_another_spelling_is_an_error(block, goal):
    world = scenario([0, 64, 1, block], goal=[[0, 64, 1, goal]])
    with pytest.raises(ScenarioError, match="already met"):
        make(items=("cobblestone", "stone_slab", "grass")).reset(options={"scenario": world})


# -- spatial map -----------------------------------------------------------------------------------------------------


def test_the_map_learns_from_sight():
    env, act = sandbox([0, 64, 3, "chest"], [9, 64, 9, "chest"], options={"view_radius": 4})
    known = env.unwrapped.spatial_map
    assert known.block_at(0, 64, 3) == env.unwrapped.block_at(0, 64, 3) == "chest[facing=north]"
    assert known.status_at(0, 64, 3) == "known"
    assert known.block_at(9, 64, 9) == "unknown"
    assert known.status_at(9, 64, 9) == "unknown"
    assert not env.step(act.wait())[-1]["map_updated"]
    assert known.block_at(0, 64, 5) == "unknown"
    infos = [env.step(act.move_forward())[-1], *steps(env, act.wait(), 6)]
    assert any(info["map_updated"] for info in infos)
    assert known.block_at(0, 64, 5) == "air"


def test_the_map_knows_pending_targets():
    env, act = sandbox(latency=3)
    env.step(act.place(*AHEAD))
    known = env.unwrapped.spatial_map
    assert known.status_at(0, 64, 1) == "pending"
    assert known.pending_targets == {1: (0, 64, 1)}
    assert known.block_at(0, 64, 1) == "air"
    steps(env, act.wait(), 3)
    assert known.pending_targets == {}
    assert known.block_at(0, 64, 1) == "cobblestone"


def test_the_map_learns_from_placements_out_of_sight():
    env, act = sandbox(latency=1, options={"view_radius": 1})
    assert env.unwrapped.spatial_map.status_at(0, 64, 4) == "unknown"
    env.step(act.place("cobblestone", 0, -1, 4, "up"))
    assert env.unwrapped.spatial_map.block_at(0, 64, 4) == "cobblestone"
    assert env.unwrapped.spatial_map.status_at(0, 64, 5) == "unknown"


def test_a_failing_map_is_told_and_stops_nothing():
    env, act = sandbox(latency=1)

    def fail(*_):
        raise OSError("disk full")

    env.unwrapped.spatial_map.observe = fail
    info = env.step(act.place(*AHEAD))[-1]
    assert info["map_error"] == "OSError: disk full"
    assert info["map_updated"] is False
    assert info["outcomes"][0]["outcome"] == "placed"
    info = env.reset(options={"scenario": scenario(inventory={"cobblestone": 8})})[-1]
    assert info["map_error"] == ""


def test_the_map_survives_resets_only_on_request():
    world = scenario([0, 64, 6, "chest"], inventory={"cobblestone": 8})
    for keep in (False, True):
        env, _ = sandbox(options={"keep_spatial_map": keep})
        env.unwrapped.spatial_map.record_placement((9, 64, 9), 0)
        env.reset(options={"scenario": world})
        assert env.unwrapped.spatial_map.status_at(9, 64, 9) == ("known" if keep else "unknown")


def test_the_map_can_be_saved_and_loaded(tmp_path):
    env, _ = sandbox([0, 64, 3, "oak_stairs[facing=east]"], [1, 64, 3, "glass"])
    path = tmp_path / "map.npz"
    env.unwrapped.spatial_map.save(path)
    other, _ = sandbox([1, 64, 2, "dirt"])
    other.unwrapped.spatial_map.load(path)
    for z in (2, 3, 9):
        for x in (0, 1):
            expected = env.unwrapped.spatial_map.block_at(x, 64, z)
            assert other.unwrapped.spatial_map.block_at(x, 64, z) == expected
    assert other.unwrapped.spatial_map.block_at(0, 64, 3).startswith("oak_stairs[facing=east")


# -- configuration ---------------------------------------------------------------------------------------------------


def test_configuration_from_yaml(tmp_path):
    path = tmp_path / "env.yaml"
    path.write_text(
        "task: Wall\nticks_per_step: 2\nlatency: [1, 3]\nitems: [dirt, stone]\n"
        "actions: [place, jump]\nrewards: {time: 0.5}\n"
    )
    config = PlaceEnvConfig.from_yaml(path)
    assert (config.task, config.ticks_per_step, config.items) == ("Wall", 2, ("dirt", "stone"))
    assert config.latency == LatencyModel(entry=(1, 2, 3))
    assert [a.name for a in config.actions] == ["WAIT", "PLACE", "JUMP"]
    with pytest.raises(AttributeError):
        config.task = "Single"


def test_keyword_defaults_are_the_contracts():
    config = PlaceEnvConfig.parse({})
    assert (config.max_pending, config.precheck, config.view_radius, config.reach) == (3, "arguments", 4, 4.5)
    assert (config.backend, config.action_view, config.render_mode) == ("simulator", "dict", None)
    env = make("McPlace/Wall-v0")
    assert env.unwrapped._batch.shared["ticks_per_step"] == 4
    assert sorted(set(env.unwrapped._batch.shared["latencies"]["entry_ticks"][0, 0, :9].tolist())) == list(range(2, 11))


def test_a_scenario_may_ask_for_a_place_to_stand():
    env, actions = sandbox(stand_at=[0, 64, 1])
    infos = [env.step(actions.move_forward())[-1] for _ in range(8)]
    assert infos[-1]["is_success"] and not infos[0]["is_success"]
