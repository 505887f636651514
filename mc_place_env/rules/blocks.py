"""Blocks by name: the table of one Minecraft version.

A name may carry states as Minecraft writes them, `stone_slab[type=bottom]`.
Source of the table: minecraft-data and the rule lists of `data/rules.yaml` (scripts/make_block_table.py).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import resources

import numpy as np

from mc_place_env.errors import ConfigError, ScenarioError

DEFAULT_VERSION = "1.20.4"
# States that say how a block was placed are always written out; the others only where they differ from the default.
PLACEMENT_STATES = ("axis", "face", "facing", "half", "layers", "part", "type")


@dataclass(frozen=True)
class BlockTable:
    """The block table of one version, as shipped in `data/<version>.json`."""

    version: str
    min_y: int
    max_y: int
    shapes: list[list[list[float]]]
    blocks: dict[str, dict]
    items: dict[str, str]
    other_items: list[str]
    aliases: dict[str, str]
    wall_blocks: dict[str, str]
    sturdy: list[int]  # per shape: see rules/support.py

    @staticmethod
    @cache
    def load(version: str = DEFAULT_VERSION) -> "BlockTable":
        """The table of a version; ConfigError where there is none."""
        file = resources.files("mc_place_env.data") / f"{version}.json"
        if not file.is_file():
            known = sorted(
                f.name[:-5] for f in resources.files("mc_place_env.data").iterdir() if f.name.endswith("json")
            )
            raise ConfigError(f"version={version!r}: no block table; there is one for {', '.join(known)}")
        data = json.loads(file.read_text())
        keys = (
            "version",
            "min_y",
            "max_y",
            "shapes",
            "blocks",
            "items",
            "other_items",
            "aliases",
            "wall_blocks",
            "sturdy",
        )
        return BlockTable(**{key: data[key] for key in keys})

    def state_values(self, name: str) -> dict[str, list[str]]:
        """Every state of a block and the values it takes, in the order of state ids."""
        return self.blocks[name].get("states", {})

    def default_states(self, name: str) -> dict[str, str]:
        """The states of the block's default state."""
        return self.states_at(name, self.blocks[name].get("default", 0))

    def states_at(self, name: str, offset: int) -> dict[str, str]:
        """The states at an offset from the block's first state id; the last state varies fastest."""
        values = self.state_values(name)
        states = {}
        for key in reversed(list(values)):
            offset, index = divmod(offset, len(values[key]))
            states[key] = values[key][index]
        return {key: states[key] for key in values}

    def offset_of(self, name: str, states: Mapping[str, str]) -> int:
        """Inverse of `states_at`."""
        offset = 0
        for key, values in self.state_values(name).items():
            offset = offset * len(values) + values.index(states[key])
        return offset

    def parse(self, text: str) -> tuple[str, int]:
        """A block name with optional states -> (name, state offset). Unlisted states take their default."""
        name, _, rest = text.partition("[")
        name = self.aliases.get(name.removeprefix("minecraft:"), name.removeprefix("minecraft:"))
        if name not in self.blocks:
            raise ScenarioError(f"unknown block {text!r}{suggestion(name, self.blocks)}")
        states = self.default_states(name)
        for part in filter(None, rest.rstrip("]").split(",")):
            key, _, value = part.partition("=")
            allowed = self.state_values(name).get(key.strip())
            if allowed is None or value.strip() not in allowed:
                expected = f"one of {allowed}" if allowed else f"a state among {list(self.state_values(name))}"
                raise ScenarioError(f"block {text!r}: {part!r} is not {expected}")
            states[key.strip()] = value.strip()
        return name, self.offset_of(name, states)

    def full_name(self, name: str, offset: int) -> str:
        """The name with the states that matter: inverse of `parse`."""
        default = self.default_states(name)
        shown = [
            f"{key}={value}"
            for key, value in self.states_at(name, offset).items()
            if value != default[key] or _is_placement_state(key, self.state_values(name)[key])
        ]
        return f"{name}[{','.join(shown)}]" if shown else name

    def state_id(self, name: str, offset: int) -> int:
        """Minecraft's global number of a block state."""
        return self.blocks[name]["first_state_id"] + offset

    def from_state_id(self, state_id: int) -> tuple[str, int]:
        """Inverse of `state_id`; ScenarioError beyond the table."""
        name = self._names_by_state()[state_id] if 0 <= state_id < len(self._names_by_state()) else None
        if name is None:
            raise ScenarioError(f"block state id {state_id} is not in Minecraft {self.version}")
        return name, state_id - self.blocks[name]["first_state_id"]

    def _names_by_state(self) -> list[str]:
        return _names_by_state(self.version)

    def boxes(self, name: str, offset: int) -> list[list[float]]:
        """Collision boxes x0 y0 z0 x1 y1 z1 of a state, in blocks."""
        return self.shapes[self.shape_index(name, offset)]

    def shape_index(self, name: str, offset: int) -> int:
        """Index of a state's shape into `shapes` and `sturdy`."""
        shape = self.blocks[name]["shape"]
        return shape if isinstance(shape, int) else shape[offset]

    def has_tag(self, name: str, tag: str) -> bool:
        """Whether a rule list names the block."""
        return tag in self.blocks[name].get("tags", ())

    def block_of_item(self, item: str) -> str:
        """The block an item places; ConfigError for an unknown item or one that places none."""
        item = self.aliases.get(item.removeprefix("minecraft:"), item.removeprefix("minecraft:"))
        if item in self.items:
            return self.items[item]
        if item in self.other_items:
            raise ConfigError(f"item {item!r} is not a block: it cannot be placed")
        raise ConfigError(f"unknown item {item!r}{suggestion(item, self.items)}")

    def item_name(self, item: str) -> str:
        """The item's present name; ConfigError for one that places no block."""
        self.block_of_item(item)
        name = item.removeprefix("minecraft:")
        return self.aliases.get(name, name)


@cache
def _names_by_state(version: str) -> list[str]:
    names: list[str] = []
    table = BlockTable.load(version)
    for name, block in table.blocks.items():
        count = int(np.prod([len(v) for v in block.get("states", {}).values()], initial=1))
        names.extend([name] * count)
    return names


def _is_placement_state(key: str, values: list[str]) -> bool:
    # `type` is a slab's half, but a chest's or piston's variety
    return key in PLACEMENT_STATES and (key != "type" or "double" in values)


def suggestion(name: str, known) -> str:
    """'; did you mean ...?' with the closest known names, or ''."""
    close = get_close_matches(name, known, n=3, cutoff=0.6)
    return f"; did you mean {', '.join(close)}?" if close else ""


def same_block(expected: str, actual: str, version: str = DEFAULT_VERSION) -> bool:
    """Whether `actual` is the block `expected`, in every state that `expected` names."""
    table = BlockTable.load(version)
    name, offset = table.parse(expected)
    other, other_offset = table.parse(actual)
    named = [part.partition("=")[0].strip() for part in expected.partition("[")[2].rstrip("]").split(",") if part]
    states, other_states = table.states_at(name, offset), table.states_at(other, other_offset)
    return name == other and all(states[key] == other_states[key] for key in named)
