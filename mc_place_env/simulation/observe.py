"""The observation: two cubes of cell classes around the agent, and one vector of numbers, all in the agent's frame.

Cubes are indexed [right, forward, up] from the agent's cell, each from -r to r; up is innermost. The vector holds
inventory, pose, pending and last outcome one after another, as in `number_dtype`.
"""

import numpy as np

from mc_place_env.jit import entry, jit, scalar
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
from mc_place_env.rules.world import block_at
from mc_place_env.simulation.copy import clear_bytes, copy_items, shift_bytes, write_byte
from mc_place_env.types import MARGIN, SIZE_X, SIZE_Y, SIZE_Z, CellClass, Outcome

POSE = ("heading_sin", "heading_cos", "right", "up", "forward", "vertical_speed", "on_ground", "sneaking", "moving")
PENDING = ("valid", "right", "up", "forward", "face", "item", "age")
LAST_OUTCOME = ("valid", "placed", "failed", "reason", "right", "up", "forward", "item")
POSE_SIZE, PENDING_SIZE, LAST_OUTCOME_SIZE = len(POSE), len(PENDING), len(LAST_OUTCOME)
STACK = 64.0
LIMIT = 64.0  # of every number but the inventory's


def number_dtype(n_items: int, max_pending: int) -> np.dtype:
    """The vector's parts by name, as a record."""
    return np.dtype(
        [
            ("inventory", np.float32, (n_items,)),
            ("pose", np.float32, (POSE_SIZE,)),
            ("pending", np.float32, (max_pending, PENDING_SIZE)),
            ("last_outcome", np.float32, (LAST_OUTCOME_SIZE,)),
        ],
        align=True,
    )


@jit
def write_cubes(row, shared, voxels, goal):
    """Cell classes and goal classes around the agent's cell, to two addresses of side^3 bytes.

    What is there already, where this buffer was written last, is left alone or moved.
    """
    r, pose = shared.view_radius, pose_of(row)
    shown = row.shown_pose[0], row.shown_pose[1], row.shown_pose[2], row.shown_pose[3]
    elsewhere, moved = row.shown_at != voxels, shown != pose
    row.view_news = int(elsewhere or moved or row.blocks_changed)
    if elsewhere or row.blocks_changed:
        write_voxels(row, r, pose, voxels)
    elif moved:
        move_voxels(row, r, shown, pose, voxels)
    if elsewhere or row.goal_changed:
        clear_bytes(goal, (2 * r + 1) ** 3)
        write_goal_cells(row, r, pose, goal, True)
    elif moved:
        write_goal_cells(row, r, shown, goal, False)
        write_goal_cells(row, r, pose, goal, True)
    row.shown_at, row.blocks_changed, row.goal_changed = voxels, 0, 0
    for k in range(len(pose)):
        row.shown_pose[k] = pose[k]


@jit
def pose_of(row):
    """What the cubes depend on: the agent's cell, counted from the lowest stored one, and its heading."""
    return (
        cell_of(row.position[0]) - row.origin[0] + MARGIN,
        cell_of(row.position[1]) - row.origin[1] + MARGIN,
        cell_of(row.position[2]) - row.origin[2] + MARGIN,
        quadrant_of(row.yaw),
    )


@jit
def write_voxels(row, r, pose, voxels):
    """Cell classes, column by column."""
    if r > MARGIN:
        write_voxels_beyond(row, r, pose, voxels)
    else:
        write_columns_between(row, r, pose, voxels, 0, 2 * r + 1, 0, 2 * r + 1)


