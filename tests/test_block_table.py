"""The shipped block table of 1.20.4: its own consistency and spot values."""

from __future__ import annotations

import importlib.util
import json
from math import prod
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "mc_place_env" / "data"
TABLE = json.loads((DATA / "1.20.4.json").read_text())
BLOCKS = TABLE["blocks"]
SHAPES = TABLE["shapes"]
FACES = ("up", "down", "north", "south", "east", "west")
FULL = [[0, 0, 0, 1, 1, 1]]


def offset_of(name: str, **wanted: str) -> int:
    """Return the state offset of a block's default state with some properties set."""
    states = BLOCKS[name].get("states", {})
    values = properties(name, BLOCKS[name].get("default", 0)) | wanted
    offset = 0
    for prop, choices in states.items():
        offset = offset * len(choices) + choices.index(values[prop])
    return offset


def properties(name: str, offset: int) -> dict[str, str]:
    """Return the properties of a state offset."""
    found = {}
    for prop, choices in reversed(BLOCKS[name].get("states", {}).items()):
        offset, index = divmod(offset, len(choices))
        found[prop] = choices[index]
    return found


def shape_index(name: str, **wanted: str) -> int:
    """Return the shape index of a block state."""
    shape = BLOCKS[name]["shape"]
    return shape if isinstance(shape, int) else shape[offset_of(name, **wanted)]


def boxes(name: str, **wanted: str) -> list[list[float]]:
    """Return the collision boxes of a block state."""
    return SHAPES[shape_index(name, **wanted)]


def bits(name: str, **wanted: str) -> int:
    """Return the sturdy bits of a block state."""
    return TABLE["sturdy"][shape_index(name, **wanted)]


def tagged(tag: str) -> set[str]:
    """Return the blocks that carry a tag."""
    return {name for name, entry in BLOCKS.items() if tag in entry.get("tags", [])}


# --- consistency --------------------------------------------------------------


def test_header():
    assert TABLE["version"] == "1.20.4"
    assert (TABLE["min_y"], TABLE["max_y"]) == (-64, 319)
    assert (DATA / "1.20.4.json").stat().st_size < 500_000


def test_state_ids_are_contiguous_and_disjoint():
    expected = 0
    for name, entry in BLOCKS.items():
        assert entry["first_state_id"] == expected, name
        expected += prod(len(values) for values in entry.get("states", {}).values())
    assert expected == 26644


def test_defaults_are_within_the_block():
    for name, entry in BLOCKS.items():
        count = prod(len(values) for values in entry.get("states", {}).values())
        assert 0 <= entry.get("default", 0) < count, name


def test_shapes_are_valid():
    assert SHAPES[0] == []
    assert len(TABLE["sturdy"]) == len(SHAPES)
    assert len({json.dumps(shape) for shape in SHAPES}) == len(SHAPES)
    for shape in SHAPES:
        for x0, y0, z0, x1, y1, z1 in shape:
            assert -1 <= x0 < x1 <= 2 and -1 <= y0 < y1 <= 2 and -1 <= z0 < z1 <= 2


def test_every_state_has_a_shape():
    used = set()
    for name, entry in BLOCKS.items():
        count = prod(len(values) for values in entry.get("states", {}).values())
        shape = entry["shape"]
        if isinstance(shape, list):
            assert len(shape) == count, name
            assert len(set(shape)) > 1, name
            used.update(shape)
        else:
            used.add(shape)
    assert used == set(range(len(SHAPES)))


def test_largest_shapes():
    large = {i for i, shape in enumerate(SHAPES) if len(shape) > 8}
    users = set()
    for name, entry in BLOCKS.items():
        shape = entry["shape"]
        if large & set(shape if isinstance(shape, list) else [shape]):
            users.add(name)
    assert max(map(len, SHAPES)) == 15
    assert users == {
        "cauldron",
        "water_cauldron",
        "lava_cauldron",
        "powder_snow_cauldron",
        "hopper",
    }


def test_items_and_other_items_are_disjoint_and_name_blocks():
    assert not set(TABLE["items"]) & set(TABLE["other_items"])
    assert len(TABLE["items"]) + len(TABLE["other_items"]) == 1312
    assert set(TABLE["items"].values()) <= set(BLOCKS)


def test_wall_blocks_name_blocks():
    for floor, wall in TABLE["wall_blocks"].items():
        assert floor in TABLE["items"]
        assert wall in BLOCKS and "wall_" in wall
        assert wall not in TABLE["items"]
    walls = {n for n in BLOCKS if "_wall_" in n or n.startswith("wall_")}
    assert set(TABLE["wall_blocks"].values()) == walls


