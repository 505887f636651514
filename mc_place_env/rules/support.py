"""What a block needs from its neighbours and what it offers them, as bits (RULES, Support; data/rules.yaml).

One rule serves nearly every family: the neighbour in one direction must offer one of the bits that the state needs.
`offers` is the same for whoever asks; what is special about a family is in `needs`.
"""

from dataclasses import dataclass

from mc_place_env.rules.blocks import BlockTable
from mc_place_env.types import SOLID_BIT, WATER_BIT, Face, Special

# Directions in the order of the table's `sturdy` masks.
DIRECTIONS = (Face.UP, Face.DOWN, Face.NORTH, Face.SOUTH, Face.EAST, Face.WEST)
NAMES = {face.name.lower(): face for face in DIRECTIONS}
OPPOSITE = {
    Face.UP: Face.DOWN,
    Face.DOWN: Face.UP,
    Face.NORTH: Face.SOUTH,
    Face.SOUTH: Face.NORTH,
    Face.EAST: Face.WEST,
    Face.WEST: Face.EAST,
}

FULL, CENTRE, RIM = 0, 6, 12  # first bit of six, by direction
SOLID = SOLID_BIT.bit_length() - 1
SHAPE_FULL = 19  # six bits: full by collision shape alone, as snow layers and vines ask
NOT_AIR, HOPPER = 25, 26
SNOW_TOP = 27  # holds a snow layer
WATER_SOURCE = WATER_BIT.bit_length() - 1
TOUCHES_TOP = 29  # the collision shape reaches the top anywhere
GROUNDS = (
    "ground_plant",
    "ground_azalea",
    "ground_wither_rose",
    "ground_dead_bush",
    "ground_nether_plant",
    "ground_crop",
    "ground_nether_wart",
    "ground_cactus",
    "ground_sugar_cane",
    "ground_bamboo",
    "ground_mushroom",
    "ground_dripleaf",
    "ground_lily_pad",
    "ground_chorus",
    "ground_cocoa",
)
FIRST_GROUND = 30
SAME_PLANT = FIRST_GROUND + len(GROUNDS)  # one bit a climbing plant, below
CLIMBING = (
    ("weeping_vines", "weeping_vines_plant"),
    ("twisting_vines", "twisting_vines_plant"),
    ("cave_vines", "cave_vines_plant"),
    ("kelp", "kelp_plant"),
    ("big_dripleaf", "big_dripleaf_stem"),
    ("chorus_plant",),
)


@dataclass(frozen=True)
class Need:
    """A state's need: the neighbour towards `direction` offers one of `bits`; nothing is needed if bits is 0."""

    direction: Face = Face.DOWN
    bits: int = 0
    special: Special = Special.NONE


def bit(*positions: int) -> int:
    """A mask of bit positions."""
    return sum(1 << position for position in set(positions))


def faced(first: int, face: Face) -> int:
    """The position of a face's bit among the six from `first`."""
    return first + DIRECTIONS.index(face)


def offers(table: BlockTable, name: str, offset: int) -> int:
    """Everything a block state offers its neighbours."""
    shape = table.sturdy[table.shape_index(name, offset)]
    mask = _shape_bits(table, name, offset, shape)
    if shape & bit(*range(FULL, FULL + 6)):
        mask |= (shape & 0x3F) << SHAPE_FULL
    if not table.has_tag(name, "air"):
        mask |= bit(NOT_AIR)
    if name == "hopper":
        mask |= bit(HOPPER)
    if _holds_snow(table, name, offset, shape):
        mask |= bit(SNOW_TOP)
    if name == "water" and table.states_at(name, offset)["level"] == "0":
        mask |= bit(WATER_SOURCE)
    if any(box[4] >= 1.0 for box in table.boxes(name, offset)):
        mask |= bit(TOUCHES_TOP)
    mask |= bit(*(FIRST_GROUND + k for k, tag in enumerate(GROUNDS) if table.has_tag(name, tag)))
    return mask | bit(*(SAME_PLANT + k for k, plants in enumerate(CLIMBING) if name in plants))


