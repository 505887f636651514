"""What the oracle knows about blocks: states by name, boxes, tags, and what a side of a block offers, all by geometry.

Blocks are names, `stone_slab[type=top]`; nothing here comes from the package but the shipped table.
"""

import json
from functools import cache
from importlib import resources

TABLE = json.loads((resources.files("mc_place_env.data") / "1.20.4.json").read_text())
STEPS = {
    "up": (0, 1, 0),
    "down": (0, -1, 0),
    "north": (0, 0, -1),
    "south": (0, 0, 1),
    "east": (1, 0, 0),
    "west": (-1, 0, 0),
}
SIDES = ("north", "south", "east", "west")
OPPOSITE = {"up": "down", "down": "up", "north": "south", "south": "north", "east": "west", "west": "east"}


@cache
def split_name(block):
    """'stone_slab[type=top]' -> ('stone_slab', {'type': 'top'}), every state filled in."""
    name, _, rest = block.partition("[")
    given = dict(part.split("=") for part in rest.rstrip("]").split(",") if part)
    entry = TABLE["blocks"][name]
    return name, states_at(entry, entry.get("default", 0)) | given


def states_at(entry, offset):
    """The states at an offset: the last one listed varies fastest."""
    found = {}
    for key, values in reversed(list(entry.get("states", {}).items())):
        offset, k = divmod(offset, len(values))
        found[key] = values[k]
    return found


def tagged(block, tag):
    return tag in TABLE["blocks"][block.partition("[")[0]].get("tags", ())


@cache
def boxes(block):
    """Collision boxes of a block state."""
    name, states = split_name(block)
    entry = TABLE["blocks"][name]
    shape = entry["shape"]
    if isinstance(shape, int):
        return TABLE["shapes"][shape]
    offset = 0
    for key, values in entry["states"].items():
        offset = offset * len(values) + values.index(states[key])
    return TABLE["shapes"][shape[offset]]


def is_replaceable(block):
    name, states = split_name(block)
    return tagged(name, "replaceable") or (tagged(name, "replaceable_if_single_layer") and states["layers"] == "1")


def base(block):
    """The name without states."""
    return block.partition("[")[0]


def with_states(block, **changes):
    """The name with every state written out, some of them changed; what the block does not have is ignored."""
    name, states = split_name(block)
    states = states | {key: str(value) for key, value in changes.items() if key in states}
    inner = ",".join(f"{key}={value}" for key, value in states.items())
    return f"{name}[{inner}]" if inner else name


# -- what a side offers --------------------------------------------------------------------------------------------

FINE = 16  # shapes are made of sixteenths: a face is looked at in 16 x 16 points


@cache
def touched(block, side):
    """Which of the 16 x 16 points of a side the collision boxes reach."""
    axis = {"up": 1, "down": 1, "north": 2, "south": 2, "east": 0, "west": 0}[side]
    others = [k for k in range(3) if k != axis]
    points = set()
    for box in boxes(block):
        reaches = box[axis + 3] >= 1 > box[axis] if side in ("up", "south", "east") else box[axis] <= 0 < box[axis + 3]
        if not reaches:
            continue
        for i in range(FINE):
            for j in range(FINE):
                at = ((i + 0.5) / FINE, (j + 0.5) / FINE)
                if all(box[k] < a < box[k + 3] for k, a in zip(others, at, strict=True)):
                    points.add((i, j))
    return points


EVERYWHERE = {(i, j) for i in range(FINE) for j in range(FINE)}
CENTRE = {(i, j) for i in (7, 8) for j in (7, 8)}
RIM = {(i, j) for i, j in EVERYWHERE if min(i, j) < 2 or max(i, j) >= FINE - 2}


def holds(block, side, where=EVERYWHERE):
    """Whether a side supports things on the whole face, its centre, or its rim; None is a cell nobody knows."""
    if block is None:
        return False
    if where is CENTRE and side == "down" and tagged(block, "sturdy_centre_down"):
        return True
    if tagged(block, "not_sturdy") or (side == "down" and tagged(block, "not_sturdy_down")):
        return False
    if tagged(block, "sturdy_full") or (side == "up" and is_full_snow(block)):
        return True
    return touched(block, side) >= where


def is_full_by_shape(block, side):
    return block is not None and touched(block, side) >= EVERYWHERE


def is_full_snow(block):
    return tagged(block, "sturdy_full_if_eight_layers") and split_name(block)[1]["layers"] == "8"


def is_solid(block):
    """By size, unless a list says otherwise."""
    if block is None or tagged(block, "not_solid"):
        return False
    if tagged(block, "solid"):
        return True
    shape = boxes(block)
    if not shape:
        return False
    sizes = [max(b[k + 3] for b in shape) - min(b[k] for b in shape) for k in range(3)]
    return sum(sizes) / 3 >= 0.7291666666666666 or sizes[1] >= 1


def is_source(block):
    return block is not None and base(block) == "water" and split_name(block)[1]["level"] == "0"


def is_fluid(block):
    return block is not None and tagged(block, "fluid")