def test_ground_tags_and_families_agree():
    tags = {tag for entry in BLOCKS.values() for tag in entry.get("tags", [])}
    families = {entry["support"] for entry in BLOCKS.values() if "support" in entry}
    grounds = {tag.removeprefix("ground_") for tag in tags if tag.startswith("ground_")}
    renamed = {"dripleaf": "small_dripleaf"}
    assert {renamed.get(ground, ground) for ground in grounds} <= families


@pytest.mark.parametrize(
    ("family", "prop", "count"),
    [
        ("axis", "axis", 3),
        ("opposite", "facing", 4),
        ("player", "facing", 4),
        ("anvil", "facing", 4),
        ("wall", "facing", 4),
        ("opposite6", "facing", 6),
        ("same6", "facing", 6),
        ("clicked_face", "facing", 6),
        ("hopper", "facing", 5),
        ("stairs", "half", 2),
        ("slab", "type", 3),
        ("trapdoor", "half", 2),
        ("door", "hinge", 2),
        ("face_attached", "face", 3),
        ("rotation16", "rotation", 16),
        ("lantern", "hanging", 2),
    ],
)
def test_orientation_families_have_their_property(family, prop, count):
    members = [name for name, entry in BLOCKS.items() if entry.get("orientation") == family]
    assert members
    for name in members:
        assert len(BLOCKS[name]["states"][prop]) == count, name


def test_every_placeable_block_with_a_facing_has_an_orientation():
    placed = set(TABLE["items"].values()) | set(TABLE["wall_blocks"].values())
    for name in placed:
        states = BLOCKS[name].get("states", {})
        if {"facing", "axis", "rotation", "orientation"} & set(states):
            assert "orientation" in BLOCKS[name], name


# --- names that the rules use -------------------------------------------------

REPLACEABLE = """air cave_air void_air water lava bubble_column short_grass fern dead_bush
seagrass tall_seagrass tall_grass large_fern fire soul_fire vine glow_lichen light
structure_void warped_roots nether_sprouts crimson_roots hanging_roots"""


def test_replaceable_is_exactly_the_list():
    assert tagged("replaceable") == set(REPLACEABLE.split())
    assert tagged("replaceable_if_single_layer") == {"snow"}


def test_air_and_fluid():
    assert tagged("air") == {"air", "cave_air", "void_air"}
    assert tagged("fluid") == {"water", "lava", "bubble_column"}


INTERCEPTS = """chest trapped_chest ender_chest barrel crafting_table cartography_table
smithing_table enchanting_table stonecutter loom grindstone furnace blast_furnace smoker
brewing_stand dispenser dropper hopper beacon lever stone_button oak_button repeater
comparator daylight_detector note_block lectern white_bed red_bed oak_sign oak_wall_sign
oak_hanging_sign anvil chipped_anvil damaged_anvil shulker_box white_shulker_box flower_pot
potted_poppy oak_door copper_door oak_trapdoor copper_trapdoor oak_fence_gate dragon_egg"""
NOT_INTERCEPTS = """iron_door iron_trapdoor fletching_table tnt farmland cake bell jukebox
composter respawn_anchor sweet_berry_bush redstone_wire decorated_pot stone glass torch"""


def test_intercepts():
    intercepts = tagged("intercepts")
    assert set(INTERCEPTS.split()) <= intercepts
    assert not set(NOT_INTERCEPTS.split()) & intercepts
    assert not tagged("intercepts_not_modelled") & intercepts


def test_gravity():
    powders = {name for name in BLOCKS if name.endswith("_concrete_powder")}
    assert len(powders) == 16
    assert tagged("gravity") == powders | {
        "sand", "red_sand", "suspicious_sand", "gravel", "suspicious_gravel",
        "anvil", "chipped_anvil", "damaged_anvil", "dragon_egg",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("torch", "torch"),
        ("wall_torch", "wall_torch"),
        ("ladder", "ladder"),
        ("lantern", "lantern"),
        ("stone_pressure_plate", "plate"),
        ("powered_rail", "rail"),
        ("oak_door", "door"),
        ("white_bed", "bed"),
        ("white_carpet", "carpet"),
        ("oak_sapling", "plant"),
        ("poppy", "plant"),
        ("short_grass", "plant"),
        ("wheat", "crop"),
        ("cactus", "cactus"),
        ("sugar_cane", "sugar_cane"),
        ("snow", "snow"),
        ("lever", "button"),
        ("repeater", "diode"),
        ("redstone_wire", "redstone"),
        ("oak_sign", "sign"),
        ("vine", "wall_attached"),
    ],
)
def test_support_families(name, family):
    assert BLOCKS[name]["support"] == family


