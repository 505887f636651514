"""What is played: worlds with requests in them, scripted ones for every family and refusal, and random ones."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mc_place_env.rules.blocks import BlockTable
from mc_place_env.rules.palette import Palette
from mc_place_env.types import Cell

Blocks = dict[Cell, str]

STONE = "stone"
FLOOR = [-8, 63, -8, 8, 63, 8, STONE]
BODY = ((0, 64, 0), (0, 65, 0))  # the agent's own cells
COUNT = 4  # of every item in the inventory
MAX_ITEMS = 8  # a pack shares one environment, whose palette holds 255 states
MAX_PALETTE = 150  # states of a pack's items; the rest is for the worlds
REQUESTS = 8  # random requests played one after another in one world
ABSOLUTE = ("up", "down", "north", "south", "east", "west")
RELATIVE = ("forward", "back", "left", "right")


@dataclass(frozen=True)
class Request:
    """An item on a face of the block at `anchor` (world coordinates; the agent is in cell 0, y, 0)."""

    item: str
    anchor: Cell
    face: str


@dataclass
class Trial:
    """A world, a body, and the requests made in it one after another."""

    kind: str
    requests: list[Request]
    blocks: Blocks = field(default_factory=dict)
    yaw: float = 0.0
    sneaking: bool = False
    position: tuple[float, float, float] = (0.5, 64.0, 0.5)
    floor: bool = True
    items: tuple[str, ...] | None = None  # held; None: those of the requests

    def scenario(self) -> dict[str, Any]:
        """As `reset(options={"scenario": ...})` takes it."""
        held = dict.fromkeys(request.item for request in self.requests) if self.items is None else self.items
        return {
            "fill": [bottom(self.position), *([FLOOR] if self.floor else [])],
            "blocks": [[*cell, name] for cell, name in self.blocks.items()],
            "agent": {"position": list(self.position), "yaw": self.yaw},
            "inventory": dict.fromkeys(held, COUNT),
        }


def bottom(position: tuple[float, float, float]) -> list[Any]:
    """A layer near the lower end of the region: what falls out of it, nobody sees come to rest."""
    y = int(position[1]) - 11
    return [-8, y, -8, 8, y, 8, STONE]


# -- families --------------------------------------------------------------------------------------------------------


def family(table: BlockTable, item: str) -> str:
    """The rule family under which an item is counted: the most special rule that its block has."""
    name = table.block_of_item(item)
    block = table.blocks[name]
    if block.get("support"):
        return f"support: {block['support']}"
    if block.get("stack"):
        return f"stacking: {block['stack']}"
    if table.has_tag(name, "gravity"):
        return "gravity"
    return f"orientation: {block['orientation']}" if block.get("orientation") else "plain"


def representatives(table: BlockTable) -> list[str]:
    """One item a family and a few more where families meet: wall forms, two halves, waterlogging."""
    first: dict[str, str] = {}
    for item in table.items:
        first.setdefault(family(table, item), item)
    more = ("torch", "oak_sign", "oak_door", "white_bed", "sunflower", "anvil", "chest", "oak_fence", "skeleton_skull")
    return list(dict.fromkeys([*first.values(), *more]))


def packs(table: BlockTable, items: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The items in groups whose states fit a palette together."""
    group: tuple[str, ...] = ()
    for item in items:
        if group and (len(group) == MAX_ITEMS or _palette_size((*group, item), table) > MAX_PALETTE):
            yield group
            group = ()
        group = (*group, item)
    if group:
        yield group


def _palette_size(items: tuple[str, ...], table: BlockTable) -> int:
    palette = Palette(items, table.version)
    palette.id("water")
    palette.add_companions()
    return len(palette)


# -- scripted ----------------------------------------------------------------------------------------------------------


def scripted(table: BlockTable, item: str) -> Iterator[Trial]:
    """Every kind of answer for an item, each on every face and from every side."""
    for k, (kind, make) in enumerate(KINDS.items()):
        for f, face in enumerate(ABSOLUTE + RELATIVE if kind == "free" else ABSOLUTE):
            trial = make(table, item, face)
            if trial is not None:
                trial.kind, trial.yaw = kind, 90.0 * ((f + k) % 4)
                if face in RELATIVE:
                    trial.yaw = 90.0 * RELATIVE.index(face)
                yield trial


def _on_face(item: str, face: str, anchor: str = STONE, destination: str = "air", **more: Any) -> Trial:
    """The anchor two cells ahead at eye height, in the open."""
    at = (0, 65, 2)
    blocks = {at: anchor}
    if destination != "air" and face in ABSOLUTE:
        blocks[across(at, face)] = destination
    return Trial("", [Request(item, at, face)], blocks, **more)


def _free(table: BlockTable, item: str, face: str) -> Trial:
    return _on_face(item, face)


def _own_ground(table: BlockTable, item: str, face: str) -> Trial:
    """The block that the item's family asks for below, or a wall all round."""
    trial = _on_face(item, face)
    cell = across((0, 65, 2), face)
    ground = f"ground_{table.blocks[table.block_of_item(item)].get('support')}"
    names = [name for name in table.blocks if table.has_tag(name, ground)]
    around = {across(cell, side): STONE for side in ABSOLUTE} if not names else {}
    below = across(cell, "down")
    trial.blocks = around | trial.blocks | ({below: names[0], across(below, "north"): "water"} if names else {})
    for own in BODY:
        trial.blocks.pop(own, None)
    return trial


