"""Other environments in the same harness, where they are installed."""

import warnings
from collections.abc import Callable
from typing import Any


def episodes(env: Any, steps: int = 200) -> tuple[Callable[[], None], int]:
    """A call that makes `steps` steps of an environment with random actions, resets included; and `steps`."""
    env.reset(seed=0)
    env.action_space.seed(0)
    actions = [env.action_space.sample() for _ in range(steps)]

    def run() -> None:
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()

    return run, steps


class OldGym:
    """An environment of the old interface (Crafter) behind the new one."""

    def __init__(self, env: Any):
        from gymnasium.spaces import Discrete

        self.env, self.action_space = env, Discrete(env.action_space.n)

    def reset(self, seed: int | None = None) -> tuple:
        """Begins an episode."""
        return self.env.reset(), {}

    def step(self, action: Any) -> tuple:
        """One step; `done` counts as terminated."""
        observation, reward, done, info = self.env.step(action)
        return observation, reward, done, False, info


def crafter() -> Any:
    """Crafter with its pictures, as it is used."""
    import crafter

    return OldGym(crafter.Env())


def minigrid() -> Any:
    """MiniGrid DoorKey 8x8."""
    import gymnasium
    import minigrid  # noqa: F401

    return gymnasium.make("MiniGrid-DoorKey-8x8-v0")


PEERS: dict[str, Callable[[], Any]] = {"crafter": crafter, "minigrid": minigrid}


def installed() -> dict[str, Any]:
    """The peers that can be imported, made."""
    found = {}
    for name, make in PEERS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found[name] = make()
        except ImportError as error:
            print(f"{name}: not installed ({error})")
    return found
