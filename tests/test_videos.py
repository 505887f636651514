"""Pictures of running environments: they change no rollout, and the usual recorders make videos of them."""

import numpy as np
import pytest
from helpers import as_bytes, make, make_vec, random_actions, row_of, scenario

import mc_place_env
from mc_place_env.errors import ConfigError
from mc_place_env.rendering.frames import FAILED
from mc_place_env.tasks import TASKS

pytest.importorskip("PIL")


def rollout(n, **options):
    """Everything a vector environment tells in 12 random steps, with pictures if it makes any."""
    env, random = make_vec("McPlace/Wall-v0", n, episode_steps=8, **options), np.random.default_rng(0)
    told = [env.reset(seed=0)]
    for _ in range(12):
        env.render()
        told.append(env.step(random_actions(random, n, 3)))
    env.close()
    return told


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_pictures_of_a_vector_environment_change_no_rollout(mode):
    options = {"autoreset_mode": mode, "latency": (2, 6)}
    assert as_bytes(rollout(2, **options)) == as_bytes(rollout(2, render_mode="rgb_array", **options))


@pytest.mark.parametrize("mode", ["rgb_array", "ansi"])
def test_pictures_change_no_rollout(mode):
    def played(**options):
        env, random = make("McPlace/Wall-v0", **options), np.random.default_rng(0)
        told = [env.reset(seed=0)]
        for _ in range(12):
            env.render()
            told.append(env.step(row_of(random_actions(random, 1, 3), 0)))
        return as_bytes(told)

    assert played() == played(render_mode=mode)


def test_a_row_is_drawn_as_the_single_environment():
    options = {"render_mode": "rgb_array", "difficulty": 1.0, "latency": 6}
    env, rows = make("McPlace/Wall-v0", **options), make_vec("McPlace/Wall-v0", 2, **options)
    env.reset(seed=4)
    rows.reset(seed=3)
    random = np.random.default_rng(1)
    for _ in range(3):
        actions = random_actions(random, 2, 3)
        env.step(row_of(actions, 1))
        rows.step(actions)
    first, second = rows.render()
    assert np.array_equal(second, env.render())
    assert not np.array_equal(first, second)


def test_ghosts_turn_solid_or_flash_red():
    start = scenario(inventory={"gold_block": 2})
    env = make(items=("gold_block",), latency=8, render_mode="rgb_array")
    actions = mc_place_env.Actions(env)
    env.reset(seed=0, options={"scenario": start})
    env.step(actions.place("gold_block", 2, -1, 3, "up"))
    flying = env.render()
    env.step(actions.place("gold_block", 0, -1, 0, "up"))
    placed = env.render()
    env.step(actions.wait())
    env.step(actions.wait())
    failed = env.render()

    def red(frame):
        return (np.abs(frame.astype(int) - FAILED).max(axis=-1) < 40).sum()

    assert (flying != placed).any() and red(flying) == red(placed) == 0 < red(failed)


def test_text_shows_every_layer_of_the_goal_and_the_last_verdict():
    env = make("McPlace/Wall-v0", render_mode="ansi", difficulty=1.0, latency=2)
    env.reset(seed=3)
    env.step(TASKS["Wall"].expert(env.unwrapped.view))
    env.step(mc_place_env.Actions(env).wait())
    text = env.render()
    assert all(f"y={height}" in text for height in (66, 65, 64, 63))
    assert text.count("?") == 3
    assert text.endswith("tick 8 | none | #1 placed")


def test_a_vector_environment_makes_pictures_only():
    with pytest.raises(ConfigError, match=r"render_mode='human': expected one of None, 'rgb_array'"):
        make_vec("McPlace/Wall-v0", 2, render_mode="human")
    env = make_vec("McPlace/Wall-v0", 2)
    assert env.render() is None and env.render_mode is None
    assert env.metadata["render_modes"] == ["rgb_array"]


# ---------------------------------------------------------------- videos


def frames_of(folder):
    """Pictures of the only video in a folder: uint8 (frames, height, width, 3)."""
    from moviepy.video.io.VideoFileClip import VideoFileClip

    (path,) = folder.glob("*.mp4")
    with VideoFileClip(str(path)) as clip:
        return np.array(list(clip.iter_frames()))


def test_gymnasium_records_an_episode(tmp_path):
    pytest.importorskip("moviepy")
    from gymnasium.wrappers import RecordVideo

    env = make("McPlace/Wall-v0", render_mode="rgb_array", episode_steps=3)
    env = RecordVideo(env, str(tmp_path / "videos"), episode_trigger=lambda episode: True)
    env.reset(seed=0)
    for _ in range(3):
        env.step(mc_place_env.Actions(env).turn_left())
    shown = env.render()
    env.close()
    video = frames_of(tmp_path / "videos")
    assert len(video) >= 4 and video.shape[1:] == (512, 512, 3)
    assert np.abs(video[-1].astype(int) - shown).mean() < 8  # compressed


def test_gymnasium_records_a_vector_environment(tmp_path):
    pytest.importorskip("moviepy")
    from gymnasium.wrappers.vector import RecordVideo

    env = make_vec("McPlace/Wall-v0", 2, render_mode="rgb_array")
    env = RecordVideo(env, str(tmp_path / "videos"), step_trigger=lambda step: step == 1, video_length=3)
    env.reset(seed=0)
    for _ in range(5):
        env.step(env.action_space.sample())
    env.close()
    height, width = frames_of(tmp_path / "videos").shape[1:3]
    assert sorted((height, width)) == [512, 1024]


def test_stable_baselines3_records_a_vector_environment(tmp_path, capsys):
    pytest.importorskip("moviepy")
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common.vec_env import VecVideoRecorder

    from mc_place_env.integrations.sb3 import make_vec_env

    venv = make_vec_env("McPlace/Wall-v0", 12, seed=0, render_mode="rgb_array")
    env = VecVideoRecorder(venv, str(tmp_path / "videos"), lambda step: step == 0, video_length=2)
    env.reset()
    for _ in range(3):
        env.step(np.zeros((12, 6), np.int64))
    env.close()
    assert frames_of(tmp_path / "videos").shape[1:] == (3 * 512, 3 * 512, 3)
