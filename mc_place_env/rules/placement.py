"""Whether a placement is possible: one function a rule, in the order of judgement of RULES.

Each takes one environment's record `row` and the shared record `shared`; none changes anything.
"""

from mc_place_env.jit import jit, scalar
from mc_place_env.rules.geometry import face_x, face_y, face_z, in_region, quadrant_of
from mc_place_env.rules.world import block_at
from mc_place_env.types import MAX_CANDIDATES, SOLID_BIT, WATER_BIT, Face, Reason, Special

BODY_HALF_WIDTH = 0.3
HEIGHT_STANDING, HEIGHT_SNEAKING = 1.8, 1.5
EYE_STANDING, EYE_SNEAKING = 1.62, 1.27
TOUCH_TOLERANCE = 1e-7  # boxes that overlap by no more only touch


@scalar
def body_height(row):
    """Height of the agent's box in blocks."""
    return HEIGHT_SNEAKING if row.sneaking else HEIGHT_STANDING


@scalar
def eye_y(row):
    """Height of the agent's eye in the world."""
    return row.position[1] + (EYE_SNEAKING if row.sneaking else EYE_STANDING)


@scalar
def gap(value, low):
    """Distance from a coordinate to the unit interval that starts at `low`."""
    if value < low:
        return low - value
    return value - low - 1.0 if value > low + 1.0 else 0.0


@scalar
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


@scalar
def replaces(shared, existing, placed):
    """Whether `placed` may take the cell of `existing`: replaceable, and never its own kind."""
    return shared.replaceable[existing] and shared.kind[existing] != shared.kind[placed]


@scalar
def stacks_on_anchor(row, shared, anchor, placed, face):
    """Whether the same item clicked on that face of its own block grows it: slabs, snow, candles, pickles, eggs."""
    return stacks_in(row, shared, anchor, placed) and (shared.stack_faces[anchor] >> face) & 1 != 0


@jit
def stacks_in(row, shared, existing, placed):
    """Whether the item grows a block of its own kind, met in the cell across the face: there any face will do."""
    grows = shared.stacked[existing] != 0 and shared.kind[existing] == shared.kind[placed]
    return grows and (shared.stack_sneaking[existing] or not row.sneaking)


@jit
def neighbour(row, shared, x, y, z, face):
    """Palette id across an absolute face."""
    return block_at(row, shared, x + face_x(face), y + face_y(face), z + face_z(face))


@jit
def is_supported(row, shared, state, x, y, z):
    """Rule 7: whether the neighbour offers what the state needs, and the special rules of its family."""
    needs = shared.needs[state]
    if needs != 0 and shared.offers[neighbour(row, shared, x, y, z, shared.needs_from[state])] & needs == 0:
        return False
    if shared.special[state] != Special.NONE and not special_support(row, shared, state, x, y, z):
        return False
    return shared.second_face[state] < 0 or second_is_free(row, shared, state, x, y, z)


@jit
def special_support(row, shared, state, x, y, z):
    """The rules that ask about more than one neighbour."""
    special = shared.special[state]
    if special == Special.CACTUS:
        return not is_hemmed_in(row, shared, x, y, z)
    if special == Special.SUGAR_CANE:
        below = block_at(row, shared, x, y - 1, z)
        return shared.kind[below] == shared.kind[state] or is_beside_water(row, shared, x, y - 1, z)
    here = block_at(row, shared, x, y, z)
    return shared.offers[here] & WATER_BIT != 0 if special == Special.IN_WATER else shared.fluid[here] == 0


@jit
def is_hemmed_in(row, shared, x, y, z):
    """Whether a cactus would break: something solid or lava beside it, a fluid above."""
    for face in range(Face.NORTH, Face.WEST + 1):
        beside = neighbour(row, shared, x, y, z, face)
        if shared.offers[beside] & SOLID_BIT != 0 or shared.kind[beside] == shared.lava:
            return True
    return shared.fluid[block_at(row, shared, x, y + 1, z)] != 0


@jit
def is_beside_water(row, shared, x, y, z):
    """Whether water touches one of the four sides of a cell."""
    for face in range(Face.NORTH, Face.WEST + 1):
        beside = neighbour(row, shared, x, y, z, face)
        if shared.fluid[beside] and shared.kind[beside] != shared.lava:
            return True
    return False


@jit
def second_is_free(row, shared, state, x, y, z):
    """Whether the other half of a two-cell block has room, too."""
    face = shared.second_face[state]
    x, y, z = x + face_x(face), y + face_y(face), z + face_z(face)
    inside = shared.min_y <= y <= shared.max_y and in_region(row, x, y, z)
    return inside and shared.replaceable[block_at(row, shared, x, y, z)] != 0