@jit
def move_voxels(row, r, shown, pose, voxels):
    """The same where only the pose is another: after a step to a neighbour cell most of the cube is there."""
    quadrant, side = pose[3], 2 * r + 1
    dx, dy, dz = pose[0] - shown[0], pose[1] - shown[1], pose[2] - shown[2]
    right, ahead = agent_right(quadrant, dx, dz), agent_forward(quadrant, dx, dz)
    if quadrant != shown[3] or dy != 0 or abs(right) + abs(ahead) != 1 or r > MARGIN:
        write_voxels(row, r, pose, voxels)
        return
    shift_bytes(voxels, -(right * side + ahead) * side, side * side * side)
    if right != 0:
        first = 2 * r if right > 0 else 0
        write_columns_between(row, r, pose, voxels, first, first + 1, 0, side)
    else:
        first = 2 * r if ahead > 0 else 0
        write_columns_between(row, r, pose, voxels, 0, side, first, first + 1)


@jit
def write_columns_between(row, r, pose, voxels, first_right, last_right, first_ahead, last_ahead):
    """Some of the cube's columns: from `first` to before `last`, to the right and ahead, counted from its corner."""
    x, y, z, quadrant = pose
    side = 2 * r + 1
    right_step = (world_x(quadrant, 1, 0) * SIZE_Z + world_z(quadrant, 1, 0)) * SIZE_Y
    ahead_step = (forward_x(quadrant) * SIZE_Z + forward_z(quadrant)) * SIZE_Y
    corner = (x * SIZE_Z + z) * SIZE_Y + y - r * (1 + right_step + ahead_step)
    for right in range(first_right, last_right):
        at = corner + right * right_step + first_ahead * ahead_step
        to = voxels + (right * side + first_ahead) * side
        if r == MARGIN:
            copy_columns(row, to, at, ahead_step, 2 * MARGIN + 1, last_ahead - first_ahead)  # known size: faster
        else:
            copy_columns(row, to, at, ahead_step, side, last_ahead - first_ahead)


@jit
def copy_columns(row, to, at, step, side, count):
    """`count` runs of `side` cell classes, one after another."""
    for _ in range(count):
        copy_items(to, row.seen, at, side)
        to += side
        at += step


@jit
def write_voxels_beyond(row, r, pose, voxels):
    """As `write_voxels`, for a view that may reach beyond the stored margin."""
    x, y, z, quadrant = pose
    side = 2 * r + 1
    for right in range(-r, r + 1):
        for forward in range(-r, r + 1):
            a, b = x + world_x(quadrant, right, forward), z + world_z(quadrant, right, forward)
            for k in range(side):
                inside = 0 <= a < SIZE_X and 0 <= b < SIZE_Z and 0 <= y - r + k < SIZE_Y
                at = (a * SIZE_Z + b) * SIZE_Y + y - r + k
                row.column[k] = CellClass.OUT_OF_WORLD
                if inside:
                    row.column[k] = row.seen[at]
            copy_items(voxels, row.column, 0, side)
            voxels += side


@jit
def write_goal_cells(row, r, pose, goal, wanted):
    """The goal cells in view: their classes, or 0 if they are no longer `wanted` there."""
    for k in range(row.goal_total):
        at = place_in_cube(row.goals[k].cell, r, pose)
        if at >= 0:
            write_byte(goal + at, row.goals[k].state if wanted else 0)


@jit
def place_in_cube(cell, r, pose):
    """Where a cube seen from a pose has a cell (index), or -1."""
    dx, dz, dy = cell // (SIZE_Z * SIZE_Y) - pose[0], cell // SIZE_Y % SIZE_Z - pose[2], cell % SIZE_Y - pose[1]
    if max(abs(dx), abs(dy), abs(dz)) > r:
        return -1
    side, quadrant = 2 * r + 1, pose[3]
    return ((agent_right(quadrant, dx, dz) + r) * side + agent_forward(quadrant, dx, dz) + r) * side + dy + r


@jit
def write_numbers(row, shared):
    """Fills the record's own vector; returns its length."""
    at = write_inventory(row, shared, 0)
    at = write_pose(row, at)
    at = write_pending(row, shared, at)
    return write_last_outcome(row, at)


