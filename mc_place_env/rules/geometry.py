"""Frames: headings, offsets, faces, cells (DESIGN, Frames; RULES, Yaw)."""

import math

from mc_place_env.jit import jit, scalar
from mc_place_env.types import MARGIN, REGION, SIZE_X, SIZE_Y, SIZE_Z, Face, Quadrant

CELL_EPSILON = 1e-6  # feet a hair below a block's top still stand in the cell above it


@scalar
def quadrant_of(yaw):
    """Heading of a yaw in degrees: nearest of south, west, north, east (0-3)."""
    return int(math.floor(yaw / 90.0 + 0.5)) % 4


@scalar
def cell_of(coordinate):
    """Cell index of one coordinate of the feet."""
    return int(math.floor(coordinate + CELL_EPSILON))


@scalar
def forward_x(quadrant):
    """x step of 'forward': 0, -1, 0, 1 for south, west, north, east."""
    if quadrant == Quadrant.WEST:
        return -1
    return 1 if quadrant == Quadrant.EAST else 0


@scalar
def forward_z(quadrant):
    """z step of 'forward': 1, 0, -1, 0 for south, west, north, east."""
    if quadrant == Quadrant.SOUTH:
        return 1
    return -1 if quadrant == Quadrant.NORTH else 0


@scalar
def world_x(quadrant, right, forward):
    """World x of an agent-frame offset: right is forward turned a quarter clockwise."""
    return forward * forward_x(quadrant) - right * forward_z(quadrant)


@scalar
def world_z(quadrant, right, forward):
    """World z of an agent-frame offset."""
    return forward * forward_z(quadrant) + right * forward_x(quadrant)


@scalar
def agent_right(quadrant, dx, dz):
    """Agent-frame 'right' of a world offset: inverse of `world_x`, `world_z`."""
    return -dx * forward_z(quadrant) + dz * forward_x(quadrant)


@scalar
def agent_forward(quadrant, dx, dz):
    """Agent-frame 'forward' of a world offset."""
    return dx * forward_x(quadrant) + dz * forward_z(quadrant)


@jit
def absolute_face(face, quadrant):
    """The face named relative to a heading, as UP, DOWN, NORTH, SOUTH, EAST or WEST."""
    if face < Face.FORWARD or face > Face.RIGHT:
        return face
    turns = quadrant
    if face == Face.RIGHT:
        turns += 1
    elif face == Face.BACK:
        turns += 2
    elif face == Face.LEFT:
        turns += 3
    return face_of_heading(turns % 4)


@scalar
def face_of_heading(quadrant):
    """The absolute face looking along a heading."""
    if quadrant == Quadrant.SOUTH:
        return Face.SOUTH
    if quadrant == Quadrant.WEST:
        return Face.WEST
    return Face.NORTH if quadrant == Quadrant.NORTH else Face.EAST


@scalar
def heading_of_face(face):
    """The heading of a horizontal absolute face; inverse of `face_of_heading`."""
    if face == Face.SOUTH:
        return 0
    if face == Face.WEST:
        return 1
    return 2 if face == Face.NORTH else 3


@jit
def relative_face(face, quadrant):
    """The relative name of an absolute face; inverse of `absolute_face`."""
    if face < Face.NORTH:
        return face
    turns = (heading_of_face(face) - quadrant) % 4
    if turns == 0:
        return Face.FORWARD
    if turns == 1:
        return Face.RIGHT
    return Face.BACK if turns == 2 else Face.LEFT


@scalar
def face_x(face):
    """x step across an absolute face."""
    return 1 if face == Face.EAST else (-1 if face == Face.WEST else 0)


@scalar
def face_y(face):
    """y step across an absolute face."""
    return 1 if face == Face.UP else (-1 if face == Face.DOWN else 0)


@scalar
def face_z(face):
    """z step across an absolute face."""
    return 1 if face == Face.SOUTH else (-1 if face == Face.NORTH else 0)


@scalar
def in_region(row, x, y, z):
    """Whether a cell lies in the loaded region."""
    return (
        0 <= x - row.origin[0] < REGION[0] and 0 <= y - row.origin[1] < REGION[1] and 0 <= z - row.origin[2] < REGION[2]
    )


@scalar
def in_array(row, x, y, z):
    """Whether a cell lies in the stored array: the region and its margin."""
    return (
        0 <= x - row.origin[0] + MARGIN < SIZE_X
        and 0 <= y - row.origin[1] + MARGIN < SIZE_Y
        and 0 <= z - row.origin[2] + MARGIN < SIZE_Z
    )


@scalar
def column_index(row, x, z):
    """Index of a column of cells: z within x."""
    return (x - row.origin[0] + MARGIN) * SIZE_Z + (z - row.origin[2] + MARGIN)


@scalar
def cell_index(row, x, y, z):
    """Index of a cell into `blocks`: y innermost, then z, then x."""
    return column_index(row, x, z) * SIZE_Y + (y - row.origin[1] + MARGIN)
