"""How the agent moves in one tick: vanilla walking, jumping, gravity and collisions, and the grid-aligned MOVE.

Constants are vanilla's (blocks and ticks); the controller of a MOVE is ours and the live bridge does the same.
"""

import math

from mc_place_env.jit import jit, scalar
from mc_place_env.rules.geometry import cell_of, quadrant_of, world_x, world_z
from mc_place_env.rules.placement import (
    BODY_HALF_WIDTH,
    HEIGHT_STANDING,
    TOUCH_TOLERANCE,
    body_height,
    boxes_meet_body,
    intervals_overlap,
)
from mc_place_env.rules.world import block_at, occupied
from mc_place_env.types import ActionType

JUMP_SPEED = 0.42  # blocks/tick
GRAVITY, AIR_DRAG = 0.08, 0.98
GROUND_ACCELERATION, AIR_ACCELERATION = 0.098, 0.0196
GROUND_DRAG, HORIZONTAL_AIR_DRAG = 0.546, 0.91
SNEAK_FACTOR = 0.3
STEP_HEIGHT = 0.6
CLIMB_HEIGHT = 1.0
RESTING_SPEED = -GRAVITY * AIR_DRAG  # vertical velocity of a body that stands


@jit
def start_action(row, shared, action_type):
    """Begins what a step's action asks of the body. A MOVE or TURN during a MOVE is ignored."""
    if action_type == ActionType.JUMP:
        row.jump_asked = 1
        row.at_rest = 0
    elif action_type == ActionType.SNEAK:
        toggle_sneak(row, shared)
    elif row.moving:
        return
    elif action_type == ActionType.TURN_LEFT:
        row.yaw = 90.0 * ((quadrant_of(row.yaw) + 3) % 4)
    elif action_type == ActionType.TURN_RIGHT:
        row.yaw = 90.0 * ((quadrant_of(row.yaw) + 1) % 4)
    elif ActionType.MOVE_FORWARD <= action_type <= ActionType.MOVE_RIGHT:
        start_move(row, action_type)


@jit
def toggle_sneak(row, shared):
    """Sneaks, or stands up where there is headroom."""
    if not row.sneaking:
        row.sneaking = 1
    elif body_is_free(row, shared, row.position[0], row.position[1], row.position[2], HEIGHT_STANDING):
        row.sneaking = 0


@jit
def start_move(row, action_type):
    """Sets out for the centre of the neighbour cell."""
    right = int(action_type == ActionType.MOVE_RIGHT) - int(action_type == ActionType.MOVE_LEFT)
    forward = int(action_type == ActionType.MOVE_FORWARD) - int(action_type == ActionType.MOVE_BACK)
    quadrant = quadrant_of(row.yaw)
    step_x, step_z = world_x(quadrant, right, forward), world_z(quadrant, right, forward)
    row.move_axis = 0 if step_x != 0 else 2
    row.move_sign = step_x + step_z
    row.move_target = cell_of(row.position[row.move_axis]) + row.move_sign + 0.5
    row.moving = 1
    row.retreating = 0
    row.collided = 0
    row.at_rest = 0


@jit
def advance_body(row, shared):
    """One tick of motion."""
    if row.at_rest:
        return
    was_on_ground = row.on_ground
    if row.moving:
        steer(row, shared)
    if row.jump_asked and was_on_ground:
        row.velocity[1] = JUMP_SPEED
    row.jump_asked = 0
    start_y, fall = row.position[1], row.velocity[1]
    move_vertically(row, shared)
    if row.moving:
        move_horizontally(row, shared, was_on_ground, start_y, fall)
        arrive(row)
    row.velocity[1] = (row.velocity[1] - GRAVITY) * AIR_DRAG
    row.at_rest = int(row.on_ground and not row.moving)


@jit
def steer(row, shared):
    """A MOVE that met an obstacle climbs it (not sneaking, as vanilla's auto-jump), or goes back, or ends there."""
    if not (row.collided and row.on_ground):
        return
    if row.retreating:
        row.moving = 0
    elif not row.sneaking and can_climb(row, shared):
        row.jump_asked = 1
    else:
        row.retreating = 1
        row.move_target -= row.move_sign  # the cell it set out from: a sneaking body may hang over the next
        row.move_sign = -row.move_sign
        row.velocity[row.move_axis] = 0.0
    row.collided = 0


