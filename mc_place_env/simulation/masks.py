"""Which actions the world as it is allows, by the rules themselves under zero latency. WAIT is always legal."""

from mc_place_env.jit import jit
from mc_place_env.rules.geometry import (
    absolute_face,
    cell_of,
    face_x,
    face_y,
    face_z,
    quadrant_of,
    world_x,
    world_z,
)
from mc_place_env.rules.placement import check_anchor, check_placement
from mc_place_env.types import ActionType, Reason

N_FACES = 6  # relative


@jit
def type_allowed(row, shared, action_type):
    """Whether an action type other than PLACE does what it says: a MOVE or TURN is ignored while a MOVE runs."""
    if not shared.actions[action_type]:
        return False
    steers = ActionType.MOVE_FORWARD <= action_type <= ActionType.TURN_RIGHT
    return not (steers and row.moving)


@jit
def can_place(row, shared):
    """Whether a PLACE could be accepted at all."""
    return shared.actions[ActionType.PLACE] and row.pending_count < shared.max_pending


@jit
def write_joint_mask(row, shared, others, mask, i):
    """Row i of the joint mask: the types in `others`, then PLACE by right, up, forward, face, item (fastest)."""
    for k in range(len(others)):
        mask[i, k] = type_allowed(row, shared, others[k])
    mask[i, len(others) :] = False
    if can_place(row, shared):
        write_place_mask(row, shared, mask, i, len(others))


@jit
def write_place_mask(row, shared, mask, i, at):
    """The PLACE part of the joint mask: anchors are judged once, faces and items only where the anchor stands."""
    r, items = shared.offset_range, shared.n_items
    quadrant = quadrant_of(row.yaw)
    x, y, z = cell_of(row.position[0]), cell_of(row.position[1]), cell_of(row.position[2])
    for right in range(-r, r + 1):
        for up in range(-r, r + 1):
            for forward in range(-r, r + 1):
                anchor_x = x + world_x(quadrant, right, forward)
                anchor_z = z + world_z(quadrant, right, forward)
                if check_anchor(row, shared, anchor_x, y + up, anchor_z) == Reason.NONE:
                    write_faces(row, shared, quadrant, anchor_x, y + up, anchor_z, mask, i, at)
                at += N_FACES * items


@jit
def write_faces(row, shared, quadrant, x, y, z, mask, i, at):
    """The faces and items of one anchor."""
    for face in range(N_FACES):
        absolute = absolute_face(face, quadrant)
        for item in range(shared.n_items):
            mask[i, at] = check_placement(row, shared, x, y, z, absolute, item) == Reason.NONE
            at += 1


@jit
def joint_masks(rows, shared, others, mask):
    """The joint mask of every row: bool (n, actions)."""
    for i in range(len(rows)):
        write_joint_mask(rows[i], shared[0], others, mask, i)


@jit
def marginal_masks(rows, shared, types, others, joint, mask):
    """The concatenated marginals of every row, from its joint mask: type, right, up, forward, face, item.

    A value is allowed if some allowed PLACE has it; where no PLACE is allowed every parameter is (nothing reads them).
    """
    for i in range(len(rows)):
        write_joint_mask(rows[i], shared[0], others, joint, i)
        write_marginals(rows[i], shared[0], types, len(others), joint, mask, i)


@jit
def write_marginals(row, shared, types, first, joint, mask, i):
    """Row i of the marginal masks."""
    side, items = 2 * shared.offset_range + 1, shared.n_items
    mask[i, :] = False
    any_place = False
    at = first
    n = len(types)
    for right in range(side):
        for up in range(side):
            for forward in range(side):
                for face in range(N_FACES):
                    for item in range(items):
                        if joint[i, at]:
                            any_place = True
                            mask[i, n + right] = True
                            mask[i, n + side + up] = True
                            mask[i, n + 2 * side + forward] = True
                            mask[i, n + 3 * side + face] = True
                            mask[i, n + 3 * side + N_FACES + item] = True
                        at += 1
    for k in range(n):
        mask[i, k] = any_place if types[k] == ActionType.PLACE else type_allowed(row, shared, types[k])
    if not any_place:
        mask[i, n:] = True
