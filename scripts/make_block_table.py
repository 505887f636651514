"""Make the shipped block table of one Minecraft version.

Sources: the `minecraft-data` package (states, collision shapes, items) and the
hand-written lists in `mc_place_env/data/rules.yaml` (everything minecraft-data
does not know: what is replaceable, what intercepts a click, what needs support).

    npm install minecraft-data
    python scripts/make_block_table.py \
        node_modules/minecraft-data/minecraft-data/data 1.20.4

The first argument is the folder that holds `dataPaths.json`: a version may take
some of its parts from another version's folder, and that file says which.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import yaml

DATA_DIR = Path(__file__).resolve().parent.parent / "mc_place_env" / "data"

FACES = ("up", "down", "north", "south", "east", "west")
#: Face -> (axis, the face is at the axis' upper end).
FACE_AXIS = {
    "up": (1, True),
    "down": (1, False),
    "north": (2, False),
    "south": (2, True),
    "east": (0, True),
    "west": (0, False),
}
FULL_FACE = (0.0, 0.0, 1.0, 1.0)
CENTRE = (7 / 16, 7 / 16, 9 / 16, 9 / 16)
#: The rim that a "rigid" face must cover: four strips, 2/16 wide.
RIM = (
    (0.0, 0.0, 1.0, 2 / 16),
    (0.0, 14 / 16, 1.0, 1.0),
    (0.0, 0.0, 2 / 16, 1.0),
    (14 / 16, 0.0, 1.0, 1.0),
)
CENTRE_SHIFT = 6
RIGID_SHIFT = 12
SOLID_BIT = 18
EPSILON = 1e-7

Box = tuple[float, ...]
Rect = tuple[float, float, float, float]


class RuleError(ValueError):
    """A rule list and the version's blocks do not fit together."""


# --- geometry -----------------------------------------------------------------


def face_rects(shape: Iterable[Box], face: str) -> list[Rect]:
    """Return the parts of a cell's `face` that the boxes of `shape` reach."""
    axis, upper = FACE_AXIS[face]
    u, v = [i for i in range(3) if i != axis]
    rects = []
    for box in shape:
        touches = box[axis + 3] >= 1 - EPSILON if upper else box[axis] <= EPSILON
        # A box that lies wholly outside the cell (none in vanilla) is no face of it.
        inside = box[axis] < 1 - EPSILON if upper else box[axis + 3] > EPSILON
        if touches and inside:
            rects.append((box[u], box[v], box[u + 3], box[v + 3]))
    return rects


def covers(rects: list[Rect], target: Rect) -> bool:
    """Tell whether the union of `rects` covers the rectangle `target`."""
    us = _cuts(target[0], target[2], [r[0] for r in rects] + [r[2] for r in rects])
    vs = _cuts(target[1], target[3], [r[1] for r in rects] + [r[3] for r in rects])
    for u0, u1 in pairwise(us):
        for v0, v1 in pairwise(vs):
            mid_u, mid_v = (u0 + u1) / 2, (v0 + v1) / 2
            if not any(r[0] <= mid_u <= r[2] and r[1] <= mid_v <= r[3] for r in rects):
                return False
    return True


def _cuts(low: float, high: float, values: Iterable[float]) -> list[float]:
    """Return the interval's ends and the values strictly inside it, sorted."""
    inner = {v for v in values if low + EPSILON < v < high - EPSILON}
    return [low, *sorted(inner), high]


def is_solid(shape: list[Box]) -> bool:
    """Apply the game's size test for "solid" to a collision shape."""
    if not shape:
        return False
    sizes = [max(b[a + 3] for b in shape) - min(b[a] for b in shape) for a in range(3)]
    return sum(sizes) / 3 >= 0.7291666666666666 or sizes[1] >= 1.0


def sturdy_mask(shape: list[Box]) -> int:
    """Return the support bits of a shape.

    Bit f: face f (order of FACES) is full; bit 6 + f: its 2/16 centre is covered;
    bit 12 + f: its 2/16 rim is covered; bit 18: the shape is "solid" by size.
    """
    mask = 0
    for index, face in enumerate(FACES):
        rects = face_rects(shape, face)
        if not rects:
            continue
        if covers(rects, FULL_FACE):
            mask |= 1 << index
        if covers(rects, CENTRE):
            mask |= 1 << (CENTRE_SHIFT + index)
        if all(covers(rects, strip) for strip in RIM):
            mask |= 1 << (RIGID_SHIFT + index)
    if is_solid(shape):
        mask |= 1 << SOLID_BIT
    return mask


# --- minecraft-data -----------------------------------------------------------


def load_parts(root: Path, version: str) -> dict[str, Any]:
    """Read the parts of minecraft-data that the table needs, by dataPaths.json."""
    paths = json.loads((root / "dataPaths.json").read_text())["pc"]
    if version not in paths:
        raise RuleError(f"minecraft-data does not know version {version}")
    parts = {}
    for part in ("blocks", "items", "blockCollisionShapes"):
        parts[part] = json.loads((root / paths[version][part] / f"{part}.json").read_text())
    return parts