@jit
def can_climb(row, shared):
    """Whether the body has room one block higher, here and at the target."""
    x, y, z = row.position[0], row.position[1] + CLIMB_HEIGHT, row.position[2]
    height = body_height(row)
    if not body_is_free(row, shared, x, y, z, height):
        return False
    if row.move_axis == 0:
        return body_is_free(row, shared, row.move_target, y, z, height)
    return body_is_free(row, shared, x, y, row.move_target, height)


@jit
def move_vertically(row, shared):
    """Falls or rises by the vertical speed as far as nothing is in the way."""
    wanted = row.velocity[1]
    moved = clip(row, shared, row.position[0], row.position[1], row.position[2], 1, wanted)
    row.position[1] += moved
    row.on_ground = int(wanted < 0.0 and moved != wanted)
    if moved != wanted:
        row.velocity[1] = 0.0


@jit
def move_horizontally(row, shared, was_on_ground, start_y, fall):
    """Accelerates along the MOVE's axis and goes as far as nothing is in the way, up a step if need be."""
    axis = row.move_axis
    acceleration = GROUND_ACCELERATION if was_on_ground else AIR_ACCELERATION
    if row.sneaking:
        acceleration *= SNEAK_FACTOR
    row.velocity[axis] += acceleration * row.move_sign
    wanted = row.velocity[axis]
    if row.sneaking and was_on_ground:
        wanted = keep_on_edge(row, shared, axis, wanted)
    x, y, z = row.position[0], row.position[1], row.position[2]
    moved = clip(row, shared, x, y, z, axis, wanted)
    if moved != wanted and (row.on_ground or was_on_ground):
        moved = step_up(row, shared, axis, wanted, moved, start_y, fall)
    row.position[axis] += moved
    row.collided = int(moved != row.velocity[axis])
    row.velocity[axis] *= GROUND_DRAG if was_on_ground else HORIZONTAL_AIR_DRAG
    if row.collided:
        row.velocity[axis] = 0.0


@jit
def keep_on_edge(row, shared, axis, wanted):
    """A sneaking body stops where the ground would be more than a step below."""
    increment = 0.05 if wanted > 0.0 else -0.05
    while wanted != 0.0:
        x = row.position[0] + (wanted if axis == 0 else 0.0)
        z = row.position[2] + (wanted if axis == 2 else 0.0)
        if clip(row, shared, x, row.position[1], z, 1, -STEP_HEIGHT) != -STEP_HEIGHT:
            return wanted
        wanted = wanted - increment if abs(wanted) > 0.05 else 0.0
    return 0.0


@jit
def step_up(row, shared, axis, wanted, moved, start_y, fall):
    """Tries the same way from up to a step above the tick's start, then down again; keeps what goes further."""
    x, z = row.position[0], row.position[2]
    lift = clip(row, shared, x, start_y, z, 1, STEP_HEIGHT)
    further = clip(row, shared, x, start_y + lift, z, axis, wanted)
    if abs(further) <= abs(moved):
        return moved
    x += further if axis == 0 else 0.0
    z += further if axis == 2 else 0.0
    down = clip(row, shared, x, start_y + lift, z, 1, fall - lift)
    row.position[1] = start_y + lift + down
    if down != fall - lift:
        row.on_ground = 1
        row.velocity[1] = 0.0
    return further


@jit
def arrive(row):
    """Ends a MOVE that reached its target: exactly there, at rest."""
    axis = row.move_axis
    if (row.position[axis] - row.move_target) * row.move_sign >= 0.0:
        row.position[axis] = row.move_target
        row.velocity[axis] = 0.0
        row.moving = 0
        row.collided = 0