def _same_block(table: BlockTable, item: str, face: str) -> Trial:
    return _on_face(item, face, table.block_of_item(item))


def _at_the_body(table: BlockTable, item: str, face: str) -> Trial:
    """The cell is one of the agent's own."""
    cell = BODY[0] if face == "up" else BODY[1]
    anchor = across(cell, OPPOSITE[face])
    return Trial("", [Request(item, anchor, face)], {anchor: STONE} if anchor not in BODY else {})


def _at_the_top(table: BlockTable, item: str, face: str) -> Trial:
    """On the highest cell of the world."""
    top = table.max_y
    blocks = {(0, top, 2): STONE, (0, top - 2, 0): STONE}
    return Trial("", [Request(item, (0, top, 2), face)], blocks, position=(0.5, top - 1.0, 0.5), floor=False)


def _no_item(table: BlockTable, item: str, face: str) -> Trial:
    trial = _on_face(item, face)
    trial.items = ()
    return trial


# How each kind of answer is asked for; what the answer is, the rules and the server say.
KINDS = {
    "free": _free,
    "own ground": _own_ground,
    "same block": _same_block,
    "on a slab": lambda table, item, face: _on_face(item, face, "stone_slab[type=bottom]"),
    "on a fence": lambda table, item, face: _on_face(item, face, "oak_fence"),
    "on leaves": lambda table, item, face: _on_face(item, face, "oak_leaves[persistent=true]"),
    "on a flower": lambda table, item, face: _on_face(item, face, "poppy"),
    "into grass": lambda table, item, face: _on_face(item, face, destination="short_grass"),
    "into water": lambda table, item, face: _on_face(item, face, destination="water"),
    "into its own block": lambda table, item, face: _on_face(item, face, destination=table.block_of_item(item)),
    "occupied": lambda table, item, face: _on_face(item, face, destination="oak_planks"),
    "intercepted": lambda table, item, face: _on_face(item, face, "crafting_table"),
    "sneaking": lambda table, item, face: _on_face(item, face, "crafting_table", sneaking=True),
    "at the body": _at_the_body,
    "at the top": _at_the_top,
    "no item": _no_item,
    "missing anchor": lambda table, item, face: _on_face(item, face, "water"),
    "out of reach": lambda table, item, face: Trial("", [Request(item, (0, 63, 7), face)]),
    "beyond the region": lambda table, item, face: Trial("", [Request(item, (0, 63, 17), face)]),
}
STEPS = {
    "up": (0, 1, 0),
    "down": (0, -1, 0),
    "north": (0, 0, -1),
    "south": (0, 0, 1),
    "east": (1, 0, 0),
    "west": (-1, 0, 0),
    "forward": (0, 0, 1),
    "back": (0, 0, -1),
    "left": (1, 0, 0),
    "right": (-1, 0, 0),
}
OPPOSITE = {"up": "down", "down": "up", "north": "south", "south": "north", "east": "west", "west": "east"}


def across(cell: Cell, face: str) -> Cell:
    """The cell across a face; a relative one counts as if the agent looked south."""
    dx, dy, dz = STEPS[face]
    return cell[0] + dx, cell[1] + dy, cell[2] + dz


# -- random ------------------------------------------------------------------------------------------------------------

COMMON = (
    "stone", "dirt", "oak_planks", "glass", "oak_leaves[persistent=true]", "chest", "oak_fence", "cobblestone_wall",
    "stone_slab[type=bottom]", "stone_slab[type=top]", "torch", "poppy", "rail", "water", "short_grass", "vine",
    "snow[layers=1]", "snow[layers=3]", "white_carpet", "soul_sand", "farmland", "sand", "ice", "hopper",
    "oak_trapdoor[half=top]", "oak_stairs[half=top]", "tall_grass[half=upper]", "oak_sign", "lava", "grass_block",
)  # fmt: skip


def random_trial(draw: random.Random, items: tuple[str, ...], names: list[str]) -> Trial:
    """Blocks of these names around an agent that stands on stone, and requests near it."""
    blocks = {}
    density = draw.choice((0.15, 0.3, 0.5))
    for x in range(-3, 4):
        for z in range(-3, 4):
            for y in (63, 64, 65, 66):
                if (x, z) != (0, 0) and draw.random() < (0.5 if y == 63 else density):
                    blocks[x, y, z] = draw.choice(names)
    sneaking, yaw = draw.random() < 0.25, 90.0 * draw.randrange(4)
    requests = [Request(draw.choice(items), *_random_click(draw, blocks)) for _ in range(REQUESTS)]
    return Trial("random", requests, blocks, yaw, sneaking, items=items)


def _random_click(draw: random.Random, blocks: Blocks) -> tuple[Cell, str]:
    """A block within reach, mostly, and a face."""
    near = [cell for cell in blocks if abs(cell[0]) + abs(cell[2]) <= 4]
    anchor = draw.choice(near) if near and draw.random() < 0.9 else (draw.randint(-3, 3), 63, draw.randint(-3, 3))
    return anchor, draw.choice(ABSOLUTE)


def random_items(draw: random.Random, table: BlockTable) -> list[str]:
    """A mix in which every family has the same chance, whatever its size."""
    by_family: dict[str, list[str]] = {}
    for item in table.items:
        by_family.setdefault(family(table, item), []).append(item)
    chosen = [draw.choice(items) for items in by_family.values()]
    draw.shuffle(chosen)
    return chosen
