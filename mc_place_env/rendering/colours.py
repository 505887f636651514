"""How a block looks: colours and boxes by name. Colours are (r, g, b) in 0-255, boxes are inside the unit cell."""

from functools import cache
from typing import NamedTuple
from zlib import crc32

FULL = (0.0, 0.0, 0.0, 1.0, 1.0, 1.0)

SIDES = {
    "stone": 0x8C8F94, "cobblestone": 0x7C7F84, "smooth_stone": 0xA6A8AC, "stone_bricks": 0x86888C,
    "andesite": 0x8A8D8F, "diorite": 0xC4C5C8, "granite": 0x9C6B58, "deepslate": 0x54565C, "bedrock": 0x3F4146,
    "dirt": 0x8F6345, "coarse_dirt": 0x7B5539, "podzol": 0x7A5230, "farmland": 0x6D4A2E, "mud": 0x4B4347,
    "grass_block": 0x8F6345, "moss_block": 0x63803A, "clay": 0xA1A8B5, "gravel": 0x8B8684,
    "sand": 0xE2D5A2, "sandstone": 0xDBCC95, "red_sand": 0xC1692B, "red_sandstone": 0xB8642A,
    "snow": 0xF3F8FA, "snow_block": 0xF3F8FA, "ice": 0x9CBEF5, "packed_ice": 0x8DB4F0,
    "water": 0x3E74D8, "lava": 0xE8701A, "glass": 0xC6E6EE, "obsidian": 0x2A2038, "netherrack": 0x7A3433,
    "oak_log": 0x6F5838, "birch_log": 0xD9D6CC, "spruce_log": 0x46301A,
    "oak_planks": 0xBC9458, "spruce_planks": 0x7B5A34, "birch_planks": 0xCDB97F, "jungle_planks": 0xAB7750,
    "acacia_planks": 0xB05F36, "dark_oak_planks": 0x4C3219, "mangrove_planks": 0x793B37, "cherry_planks": 0xE4B6AE,
    "oak_leaves": 0x4C8A2C, "birch_leaves": 0x6C934A, "spruce_leaves": 0x3F6A43,
    "bricks": 0xA0594A, "quartz_block": 0xECE7E0, "iron_block": 0xDDDDDD, "gold_block": 0xF4CF3C,
    "diamond_block": 0x62E2D8, "emerald_block": 0x2FC65A, "lapis_block": 0x2450A4, "redstone_block": 0xB4200E,
    "coal_block": 0x1E1F22, "glowstone": 0xE6C078, "crafting_table": 0xA06F3E, "chest": 0xA7732F,
    "furnace": 0x77797C, "bookshelf": 0x9C7444, "tnt": 0xD2452F, "pumpkin": 0xD1781C, "melon": 0x76912C,
    "hay_block": 0xC2A126, "torch": 0xFFCF5A, "poppy": 0xD8322A,
    "dandelion": 0xF2D531, "short_grass": 0x6AA53C, "fern": 0x5E9440, "wall_torch": 0xFFCF5A, "ladder": 0xA5814B,
}  # fmt: skip
TOPS = {
    "grass_block": 0x7DB54A, "podzol": 0x6B4A22, "oak_log": 0xB89560, "birch_log": 0xC8B37C, "spruce_log": 0x7B5A34,
    "bookshelf": 0xBC9458, "tnt": 0xE6DCD2, "crafting_table": 0xB68A55,
}  # fmt: skip
DYES = {
    "white": 0xE9ECEC, "orange": 0xF07613, "magenta": 0xBD44B3, "light_blue": 0x3AAFD9, "yellow": 0xF8C627,
    "lime": 0x70B919, "pink": 0xED8DAC, "gray": 0x3E4447, "light_gray": 0x8E8E86, "cyan": 0x158991,
    "purple": 0x792AAC, "blue": 0x35399D, "brown": 0x724728, "green": 0x546D1B, "red": 0xA12722, "black": 0x141519,
}  # fmt: skip
DYED = ("wool", "carpet", "concrete", "concrete_powder", "terracotta", "bed", "stained_glass", "stained_glass_pane")
SHAPED = ("_slab", "_stairs", "_wall", "_fence_gate", "_fence", "_pressure_plate", "_button", "_trapdoor", "_door")
PLANTS = ("sapling", "dandelion", "poppy", "tulip", "mushroom", "short_grass", "fern", "flower", "wheat", "carrots")
ALPHAS = {"water": 150, "ice": 215, "glass": 110}  # 255 is opaque


class Part(NamedTuple):
    """One box of a block with its own colours."""

    box: tuple  # (6,) x0, y0, z0, x1, y1, z1 in the unit cell
    top: tuple | None  # (3,) colour; None where another part covers it
    side: tuple  # (3,) colour


