"""What a picture shows, as plain data in world coordinates (x east, y up, z south; lengths in blocks)."""

from dataclasses import dataclass, replace
from math import floor
from typing import NamedTuple

from mc_place_env.rendering.colours import base_name, look_of, states_of

CORNERS = {"south_east": 0, "north_east": 1, "north_west": 2, "south_west": 3}
AIR_NAMES = ("air", "cave_air", "void_air")


@dataclass(frozen=True)
class Scene:
    """One moment of an episode.

    A request is a dict: `state` ("pending", "placed", "failed"), `cell` (x, y, z), `item` (name) and `age`,
    the ticks since it was submitted (pending) or since its verdict (placed, failed).
    """

    blocks: tuple = ()  # (B, 4): x, y, z, name of the blocks to draw; air is ignored
    goal: tuple = ()  # (G, 4): x, y, z, name of the goal cells
    agent: tuple = (0.5, 1.0, 0.5)  # (3,) feet, blocks
    yaw: float = 0.0  # degrees: 0 south (+z), 90 west, 180 north, 270 east
    sneaking: bool = False
    requests: tuple = ()  # (R,) dicts, see above
    caption: tuple = ()  # short strings: tick, last status, last outcome
    window: tuple | None = None  # (6,) first and last cell shown, both included: x0, y0, z0, x1, y1, z1
    corner: str = "south_east"  # where the camera stands, see CORNERS; keep it for a whole episode


def quadrant_of(yaw):
    """0 south, 1 west, 2 north, 3 east: the nearest quarter turn to `yaw` degrees."""
    return floor(yaw / 90 + 0.5) % 4


def corner_behind(yaw):
    """The camera corner over the right shoulder of an agent looking along `yaw`, so that its work is in view."""
    return ("north_west", "north_east", "south_east", "south_west")[quadrant_of(yaw)]


def agent_cell(scene):
    """(3,) int: the cell of the agent's feet."""
    return tuple(floor(value + 1e-6) for value in scene.agent)


def solid_blocks(scene):
    """{(x, y, z): name} of all blocks except air."""
    return {(x, y, z): name for x, y, z, name in scene.blocks if base_name(name) not in AIR_NAMES}


def goal_state(wanted, found):
    """Compare a goal name with the block there (None when empty): "satisfied", "missing" or "wrong".

    States count only where the goal names them.
    """
    if base_name(wanted) in AIR_NAMES:
        return "satisfied" if found is None else "wrong"
    if found is None:
        return "missing"
    same_states = states_of(wanted).items() <= states_of(found).items()
    return "satisfied" if base_name(wanted) == base_name(found) and same_states else "wrong"


def window_of(scene):
    """(6,) int: the scene's window, slid just far enough to keep the agent's two cells inside.

    Without one, the smallest window around everything given.
    """
    feet = agent_cell(scene)
    if scene.window is None:
        cells = [*solid_blocks(scene), *(cell[:3] for cell in scene.goal), feet, (feet[0], feet[1] + 1, feet[2])]
        return tuple(min(axis) for axis in zip(*cells)) + tuple(max(axis) for axis in zip(*cells))
    low, high = scene.window[:3], scene.window[3:]
    slide = [_slide(*span) for span in zip(low, high, feet, (feet[0], feet[1] + 1, feet[2]))]
    return tuple(a + d for a, d in zip(low, slide)) + tuple(b + d for b, d in zip(high, slide))


def _slide(low, high, first, last):
    """The least shift that brings first..last into low..high."""
    return min(first - low, 0) or max(last - high, 0)


def turn_scene(scene):
    """The same scene turned about the origin so that its camera corner becomes south-east; names stay as they are."""
    quarters = CORNERS[scene.corner]
    x, y, z = scene.agent
    for _ in range(quarters):
        x, z = -z, x
    return replace(
        scene,
        blocks=tuple((*turn_cell(cell, quarters), cell[3]) for cell in scene.blocks),
        goal=tuple((*turn_cell(cell, quarters), cell[3]) for cell in scene.goal),
        requests=tuple({**request, "cell": turn_cell(request["cell"], quarters)} for request in scene.requests),
        agent=(x, y, z),
        yaw=scene.yaw + 90 * quarters,
        window=turn_box(window_of(scene), quarters, last_included=True),
    )


def turn_cell(cell, quarters):
    """(3,) int: a cell after `quarters` turns from south to west, about the origin."""
    x, y, z = cell[:3]
    for _ in range(quarters):
        x, z = -z - 1, x
    return (x, y, z)