def _shape_bits(table: BlockTable, name: str, offset: int, shape: int) -> int:
    """Full, centre, rim and solid, with the corrections of the tags."""
    everything = (1 << SOLID + 1) - 1
    mask = shape & everything
    full_top = bit(faced(FULL, Face.UP), faced(CENTRE, Face.UP), faced(RIM, Face.UP))
    if table.has_tag(name, "sturdy_full"):
        mask |= bit(*range(SOLID))
    if table.has_tag(name, "sturdy_full_if_eight_layers") and table.states_at(name, offset).get("layers") == "8":
        mask |= full_top
    if table.has_tag(name, "not_sturdy"):
        mask &= bit(SOLID)
    if table.has_tag(name, "not_sturdy_down"):
        mask &= ~bit(*(faced(first, Face.DOWN) for first in (FULL, CENTRE, RIM)))
    if table.has_tag(name, "sturdy_centre_down"):
        mask |= bit(faced(CENTRE, Face.DOWN))
    if table.has_tag(name, "solid"):
        mask |= bit(SOLID)
    return mask & ~bit(SOLID) if table.has_tag(name, "not_solid") else mask


def _holds_snow(table: BlockTable, name: str, offset: int, shape: int) -> bool:
    if table.has_tag(name, "snow_refused"):
        return False
    eight = name == "snow" and table.states_at(name, offset)["layers"] == "8"
    return bool(shape & bit(faced(FULL, Face.UP))) or eight or table.has_tag(name, "snow_allowed")


def need(table: BlockTable, name: str, offset: int) -> Need:
    """What a block state needs; see `support` in data/rules.yaml."""
    family = table.blocks[name].get("support", "")
    states = table.states_at(name, offset)
    if family in ON_TOP:
        return Need(Face.DOWN, bit(*ON_TOP[family]), SPECIALS.get(family, Special.NONE))
    if family in ON_GROUND:
        grounds = (FIRST_GROUND + GROUNDS.index(ground) for ground in ON_GROUND[family])
        return Need(Face.DOWN, bit(*grounds), SPECIALS.get(family, Special.NONE))
    if family in UNDER:
        on_itself = (SAME_PLANT + k for k, plants in enumerate(CLIMBING) if name in plants)
        return Need(Face.UP, bit(*UNDER[family], *on_itself), SPECIALS.get(family, Special.NONE))
    return _attached(family, states)


def _attached(family: str, states: dict[str, str]) -> Need:
    """Families whose direction depends on the state."""
    if family in ("wall_torch", "ladder", "bud"):
        return _needs_full(OPPOSITE[NAMES[states["facing"]]])
    if family == "wall_sign":
        return Need(OPPOSITE[NAMES[states["facing"]]], bit(SOLID))
    if family == "lantern":
        return _needs_centre(Face.UP if states["hanging"] == "true" else Face.DOWN)
    if family == "button":
        on_wall = OPPOSITE[NAMES[states["facing"]]]
        return _needs_full({"floor": Face.DOWN, "ceiling": Face.UP, "wall": on_wall}[states["face"]])
    if family == "bell":
        if states["attachment"] == "ceiling":
            return _needs_centre(Face.UP)
        return _needs_full(Face.DOWN if states["attachment"] == "floor" else NAMES[states["facing"]])
    if family == "wall_attached":
        side = next((NAMES[key] for key in NAMES if states.get(key) == "true"), Face.UP)
        return Need(side, bit(faced(FULL, OPPOSITE[side]), faced(SHAPE_FULL, OPPOSITE[side])))
    if family == "cocoa":
        return Need(NAMES[states["facing"]], bit(FIRST_GROUND + GROUNDS.index("ground_cocoa")))
    if family == "dripstone":
        return _needs_full(Face.UP if states["vertical_direction"] == "down" else Face.DOWN)
    return Need()