class Look(NamedTuple):
    """All that a picture needs to know of one block name."""

    parts: tuple  # (P,) Part, from the lowest up
    alpha: int  # 0-255
    full: bool  # an opaque unit cube: hides the faces it touches


def base_name(name):
    """`minecraft:stone_slab[type=top]` -> `stone_slab`."""
    return name.split("[")[0].removeprefix("minecraft:")


def states_of(name):
    """`stone_slab[type=top]` -> {"type": "top"}."""
    inside = name.partition("[")[2].rstrip("]")
    return dict(pair.split("=", 1) for pair in inside.split(",") if "=" in pair)


@cache
def look_of(name):
    """The Look of a block name, states included."""
    base = base_name(name)
    alpha = 110 if "glass" in base else ALPHAS.get(base, 255)
    side, top = colour_of(base), rgb(TOPS[base]) if base in TOPS else colour_of(base)
    boxes = boxes_of(base, states_of(name))
    if base in ("grass_block", "podzol"):
        parts = (Part((0, 0, 0, 1, 0.8, 1), None, side), Part((0, 0.8, 0, 1, 1, 1), top, top))
        return Look(parts, alpha, True)
    return Look(tuple(Part(box, top, side) for box in boxes), alpha, boxes == (FULL,) and alpha == 255)


@cache
def bounds_of(name):
    """(6,) the box around all parts of a block."""
    boxes = [part.box for part in look_of(name).parts]
    return tuple(min(axis) for axis in zip(*boxes))[:3] + tuple(max(axis) for axis in zip(*boxes))[3:]


def top_colour_of(name):
    """(3,) the colour of a block seen from above."""
    return look_of(name).parts[-1].top


@cache
def colour_of(name):
    """(3,) the main colour of a block or item name; a stable colour for names not in the palette."""
    base = base_name(name)
    if base in SIDES:
        return rgb(SIDES[base])
    for kind in DYED:
        if base.endswith("_" + kind) and base[: -len(kind) - 1] in DYES:
            return rgb(DYES[base[: -len(kind) - 1]])
    return _material_colour(base) or _hash_colour(base)


def _material_colour(base):
    """The colour of what a shaped block is made of: `oak_stairs` -> `oak_planks`; None if unknown."""
    for ending in SHAPED:
        stem = base.removesuffix(ending)
        if stem != base:
            found = next((stem + more for more in ("", "s", "_planks", "_block") if stem + more in SIDES), None)
            return rgb(SIDES[found]) if found else None
    return None


def _hash_colour(base):
    """A colour of middling lightness from the name's checksum; the same in every process."""
    code = crc32(base.encode())
    return tuple(70 + (code >> shift & 0xFF) * 130 // 255 for shift in (0, 8, 16))


def rgb(code):
    """0xRRGGBB -> (r, g, b)."""
    return (code >> 16, code >> 8 & 0xFF, code & 0xFF)


def boxes_of(base, states):
    """(P, 6): the boxes a block fills, lowest first; a full cube unless its name says otherwise."""
    if base.endswith("_slab"):
        return {"top": ((0, 0.5, 0, 1, 1, 1),), "double": (FULL,)}.get(states.get("type"), ((0, 0, 0, 1, 0.5, 1),))
    if base.endswith("_stairs"):
        return _stairs_boxes(states)
    if base == "snow":
        return ((0, 0, 0, 1, int(states.get("layers", 1)) / 8, 1),)
    if base.endswith(("_fence", "_wall")):
        return ((0.3, 0, 0.3, 0.7, 1, 0.7),)
    if base.endswith("torch") or base in ("lantern", "lightning_rod", "end_rod"):
        return ((0.42, 0, 0.42, 0.58, 0.65, 0.58),)
    if base.endswith(PLANTS):
        return ((0.3, 0, 0.3, 0.7, 0.6, 0.7),)
    height = _height_of(base)
    return ((0, 0, 0, 1, height, 1),) if height < 1 else (FULL,)


def _height_of(base):
    """The height of a flat block, in blocks."""
    if base.endswith(("carpet", "_pressure_plate", "rail", "redstone_wire", "lily_pad")):
        return 1 / 16
    return 7 / 8 if base in ("water", "lava") else 1.0


def _stairs_boxes(states):
    """A half slab and the step on the side the stairs face; the other way up with `half=top`."""
    side = {"south": (0, 0.5, 1, 1), "west": (0, 0, 0.5, 1), "east": (0.5, 0, 1, 1)}
    x0, z0, x1, z1 = side.get(states.get("facing", "north"), (0, 0, 1, 0.5))
    if states.get("half") == "top":
        return ((x0, 0, z0, x1, 0.5, z1), (0, 0.5, 0, 1, 1, 1))
    return ((0, 0, 0, 1, 0.5, 1), (x0, 0.5, z0, x1, 1, z1))