@jit
def settle(row, shared):
    """At reset: whether the body stands."""
    x, y, z = row.position[0], row.position[1], row.position[2]
    row.on_ground = int(clip(row, shared, x, y, z, 1, -TOUCH_TOLERANCE * 10.0) > -TOUCH_TOLERANCE * 10.0)
    row.velocity[1] = RESTING_SPEED if row.on_ground else 0.0
    row.at_rest = row.on_ground


@jit
def clip(row, shared, x, y, z, axis, delta):
    """How much of `delta` (blocks along axis 0 x, 1 y, 2 z) a body with its feet at x, y, z can go."""
    low_x, high_x = x - BODY_HALF_WIDTH, x + BODY_HALF_WIDTH
    low_y, high_y = y, y + body_height(row)
    low_z, high_z = z - BODY_HALF_WIDTH, z + BODY_HALF_WIDTH
    back, ahead = min(delta, 0.0) - TOUCH_TOLERANCE, max(delta, 0.0) + TOUCH_TOLERANCE
    first_x = math.floor(low_x + (back if axis == 0 else 0.0))
    last_x = math.floor(high_x + (ahead if axis == 0 else 0.0))
    first_y = math.floor(low_y + (back if axis == 1 else 0.0) - shared.overhang)
    last_y = math.floor(high_y + (ahead if axis == 1 else 0.0))
    first_z = math.floor(low_z + (back if axis == 2 else 0.0))
    last_z = math.floor(high_z + (ahead if axis == 2 else 0.0))
    for cell_x in range(first_x, last_x + 1):
        for cell_z in range(first_z, last_z + 1):
            bits = occupied(row, cell_x, cell_z, first_y, last_y)
            cell_y = first_y
            while bits != 0:
                if bits & 1:
                    state = block_at(row, shared, cell_x, cell_y, cell_z)
                    for k in range(shared.box_count[state]):
                        x0, x1 = cell_x + shared.boxes[state, k, 0], cell_x + shared.boxes[state, k, 3]
                        y0, y1 = cell_y + shared.boxes[state, k, 1], cell_y + shared.boxes[state, k, 4]
                        z0, z1 = cell_z + shared.boxes[state, k, 2], cell_z + shared.boxes[state, k, 5]
                        meets_x = intervals_overlap(low_x, high_x, x0, x1)
                        meets_y = intervals_overlap(low_y, high_y, y0, y1)
                        meets_z = intervals_overlap(low_z, high_z, z0, z1)
                        if axis == 0 and meets_y and meets_z:
                            delta = clip_interval(low_x, high_x, x0, x1, delta)
                        elif axis == 1 and meets_x and meets_z:
                            delta = clip_interval(low_y, high_y, y0, y1, delta)
                        elif axis == 2 and meets_x and meets_y:
                            delta = clip_interval(low_z, high_z, z0, z1, delta)
                bits, cell_y = bits >> 1, cell_y + 1
    return delta


@scalar
def clip_interval(low, high, other_low, other_high, delta):
    """How much of `delta` an interval can move before it meets another; one it is already inside does not stop it."""
    if delta > 0.0 and other_low - high >= -TOUCH_TOLERANCE:
        return min(delta, max(other_low - high, 0.0))
    if delta < 0.0 and other_high - low <= TOUCH_TOLERANCE:
        return max(delta, min(other_high - low, 0.0))
    return delta


@jit
def body_is_free(row, shared, x, y, z, height):
    """Whether a body of that height with its feet at x, y, z meets no collision box."""
    for cell_x in range(math.floor(x - BODY_HALF_WIDTH), math.floor(x + BODY_HALF_WIDTH) + 1):
        for cell_z in range(math.floor(z - BODY_HALF_WIDTH), math.floor(z + BODY_HALF_WIDTH) + 1):
            cell_y = math.floor(y - shared.overhang)
            bits = occupied(row, cell_x, cell_z, cell_y, math.floor(y + height))
            while bits != 0:
                if bits & 1:
                    state = block_at(row, shared, cell_x, cell_y, cell_z)
                    if boxes_meet_body(shared, state, x - cell_x, y - cell_y, z - cell_z, height):
                        return False
                bits, cell_y = bits >> 1, cell_y + 1
    return True