def _needs_full(towards: Face) -> Need:
    return Need(towards, bit(faced(FULL, OPPOSITE[towards])))


def _needs_centre(towards: Face) -> Need:
    return Need(towards, bit(faced(CENTRE, OPPOSITE[towards])))


_FULL_TOP, _CENTRE_TOP, _RIM_TOP = (faced(first, Face.UP) for first in (FULL, CENTRE, RIM))
_PLANT = {plants[0]: SAME_PLANT + k for k, plants in enumerate(CLIMBING)}

# Bits of which the block below must offer one.
ON_TOP = {
    "torch": (_CENTRE_TOP,),
    "plate": (_RIM_TOP, _CENTRE_TOP),
    "rail": (_RIM_TOP,),
    "diode": (_RIM_TOP,),
    "redstone": (_FULL_TOP, HOPPER),
    "door": (_FULL_TOP,),
    "carpet": (NOT_AIR,),
    "sign": (SOLID,),
    "snow": (SNOW_TOP,),
    "coral": (_FULL_TOP,),
    "sea_pickle": (_FULL_TOP, TOUCHES_TOP),
    "kelp": (_FULL_TOP, _PLANT["kelp"]),
    "seagrass": (_FULL_TOP,),
    "twisting_vines": (_FULL_TOP, _PLANT["twisting_vines"]),
    "scaffolding": (_FULL_TOP,),
    "frogspawn": (WATER_SOURCE,),
    "big_dripleaf": (FIRST_GROUND + GROUNDS.index("ground_azalea"), _PLANT["big_dripleaf"]),
    "mushroom": (FIRST_GROUND + GROUNDS.index("ground_mushroom"), _FULL_TOP),
}
ON_GROUND = {
    "plant": ("ground_plant",),
    "azalea": ("ground_azalea",),
    "wither_rose": ("ground_wither_rose",),
    "dead_bush": ("ground_dead_bush",),
    "nether_plant": ("ground_nether_plant",),
    "crop": ("ground_crop",),
    "nether_wart": ("ground_nether_wart",),
    "cactus": ("ground_cactus",),
    "sugar_cane": ("ground_sugar_cane",),
    "bamboo": ("ground_bamboo",),
    "small_dripleaf": ("ground_dripleaf", "ground_plant"),
    "lily_pad": ("ground_lily_pad",),
    "chorus": ("ground_chorus",),
}
# Bits of which the block above must offer one.
UNDER = {
    "hanging_sign": (faced(CENTRE, Face.DOWN),),
    "hanging": (faced(FULL, Face.DOWN),),  # or the same plant
    "spore_blossom": (faced(CENTRE, Face.DOWN),),
}
SPECIALS = {
    "cactus": Special.CACTUS,
    "sugar_cane": Special.SUGAR_CANE,
    "kelp": Special.IN_WATER,
    "seagrass": Special.IN_WATER,
    "lily_pad": Special.NOT_IN_FLUID,
    "frogspawn": Special.NOT_IN_FLUID,
    "spore_blossom": Special.NOT_IN_FLUID,
}

# Knowingly simpler than the game; `python -m mc_place_env.conformance` prints the list.
NOT_MODELLED = {
    "mushroom": "light; glass and leaves count as ground",
    "crop": "light",
    "wall_hanging_sign": "can be placed beside anything",
    "scaffolding": "only on a full top",
    "small_dripleaf": "on soil also out of water",
    "sugar_cane": "frosted ice does not count as water",
    "chorus": "only on ground, not on a neighbour",
    "rail": "does not join its neighbours",
    "connects": "fences, walls, panes and wire do not join their neighbours",
    "door": "the hinge is always left",
    "faces": "a second side of a vine or lichen",
    "gravity": "falling blocks hurt and push nobody; scaffolding and dripstone stay; what lost its support stays",
    "magma": "kelp and seagrass also stand on it",
}
