"""Whether a placement is possible: one function a rule, in the order of judgement of RULES.

Each takes one environment's record `row` and the shared record `shared`; none changes anything.
"""

from mc_place_env.jit import jit
from mc_place_env.rules.geometry import face_x, face_y, face_z, in_region, quadrant_of
from mc_place_env.rules.world import block_at
from mc_place_env.types import Reason

BODY_HALF_WIDTH = 0.3
HEIGHT_STANDING, HEIGHT_SNEAKING = 1.8, 1.5
EYE_STANDING, EYE_SNEAKING = 1.62, 1.27
TOUCH_TOLERANCE = 1e-7  # boxes that overlap by no more only touch


@jit
def body_height(row):
    """Height of the agent's box in blocks."""
    return HEIGHT_SNEAKING if row.sneaking else HEIGHT_STANDING


@jit
def eye_y(row):
    """Height of the agent's eye in the world."""
    return row.position[1] + (EYE_SNEAKING if row.sneaking else EYE_STANDING)


@jit
def gap(value, low):
    """Distance from a coordinate to the unit interval that starts at `low`."""
    if value < low:
        return low - value
    return value - low - 1.0 if value > low + 1.0 else 0.0


@jit
def within_reach(row, shared, x, y, z):
    """Eye to the nearest point of the cell's box at most `reach`."""
    dx, dy, dz = gap(row.position[0], x), gap(eye_y(row), y), gap(row.position[2], z)
    return dx * dx + dy * dy + dz * dz <= shared.reach * shared.reach


@jit
def is_unloaded(row, shared, x, y, z):
    """Beyond the region; beyond the height limits nothing is ever loaded, which is not this."""
    return shared.min_y <= y <= shared.max_y and not in_region(row, x, y, z)


@jit
def check_anchor(row, shared, x, y, z):
    """Rules 1-3, which ask only about the anchor: loaded, in reach, something to click, no interception."""
    if is_unloaded(row, shared, x, y, z):
        return Reason.UNLOADED
    if not within_reach(row, shared, x, y, z):
        return Reason.OUT_OF_REACH
    anchor = block_at(row, shared, x, y, z)
    if not shared.anchorable[anchor]:
        return Reason.ANCHOR_MISSING
    if shared.intercepts[anchor] and not row.sneaking:
        return Reason.ANCHOR_INTERACTS
    return Reason.NONE


@jit
def replaces(shared, existing, placed):
    """Whether `placed` may take the cell of `existing`: replaceable, and never its own kind."""
    return shared.replaceable[existing] and shared.kind[existing] != shared.kind[placed]


@jit
def placed_state(row, shared, item, face):
    """Palette id of what the item becomes on that face, for the agent's heading."""
    return int(shared.placed_state[item, face, quadrant_of(row.yaw)])


@jit
def takes_anchor_cell(row, shared, x, y, z, face, item):
    """Rule 5: whether the block goes into the anchor's own cell."""
    return replaces(shared, block_at(row, shared, x, y, z), placed_state(row, shared, item, face))


@jit
def overlaps_body(row, shared, state, x, y, z):
    """Rule 8: whether the collision boxes of a state in a cell meet the agent's body."""
    return boxes_meet_body(
        shared, state, row.position[0] - x, row.position[1] - y, row.position[2] - z, body_height(row)
    )


@jit
def boxes_meet_body(shared, state, x, y, z, height):
    """Whether a state's boxes meet a body of that height whose feet are at x, y, z of the block's cell."""
    for k in range(shared.box_count[state]):
        if (
            intervals_overlap(x - BODY_HALF_WIDTH, x + BODY_HALF_WIDTH, shared.boxes[state, k, 0], shared.boxes[state, k, 3])
            and intervals_overlap(y, y + height, shared.boxes[state, k, 1], shared.boxes[state, k, 4])
            and intervals_overlap(z - BODY_HALF_WIDTH, z + BODY_HALF_WIDTH, shared.boxes[state, k, 2], shared.boxes[state, k, 5])
        ):
            return True
    return False


@jit
def intervals_overlap(low, high, other_low, other_high):
    """Strictly: touching is allowed."""
    return high - other_low > TOUCH_TOLERANCE and other_high - low > TOUCH_TOLERANCE


@jit
def check_cell(row, shared, x, y, z, face, item):
    """Rules 5-8 for the cell the block would take."""
    if y < shared.min_y or y > shared.max_y:
        return Reason.OUT_OF_WORLD
    if not in_region(row, x, y, z):
        return Reason.UNLOADED
    state = placed_state(row, shared, item, face)
    if not replaces(shared, block_at(row, shared, x, y, z), state):
        return Reason.DESTINATION_OCCUPIED
    if overlaps_body(row, shared, state, x, y, z):
        return Reason.PLACEMENT_OVERLAPS_AGENT
    return Reason.NONE


@jit
def check_placement(row, shared, x, y, z, face, item):
    """The whole order of judgement for an item on an absolute face of the anchor at x, y, z -> Reason."""
    beyond = is_unloaded(row, shared, x + face_x(face), y + face_y(face), z + face_z(face))
    if beyond or is_unloaded(row, shared, x, y, z):
        return Reason.UNLOADED
    reason = check_anchor(row, shared, x, y, z)
    if reason != Reason.NONE:
        return reason
    if row.inventory[item] <= 0:
        return Reason.NO_ITEM
    if takes_anchor_cell(row, shared, x, y, z, face, item):
        return check_cell(row, shared, x, y, z, face, item)
    return check_cell(row, shared, x + face_x(face), y + face_y(face), z + face_z(face), face, item)
