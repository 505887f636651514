"""RLlib on a local Ray cluster. Runs where Ray is installed: `make test-ray` (constraints-ray.txt)."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

ray = pytest.importorskip("ray")
pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]

from mc_place_env.errors import ConfigError  # noqa: E402
from mc_place_env.evaluation import evaluate  # noqa: E402

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "train"))

import rllib  # noqa: E402

TINY = (
    "n_envs=16",
    "runners=2",
    "ppo.n_steps=8",
    "ppo.batch_size=64",
    "ppo.n_epochs=1",
    "env.offset_range=2",
    "seed=3",
)


def config_of(*given, task="wall"):
    return rllib.load_config(ROOT / "configs" / f"{task}.yaml", [*TINY, *given])


@pytest.fixture(scope="module")
def cluster():
    rllib.join_cluster(None, 2)
    yield
    ray.shutdown()


def of_runners(algorithm, function):
    """What the function says in every runner that answers."""
    return algorithm.env_runner_group.foreach_env_runner(function, local_env_runner=False)


def test_training_goes_on_when_a_runner_is_killed(cluster):
    algorithm = rllib.make_config(config_of()).build_algo()
    try:
        algorithm.train()
        kinds = of_runners(algorithm, lambda runner: type(runner.env.unwrapped).__name__)
        assert kinds == ["PlaceVectorEnv"] * 2
        before = of_runners(algorithm, lambda runner: os.getpid())
        os.kill(before[0], signal.SIGKILL)
        steps = [int(algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"]) for _ in range(3)]
        assert steps[0] < steps[1] < steps[2]
        wait_for(lambda: len(of_runners(algorithm, lambda runner: os.getpid())) == 2, algorithm)
        after = of_runners(algorithm, lambda runner: os.getpid())
        assert before[1] in after
        assert before[0] not in after
    finally:
        algorithm.stop()


def wait_for(condition, algorithm, seconds=60):
    """Trains on until the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the runner was not replaced"
        algorithm.train()


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A tiny run by the script's own function -> its folder. Ray is started and ended by it."""
    out = tmp_path_factory.mktemp("runs") / "tiny"
    ray.shutdown()
    rllib.train(config_of("steps=200"), out)
    assert not ray.is_initialized()
    return out


def test_a_checkpoint_is_evaluated_like_any_other(trained):
    result = evaluate(trained / "checkpoint", "McPlace/Wall-v0", episodes=4)
    again = evaluate(trained / "checkpoint", "McPlace/Wall-v0", episodes=4)
    assert result.policy == "tiny"
    assert len(result.episodes) == 4
    assert result.episodes == again.episodes


def test_actions_that_the_mask_forbids_are_never_taken(trained):
    from mc_place_env.evaluation.policies import CheckpointPolicy
    from mc_place_env.integrations import make_vector_env

    policy = CheckpointPolicy(trained / "checkpoint", deterministic=False)
    env = make_vector_env("McPlace/Wall-v0", 64, **policy.options)
    observed, _ = env.reset(seed=0)
    starts = np.cumsum([0, *env.single_action_space.nvec[:-1]])
    for _ in range(20):
        actions = policy.actions(env, observed, np.ones(64, bool))
        assert np.take_along_axis(env.action_masks(), actions + starts, axis=1).all()
        observed, *_ = env.step(actions)


def test_resumed_runs_go_on(trained, tmp_path):
    rllib.train(config_of("steps=400"), tmp_path / "more", trained / "checkpoint")
    first, more = (json.loads((out / "run.json").read_text()) for out in (trained, tmp_path / "more"))
    assert more["curve"]["rows"][0][0] > first["curve"]["rows"][-1][0]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["action_view=discrete"], "trained for action_view multi_discrete"),
        (["env.view_radius=3"], "trained for observation space"),
        (["env.items=[dirt]"], "trained for items"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused_before_ray_starts(trained, arguments, expected, tmp_path):
    with pytest.raises(ConfigError, match=expected):
        rllib.train(config_of(*arguments), tmp_path, trained / "checkpoint")
    assert not ray.is_initialized()


def test_a_cluster_that_is_not_there_is_one_error():
    with pytest.raises(ConfigError, match="address='nowhere': no Ray cluster there"):
        rllib.join_cluster("nowhere", 2)


def test_what_rllib_does_not_know_is_named():
    with pytest.raises(ConfigError, match="unknown key 'normalize_advantage'"):
        config_of("ppo.normalize_advantage=false")
    with pytest.raises(ConfigError, match="runners=0"):
        config_of("runners=0")
    with pytest.raises(ConfigError, match="unknown key 'threads'"):
        config_of("threads=2")