def state_values(state: dict[str, Any]) -> list[str]:
    """Return a property's values as strings, in the order the game numbers them."""
    if state["type"] == "bool":
        return ["true", "false"]
    if "values" in state:
        return [str(v) for v in state["values"]]
    return [str(v) for v in range(state["num_values"])]


def state_count(states: dict[str, list[str]]) -> int:
    """Return how many states a block with these properties has."""
    return prod(len(values) for values in states.values())


def state_at(states: dict[str, list[str]], offset: int) -> dict[str, str]:
    """Return the properties of one state offset; the last property varies fastest."""
    found = {}
    for name in reversed(states):
        offset, index = divmod(offset, len(states[name]))
        found[name] = states[name][index]
    return {name: found[name] for name in states}


def number(value: float) -> float | int:
    """Return whole floats as ints, for a compact file."""
    return int(value) if value == int(value) else value


class ShapeTable:
    """Shapes in order of first use; index 0 is the empty shape."""

    def __init__(self) -> None:
        self.shapes: list[list[Box]] = [[]]
        self._index: dict[tuple[Box, ...], int] = {(): 0}

    def add(self, boxes: list[list[float]]) -> int:
        """Return the index of a shape, adding it when new."""
        key = tuple(tuple(number(v) for v in box) for box in boxes)
        if key not in self._index:
            self._index[key] = len(self.shapes)
            self.shapes.append(list(key))
        return self._index[key]


# --- rule lists ---------------------------------------------------------------


