"""Scripted experts: functions from what a script can see of an episode to an action of the public space.

`view` is a `RowView` (one environment, single or row of a vector); the rules it asks are the environment's own.
"""

from typing import TYPE_CHECKING, Any

from mc_place_env.rules.geometry import absolute_face, face_x, face_y, face_z, world_x, world_z
from mc_place_env.types import ActionType, Face, Reason

if TYPE_CHECKING:
    from mc_place_env.simulation.view import RowView

RELATIVE_FACES = (Face.UP, Face.DOWN, Face.FORWARD, Face.BACK, Face.LEFT, Face.RIGHT)


def build_goal(view: "RowView") -> dict[str, Any]:
    """Places the first missing goal block that can be placed now; waits for the verdict."""
    if view.pending or view.moving:
        return view.action(ActionType.WAIT)
    return place_missing(view) or view.action(ActionType.WAIT)


def build_and_walk(view: "RowView") -> dict[str, Any]:
    """As `build_goal`; where nothing can be placed, walks forward as far as there is ground."""
    if view.pending or view.moving:
        return view.action(ActionType.WAIT)
    return place_missing(view) or walk_forward(view)


def place_missing(view: "RowView") -> dict[str, Any] | None:
    """A PLACE that the rules allow now for some missing goal cell, or None."""
    for cell, item in view.missing_goal():
        for face in RELATIVE_FACES:
            anchor = neighbour(cell, absolute_face(face, view.quadrant), -1)
            if view.check(anchor, face, item) == Reason.NONE:
                return view.place(anchor, face, item)
    return None


def neighbour(cell: tuple[int, int, int], face: int, steps: int = 1) -> tuple[int, int, int]:
    """The cell `steps` across an absolute face."""
    return cell[0] + steps * face_x(face), cell[1] + steps * face_y(face), cell[2] + steps * face_z(face)


def walk_forward(view: "RowView") -> dict[str, Any]:
    """MOVE_FORWARD onto ground, else WAIT."""
    x, y, z = view.agent_cell
    below = (x + world_x(view.quadrant, 0, 1), y - 1, z + world_z(view.quadrant, 0, 1))
    solid = view.has_collision(below)
    return view.action(ActionType.MOVE_FORWARD if solid else ActionType.WAIT)
