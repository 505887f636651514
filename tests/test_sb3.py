"""The native SB3 VecEnv: what SB3 is promised, and agreement with the vector environment it stands on."""

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from helpers import make_vec
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.monitor import Monitor

from mc_place_env.curricula import read_curriculum
from mc_place_env.errors import ConfigError
from mc_place_env.integrations.sb3 import CurriculumCallback, VoxelExtractor, make_vec_env
from mc_place_env.types import CellClass

WALL = "McPlace/Wall-v0"
VIEWS = ("multi_discrete", "discrete")


def expert_actions(env):
    """The scripted expert's choice in every row, in the environment's view."""
    from mc_place_env.evaluation.policies import ScriptedPolicy

    return ScriptedPolicy().actions(env, {}, np.ones(env.num_envs, np.bool_))


def rollout(venv, steps, expert=False):
    """Steps the VecEnv by sampled (or the expert's) actions; yields what each step returned."""
    venv.env.action_space.seed(0)
    for _ in range(steps):
        actions = expert_actions(venv.env) if expert else venv.env.action_space.sample()
        yield actions, venv.step(actions)


def assert_equal(left, right):
    assert left.keys() == right.keys()
    for key in left:
        np.testing.assert_array_equal(left[key], right[key], err_msg=key)


@pytest.mark.parametrize("view", VIEWS)
def test_equals_the_vector_environment_row_by_row(view):
    venv = make_vec_env(WALL, 8, seed=5, action_view=view)
    env = make_vec(WALL, 8, action_view=view, autoreset_mode="SameStep")
    assert_equal(venv.reset(), env.reset(seed=5)[0])
    ended = 0
    for actions, (observed, rewards, dones, infos) in rollout(venv, 70):
        expected, their_rewards, terminated, truncated, info = env.step(actions)
        assert_equal(observed, expected)
        np.testing.assert_array_equal(rewards, their_rewards.astype(np.float32))
        np.testing.assert_array_equal(dones, terminated | truncated)
        for i in np.flatnonzero(dones):
            assert_equal(infos[i]["terminal_observation"], {k: part[i] for k, part in info["final_obs"].items()})
            assert infos[i]["TimeLimit.truncated"] == truncated[i]
            ended += 1
    assert ended >= 16


def test_infos_are_empty_but_where_an_episode_ended_and_nobody_shares_them():
    venv = make_vec_env(WALL, 4, seed=0)
    venv.reset()
    for _, (_, _, dones, infos) in rollout(venv, 40):
        assert [bool(info) for info in infos] == dones.tolist()
        assert len({id(info) for info in infos}) == 4


def test_observations_are_not_overwritten_by_the_next_step():
    venv = make_vec_env(WALL, 4, seed=0)
    first = venv.reset()
    kept = {key: part.copy() for key, part in first.items()}
    for _ in rollout(venv, 10):
        pass
    assert_equal(first, kept)


def test_episode_statistics_without_monitor():
    venv = make_vec_env(WALL, 6, seed=3)
    venv.reset()
    returns, lengths, seen = np.zeros(6), np.zeros(6, int), 0
    for _, (_, rewards, dones, infos) in rollout(venv, 70, expert=True):
        returns, lengths = returns + rewards, lengths + 1
        for i in np.flatnonzero(dones):
            assert infos[i]["episode"]["r"] == pytest.approx(returns[i], abs=1e-5)
            assert infos[i]["episode"]["l"] == lengths[i]
            assert infos[i]["is_success"] is True
            assert infos[i]["TimeLimit.truncated"] is False
            returns[i], lengths[i], seen = 0.0, 0, seen + 1
    assert seen > 30
    assert venv.env_is_wrapped(Monitor) == [True] * 6


def test_goal_reached_in_the_last_allowed_step_is_not_truncated():
    venv = make_vec_env(WALL, 1, seed=0, latency=3, ticks_per_step=4, episode_steps=1)
    venv.reset()
    _, _, dones, infos = venv.step(expert_actions(venv.env))
    assert dones[0]
    assert infos[0]["is_success"] is True
    assert infos[0]["TimeLimit.truncated"] is False


def test_outcomes_of_the_last_step_are_kept_in_words():
    venv = make_vec_env(WALL, 1, seed=0, latency=6, ticks_per_step=4)
    venv.reset()
    venv.step(expert_actions(venv.env))
    _, _, dones, infos = venv.step(expert_actions(venv.env))
    (outcome,) = infos[0]["outcomes"]
    assert dones[0]
    assert outcome["outcome"] == "placed"
    assert (outcome["request_id"], outcome["submitted_tick"], outcome["resolved_tick"]) == (1, 0, 6)
    assert outcome["cell"] == outcome["destination"]
    assert outcome["item"] in venv.env.items


