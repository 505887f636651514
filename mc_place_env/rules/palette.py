"""The block states one environment uses, as small numbers, and one record of properties for each."""

from itertools import product

import numpy as np

from mc_place_env.errors import ConfigError, ScenarioError
from mc_place_env.rules.blocks import DEFAULT_VERSION, BlockTable
from mc_place_env.rules.orientation import candidates
from mc_place_env.rules.support import DIRECTIONS, NAMES, need, offers
from mc_place_env.types import AIR, MAX_BOXES, MAX_STATES, UNLOADED, VOID, CellClass, Face, Quadrant, ShapeClass

State = tuple[str, int]  # block name, offset of the state
FULL_CUBE = [[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]]
PAIRED_PLANTS = ("tall_grass", "large_fern", "tall_seagrass")
# The state that the same item raises, its highest value, and whether sneaking prevents it.
COUNTED = {
    "snow": ("layers", 8, False),
    "candle": ("candles", 4, True),
    "pickle": ("pickles", 4, True),
    "egg": ("eggs", 4, True),
    "petals": ("flower_amount", 4, True),
}
ANY_FACE = sum(1 << face for face in Face)
SIDES = sum(1 << face for face in (Face.NORTH, Face.SOUTH, Face.EAST, Face.WEST))


class Palette:
    """Ids 0-2 are air, beyond the region, beyond the height limits. Ids never change; new states come at the end."""

    def __init__(self, items: tuple[str, ...], version: str = DEFAULT_VERSION):
        self.table = BlockTable.load(version)
        self.items = tuple(self.table.item_name(item) for item in items)
        if len(set(self.items)) != len(self.items):
            raise ConfigError(f"items={tuple(items)!r}: expected different items, these are {self.items}")
        self._states: list[State] = [("air", 0), ("", 0), ("void_air", 0)]
        self._ids: dict[State, int] = {("air", 0): AIR, ("void_air", 0): VOID}
        self._candidates = {
            (k, face, heading): [self._id(state) for state in candidates(self.table, block, face, heading)]
            for k, block in enumerate(map(self.table.block_of_item, self.items))
            for face, heading in product(DIRECTIONS, Quadrant)
        }
        self.add_companions()

    def __len__(self) -> int:
        return len(self._states)

    def id(self, name: str) -> int:
        """Palette id of a block name, added if new; ScenarioError for an unknown name or a full palette."""
        return self._id(self.table.parse(name))

    def id_of_state(self, state_id: int) -> int:
        """Palette id of Minecraft's global state id, added if new."""
        return self._id(self.table.from_state_id(state_id))

    def _id(self, state: State) -> int:
        known = self._ids.get(state)
        if known is None:
            if len(self._states) >= MAX_STATES:
                raise ScenarioError(
                    f"more than {MAX_STATES} block states in use by the items {', '.join(self.items)} and the world; "
                    f"the next would be {self.table.full_name(*state)}"
                )
            known = self._ids[state] = len(self._states)
            self._states.append(state)
        return known

    def forget_after(self, size: int) -> None:
        """Takes back what was added since the palette had this size, before anything used it."""
        for state in self._states[size:]:
            del self._ids[state]
        del self._states[size:]

    def name(self, palette_id: int) -> str:
        """The name of a palette entry; beyond the region it is 'void_air', as a client sees unloaded cells."""
        if palette_id in (UNLOADED, VOID):
            return "void_air"
        return self.table.full_name(*self._states[palette_id])

    def names(self) -> list[str]:
        """The name of every entry, in order of id."""
        return [self.name(k) for k in range(len(self))]

    def state_id(self, palette_id: int) -> int:
        """Minecraft's global state id of a palette entry."""
        return self.table.state_id(*self._states[palette_id])

    # -- states that come with others --------------------------------------------------------------------------------

    def add_companions(self) -> None:
        """Adds what a placement can turn the present states into: stacked, second half, waterlogged."""
        has_water = any(name == "water" for name, _ in self._states)
        at = 0
        while at < len(self._states):
            name, offset = self._states[at]
            if at not in (UNLOADED, VOID):
                for companion in (self._stacked(name, offset), self._second(name, offset)):
                    if companion is not None:
                        self._id(companion)
                if has_water and (wet := self._waterlogged(name, offset)) is not None:
                    self._id(wet)
            at += 1

    def _placeable(self, name: str) -> bool:
        blocks = {self.table.block_of_item(item) for item in self.items}
        return name in blocks or name in {self.table.wall_blocks.get(block) for block in blocks}

    def _with(self, name: str, offset: int, **states: str) -> State:
        return name, self.table.offset_of(name, self.table.states_at(name, offset) | states)

    def _stacked(self, name: str, offset: int) -> State | None:
        """The state after the same item is used on it again."""
        family = self.table.blocks[name].get("stack")
        states = self.table.states_at(name, offset)
        if not self._placeable(name):
            return None
        if family == "slab":
            return None if states["type"] == "double" else self._with(name, offset, type="double", waterlogged="false")
        if family not in COUNTED:
            return None
        key, most, _ = COUNTED[family]
        count = int(states[key])
        return self._with(name, offset, **{key: str(count + 1)}) if count < most else None

    def _second(self, name: str, offset: int) -> State | None:
        """The half that comes with a lower half or a bed's foot."""
        states = self.table.states_at(name, offset)
        if not self._placeable(name):
            return None
        if self.table.has_tag(name, "two_high") and states["half"] == "lower":
            return self._with(name, offset, half="upper")
        if self.table.has_tag(name, "two_long") and states["part"] == "foot":
            return self._with(name, offset, part="head")
        return None

    def _waterlogged(self, name: str, offset: int) -> State | None:
        """The state in a cell that held a water source."""
        states = self.table.states_at(name, offset)
        dry = self._placeable(name) and states.get("waterlogged") == "false" and states.get("type") != "double"
        return self._with(name, offset, waterlogged="true") if dry else None

    # -- columns of the SHARED record --------------------------------------------------------------------------------

    def fill(self, shared: np.ndarray) -> None:
        """Writes every palette column of a SHARED record."""
        self.add_companions()
        shared["palette_size"] = len(self)
        for (k, face, heading), states in self._candidates.items():
            shared["candidates"][k, face, heading, : len(states)] = states
        kinds = {name: k for k, name in enumerate(dict.fromkeys(name for name, _ in self._states))}
        shared["lava"] = kinds.get("lava", -1)
        for palette_id, (name, offset) in enumerate(self._states):
            shared["kind"][palette_id] = kinds[name]
            shared["cell_class"][palette_id] = self._cell_class(palette_id)
            self._fill_boxes(shared, palette_id, name, offset)
            if palette_id not in (UNLOADED, VOID):
                self._fill_properties(shared, palette_id, name, offset)
                self._fill_support(shared, palette_id, name, offset)
                self._fill_companions(shared, palette_id, name, offset)
        shared["solid"] = (shared["anchorable"] != 0) | (shared["box_count"] > 0)
        shared["overhang"] = max(0.0, shared["boxes"][..., 4].max() - 1.0)

    def _fill_boxes(self, shared: np.ndarray, palette_id: int, name: str, offset: int) -> None:
        boxes = FULL_CUBE if palette_id == UNLOADED else self.table.boxes(name, offset)
        assert len(boxes) <= MAX_BOXES, f"{name} has {len(boxes)} collision boxes"
        shared["box_count"][palette_id] = len(boxes)
        for k, box in enumerate(boxes):
            shared["boxes"][palette_id, k] = box
        shared["shape_class"][palette_id] = shape_class(boxes)

    def _fill_properties(self, shared: np.ndarray, palette_id: int, name: str, offset: int) -> None:
        fluid = self.table.has_tag(name, "fluid")
        shared["fluid"][palette_id] = fluid
        shared["anchorable"][palette_id] = not (self.table.has_tag(name, "air") or fluid)
        shared["intercepts"][palette_id] = self.table.has_tag(name, "intercepts")
        shared["replaceable"][palette_id] = self._replaceable(name, offset)
        shared["partner"][palette_id] = self._partner(name, offset)
        shared["falls"][palette_id] = self.table.has_tag(name, "gravity")

    def _fill_support(self, shared: np.ndarray, palette_id: int, name: str, offset: int) -> None:
        wants = need(self.table, name, offset)
        shared["offers"][palette_id] = offers(self.table, name, offset)
        shared["needs"][palette_id], shared["needs_from"][palette_id] = wants.bits, wants.direction
        shared["special"][palette_id] = wants.special

    def _fill_companions(self, shared: np.ndarray, palette_id: int, name: str, offset: int) -> None:
        stacked = self._stacked(name, offset)
        shared["stacked"][palette_id] = 0 if stacked is None else self._id(stacked)
        shared["open"][palette_id] = stacked is not None or self._replaceable(name, offset)
        shared["stack_faces"][palette_id] = self._stack_faces(name, offset)
        family = self.table.blocks[name].get("stack")
        shared["stack_sneaking"][palette_id] = family == "slab" or family == "snow"
        second = self._second(name, offset)
        shared["second_state"][palette_id] = 0 if second is None else self._id(second)
        shared["second_face"][palette_id] = -1 if second is None else self._second_face(name, offset)
        wet = self._waterlogged(name, offset)
        shared["waterlogged"][palette_id] = self._ids.get(wet, 0) if wet is not None else 0

    def _stack_faces(self, name: str, offset: int) -> int:
        """Faces on which a click on the block itself stacks, as bits (the lower half of a side is clicked)."""
        family = self.table.blocks[name].get("stack")
        if family == "slab":
            bottom = self.table.states_at(name, offset)["type"] == "bottom"
            return 1 << Face.UP if bottom else 1 << Face.DOWN | SIDES
        return 1 << Face.UP if family == "snow" else ANY_FACE

    def _second_face(self, name: str, offset: int) -> int:
        if self.table.has_tag(name, "two_high"):
            return Face.UP
        return NAMES[self.table.states_at(name, offset)["facing"]]

    def _replaceable(self, name: str, offset: int) -> bool:
        if self.table.has_tag(name, "replaceable_if_single_layer"):
            return self.table.states_at(name, offset)["layers"] == "1"
        return self.table.has_tag(name, "replaceable")

    def _partner(self, name: str, offset: int) -> int:
        if name not in PAIRED_PLANTS:
            return 0
        return 1 if self.table.states_at(name, offset)["half"] == "lower" else -1

    def _cell_class(self, palette_id: int) -> int:
        """The class a policy sees: an item's block is that item, everything else by what it means to a placement."""
        if palette_id in (UNLOADED, VOID):
            return CellClass.OUT_OF_WORLD
        name, offset = self._states[palette_id]
        for k, item in enumerate(self.items):
            block = self.table.block_of_item(item)
            if name in (block, self.table.wall_blocks.get(block)):
                return CellClass.ITEM + k
        if self.table.has_tag(name, "air"):
            return CellClass.EMPTY
        if self._replaceable(name, offset):
            return CellClass.REPLACEABLE
        return CellClass.INTERCEPTING if self.table.has_tag(name, "intercepts") else CellClass.ANCHOR


def shape_class(boxes: list[list[float]]) -> ShapeClass:
    """What a policy sees of a collision shape."""
    if not boxes:
        return ShapeClass.NONE
    if boxes == FULL_CUBE:
        return ShapeClass.FULL
    low, high = min(box[1] for box in boxes), max(box[4] for box in boxes)
    if high > 1.0:
        return ShapeClass.TALL
    if low == 0.0:
        return ShapeClass.LOWER if high < 1.0 else ShapeClass.OTHER
    return ShapeClass.UPPER if high == 1.0 else ShapeClass.OTHER
