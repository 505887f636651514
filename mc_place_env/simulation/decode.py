"""Actions of the discrete views, a batch at a time, as ACTION records; what names nothing becomes a bad value of it."""

from mc_place_env.jit import entry
from mc_place_env.types import ActionType

INVALID = -1  # no action type, no face


@entry
def decode_parts(parts, types, offset_range, faces, actions):
    """[type, right, up, forward, face, item] a row: int64 (n, 6); `types`: the offered ones."""
    for i in range(len(parts)):
        kind, face = parts[i, 0], parts[i, 4]
        actions[i].type = types[kind] if 0 <= kind < len(types) else INVALID
        for axis in range(3):
            actions[i].anchor[axis] = parts[i, 1 + axis] - offset_range
        actions[i].face = face if face < faces else INVALID
        actions[i].item = parts[i, 5]


@entry
def decode_index(index, others, offset_range, faces, items, places, actions):
    """The joint index, int64 (n,): a type of `others`, or a PLACE by right, up, forward, face, item (fastest)."""
    side = 2 * offset_range + 1
    for i in range(len(index)):
        action, rest = actions[i], index[i] - len(others)
        action.anchor[0], action.anchor[1], action.anchor[2], action.face, action.item = 0.0, 0.0, 0.0, 0, 0
        if rest < 0:
            action.type = others[index[i]] if index[i] >= 0 else INVALID
        elif not places or rest >= side * side * side * faces * items:
            action.type = INVALID
        else:
            action.type = ActionType.PLACE
            action.item, rest = rest % items, rest // items
            action.face, rest = rest % faces, rest // faces
            action.anchor[2], rest = rest % side - offset_range, rest // side
            action.anchor[1], rest = rest % side - offset_range, rest // side
            action.anchor[0] = rest - offset_range
