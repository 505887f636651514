"""The observation: two cubes of cell classes around the agent, and one vector of numbers, all in the agent's frame.

Cubes are indexed [right, forward, up] from the agent's cell, each from -r to r; up is innermost. The vector holds
inventory, pose, pending and last outcome one after another; `number_slices` tells where.
"""

import math

from mc_place_env.jit import jit
from mc_place_env.rules.geometry import (
    agent_forward,
    agent_right,
    cell_of,
    forward_x,
    forward_z,
    quadrant_of,
    relative_face,
    world_x,
    world_z,
)
from mc_place_env.types import MARGIN, SIZE_X, SIZE_Y, SIZE_Z, CellClass, Outcome

POSE = ("heading_sin", "heading_cos", "right", "up", "forward", "vertical_speed", "on_ground", "sneaking", "moving")
PENDING = ("valid", "right", "up", "forward", "face", "item", "age")
LAST_OUTCOME = ("valid", "placed", "failed", "reason", "right", "up", "forward", "item")
STACK = 64.0
LIMIT = 64.0  # of every number but the inventory's


def number_slices(n_items: int, max_pending: int) -> dict[str, tuple[slice, tuple[int, ...]]]:
    """Where each part of the vector lies, and its shape."""
    shapes = {
        "inventory": (n_items,),
        "pose": (len(POSE),),
        "pending": (max_pending, len(PENDING)),
        "last_outcome": (len(LAST_OUTCOME),),
    }
    slices, start = {}, 0
    for name, shape in shapes.items():
        stop = start + math.prod(shape)
        slices[name] = (slice(start, stop), shape)
        start = stop
    return slices


@jit
def write_observation(row, shared, voxels, goal, numbers, i):
    """Fills row i of the observation buffers."""
    write_cubes(row, shared, voxels, goal, i)
    at = write_inventory(row, shared, numbers, i, 0)
    at = write_pose(row, numbers, i, at)
    at = write_pending(row, shared, numbers, i, at)
    write_last_outcome(row, numbers, i, at)


@jit
def write_cubes(row, shared, voxels, goal, i):
    """Cell classes and goal classes around the agent's cell."""
    r = shared.view_radius
    quadrant = quadrant_of(row.yaw)
    x = cell_of(row.position[0]) - row.origin[0] + MARGIN
    y = cell_of(row.position[1]) - row.origin[1] + MARGIN - r
    z = cell_of(row.position[2]) - row.origin[2] + MARGIN
    right_x, right_z = world_x(quadrant, 1, 0), world_z(quadrant, 1, 0)
    ahead_x, ahead_z = forward_x(quadrant), forward_z(quadrant)
    for right in range(-r, r + 1):
        for forward in range(-r, r + 1):
            column_x = x + right * right_x + forward * ahead_x
            column_z = z + right * right_z + forward * ahead_z
            write_column(row, voxels, goal, i, right + r, forward + r, column_x, y, column_z, 2 * r + 1)


@jit
def write_column(row, voxels, goal, i, a, b, x, y, z, height):
    """One vertical run of both cubes; what lies beyond the stored margin is out of world and no goal."""
    inside = 0 <= x < SIZE_X and 0 <= z < SIZE_Z
    start = (x * SIZE_Z + z) * 2 * SIZE_Y
    if inside and y >= 0 and y + height <= SIZE_Y:
        for k in range(height):
            voxels[i, a, b, k] = row.seen[start + y + k]
            goal[i, a, b, k] = row.seen[start + SIZE_Y + y + k]
        return
    for k in range(height):
        voxels[i, a, b, k] = CellClass.OUT_OF_WORLD
        goal[i, a, b, k] = 0
        if inside and 0 <= y + k < SIZE_Y:
            voxels[i, a, b, k] = row.seen[start + y + k]
            goal[i, a, b, k] = row.seen[start + SIZE_Y + y + k]


@jit
def write_inventory(row, shared, numbers, i, at):
    """Counts in stacks of 64."""
    for k in range(shared.n_items):
        numbers[i, at + k] = row.inventory[k] / STACK
    return at + shared.n_items


@jit
def write_pose(row, numbers, i, at):
    """Heading, position within the cell (from its centre and floor), vertical speed, flags: see POSE."""
    quadrant = quadrant_of(row.yaw)
    x, y, z = row.position[0], row.position[1], row.position[2]
    off_x, off_z = x - cell_of(x) - 0.5, z - cell_of(z) - 0.5
    numbers[i, at] = -forward_x(quadrant)
    numbers[i, at + 1] = forward_z(quadrant)
    numbers[i, at + 2] = agent_right(quadrant, off_x, off_z)
    numbers[i, at + 3] = y - cell_of(y)
    numbers[i, at + 4] = agent_forward(quadrant, off_x, off_z)
    numbers[i, at + 5] = row.velocity[1]
    numbers[i, at + 6] = row.on_ground
    numbers[i, at + 7] = row.sneaking
    numbers[i, at + 8] = row.moving
    return at + 9


@jit
def write_pending(row, shared, numbers, i, at):
    """One line a request in flight, oldest first: see PENDING."""
    quadrant = quadrant_of(row.yaw)
    for k in range(shared.max_pending):
        valid = k < row.pending_count
        request = row.pending[k]
        numbers[i, at] = valid
        if valid:
            write_offset(row, request.destination, quadrant, numbers, i, at + 1)
            numbers[i, at + 4] = relative_face(request.face, quadrant)
            numbers[i, at + 5] = request.item
            numbers[i, at + 6] = min(row.tick - request.submitted_tick, LIMIT)
        else:
            for j in range(1, 7):
                numbers[i, at + j] = 0.0
        at += 7
    return at


@jit
def write_last_outcome(row, numbers, i, at):
    """The latest verdict heard of in this episode: see LAST_OUTCOME."""
    request = row.last_outcome
    for j in range(8):
        numbers[i, at + j] = 0.0
    if request.id == 0:
        return
    numbers[i, at] = 1.0
    numbers[i, at + 1] = request.outcome == Outcome.PLACED
    numbers[i, at + 2] = request.outcome == Outcome.FAILED
    numbers[i, at + 3] = request.reason
    write_offset(row, request.destination, quadrant_of(row.yaw), numbers, i, at + 4)
    numbers[i, at + 7] = request.item


@jit
def write_offset(row, cell, quadrant, numbers, i, at):
    """A cell relative to the agent's: right, up, forward, cut at the limit."""
    dx = cell[0] - cell_of(row.position[0])
    dz = cell[2] - cell_of(row.position[2])
    numbers[i, at] = cut(agent_right(quadrant, dx, dz))
    numbers[i, at + 1] = cut(cell[1] - cell_of(row.position[1]))
    numbers[i, at + 2] = cut(agent_forward(quadrant, dx, dz))


@jit
def cut(value):
    """Keeps a number within the observation space."""
    return min(max(float(value), -LIMIT), LIMIT)
