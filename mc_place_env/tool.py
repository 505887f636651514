"""The mc-place tool as the published page has it: a JSON call in, a dict out; and actions by name for people."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mc_place_env.errors import ActionError
from mc_place_env.rules.blocks import BlockTable, suggestion
from mc_place_env.rules.geometry import relative_face
from mc_place_env.simulation.report import rejected_data
from mc_place_env.types import FACE_NAMES, ActionType, Face, Reason

TOOL_TYPE = "mc-place"
RELATIVE_VIEWS = ("discrete", "multi_discrete")  # their actions name faces relative to the agent only
KEYS = ("type", "value", "item", "dx", "dy", "dz", "face", "out")


class Actions:
    """Builds actions of an environment by name, in the environment's own action view."""

    def __init__(self, env: Any):
        self._env = env.unwrapped

    def place(self, item: str, dx: float, dy: float, dz: float, face: str | Face) -> Any:
        """PLACE `item` on a face of the anchor at (right, up, forward); ActionError for an unknown name."""
        items, item = self._env.items, present_name(item)
        if item not in items:
            raise ActionError(f"item={item!r}: not among {items}{suggestion(item, items)}")
        if isinstance(face, str) and face not in FACE_NAMES:
            raise ActionError(f"face={face!r}: expected one of {', '.join(FACE_NAMES)}{suggestion(face, FACE_NAMES)}")
        if not isinstance(face, str) and face not in list(Face):
            raise ActionError(f"face={face!r}: expected one of {', '.join(f.name for f in Face)}")
        code = FACE_NAMES[face] if isinstance(face, str) else Face(face)
        if self._env.config.action_view in RELATIVE_VIEWS:
            code = Face(relative_face(code, self._env.view.quadrant))
        return self._encode(ActionType.PLACE, (dx, dy, dz), code, items.index(item))

    def wait(self) -> Any:
        """Let time pass."""
        return self._encode(ActionType.WAIT)

    def move_forward(self) -> Any:
        """Walk one cell forward."""
        return self._encode(ActionType.MOVE_FORWARD)

    def move_back(self) -> Any:
        """Walk one cell back."""
        return self._encode(ActionType.MOVE_BACK)

    def move_left(self) -> Any:
        """Walk one cell to the left."""
        return self._encode(ActionType.MOVE_LEFT)

    def move_right(self) -> Any:
        """Walk one cell to the right."""
        return self._encode(ActionType.MOVE_RIGHT)

    def turn_left(self) -> Any:
        """Turn a quarter counter-clockwise, seen from above."""
        return self._encode(ActionType.TURN_LEFT)

    def turn_right(self) -> Any:
        """Turn a quarter clockwise, seen from above."""
        return self._encode(ActionType.TURN_RIGHT)

    def jump(self) -> Any:
        """Jump once."""
        return self._encode(ActionType.JUMP)

    def sneak(self) -> Any:
        """Begin or end sneaking."""
        return self._encode(ActionType.SNEAK)

    def _encode(self, action_type: ActionType, anchor=(0.0, 0.0, 0.0), face: int = 0, item: int = 0) -> Any:
        canonical = {
            "type": np.int64(action_type),
            "anchor": np.asarray(anchor, np.float32),
            "face": np.int64(face),
            "item": np.int64(item),
        }
        return self._env.encode_action(canonical)


class McPlaceTool:
    """Takes the tool's JSON calls against an environment; one call is one step.

    The last step's (observation, reward, terminated, truncated, info) is kept in `last_step`.
    """

    def __init__(self, env: Any):
        self.env = env
        self.actions = Actions(env)
        self.last_step: tuple | None = None

    def __call__(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Runs a call -> {"value": text, "data": dict}; a malformed call is answered by a rejection, not raised."""
        reason = self._refusal(call)
        if reason is not Reason.NONE:
            text, data = rejected_data(reason.text)
            return {"value": text, "data": data}
        dx, dy, dz = (float(call[key]) for key in ("dx", "dy", "dz"))
        info = self._step(self.actions.place(item_of(call), dx, dy, dz, call["face"]))
        return {"value": info["value"], "data": info["data"]}

    def wait(self) -> tuple[dict[str, Any], ...]:
        """Lets one step pass; the outcomes heard of in it."""
        return self._step(self.actions.wait())["outcomes"]

    def _step(self, action: Any) -> dict[str, Any]:
        self.last_step = self.env.step(action)
        return self.last_step[-1]

    def _refusal(self, call: Mapping[str, Any]) -> Reason:
        if not isinstance(call, Mapping) or call.get("type", TOOL_TYPE) != TOOL_TYPE or not set(call) <= set(KEYS):
            return Reason.INVALID_TYPE
        if not item_of(call):
            return Reason.MISSING_ITEM
        if any(call.get(key) is None for key in ("dx", "dy", "dz")):
            return Reason.MISSING_POSITION
        if not call.get("face"):
            return Reason.MISSING_FACE
        if not all(is_offset(call[key]) for key in ("dx", "dy", "dz")):
            return Reason.INVALID_POSITION
        if not isinstance(call["face"], str) or call["face"] not in FACE_NAMES:
            return Reason.INVALID_FACE
        return Reason.NONE if present_name(item_of(call)) in self.env.unwrapped.items else Reason.UNKNOWN_ITEM


def item_of(call: Mapping[str, Any]) -> Any:
    """The item a call names: `value` wins over `item`."""
    return call.get("value") or call.get("item")


def present_name(item: Any) -> Any:
    """An item's name as environments list it: without the namespace, and not by an older name."""
    if not isinstance(item, str):
        return item
    name = item.removeprefix("minecraft:")
    return BlockTable.load().aliases.get(name, name)


def is_offset(value: Any) -> bool:
    """Whether a JSON value is a finite number (whole ones may be too large for a float)."""
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False