def test_requests_in_flight_at_the_end_are_cancelled_in_the_outcomes():
    venv = make_vec_env(WALL, 1, seed=0, latency=90, ticks_per_step=4, episode_steps=3)
    venv.reset()
    for _ in range(3):
        _, _, dones, infos = venv.step(np.array([[1, 3, 2, 5, 0, 0]]))  # onto the floor two cells ahead
    assert dones[0]
    assert [outcome["outcome"] for outcome in infos[0]["outcomes"]] == ["cancelled"] * 3
    assert infos[0]["TimeLimit.truncated"] is True


@pytest.mark.parametrize("view", VIEWS)
def test_masks_reach_maskable_ppo(view):
    venv = make_vec_env(WALL, 5, seed=0, action_view=view)
    venv.reset()
    assert is_masking_supported(venv)
    np.testing.assert_array_equal(get_action_masks(venv), venv.env.action_masks())
    some = venv.env_method("action_masks", indices=[1, 3])
    np.testing.assert_array_equal(np.stack(some), venv.env.action_masks()[[1, 3]])


def test_seeds_and_tasks():
    one, other = make_vec_env(WALL, 4), make_vec_env(WALL, 4, seed=7)
    assert one.seed(7) == [7, 8, 9, 10]
    assert_equal(one.reset(), other.reset())
    one.env_method("set_task", split="test", difficulty=1.0)
    env = make_vec(WALL, 4, split="test", difficulty=1.0)
    one.seed(3)
    assert_equal(one.reset(), env.reset(seed=3)[0])
    assert one.get_attr("num_envs", indices=[0, 2]) == [4, 4]


def test_misuse_has_clear_errors():
    with pytest.raises(ConfigError, match="action_view='dict'"):
        make_vec_env(WALL, 2, action_view="dict")
    with pytest.raises(ConfigError, match="not an environment of mc_place_env"):
        make_vec_env("CartPole-v1", 2)
    venv = make_vec_env(WALL, 2)
    with pytest.raises(AttributeError, match="set_task"):
        venv.set_attr("difficulty", 1.0)
    assert not venv.has_attr("nothing_of_the_kind")
    venv.close()
    venv.close()


def test_extractor_planes():
    venv = make_vec_env(WALL, 3, seed=0, latency=40)
    extractor = VoxelExtractor(venv.observation_space)
    observed = venv.reset()
    before = {key: torch.as_tensor(part).float() for key, part in observed.items()}
    features = extractor(before)
    assert features.shape == (3, extractor.features_dim)
    wanted = np.where(observed["goal"] != observed["voxels"], observed["goal"], 0).max(axis=(1, 2, 3)) - CellClass.ITEM
    np.testing.assert_array_equal(features[:, -3:].detach().numpy(), np.eye(3)[wanted])
    after = {key: torch.as_tensor(part).float() for key, part in venv.step(expert_actions(venv.env))[0].items()}
    missing = (after["goal"] != 0) & (after["goal"] != after["voxels"])
    np.testing.assert_array_equal(extractor.asked(after["pending"]).numpy(), missing.flatten(1).float().numpy())
    assert not extractor(after)[:, -3:].any()


def test_plain_ppo_learns_from_the_shipped_observation():
    venv = make_vec_env("McPlace/Single-v0", 16, seed=0, gamma=0.95, episode_steps=8)
    model = PPO("MultiInputPolicy", venv, n_steps=32, batch_size=256, n_epochs=2, seed=0, device="cpu")
    before = [part.detach().clone() for part in model.policy.parameters()]
    model.learn(1024)
    assert len(model.ep_info_buffer) > 0
    assert len(model.ep_success_buffer) > 0
    assert any(not torch.equal(a, b) for a, b in zip(before, model.policy.parameters(), strict=True))


@pytest.mark.parametrize("view", VIEWS)
def test_maskable_ppo_runs_with_the_extractor(view):
    venv = make_vec_env(WALL, 8, seed=0, action_view=view, offset_range=2)
    policy = {"features_extractor_class": VoxelExtractor, "net_arch": [32]}
    settings = {"n_steps": 16, "batch_size": 64, "n_epochs": 1, "seed": 0, "device": "cpu"}
    model = MaskablePPO("MultiInputPolicy", venv, policy_kwargs=policy, **settings).learn(256)
    observed, masks = venv.reset(), get_action_masks(venv)
    actions, _ = model.predict(observed, action_masks=masks)
    venv.step(actions)


# -- curricula ---------------------------------------------------------------------------------------------------------

GOAL_CELLS = {0.0: 3, 0.5: 6, 1.0: 10}  # of Wall


class Kept(KVWriter):
    """The last value of every key that was logged."""

    def __init__(self):
        self.values = {}

    def write(self, key_values, key_excluded, step=0):
        self.values |= key_values

    def close(self):
        pass


