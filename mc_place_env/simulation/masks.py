"""Which actions the world as it is allows, by the rules themselves under zero latency. WAIT is always legal."""

from mc_place_env.jit import entry, jit, scalar
from mc_place_env.rules.geometry import (
    absolute_face,
    cell_of,
    quadrant_of,
    world_x,
    world_z,
)
from mc_place_env.rules.placement import check_anchor, check_face, may_take
from mc_place_env.rules.world import block_at
from mc_place_env.types import ActionType, Reason

N_FACES = 6  # relative


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


@jit
def anchor_stands(row, shared, x, y, z):
    """Whether a cell is a legal anchor. Most cells are air: that is asked first."""
    return shared.anchorable[block_at(row, shared, x, y, z)] and check_anchor(row, shared, x, y, z) == Reason.NONE


@jit
def write_joint_mask(row, shared, others, mask, i):
    """Row i of the joint mask: the types in `others`, then PLACE by right, up, forward, face, item (fastest)."""
    for k in range(len(others)):
        mask[i, k] = type_allowed(row, shared, others[k])
    mask[i, len(others) :] = False
    if not can_place(row, shared):
        return
    at, r, quadrant = len(others), shared.offset_range, quadrant_of(row.yaw)
    x, y, z = cell_of(row.position[0]), cell_of(row.position[1]), cell_of(row.position[2])
    for right in range(-r, r + 1):
        for up in range(-r, r + 1):
            for forward in range(-r, r + 1):
                anchor_x, anchor_z = x + world_x(quadrant, right, forward), z + world_z(quadrant, right, forward)
                if anchor_stands(row, shared, anchor_x, y + up, anchor_z):
                    write_faces(row, shared, quadrant, anchor_x, y + up, anchor_z, mask, i, at)
                at += N_FACES * shared.n_items


@jit
def write_faces(row, shared, quadrant, x, y, z, mask, i, at):
    """The faces and items of one anchor in the joint mask."""
    for face in range(N_FACES):
        absolute = absolute_face(face, quadrant)
        if may_take(row, shared, x, y, z, absolute):
            for item in range(shared.n_items):
                mask[i, at + item] = check_face(row, shared, x, y, z, absolute, item) == Reason.NONE
        at += shared.n_items


@entry
def joint_masks(rows, shared, others, mask):
    """The joint mask of every row: bool (n, actions)."""
    for i in range(len(rows)):
        write_joint_mask(rows[i], shared[0], others, mask, i)


@entry
def marginal_masks(rows, shared, types, mask):
    """The concatenated marginals of the joint mask of every row: type, right, up, forward, face, item.

    A value is allowed if some legal PLACE has it; where no PLACE is legal every parameter is (nothing reads them).
    """
    for i in range(len(rows)):
        write_marginal_mask(rows[i], shared[0], types, mask, i)


@jit
def write_marginal_mask(row, shared, types, mask, i):
    """Row i of the marginal masks."""
    n = len(types)
    mask[i, :] = False
    any_place = can_place(row, shared) and find_places(row, shared, mask, i, n)
    for k in range(n):
        mask[i, k] = any_place if types[k] == ActionType.PLACE else type_allowed(row, shared, types[k])
    if not any_place:
        mask[i, n:] = True


@jit
def find_places(row, shared, mask, i, n):
    """Marks the parameters of every legal PLACE; what would mark nothing new is not judged. Whether there was one."""
    r, quadrant = shared.offset_range, quadrant_of(row.yaw)
    side = 2 * r + 1
    x, y, z = cell_of(row.position[0]), cell_of(row.position[1]), cell_of(row.position[2])
    found = False
    for right in range(-r, r + 1):
        for forward in range(-r, r + 1):
            anchor_x, anchor_z = x + world_x(quadrant, right, forward), z + world_z(quadrant, right, forward)
            for up in range(-r, r + 1):
                if anchor_stands(row, shared, anchor_x, y + up, anchor_z):
                    a, b, c = n + right + r, n + side + up + r, n + 2 * side + forward + r
                    found |= mark_faces(
                        row, shared, quadrant, anchor_x, y + up, anchor_z, mask, i, a, b, c, n + 3 * side
                    )
    return found


@jit
def mark_faces(row, shared, quadrant, x, y, z, mask, i, a, b, c, first):
    """Marks what one anchor's legal faces and items add: offsets at a, b, c, faces from `first`, then items."""
    found = False
    for face in range(N_FACES):
        absolute = absolute_face(face, quadrant)
        if not may_take(row, shared, x, y, z, absolute):
            continue
        for item in range(shared.n_items):
            at_face, at_item = first + face, first + N_FACES + item
            if mask[i, a] and mask[i, b] and mask[i, c] and mask[i, at_face] and mask[i, at_item]:
                continue
            if check_face(row, shared, x, y, z, absolute, item) == Reason.NONE:
                mask[i, a] = mask[i, b] = mask[i, c] = mask[i, at_face] = mask[i, at_item] = True
                found = True
    return found