@pytest.mark.parametrize("name", ["stone", "chest", "oak_fence", "potted_poppy", "torch"])
def test_blocks_without_a_rule_have_no_family(name):
    assert "stack" not in BLOCKS[name]
    if name != "torch":
        assert "support" not in BLOCKS[name]


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("oak_stairs", "stairs"),
        ("stone_slab", "slab"),
        ("oak_log", "axis"),
        ("chain", "axis"),
        ("furnace", "opposite"),
        ("chest", "opposite"),
        ("dispenser", "opposite6"),
        ("oak_fence_gate", "player"),
        ("white_bed", "player"),
        ("oak_door", "door"),
        ("anvil", "anvil"),
        ("oak_trapdoor", "trapdoor"),
        ("hopper", "hopper"),
        ("end_rod", "clicked_face"),
    ],
)
def test_orientation_families(name, family):
    assert BLOCKS[name]["orientation"] == family


def test_stack_families():
    stacks = {name: entry["stack"] for name, entry in BLOCKS.items() if "stack" in entry}
    assert stacks["stone_slab"] == "slab" and stacks["snow"] == "snow"
    assert stacks["candle"] == stacks["red_candle"] == "candle"
    assert stacks["sea_pickle"] == "pickle" and stacks["turtle_egg"] == "egg"
    assert "candle_cake" not in stacks


def test_item_names_that_differ():
    items = TABLE["items"]
    for item, block in {
        "redstone": "redstone_wire",
        "string": "tripwire",
        "wheat_seeds": "wheat",
        "torch": "torch",
        "oak_sign": "oak_sign",
        "cobblestone": "cobblestone",
    }.items():
        assert items[item] == block
    for item in ("air", "wheat", "stick", "water_bucket", "diamond_pickaxe"):
        assert item in TABLE["other_items"]
    assert TABLE["wall_blocks"]["torch"] == "wall_torch"
    assert TABLE["wall_blocks"]["oak_sign"] == "oak_wall_sign"


def test_short_grass_is_the_name():
    assert "short_grass" in BLOCKS and "grass" not in BLOCKS
    assert TABLE["aliases"]["grass"] == "short_grass"
    assert set(TABLE["aliases"].values()) <= set(BLOCKS)
    assert not set(TABLE["aliases"]) & set(BLOCKS)


# --- state numbering ----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "wanted", "state_id"),
    [
        ("air", {}, 0),
        ("stone", {}, 1),
        ("grass_block", {"snowy": "false"}, 9),
        ("grass_block", {"snowy": "true"}, 8),
        ("oak_stairs", {}, 2885),
        (
            "oak_stairs",
            {"facing": "north", "half": "top", "shape": "straight", "waterlogged": "true"},
            2874,
        ),
        (
            "oak_stairs",
            {"facing": "east", "half": "bottom", "shape": "outer_right", "waterlogged": "false"},
            2953,
        ),
        ("oak_stairs", {"facing": "south"}, 2905),
        ("snow", {"layers": "8"}, 5779),
    ],
)
def test_state_ids(name, wanted, state_id):
    assert BLOCKS[name]["first_state_id"] + offset_of(name, **wanted) == state_id


def test_door_states():
    states = BLOCKS["oak_door"]["states"]
    assert list(states) == ["facing", "half", "hinge", "open", "powered"]
    assert states["facing"] == ["north", "south", "west", "east"]
    assert states["half"] == ["upper", "lower"]
    assert states["open"] == ["true", "false"]
    default = properties("oak_door", BLOCKS["oak_door"]["default"])
    assert default == {
        "facing": "north",
        "half": "lower",
        "hinge": "left",
        "open": "false",
        "powered": "false",
    }
    assert BLOCKS["oak_door"]["default"] == 11


def test_state_numbering_round_trip():
    for name in ("oak_stairs", "oak_door", "cobblestone_wall", "redstone_wire"):
        count = prod(len(values) for values in BLOCKS[name]["states"].values())
        for offset in range(count):
            assert offset_of(name, **properties(name, offset)) == offset


# --- shapes -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["stone", "glass", "oak_leaves", "dirt", "furnace",
                                  "shulker_box", "piston", "barrier", "ice", "grass_block",
                                  "bedrock"])  # fmt: skip