class Watch(BaseCallback):
    """Goal cells in every row, step by step."""

    def __init__(self):
        super().__init__()
        self.cells = []

    def _on_step(self):
        self.cells.append([len(self.training_env.env.view(i).goal()) for i in range(self.training_env.num_envs)])
        return True


def learner(**changed):
    """PPO on four short walls."""
    venv = make_vec_env(WALL, 4, seed=0, episode_steps=4, offset_range=2)
    settings = {"n_steps": 16, "batch_size": 64, "n_epochs": 1, "seed": 0, "device": "cpu"} | changed
    model = PPO("MultiInputPolicy", venv, policy_kwargs={"net_arch": [8]}, **settings)
    model.set_logger(Logger(None, [Kept()]))
    return model


def stages(window=6, success=0.0, **changed):
    """A curriculum over Wall's difficulty; success 0.0 promotes as soon as the window is full."""
    difficulties = [{"difficulty": difficulty} for difficulty in GOAL_CELLS]
    return read_curriculum({"window": window, "success": success, "share": 0.0, "stages": difficulties} | changed)


def test_curriculum_reaches_every_row_and_the_log():
    model, watch, curriculum = learner(), Watch(), stages()
    model.learn(256, callback=[CurriculumCallback(curriculum, seed=0), watch])
    assert watch.cells[0] == [3] * 4
    assert watch.cells[-1] == [10] * 4
    assert {cells for row in watch.cells for cells in row} == set(GOAL_CELLS.values())
    assert curriculum.finished
    assert [p["stage"] for p in curriculum.state["promotions"]] == [1, 2]
    assert [p["steps"] for p in curriculum.state["promotions"]] == [48, 96]
    logged = model.logger.output_formats[0].values
    assert (logged["curriculum/stage"], logged["curriculum/promotions"]) == (3, 2)
    assert (logged["curriculum/success_3"], logged["curriculum/drawn_3"]) == (0.0, 1.0)


def test_episodes_count_for_the_stage_they_began_in():
    model, curriculum = learner(), stages(window=1000, success=1.0, share=0.5)
    curriculum.state["stage"] = 1
    watch = Watch()
    model.learn(512, callback=[CurriculumCallback(curriculum, seed=0), watch])
    ended = [cells for step in watch.cells[3:-1:4] for cells in step]  # episodes of four steps, all in step
    began = [len(recent) for recent in curriculum.state["recent"]]
    assert began == [ended.count(3), ended.count(6), 0]
    assert min(began[:2]) > 30


def test_stages_may_be_other_families_and_latencies():
    model, watch = learner(), Watch()
    own = stages(stages=[{"task": "Single", "latency": 0}, {}], window=4)
    model.learn(192, callback=[CurriculumCallback(own, seed=0), watch])
    assert watch.cells[4] == [1] * 4
    assert watch.cells[-1] == [3] * 4
    assert model.env.batch.latency.entry == tuple(range(2, 11))
    bridge = PPO("MultiInputPolicy", make_vec_env("McPlace/Bridge-v0", 4), policy_kwargs={"net_arch": [8]})
    with pytest.raises(ConfigError, match=r"task='Wall': the environment lacks \['dirt', 'oak_planks'\]"):
        bridge.learn(64, callback=CurriculumCallback(stages(stages=[{}, {"task": "Wall"}])))


def test_a_checkpoint_goes_on_in_the_same_stage(tmp_path):
    model = learner()
    model.learn(64, callback=CurriculumCallback(stages(window=8), seed=0))
    assert model.curriculum_state["stage"] == 1
    model.save(tmp_path / "model.zip")
    again, curriculum, watch = PPO.load(tmp_path / "model.zip", env=model.get_env()), stages(window=8), Watch()
    again.set_logger(Logger(None, [Kept()]))
    again.learn(64, callback=[CurriculumCallback(curriculum, seed=0), watch], reset_num_timesteps=False)
    assert [p["stage"] for p in curriculum.state["promotions"]] == [1, 2]
    assert [p["steps"] for p in curriculum.state["promotions"]] == [48, 112]
    assert curriculum.state["promotions"][0] == model.curriculum_state["promotions"][0]
    assert 3 not in watch.cells[-1]
    again = PPO.load(tmp_path / "model.zip", env=model.get_env())
    with pytest.raises(ConfigError, match=r"of 3 stages, .* this curriculum has 1"):
        again.learn(64, callback=CurriculumCallback(stages(stages=[{}])), reset_num_timesteps=False)


@pytest.mark.filterwarnings("ignore:rich is experimental")
def test_sb3s_own_bar_tells_the_stage(capsys):
    learner().learn(64, callback=CurriculumCallback(stages(), seed=0), progress_bar=True)
    assert "stage 2/3, success" in capsys.readouterr().out