@jit
def chosen_state(row, shared, item, face, x, y, z):
    """The first of the item's states that its surroundings support in a cell, or 0."""
    heading = quadrant_of(row.yaw)
    for k in range(MAX_CANDIDATES):
        state = int(shared.candidates[item, face, heading, k])
        if state == 0 or is_supported(row, shared, state, x, y, z):
            return state
    return 0


@jit
def in_water(row, shared, state, x, y, z):
    """The state as it is in the cell: waterlogged where that held a water source."""
    wet = int(shared.waterlogged[state])
    is_source = shared.offers[block_at(row, shared, x, y, z)] & WATER_BIT != 0
    return wet if wet != 0 and is_source else state


@jit
def overlaps_body(row, shared, state, x, y, z):
    """Rule 8: whether the collision boxes of a state in a cell meet the agent's body."""
    return boxes_meet_body(
        shared, state, row.position[0] - x, row.position[1] - y, row.position[2] - z, body_height(row)
    )


@jit
def boxes_meet_body(shared, state, x, y, z, height):
    """Whether a state's boxes meet a body of that height whose feet are at x, y, z of the block's cell."""
    half = BODY_HALF_WIDTH
    for k in range(shared.box_count[state]):
        if (
            intervals_overlap(x - half, x + half, shared.boxes[state, k, 0], shared.boxes[state, k, 3])
            and intervals_overlap(y, y + height, shared.boxes[state, k, 1], shared.boxes[state, k, 4])
            and intervals_overlap(z - half, z + half, shared.boxes[state, k, 2], shared.boxes[state, k, 5])
        ):
            return True
    return False


@scalar
def intervals_overlap(low, high, other_low, other_high):
    """Strictly: touching is allowed."""
    return high - other_low > TOUCH_TOLERANCE and other_high - low > TOUCH_TOLERANCE


@jit
def resulting_state(row, shared, x, y, z, face, item):
    """Rules 5-7 for the cell the block would take -> (Reason, palette id of what it becomes there)."""
    if y < shared.min_y or y > shared.max_y:
        return Reason.OUT_OF_WORLD, 0
    if not in_region(row, x, y, z):
        return Reason.UNLOADED, 0
    existing, first = block_at(row, shared, x, y, z), first_candidate(row, shared, item, face)
    if stacks_in(row, shared, existing, first):
        return Reason.NONE, int(shared.stacked[existing])
    if not replaces(shared, existing, first):
        return Reason.DESTINATION_OCCUPIED, 0
    state = chosen_state(row, shared, item, face, x, y, z)
    return (Reason.NO_SUPPORT if state == 0 else Reason.NONE), in_water(row, shared, state, x, y, z)


@jit
def first_candidate(row, shared, item, face):
    """Palette id of what the item becomes on that face where everything supports it."""
    return int(shared.candidates[item, face, quadrant_of(row.yaw), 0])


@jit
def takes_anchor_cell(row, shared, x, y, z, face, item):
    """Rule 5: whether the block goes into the anchor's own cell."""
    anchor, first = block_at(row, shared, x, y, z), first_candidate(row, shared, item, face)
    return replaces(shared, anchor, first) or stacks_on_anchor(row, shared, anchor, first, face)


@jit
def check_cell(row, shared, x, y, z, face, item):
    """Rules 5-8 for the cell the block would take."""
    reason, state = resulting_state(row, shared, x, y, z, face, item)
    if reason == Reason.NONE and overlaps_body(row, shared, state, x, y, z):
        return Reason.PLACEMENT_OVERLAPS_AGENT
    return reason


@jit
def check_face(row, shared, x, y, z, face, item):
    """The rules after the anchor's own, for an item on an absolute face of it -> Reason."""
    if row.inventory[item] <= 0:
        return Reason.NO_ITEM
    if takes_anchor_cell(row, shared, x, y, z, face, item):
        return check_cell(row, shared, x, y, z, face, item)
    return check_cell(row, shared, x + face_x(face), y + face_y(face), z + face_z(face), face, item)


@jit
def check_placement(row, shared, x, y, z, face, item):
    """The whole order of judgement for an item on an absolute face of the anchor at x, y, z -> Reason."""
    beyond = is_unloaded(row, shared, x + face_x(face), y + face_y(face), z + face_z(face))
    if beyond or is_unloaded(row, shared, x, y, z):
        return Reason.UNLOADED
    reason = check_anchor(row, shared, x, y, z)
    return check_face(row, shared, x, y, z, face, item) if reason == Reason.NONE else reason