def test_full_cubes(name):
    assert boxes(name) == FULL
    assert bits(name) == (1 << 19) - 1


@pytest.mark.parametrize("name", ["air", "torch", "wall_torch", "oak_sapling", "poppy", "wheat",
                                  "rail", "redstone_wire", "oak_sign", "lever", "stone_button",
                                  "stone_pressure_plate", "cobweb", "sugar_cane", "vine",
                                  "short_grass", "water", "kelp", "brown_mushroom"])  # fmt: skip
def test_empty_shapes(name):
    assert boxes(name) == []
    assert bits(name) == 0


def test_slab_shapes():
    assert boxes("stone_slab") == boxes("oak_slab", type="bottom") == [[0, 0, 0, 1, 0.5, 1]]
    assert boxes("stone_slab", type="top") == [[0, 0.5, 0, 1, 1, 1]]
    assert boxes("stone_slab", type="double") == FULL


def test_snow_is_one_layer_lower_than_it_looks():
    assert boxes("snow", layers="1") == []
    for layers in range(2, 9):
        assert boxes("snow", layers=str(layers)) == [[0, 0, 0, 1, (layers - 1) / 8, 1]]


def test_fence_and_wall_reach_into_the_cell_above():
    assert boxes("oak_fence") == [[0.375, 0, 0.375, 0.625, 1.5, 0.625]]
    assert max(box[4] for box in boxes("cobblestone_wall")) == 1.5
    assert boxes("oak_fence_gate", facing="north") == [[0, 0, 0.375, 1, 1.5, 0.625]]
    assert boxes("oak_fence_gate", open="true") == []


def test_low_shapes():
    assert boxes("chest") == [[0.0625, 0, 0.0625, 0.9375, 0.875, 0.9375]]
    assert boxes("white_carpet") == [[0, 0, 0, 1, 0.0625, 1]]
    assert boxes("soul_sand") == [[0, 0, 0, 1, 0.875, 1]]
    assert boxes("farmland") == [[0, 0, 0, 1, 0.9375, 1]]
    assert boxes("cactus") == [[0.0625, 0, 0.0625, 0.9375, 0.9375, 0.9375]]
    assert boxes("repeater") == [[0, 0, 0, 1, 0.125, 1]]
    assert boxes("enchanting_table") == [[0, 0, 0, 1, 0.75, 1]]
    assert boxes("cake") == [[0.0625, 0, 0.0625, 0.9375, 0.5, 0.9375]]


@pytest.mark.parametrize(
    ("facing", "box"),
    [
        ("north", [0, 0, 0.8125, 1, 1, 1]),
        ("south", [0, 0, 0, 1, 1, 0.1875]),
        ("west", [0.8125, 0, 0, 1, 1, 1]),
        ("east", [0, 0, 0, 0.1875, 1, 1]),
    ],
)
def test_ladder_lies_against_the_block_behind(facing, box):
    assert boxes("ladder", facing=facing) == [box]


@pytest.mark.parametrize(
    ("half", "open_", "box"),
    [
        ("bottom", "false", [0, 0, 0, 1, 0.1875, 1]),
        ("top", "false", [0, 0.8125, 0, 1, 1, 1]),
        ("bottom", "true", [0, 0, 0.8125, 1, 1, 1]),
    ],
)
def test_trapdoor_shapes(half, open_, box):
    assert boxes("oak_trapdoor", facing="north", half=half, open=open_) == [box]


def test_closed_door_stands_on_the_players_side():
    assert boxes("oak_door", facing="north") == [[0, 0, 0.8125, 1, 1, 1]]
    assert boxes("oak_door", facing="east") == [[0, 0, 0, 0.1875, 1, 1]]


def test_randomly_moved_shapes_are_centred():
    assert boxes("bamboo") == [[0.40625, 0, 0.40625, 0.59375, 1, 0.59375]]
    for offset in BLOCKS["pointed_dripstone"]["shape"]:
        for x0, _, z0, x1, _, z1 in SHAPES[offset]:
            assert x0 + x1 == z0 + z1 == 1


# --- sturdy bits --------------------------------------------------------------


def faces(value: int, shift: int) -> set[str]:
    """Return the faces whose bit is set in one of the three groups."""
    return {face for i, face in enumerate(FACES) if value >> (shift + i) & 1}


