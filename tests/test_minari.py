"""Episodes as Minari datasets: what is in them, and that a policy can be cloned from one."""

import json
import sys
from importlib import import_module

import gymnasium as gym
import numpy as np
import pytest
from helpers import TESTS, make_vec

minari = pytest.importorskip("minari")

from mc_place_env.errors import ConfigError  # noqa: E402
from mc_place_env.evaluation import evaluate  # noqa: E402
from mc_place_env.integrations.minari import create_dataset, main, numeric_info  # noqa: E402
from mc_place_env.types import ActionType, Outcome  # noqa: E402


@pytest.fixture(autouse=True)
def datasets(tmp_path, monkeypatch):
    """Minari's folder, for this process and its children."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))


def test_a_dataset_holds_what_was_seen_done_and_heard():
    kept = create_dataset("mcplace/wall/scripted-v0", "McPlace/Wall-v0", "scripted", episodes=3, seed=5, difficulty=1.0)
    assert (kept.total_episodes, kept.total_steps) == (3, sum(len(episode) for episode in kept))
    env = kept.recover_environment()
    assert env.unwrapped.config.difficulty == 1.0
    assert gym.spec("McPlace/Wall-v0").kwargs == {"task": "Wall"}
    for k, episode in enumerate(kept):
        observation, _ = env.reset(seed=5 + k)
        for step in range(len(episode)):
            assert all(np.array_equal(observation[key], episode.observations[key][step]) for key in observation)
            action = {key: part[step] for key, part in episode.actions.items()}
            observation, reward, terminated, truncated, info = env.step(action)
            told = (episode.rewards[step], episode.terminations[step], episode.truncations[step])
            assert (reward, terminated, truncated) == pytest.approx(told)
            assert info["tick"] == episode.infos["tick"][step + 1]
        assert info["is_success"] and episode.infos["is_success"][-1]


@pytest.mark.parametrize("view", ["multi_discrete", "discrete"])
def test_actions_are_canonical_in_every_view(view):
    options = {"action_view": view, "observe": ("action_mask",), "episode_steps": 4}
    kept = create_dataset("random-v0", "McPlace/Wall-v0", "random", episodes=20, **options)
    assert all(kept.action_space.contains({k: v[0] for k, v in episode.actions.items()}) for episode in kept)
    assert {int(kind) for episode in kept for kind in episode.actions["type"]} == {int(kind) for kind in ActionType}
    assert "action_mask" in kept.observation_space.spaces
    assert kept.recover_environment().action_space == kept.action_space


def test_infos_have_the_same_keys_shapes_and_dtypes_in_every_step():
    env = make_vec("McPlace/Wall-v0", 3, latency=5)
    env.reset(seed=0)
    forms, outcomes = set(), []
    for _ in range(40):
        info = env.step(env.action_space.sample())[-1]
        for i in range(3):
            told = numeric_info(info, i)
            forms.add(tuple((key, value.shape, value.dtype.str) for key, value in told.items()))
            outcomes += told["outcome"].tolist()
    assert len(forms) == 1
    assert Outcome.FAILED in outcomes


def test_bad_input_is_an_error_before_anything_is_played():
    create_dataset("some/name-v0", "McPlace/Wall-v0", "scripted", episodes=1)
    for name, expected in (("some/name-v0", "exists already"), ("no version", "Malformed")):
        with pytest.raises(ConfigError, match=expected):
            create_dataset(name, "McPlace/Wall-v0", "scripted", episodes=1)
    with pytest.raises(ConfigError, match="episodes=0"):
        create_dataset("other-v0", "McPlace/Wall-v0", "scripted", episodes=0)
    assert list(minari.list_local_datasets()) == ["some/name-v0"]


def test_command(capsys):
    assert main(["--dataset", "some/name-v1", "--episodes", "2", "difficulty=1.0"]) == 0
    assert capsys.readouterr().out.startswith("some/name-v1: 2 episodes, ")
    assert main(["--dataset", "some/name-v1", "--policy", "none.zip"]) == 2
    assert "none.zip" in capsys.readouterr().err


def clone(monkeypatch, *arguments):
    """train/clone.py -> its exit status."""
    pytest.importorskip("sb3_contrib")
    monkeypatch.syspath_prepend(str(TESTS.parent / "train"))
    monkeypatch.setattr(sys, "argv", ["clone.py", *map(str, arguments)])
    return import_module("clone").main()


def test_a_policy_is_cloned_from_a_dataset(tmp_path, monkeypatch):
    create_dataset("mcplace/wall/scripted-v0", "McPlace/Wall-v0", "scripted", episodes=300)
    out = tmp_path / "clone"
    assert clone(monkeypatch, "mcplace/wall/scripted-v0", "--out", out, "--epochs", 40) == 0
    assert json.loads((out / "run.json").read_text())["dataset"] == "mcplace/wall/scripted-v0"
    cloned = evaluate(out / "model.zip", "McPlace/Wall-v0", episodes=100)
    assert cloned.summary["success"] > 0.5


def test_no_such_dataset(monkeypatch, capsys):
    assert clone(monkeypatch, "none-v0") == 2
    told = capsys.readouterr().err
    assert "none-v0" in told and len(told.splitlines()) == 1
