"""Which block states an item may become on a face: plain functions from the block's family to a list of candidates.

The candidates are tried in order; the first that its surroundings support is placed (RULES, Orientation and Support).
The agent looks level (pitch 0) and clicks the lower half of a side face. Families: `orientation` in data/rules.yaml.
"""

from collections.abc import Callable, Iterator

from mc_place_env.rules.blocks import BlockTable
from mc_place_env.types import MAX_CANDIDATES, Face, Quadrant

States = dict[str, str]
Candidate = tuple[str, States]  # block name, the states that differ from its default

FACINGS = ("south", "west", "north", "east")  # by heading
FACE_AXIS = {
    Face.UP: "y",
    Face.DOWN: "y",
    Face.NORTH: "z",
    Face.SOUTH: "z",
    Face.EAST: "x",
    Face.WEST: "x",
}
OPPOSITE = {"up": "down", "down": "up", "north": "south", "south": "north", "east": "west", "west": "east"}


def candidates(table: BlockTable, block: str, face: Face, heading: Quadrant) -> list[tuple[str, int]]:
    """What an item of `block` may become on an absolute face, as (name, state offset), in order of preference."""
    rule = FAMILIES.get(table.blocks[block].get("orientation", ""), keep_default)
    if block in table.wall_blocks:
        rule = standing_or_wall
    found = []
    for name, states in rule(table, block, face, FACINGS[heading]):
        known = {key: value for key, value in states.items() if key in table.state_values(name)}
        found.append((name, table.offset_of(name, table.default_states(name) | known)))
    return found[:MAX_CANDIDATES]


def facing_of(face: Face) -> str:
    """The name of an absolute face as a `facing`."""
    return face.name.lower()


def is_side(face: Face) -> bool:
    """Whether a face is neither top nor bottom."""
    return face not in (Face.UP, Face.DOWN)


def half_of(face: Face) -> str:
    """bottom on a top face and in the lower half of a side, top under a bottom face."""
    return "top" if face == Face.DOWN else "bottom"


def turned(facing: str, quarters: int) -> str:
    """A horizontal facing turned clockwise."""
    return FACINGS[(FACINGS.index(facing) + quarters) % 4]


def looking_order(face: Face, player: str) -> list[str]:
    """Directions in which the game looks for support: against the clicked face first, then by the level look."""
    by_look = [player, "down", turned(player, 3), turned(player, 1), "up", turned(player, 2)]
    against = OPPOSITE[facing_of(face)]
    return [against, *(direction for direction in by_look if direction != against)]


def keep_default(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """No orientation of its own."""
    yield block, {"persistent": "true"}


def stairs(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """The player's facing; the half by the click."""
    yield block, {"facing": player, "half": half_of(face)}


def slab(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """The half by the click."""
    yield block, {"type": half_of(face)}


def axis(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """The clicked face's axis."""
    yield block, {"axis": FACE_AXIS[face]}


def opposite(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """Towards the player."""
    yield block, {"facing": OPPOSITE[player]}


def same(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """As the player; a bed's foot comes first, a door's lower half."""
    yield block, {"facing": player}


def anvil(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """Clockwise of the player."""
    yield block, {"facing": turned(player, 1)}


def trapdoor(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """On a side it faces that side, else towards the player."""
    yield block, {"facing": facing_of(face) if is_side(face) else OPPOSITE[player], "half": half_of(face)}


def hopper(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """Into the clicked block, or down."""
    yield block, {"facing": OPPOSITE[facing_of(face)] if is_side(face) else "down"}


def clicked_face(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """Out of the clicked face."""
    yield block, {"facing": facing_of(face)}


def wall(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """Away from any wall beside the cell, the clicked one first."""
    for direction in looking_order(face, player):
        if direction in FACINGS:
            yield block, {"facing": OPPOSITE[direction]}


def standing_or_wall(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """Torches, signs, banners, heads, fans: on the floor (hanging signs: the ceiling) or on any wall beside."""
    hangs = table.blocks[block].get("support") == "hanging_sign"
    upright, never = ("up", "down") if hangs else ("down", "up")
    for direction in looking_order(face, player):
        if direction == upright:
            yield block, {"rotation": rotation(table, block, player)}
        elif direction != never:
            yield table.wall_blocks[block], {"facing": OPPOSITE[direction]}


def rotation(table: BlockTable, block: str, player: str) -> str:
    """Sixteenths of a turn: signs and banners look at the player, heads away."""
    sixteenths = 4 * FACINGS.index(player)
    return str(sixteenths if table.blocks[block].get("orientation") == "rotation16_head" else (sixteenths + 8) % 16)


def face_attached(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """Buttons and levers: on the clicked side first, then on any other beside the cell."""
    for direction in looking_order(face, player):
        if direction in FACINGS:
            yield block, {"face": "wall", "facing": OPPOSITE[direction]}
        else:
            yield block, {"face": "floor" if direction == "down" else "ceiling", "facing": player}


def lantern(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """Hanging under a clicked bottom, else standing; the other where only that is supported."""
    for direction in looking_order(face, player):
        if direction not in FACINGS:
            yield block, {"hanging": "true" if direction == "up" else "false"}


def bell(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """On the floor, under a ceiling, or against a wall; where the clicked wall does not hold it, on the floor."""
    if is_side(face):
        yield block, {"attachment": "single_wall", "facing": OPPOSITE[facing_of(face)]}
    ceiling = face == Face.DOWN
    yield block, {"attachment": "ceiling" if ceiling else "floor", "facing": player}


def attach_faces(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """Vines and lichen: the side towards what holds them."""
    for direction in looking_order(face, player):
        if direction in table.state_values(block):
            default = dict.fromkeys((key for key in OPPOSITE if key in table.state_values(block)), "false")
            yield block, default | {direction: "true"}


def rail(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """Along the player's heading; joining neighbours is not modelled."""
    yield block, {"shape": "east_west" if player in ("east", "west") else "north_south"}


def cocoa(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """Towards the trunk beside the cell."""
    for direction in looking_order(face, player):
        if direction in FACINGS:
            yield block, {"facing": direction}


def dripstone(table: BlockTable, block: str, face: Face, player: str) -> Iterator[Candidate]:
    """Away from the clicked floor or ceiling; up otherwise."""
    yield block, {"vertical_direction": "down" if face == Face.DOWN else "up"}


FAMILIES: dict[str, Callable[[BlockTable, str, Face, str], Iterator[Candidate]]] = {
    "stairs": stairs,
    "slab": slab,
    "axis": axis,
    "opposite": opposite,
    "opposite6": opposite,
    "same6": same,
    "player": same,
    "door": same,
    "anvil": anvil,
    "trapdoor": trapdoor,
    "hopper": hopper,
    "clicked_face": clicked_face,
    "wall": wall,
    "wall_hanging_sign": wall,
    "face_attached": face_attached,
    "lantern": lantern,
    "bell": bell,
    "attach_faces": attach_faces,
    "rail": rail,
    "cocoa": cocoa,
    "dripstone": dripstone,
}
