"""Which actions the world as it is allows, by the rules themselves under zero latency. WAIT is always legal.

Anchors are found column by column, in bits: see `may_take`. Only what might be legal is judged.
"""

from mc_place_env.jit import entry, jit, scalar
from mc_place_env.rules.geometry import agent_forward, agent_right, cell_of, quadrant_of, relative_face
from mc_place_env.rules.placement import check_anchor, check_face
from mc_place_env.rules.world import may_take
from mc_place_env.types import MARGIN, SIZE_X, SIZE_Z, ActionType, Face, Reason

ABSOLUTE_FACES = (int(Face.UP), int(Face.DOWN), *range(Face.NORTH, Face.WEST + 1))
N_FACES = len(ABSOLUTE_FACES)


@scalar
def type_allowed(row, shared, action_type):
    """Whether an action type other than PLACE does what it says: a MOVE or TURN is ignored while a MOVE runs."""
    if not shared.actions[action_type]:
        return False
    steers = ActionType.MOVE_FORWARD <= action_type <= ActionType.TURN_RIGHT
    return not (steers and row.moving)


@scalar
def can_place(row, shared):
    """Whether a PLACE could be accepted at all."""
    return shared.actions[ActionType.PLACE] and row.pending_count < shared.max_pending


@scalar
def from_height(bits, low):
    """Bits by height, counted from `low`, which may lie below the array."""
    return bits >> low if low >= 0 else bits << -low


@entry
def joint_masks(rows, shared, others, mask):
    """The joint mask of every row: bool (n, actions), zeroed before."""
    for i in range(len(rows)):
        write_joint_mask(rows[i], shared[0], others, mask, i)


@jit
def write_joint_mask(row, shared, others, mask, i):
    """Row i of the joint mask: the types in `others`, then PLACE by right, up, forward, face, item (fastest)."""
    for k in range(len(others)):
        mask[i, k] = type_allowed(row, shared, others[k])
    if not can_place(row, shared):
        return
    r = shared.offset_range
    x, z = cell_of(row.position[0]) - row.origin[0] + MARGIN, cell_of(row.position[2]) - row.origin[2] + MARGIN
    for a in range(max(x - r, 1), min(x + r, SIZE_X - 2) + 1):
        for b in range(max(z - r, 1), min(z + r, SIZE_Z - 2) + 1):
            for face in ABSOLUTE_FACES:
                write_joint_column(row, shared, a - x, b - z, face, may_take(row, a * SIZE_Z + b, face), mask, i)


@jit
def write_joint_column(row, shared, dx, dz, face, bits, mask, i):
    """The legal placements on one face of a column's cells, dx and dz from the agent's; `bits` may be."""
    r, quadrant = shared.offset_range, quadrant_of(row.yaw)
    side = 2 * r + 1
    x, y, z = cell_of(row.position[0]) + dx, cell_of(row.position[1]) - r, cell_of(row.position[2]) + dz
    bits = from_height(bits, y - row.origin[1] + MARGIN) & ((1 << side) - 1)
    right, forward = agent_right(quadrant, dx, dz) + r, agent_forward(quadrant, dx, dz) + r
    first = mask.shape[1] - side * side * side * N_FACES * shared.n_items
    for up in range(side):
        if (bits >> up) & 1 and check_anchor(row, shared, x, y + up, z) == Reason.NONE:
            at = ((right * side + up) * side + forward) * N_FACES + relative_face(face, quadrant)
            for item in range(shared.n_items):
                legal = check_face(row, shared, x, y + up, z, face, item) == Reason.NONE
                mask[i, first + at * shared.n_items + item] = legal


@entry
def marginal_masks(rows, shared, types, mask):
    """The concatenated marginals of the joint mask of every row: type, right, up, forward, face, item; zeroed before.

    A value is allowed if some legal PLACE has it; where no PLACE is legal every parameter is (nothing reads them).
    """
    for i in range(len(rows)):
        write_marginal_mask(rows[i], shared[0], types, mask, i)


@jit
def write_marginal_mask(row, shared, types, mask, i):
    """Row i of the marginal masks."""
    n = len(types)
    any_place = can_place(row, shared) and find_places(row, shared, mask, i, n)
    for k in range(n):
        mask[i, k] = any_place if types[k] == ActionType.PLACE else type_allowed(row, shared, types[k])
    if not any_place:
        for k in range(n, mask.shape[1]):
            mask[i, k] = True


@jit
def find_places(row, shared, mask, i, n):
    """Marks the parameters of every legal PLACE; what would mark nothing new is not judged. Whether there was one."""
    r = shared.offset_range
    x, z = cell_of(row.position[0]) - row.origin[0] + MARGIN, cell_of(row.position[2]) - row.origin[2] + MARGIN
    found = False
    for a in range(max(x - r, 1), min(x + r, SIZE_X - 2) + 1):
        for b in range(max(z - r, 1), min(z + r, SIZE_Z - 2) + 1):
            if row.solid[a * SIZE_Z + b] == 0:
                continue
            for face in ABSOLUTE_FACES:
                bits = may_take(row, a * SIZE_Z + b, face)
                if bits != 0:
                    found |= mark_column(row, shared, a - x, b - z, face, bits, mask, i, n)
    return found


@jit
def mark_column(row, shared, dx, dz, face, bits, mask, i, n):
    """Marks what the placements on one face of a column's cells add; whether one was legal."""
    r, quadrant = shared.offset_range, quadrant_of(row.yaw)
    side = 2 * r + 1
    x, y, z = cell_of(row.position[0]) + dx, cell_of(row.position[1]) - r, cell_of(row.position[2]) + dz
    bits = from_height(bits, y - row.origin[1] + MARGIN) & ((1 << side) - 1)
    at_right, at_forward = n + agent_right(quadrant, dx, dz) + r, n + 2 * side + agent_forward(quadrant, dx, dz) + r
    at_face, at_items = n + 3 * side + relative_face(face, quadrant), n + 3 * side + N_FACES
    found = False
    for up in range(side):
        if (bits >> up) & 1 == 0:
            continue
        at_up = n + side + up
        known = mask[i, at_right] and mask[i, at_up] and mask[i, at_forward] and mask[i, at_face]
        if known and items_known(row, shared, mask, i, at_items):
            continue
        if check_anchor(row, shared, x, y + up, z) != Reason.NONE:
            continue
        for item in range(shared.n_items):
            news = not (known and mask[i, at_items + item])
            if news and check_face(row, shared, x, y + up, z, face, item) == Reason.NONE:
                mask[i, at_right] = mask[i, at_up] = mask[i, at_forward] = True
                mask[i, at_face] = mask[i, at_items + item] = True
                known = found = True
    return found


@jit
def items_known(row, shared, mask, i, at):
    """Whether every item that is left is marked."""
    missing = 0
    for item in range(shared.n_items):
        missing += int(row.inventory[item] > 0 and not mask[i, at + item])
    return missing == 0