@jit
def write_inventory(row, shared, at):
    """Counts in stacks of 64."""
    for k in range(shared.n_items):
        row.numbers[at + k] = row.inventory[k] / STACK
    return at + shared.n_items


@jit
def write_pose(row, at):
    """Heading, position within the cell (from its centre and floor), vertical speed, flags: see POSE."""
    quadrant = quadrant_of(row.yaw)
    x, y, z = row.position[0], row.position[1], row.position[2]
    off_x, off_z = x - cell_of(x) - 0.5, z - cell_of(z) - 0.5
    row.numbers[at] = -forward_x(quadrant)
    row.numbers[at + 1] = forward_z(quadrant)
    row.numbers[at + 2] = agent_right(quadrant, off_x, off_z)
    row.numbers[at + 3] = y - cell_of(y)
    row.numbers[at + 4] = agent_forward(quadrant, off_x, off_z)
    row.numbers[at + 5] = row.velocity[1]
    row.numbers[at + 6] = row.on_ground
    row.numbers[at + 7] = row.sneaking
    row.numbers[at + 8] = row.moving
    return at + POSE_SIZE


@jit
def write_pending(row, shared, at):
    """One line a request in flight, oldest first: see PENDING."""
    quadrant = quadrant_of(row.yaw)
    for k in range(shared.max_pending):
        if k < row.pending_count:
            request = row.pending[k]
            row.numbers[at] = 1.0
            write_offset(row, request.destination, quadrant, at + 1)
            row.numbers[at + 4] = relative_face(request.face, quadrant)
            row.numbers[at + 5] = request.item
            row.numbers[at + 6] = cut(row.tick - request.submitted_tick)
        else:
            clear_numbers(row, at, PENDING_SIZE)
        at += PENDING_SIZE
    return at


@jit
def write_last_outcome(row, at):
    """The latest verdict heard of in this episode: see LAST_OUTCOME."""
    request = row.last_outcome
    if request.id == 0:
        clear_numbers(row, at, LAST_OUTCOME_SIZE)
    else:
        row.numbers[at] = 1.0
        row.numbers[at + 1] = request.outcome == Outcome.PLACED
        row.numbers[at + 2] = request.outcome == Outcome.FAILED
        row.numbers[at + 3] = request.reason
        write_offset(row, request.destination, quadrant_of(row.yaw), at + 4)
        row.numbers[at + 7] = request.item
    return at + LAST_OUTCOME_SIZE


@jit
def clear_numbers(row, at, count):
    """Zeroes a part of the vector."""
    for k in range(at, at + count):
        row.numbers[k] = 0.0


@jit
def write_offset(row, cell, quadrant, at):
    """A cell relative to the agent's: right, up, forward, cut at the limit."""
    dx = cell[0] - cell_of(row.position[0])
    dz = cell[2] - cell_of(row.position[2])
    row.numbers[at] = cut(agent_right(quadrant, dx, dz))
    row.numbers[at + 1] = cut(cell[1] - cell_of(row.position[1]))
    row.numbers[at + 2] = cut(agent_forward(quadrant, dx, dz))


@scalar
def cut(value):
    """Keeps a number within the observation space."""
    return min(max(float(value), -LIMIT), LIMIT)


@entry
def write_shapes(rows, shared, cubes):
    """The optional observation `shapes` of every row: uint8 (n, side, side, side), see ShapeClass."""
    r = shared[0].view_radius
    for i in range(len(rows)):
        row = rows[i]
        quadrant = quadrant_of(row.yaw)
        x, y, z = cell_of(row.position[0]), cell_of(row.position[1]), cell_of(row.position[2])
        for right in range(-r, r + 1):
            for forward in range(-r, r + 1):
                at_x, at_z = x + world_x(quadrant, right, forward), z + world_z(quadrant, right, forward)
                for up in range(-r, r + 1):
                    state = block_at(row, shared[0], at_x, y + up, at_z)
                    cubes[i, right + r, forward + r, up + r] = shared[0].shape_class[state]