def turn_box(box, quarters, last_included=False):
    """(6,): a box of cells (`last_included`), or one inside the unit cell, after `quarters` turns."""
    x0, y0, z0, x1, y1, z1 = box
    for _ in range(quarters):
        if last_included:
            x0, z0, x1, z1 = -z1 - 1, x0, -z0 - 1, x1
        else:
            x0, z0, x1, z1 = 1 - z1, x0, 1 - z0, x1
    return (x0, y0, z0, x1, y1, z1)


class Camera(NamedTuple):
    """An isometric projection, from the south-east and above."""

    scale: float  # pixels per block
    left: float  # pixels, of the world's origin
    top: float  # pixels

    def project(self, x, y, z):
        """World point in blocks -> (column, row) in pixels."""
        return (self.left + (x - z) * 0.866 * self.scale, self.top + ((x + z) * 0.5 - y) * self.scale)


def fit_camera(window: tuple[int, int, int, int, int, int], width: int, height: int):
    """The camera that shows all of `window` (6 cells, last included) in the middle of width x height pixels."""
    x0, y0, z0 = window[:3]
    x1, y1, z1 = (value + 1 for value in window[3:])
    across = x1 - x0 + z1 - z0
    scale = 0.96 * min(width / (across * 0.866), height / (across * 0.5 + y1 - y0))
    left = width / 2 - (x0 + x1 - z0 - z1) / 2 * 0.866 * scale
    top = height / 2 - ((x0 + x1 + z0 + z1) * 0.25 - (y0 + y1) / 2) * scale
    return Camera(scale, left, top)


# ---------------------------------------------------------------- what hides what, seen from the south-east


def agent_box(scene):
    """(6,) the box the agent fills: x0, y0, z0, x1, y1, z1."""
    x, y, z = scene.agent
    return (x - 0.3, y, z - 0.3, x + 0.3, y + (1.5 if scene.sneaking else 1.8), z + 0.3)


def cell_box(cell, grow=0.0):
    """(6,) the box of a cell, a little larger on every side if asked."""
    x, y, z = cell
    return (x - grow, y - grow, z - grow, x + 1 + grow, y + 1 + grow, z + 1 + grow)


def in_front(box, body):
    """Whether a box is nearer to the camera than the agent's: not wholly behind it along any axis."""
    return all(box[axis + 3] > body[axis] + 1e-6 for axis in range(3))


def kept_in_view(scene):
    """Boxes that no block may hide: the agent's, and its arrow's where that points away from the camera."""
    quadrant = quadrant_of(scene.yaw)
    if quadrant in (0, 3):
        return (agent_box(scene),)
    x, y, z = scene.agent
    x, z = (x - 0.6, z) if quadrant == 1 else (x, z - 0.6)
    return (agent_box(scene), (x - 0.4, y, z - 0.4, x + 0.4, y, z + 0.4))


def overlap_in_picture(first, second):
    """Whether two boxes cover a common part of the picture."""
    pairs = ((0, 2), (0, 1), (2, 1))  # the camera sees no depth along these differences of axes
    return all(
        first[i] - first[j + 3] < second[i + 3] - second[j] and second[i] - second[j + 3] < first[i + 3] - first[j]
        for i, j in pairs
    )


def hides_agent(box, kept):
    """Whether a box is in front of the agent and covers some of what is kept in view."""
    return in_front(box, kept[0]) and any(overlap_in_picture(box, other) for other in kept)


def shown_faces(cell, name, hiding):
    """The sides of a cell not covered by a full block or, for a translucent one, by more of the same."""
    x, y, z = cell
    shown = []
    for face, beside in (("top", (x, y + 1, z)), ("south", (x, y, z + 1)), ("east", (x + 1, y, z))):
        other = hiding.get(beside)
        covered = other is not None and (look_of(other).full or (other == name and look_of(name).alpha < 255))
        if not covered:
            shown.append(face)
    return shown


def in_shadow(cell, name, hiding):
    """Whether a full block west of and above a full block throws its shadow on it."""
    x, y, z = cell
    above = hiding.get((x - 1, y + 1, z))
    return look_of(name).full and above is not None and look_of(above).full


def move_box(box, cell):
    """(6,) a box in the unit cell moved to its place in the world."""
    return tuple(value + shift for value, shift in zip(box, (*cell, *cell)))
