"""Scripted experts: functions from what a script can see of an episode to an action of the public space.

`view` is a `RowView` (one environment, single or row of a vector); the rules it asks are the environment's own.
"""

from typing import TYPE_CHECKING, Any

from mc_place_env.rules.geometry import (
    absolute_face,
    agent_forward,
    agent_right,
    face_x,
    face_y,
    face_z,
    world_x,
    world_z,
)
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


def build_around(view: "RowView") -> dict[str, Any]:
    """As `build_goal`; where nothing can be placed, walks around the goal on the ground beside it."""
    if view.pending or view.moving:
        return view.action(ActionType.WAIT)
    return place_missing(view) or walk_around(view)


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


def walk_around(view: "RowView") -> dict[str, Any]:
    """A step, the shorter way round, towards the next goal cell that has something beside it."""
    ready = [cell for cell, _ in view.missing_goal() if any(map(view.has_collision, beside(cell)))]
    ring = ring_around(set(view.goal()))
    x, _, z = view.agent_cell
    if not ready or (x, z) not in ring:
        return view.action(ActionType.WAIT)
    nearest = min(ring, key=lambda at: (at[0] - ready[0][0]) ** 2 + (at[1] - ready[0][2]) ** 2)
    here, way = ring.index((x, z)), ring.index(nearest) - ring.index((x, z))
    if way == 0:
        return view.action(ActionType.WAIT)
    onward = 1 if way % len(ring) <= len(ring) // 2 else -1
    next_x, next_z = ring[(here + onward) % len(ring)]
    return move(view, next_x - x, next_z - z)


def beside(cell: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    """The six cells that share a face."""
    return [neighbour(cell, absolute_face(face, 0)) for face in RELATIVE_FACES]


def ring_around(cells: set[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Seen from above, the x, z cells of the rectangle just around some cells, in walking order."""
    x0, x1 = min(x for x, _, _ in cells) - 1, max(x for x, _, _ in cells) + 1
    z0, z1 = min(z for _, _, z in cells) - 1, max(z for _, _, z in cells) + 1
    there = [(x, z0) for x in range(x0, x1)] + [(x1, z) for z in range(z0, z1)]
    back = [(x, z1) for x in range(x1, x0, -1)] + [(x0, z) for z in range(z1, z0, -1)]
    return there + back


def move(view: "RowView", dx: int, dz: int) -> dict[str, Any]:
    """The MOVE by one cell along x or z."""
    moves = {
        (0, 1): ActionType.MOVE_FORWARD,
        (0, -1): ActionType.MOVE_BACK,
        (-1, 0): ActionType.MOVE_LEFT,
        (1, 0): ActionType.MOVE_RIGHT,
    }
    return view.action(moves[agent_right(view.quadrant, dx, dz), agent_forward(view.quadrant, dx, dz)])
