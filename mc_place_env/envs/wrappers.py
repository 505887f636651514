"""The action views as wrappers, for environments made with the canonical dict view.

    env = MultiDiscreteAction(gymnasium.make("McPlace/Wall-v0"))

`make(..., action_view="multi_discrete")` does the same, also for native vector environments, out of wrappers' reach.
"""

from typing import Any

import gymnasium as gym
import numpy as np

from mc_place_env.envs import actions
from mc_place_env.errors import ConfigError
from mc_place_env.types import ACTION, action_parts


class ActionView(gym.ActionWrapper):
    """Takes actions of one view; `action` translates to the canonical one, `reverse_action` back."""

    view: type[actions.DictAction]

    def __init__(self, env: gym.Env):
        super().__init__(env)
        base: Any = env.unwrapped
        if getattr(getattr(base, "config", None), "action_view", None) != "dict":
            raise ConfigError(f"{type(self).__name__}: expected a McPlace environment with action_view='dict'")
        self._codec = self.view(base.offered, len(base.items), base.config.offset_range)
        self.action_space = self._codec.space

    def action(self, action: Any) -> dict[str, Any]:
        """An action of this view as a canonical one; ActionError where its form does not fit."""
        packed = np.zeros(1, ACTION)
        self._codec.decode_one(action, action_parts(packed))
        row = packed[0]
        anchor = row["anchor"].astype(np.float32)
        return {"type": row["type"], "anchor": anchor, "face": row["face"], "item": row["item"]}

    def reverse_action(self, action: dict[str, Any]) -> Any:
        """A canonical action in this view; ActionError where the view cannot express it."""
        return self._codec.encode_one(action)

    def action_masks(self) -> np.ndarray:
        """Which actions of this view the world as it is allows; ActionError in a view that has no masks."""
        base: Any = self.env.unwrapped
        return self._codec.masks(base.batch)[0]


class TupleAction(ActionView):
    """(type, anchor, face, item), as the hybrid-action literature has it."""

    view = actions.TupleAction


class MultiDiscreteAction(ActionView):
    """[type, right, up, forward, face, item] as small integers, for SB3's PPO."""

    view = actions.MultiDiscreteAction


class DiscreteAction(ActionView):
    """One joint index, with exact masks, for MaskablePPO and DQN."""

    view = actions.DiscreteAction
