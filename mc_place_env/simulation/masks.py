"""Which actions the world as it is allows, by the rules themselves under zero latency. WAIT is always legal.

Anchors are found column by column, in bits: see `may_take`. Only what might be legal is judged.
"""

from mc_place_env.jit import entry, jit, scalar
from mc_place_env.rules.geometry import agent_forward, agent_right, cell_of, column_index, quadrant_of, relative_face
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
    r, quadrant = shared.offset_range, quadrant_of(row.yaw)
    side = 2 * r + 1
    first = mask.shape[1] - side * side * side * N_FACES * shared.n_items
    x, z = cell_of(row.position[0]), cell_of(row.position[2])
    low, window = cell_of(row.position[1]) - r, (1 << side) - 1
    for dx in offsets_inside(r, x - row.origin[0] + MARGIN, SIZE_X):
        for dz in offsets_inside(r, z - row.origin[2] + MARGIN, SIZE_Z):
            places = may_take(row, column_index(row, x + dx, z + dz))
            right, forward = agent_right(quadrant, dx, dz) + r, agent_forward(quadrant, dx, dz) + r
            for k in range(N_FACES):
                bits, up = from_height(places[k], low - row.origin[1] + MARGIN) & window, 0
                while bits >> up != 0:
                    if (bits >> up) & 1:
                        face = ABSOLUTE_FACES[k]
                        legal = legal_items(row, shared, x + dx, low + up, z + dz, face, False)
                        at = ((right * side + up) * side + forward) * N_FACES + relative_face(face, quadrant)
                        write_bits(mask, i, first + at * shared.n_items, legal, shared.n_items)
                    up += 1


@scalar
def offsets_inside(r, at, size):
    """Offsets up to r from a place, whose neighbours are stored, too."""
    return range(max(-r, 1 - at), min(r, size - 2 - at) + 1)


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
    n, side = len(types), 2 * shared.offset_range + 1
    rights, ups, forwards, faces, items = find_places(row, shared) if can_place(row, shared) else (0, 0, 0, 0, 0)
    for k in range(n):
        mask[i, k] = items != 0 if types[k] == ActionType.PLACE else type_allowed(row, shared, types[k])
    if items == 0:
        rights = ups = forwards = faces = items = -1
    write_bits(mask, i, n, rights, side)
    write_bits(mask, i, n + side, ups, side)
    write_bits(mask, i, n + 2 * side, forwards, side)
    write_bits(mask, i, n + 3 * side, faces, N_FACES)
    write_bits(mask, i, n + 3 * side + N_FACES, items, shared.n_items)


@jit
def write_bits(mask, i, at, bits, count):
    """The lowest `count` bits."""
    for k in range(count):
        mask[i, at + k] = (bits >> k) & 1 != 0


@jit
def find_places(row, shared):
    """What the legal PLACEs name, as bits: right, up, forward, relative face, item. What is known is not asked."""
    r, quadrant = shared.offset_range, quadrant_of(row.yaw)
    x, z = cell_of(row.position[0]), cell_of(row.position[2])
    low, window = cell_of(row.position[1]) - r, (1 << (2 * r + 1)) - 1
    left, rights, ups, forwards, faces, items = items_left(row, shared), 0, 0, 0, 0, 0
    along_x = offsets_inside(r, x - row.origin[0] + MARGIN, SIZE_X)
    along_z = offsets_inside(r, z - row.origin[2] + MARGIN, SIZE_Z)
    for shift in range(len(along_z)):
        for step in range(len(along_x)):
            # along diagonals, where every column is a new right and a new forward
            dx, dz = along_x.start + step, along_z.start + (step + shift) % len(along_z)
            places, floor = may_take(row, column_index(row, x + dx, z + dz)), low - row.origin[1] + MARGIN
            right = 1 << (agent_right(quadrant, dx, dz) + r)
            forward = 1 << (agent_forward(quadrant, dx, dz) + r)
            known = rights & right and forwards & forward and items == left
            if known and from_height(beyond(places, faces, from_height(ups, -floor)), floor) & window == 0:
                continue
            for k in range(N_FACES):
                bits, up = from_height(places[k], floor) & window, 0
                while bits >> up != 0:
                    known = rights & right and forwards & forward and items == left
                    if (bits >> up) & 1 and not (known and (faces >> k) & 1 and (ups >> up) & 1):
                        legal = legal_items(row, shared, x + dx, low + up, z + dz, ABSOLUTE_FACES[k], items == left)
                        if legal != 0:
                            rights, ups, forwards = rights | right, ups | 1 << up, forwards | forward
                            faces, items = faces | 1 << k, items | legal
                    up += 1
    return rights, ups, forwards, named_faces(faces, quadrant), items


@jit
def beyond(places, faces, heights):
    """Heights in `places`, of each of ABSOLUTE_FACES, of which not both face and height are known."""
    new = 0
    for k in range(N_FACES):
        new |= places[k] & ~heights if (faces >> k) & 1 else places[k]
    return new


@jit
def named_faces(faces, quadrant):
    """Bits of ABSOLUTE_FACES as bits of relative ones."""
    named = 0
    for k in range(N_FACES):
        named |= ((faces >> k) & 1) << relative_face(ABSOLUTE_FACES[k], quadrant)
    return named


@jit
def items_left(row, shared):
    """The items that are left, as bits."""
    left = 0
    for item in range(shared.n_items):
        if row.inventory[item] > 0:
            left |= 1 << item
    return left


@jit
def legal_items(row, shared, x, y, z, face, any_will_do):
    """The items that could be placed on a face of an anchor now, as bits; `any_will_do`: the first of them."""
    legal = 0
    if check_anchor(row, shared, x, y, z) == Reason.NONE:
        for item in range(shared.n_items):
            if check_face(row, shared, x, y, z, face, item) == Reason.NONE:
                legal |= 1 << item
                if any_will_do:
                    break
    return legal