@pytest.mark.parametrize(
    ("name", "wanted", "full", "centre", "rim"),
    [
        ("stone_slab", {"type": "bottom"}, {"down"}, {"down"}, {"down"}),
        ("stone_slab", {"type": "top"}, {"up"}, {"up"}, {"up"}),
        ("oak_stairs", {"facing": "north"}, {"down", "north"}, {"down", "north"},
         {"down", "north"}),
        ("oak_stairs", {"facing": "north", "half": "top"}, {"up", "north"}, {"up", "north"},
         {"up", "north"}),
        ("oak_fence", {}, set(), {"up", "down"}, set()),
        ("hopper", {}, set(), {"down"}, {"up"}),
        ("cauldron", {}, set(), {"north", "south", "east", "west"}, {"up"}),
        ("composter", {}, {"down", "north", "south", "east", "west"},
         {"down", "north", "south", "east", "west"},
         {"up", "down", "north", "south", "east", "west"}),
        ("chest", {}, set(), {"down"}, set()),
        ("farmland", {}, {"down"}, {"down", "north", "south", "east", "west"}, {"down"}),
        ("glass_pane", {}, set(), {"up", "down"}, set()),
        ("chain", {"axis": "y"}, set(), {"up", "down"}, set()),
        ("scaffolding", {}, {"up"}, {"up"}, {"up"}),
    ],
)  # fmt: skip
def test_sturdy_faces(name, wanted, full, centre, rim):
    value = bits(name, **wanted)
    assert faces(value, 0) == full
    assert faces(value, 6) == centre
    assert faces(value, 12) == rim


def test_sturdy_corrections():
    assert tagged("sturdy_full") == {"soul_sand", "mud"}
    assert {name for name in BLOCKS if name.endswith("_leaves")} == tagged("not_sturdy")


def test_solid_bit():
    for name in ("stone", "chest", "farmland", "glass", "cactus", "stone_slab"):
        assert bits(name) >> 18 & 1, name
    for name in ("torch", "white_carpet", "repeater", "air"):
        assert not bits(name) >> 18 & 1, name
    assert {"oak_sign", "cake", "oak_fence_gate"} <= tagged("solid")


# --- the script that made it --------------------------------------------------


@pytest.fixture(scope="module")
def script():
    pytest.importorskip("yaml")
    path = ROOT / "scripts" / "make_block_table.py"
    spec = importlib.util.spec_from_file_location("make_block_table", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rules():
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((DATA / "rules.yaml").read_text())


def test_every_rule_entry_says_meaning_and_source(rules):
    for kind in ("tags", "support", "orientation", "stack"):
        for name, entry in rules[kind].items():
            assert entry["meaning"] and entry["source"] and entry["names"], (kind, name)


def test_table_and_rules_are_in_step(script, rules):
    """The shipped tags and families are those that the shipped rules give."""
    bare = {name: {"first_state_id": entry["first_state_id"]} for name, entry in BLOCKS.items()}
    resolver = script.Resolver(list(BLOCKS), rules["aliases"]["names"], lenient=False)
    script.apply_lists(bare, rules, resolver)
    for name, entry in bare.items():
        for key in ("tags", "support", "orientation", "stack"):
            assert entry.get(key) == BLOCKS[name].get(key), (name, key)
    assert TABLE["sturdy"] == [script.sturdy_mask(shape) for shape in SHAPES]


def test_reasons_for_what_is_not_modelled(script, rules):
    reasons = set()
    for pattern in rules["intercepts_not_modelled"]:
        reasons.update(script.match(pattern, BLOCKS))
    assert reasons == tagged("intercepts_not_modelled")


def test_resolver_refuses_a_pattern_without_a_block(script):
    resolver = script.Resolver(["stone", "oak_button"], {}, lenient=False)
    assert resolver.resolve(["*_button"], "here") == {"oak_button"}
    with pytest.raises(script.RuleError, match="spruce_door"):
        resolver.resolve(["spruce_door"], "here")


def test_resolver_uses_the_older_name(script):
    resolver = script.Resolver(["grass"], {"grass": "short_grass"}, lenient=False)
    assert resolver.resolve(["short_grass"], "here") == {"grass"}
    assert script.aliases({"grass": "short_grass"}, {"grass"}) == {"short_grass": "grass"}


def test_covers_unions(script):
    halves = [(0.0, 0.0, 0.5, 1.0), (0.5, 0.0, 1.0, 1.0)]
    assert script.covers(halves, script.FULL_FACE)
    assert not script.covers(halves[:1], script.FULL_FACE)
    assert script.covers(halves, script.CENTRE)


def test_world_height(script):
    assert script.world_height("1.20.4") == (-64, 319)
    assert script.world_height("1.18") == (-64, 319)
    assert script.world_height("1.17.1") == (0, 255)
