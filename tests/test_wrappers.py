"""Action views as wrappers, and credit at submission."""

import gymnasium as gym
import numpy as np
import pytest
from helpers import make

import mc_place_env
from mc_place_env.envs import wrappers
from mc_place_env.errors import ActionError, ConfigError
from mc_place_env.tasks import TASKS

VIEWS = {
    "tuple": wrappers.TupleAction,
    "multi_discrete": wrappers.MultiDiscreteAction,
    "discrete": wrappers.DiscreteAction,
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_wrapper_does_what_the_view_does(name):
    wrapped, native = VIEWS[name](make("McPlace/Wall-v0")), make("McPlace/Wall-v0", action_view=name)
    assert wrapped.action_space == native.action_space
    wrapped.reset(seed=3)
    native.reset(seed=3)
    native.action_space.seed(0)
    for _ in range(25):
        action = native.action_space.sample()
        (seen, reward, *flags, info), (other, *rest) = wrapped.step(action), native.step(action)
        assert [reward, *flags, info] == rest
        assert all(np.array_equal(seen[key], other[key]) for key in other)
        if any(flags):
            break
        if name != "tuple":
            assert np.array_equal(wrapped.action_masks(), native.unwrapped.action_masks())


@pytest.mark.parametrize("name", VIEWS)
def test_views_invert(name):
    env = VIEWS[name](make("McPlace/Single-v0"))
    env.action_space.seed(1)
    for _ in range(50):
        action = env.action_space.sample()
        back = env.reverse_action(env.action(action))
        if name == "tuple":
            assert all(np.array_equal(a, b) for a, b in zip(action, back, strict=True))
        elif name == "multi_discrete":
            assert np.array_equal(action, back)
        else:
            assert action == back


def test_only_on_the_canonical_view():
    with pytest.raises(ConfigError, match="action_view='dict'"):
        wrappers.DiscreteAction(make("McPlace/Wall-v0", action_view="tuple"))
    with pytest.raises(ConfigError, match="McPlace"):
        wrappers.DiscreteAction(gym.make("CartPole-v1"))
    with pytest.raises(ActionError, match="no action masks"):
        wrappers.TupleAction(make("McPlace/Wall-v0")).action_masks()


def test_credit_goes_to_the_asking_step():
    env = make("McPlace/Wall-v0", latency=9)
    env.reset(seed=0)
    view, expert, infos, done = env.unwrapped.view, TASKS["Wall"].expert, [], False
    while not done:
        _, _, terminated, truncated, info = env.step(expert(view))
        infos.append(info)
        done = terminated or truncated
    rewards = mc_place_env.relabel_credit(infos)
    raw = np.array([sum(info["reward_terms"].values()) for info in infos])
    asked = infos[-1]["outcomes"][0]["submitted_step"]
    assert asked < len(infos) - 1
    assert rewards.sum() == pytest.approx(raw.sum())
    assert rewards[asked] > 0.9 > 0.0 > rewards[-1]