def match(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that a name or glob pattern matches."""
    return [name for name in names if fnmatchcase(name, pattern)]


class Resolver:
    """Turns the patterns of rules.yaml into block names of one version."""

    def __init__(self, names: list[str], renames: dict[str, str], lenient: bool) -> None:
        self.names = names
        self.lenient = lenient
        self.unmatched: list[str] = []
        self.tags: dict[str, set[str]] = {}
        present = set(names)
        # Current name -> the name this version uses, where it is an older one.
        self.older = {new: old for old, new in renames.items() if new not in present and old in present}

    def resolve(self, patterns: list[str], where: str) -> set[str]:
        """Return the blocks of a pattern list.

        `!pattern` takes blocks out again, `#tag` stands for an earlier tag's blocks.
        """
        chosen: set[str] = set()
        for pattern in patterns:
            if pattern.startswith("#"):
                chosen.update(self.tags[pattern[1:]])
                continue
            negative = pattern.startswith("!")
            bare = pattern.lstrip("!")
            found = match(self.older.get(bare, bare), self.names)
            if not found:
                if not self.lenient:
                    raise RuleError(f"{where}: {pattern!r} matches no block")
                self.unmatched.append(f"{where}: {pattern}")
            if negative:
                chosen.difference_update(found)
            else:
                chosen.update(found)
        return chosen


def apply_lists(blocks: dict[str, dict[str, Any]], rules: dict[str, Any], resolver: Resolver) -> None:
    """Write tags and the rule families of every block into the block entries."""
    for tag, entry in rules["tags"].items():
        resolver.tags[tag] = resolver.resolve(entry["names"], f"tags.{tag}")
        for name in resolver.tags[tag]:
            blocks[name].setdefault("tags", []).append(tag)
    for kind in ("support", "orientation", "stack"):
        for family, entry in rules.get(kind, {}).items():
            for name in resolver.resolve(entry["names"], f"{kind}.{family}"):
                if kind in blocks[name]:
                    raise RuleError(f"{name}: {kind} {blocks[name][kind]} and {family}")
                blocks[name][kind] = family


def wall_blocks(rules: dict[str, Any], names: list[str]) -> dict[str, str]:
    """Pair every floor block with the block that the same item puts on a wall."""
    present = set(names)
    pairs = {}
    for floor, wall in rules["wall_blocks"]["pairs"].items():
        before, star, after = floor.partition("*")
        for name in match(floor, names):
            stem = name[len(before) : len(name) - len(after)] if star else ""
            if wall.replace("*", stem) in present:
                pairs[name] = wall.replace("*", stem)
    return dict(sorted(pairs.items()))


def split_items(item_names: Iterable[str], blocks: set[str], rules: dict[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Return the items that place a block (with the block) and the other items."""
    placing, others = {}, []
    own = rules["items"]["pairs"]
    never = set(rules["items"]["never"])
    for name in item_names:
        block = own.get(name, name)
        if block in blocks and name not in never:
            placing[name] = block
        else:
            others.append(name)
    return dict(sorted(placing.items())), sorted(others)


# --- the table ----------------------------------------------------------------


def block_entry(raw: dict[str, Any], shape_of: int | list[int]) -> dict[str, Any]:
    """Return the numeric part of one block's entry."""
    states = {s["name"]: state_values(s) for s in raw["states"]}
    count = raw["maxStateId"] - raw["minStateId"] + 1
    if state_count(states) != count:
        raise RuleError(f"{raw['name']}: {state_count(states)} states named, {count} ids")
    entry: dict[str, Any] = {"first_state_id": raw["minStateId"]}
    if states:
        entry["states"] = states
    if raw["defaultState"] != raw["minStateId"]:
        entry["default"] = raw["defaultState"] - raw["minStateId"]
    if isinstance(shape_of, list) and len(shape_of) != count:
        raise RuleError(f"{raw['name']}: {len(shape_of)} shapes for {count} states")
    if isinstance(shape_of, list) and len(set(shape_of)) == 1:
        shape_of = shape_of[0]
    entry["shape"] = shape_of
    return entry


def centred(boxes: list[list[float]]) -> list[list[float]]:
    """Return the boxes moved sideways so that the middle of the whole is the cell's."""
    moved = [list(box) for box in boxes]
    for axis in (0, 2):
        middle = (min(b[axis] for b in boxes) + max(b[axis + 3] for b in boxes)) / 2
        for box in moved:
            box[axis] += 0.5 - middle
            box[axis + 3] += 0.5 - middle
    return moved


def build(
    parts: dict[str, Any], rules: dict[str, Any], version: str, lenient: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """Return the table of one version and the rule patterns that matched nothing."""
    raws = sorted(parts["blocks"], key=lambda raw: raw["minStateId"])
    names = [raw["name"] for raw in raws]
    resolver = Resolver(names, rules["aliases"]["names"], lenient)
    middle = resolver.resolve(rules["centred_shapes"]["names"], "centred_shapes")
    collision = parts["blockCollisionShapes"]
    table = ShapeTable()
    blocks = {}
    for raw in raws:
        per_state = collision["blocks"][raw["name"]]
        ids = per_state if isinstance(per_state, list) else [per_state]
        boxes = [collision["shapes"][str(i)] for i in ids]
        if raw["name"] in middle:
            boxes = [centred(b) for b in boxes]
        indices = [table.add(b) for b in boxes]
        shape_of = indices if isinstance(per_state, list) else indices[0]
        blocks[raw["name"]] = block_entry(raw, shape_of)
    apply_lists(blocks, rules, resolver)
    placing, others = split_items([i["name"] for i in parts["items"]], set(names), rules)
    low, high = world_height(version)
    return {
        "version": version,
        "min_y": low,
        "max_y": high,
        "shapes": table.shapes,
        "sturdy": [sturdy_mask(shape) for shape in table.shapes],
        "blocks": blocks,
        "items": placing,
        "other_items": others,
        "wall_blocks": wall_blocks(rules, names),
        "aliases": aliases(rules["aliases"]["names"], set(names)),
    }, resolver.unmatched


def aliases(renames: dict[str, str], names: set[str]) -> dict[str, str]:
    """Return name -> this version's name, for renamed blocks, in either direction."""
    found = {}
    for old, new in renames.items():
        if new in names and old not in names:
            found[old] = new
        elif old in names and new not in names:
            found[new] = old
    return found


def world_height(version: str) -> tuple[int, int]:
    """Return the lowest and highest block y of the overworld."""
    release = tuple(int(part) for part in version.split(".")[:2])
    return (-64, 319) if release >= (1, 18) else (0, 255)


def figures(table: dict[str, Any]) -> str:
    """Return a short report on the table: counts and the largest shapes."""
    shapes = table["shapes"]
    users: dict[int, list[str]] = {}
    states = 0
    for name, entry in table["blocks"].items():
        states += state_count(entry.get("states", {}))
        used = entry["shape"] if isinstance(entry["shape"], list) else [entry["shape"]]
        for index in set(used):
            users.setdefault(index, []).append(name)
    lines = [f"{len(table['blocks'])} blocks, {states} states, {len(shapes)} shapes"]
    for index, shape in enumerate(shapes):
        if len(shape) > 8:
            lines.append(f"shape {index}: {len(shape)} boxes: {', '.join(users[index])}")
    return "\n".join(lines)


def main() -> None:
    """Read the sources, write the table, print its figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder that holds dataPaths.json")
    parser.add_argument("version", help="for example 1.20.4")
    parser.add_argument("--out", type=Path, help="default: the package's data folder")
    parser.add_argument(
        "--allow-missing",
        action="store_true",
        help="list rule patterns without a block instead of failing (other versions)",
    )
    options = parser.parse_args()
    rules = yaml.safe_load((DATA_DIR / "rules.yaml").read_text())
    parts = load_parts(options.data, options.version)
    table, unmatched = build(parts, rules, options.version, options.allow_missing)
    out = options.out or DATA_DIR / f"{options.version}.json"
    out.write_text(json.dumps(table, separators=(",", ":")) + "\n")
    print(figures(table))
    print(f"{out.stat().st_size} bytes")
    for line in unmatched:
        print(f"no block: {line}")


if __name__ == "__main__":
    main()
