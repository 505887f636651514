"""Blueprint files, and goals that nobody can reach."""

import gzip
import importlib.util
from pathlib import Path

import nbtlib
import numpy as np
import pytest
from helpers import make, scenario

from mc_place_env.errors import ConfigError, ScenarioError
from mc_place_env.tasks import TASKS
from mc_place_env.tasks.schematics import MAX_BYTES, read_schematic

ROOT = Path(__file__).parent.parent
spec = importlib.util.spec_from_file_location("make_blueprints", ROOT / "scripts" / "make_blueprints.py")
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)
FILES = sorted((ROOT / "configs" / "blueprints").iterdir())
COBBLE, PLANKS = "minecraft:cobblestone", "minecraft:oak_planks"
CUBE = {(x, y, z): COBBLE for x in range(2) for y in range(2) for z in range(2)}
WRITERS = {
    "v2.schem": lambda blocks: script.sponge(blocks, 2),
    "v3.schem": lambda blocks: script.sponge(blocks, 3),
    "one.nbt": script.structure,
    "one.litematic": script.litematic,
}


@pytest.fixture
def write(tmp_path):
    """Writes an NBT root, or litemapy's schematic, into a file of that name -> its path."""

    def save(root, name):
        path = tmp_path / name
        if isinstance(root, bytes):
            path.write_bytes(root)
        else:
            root.save(str(path)) if name.endswith("litematic") else root.save(path, gzipped=True)
        return path

    return save


def reset_on(path, **options):
    env = make("McPlace/Blueprint-v0", parameters={"blueprint": str(path)}, **options)
    env.reset(seed=0)
    return env


def refusal(path, **options):
    """The one error that a file gives, which names it."""
    with pytest.raises(ScenarioError) as error:
        reset_on(path, **options)
    assert str(path) in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("path", FILES, ids=[f.name for f in FILES])
def test_shipped_files_can_be_built(path):
    env = reset_on(path)
    assert env.unwrapped.items == ("cobblestone", "oak_planks", "oak_slab")
    done, info = False, {}
    while not done:
        *_, terminated, truncated, info = env.step(TASKS["Blueprint"].expert(env.unwrapped.view))
        done = terminated or truncated
    assert info["is_success"]
    for cell, name in env.unwrapped.view.goal().items():
        assert env.unwrapped.block_at(*cell).startswith(name)


def test_shipped_files_are_what_the_script_writes():
    expected = script.cropped_hut()
    assert [read_schematic(path) for path in FILES] == [expected] * 4


@pytest.mark.parametrize("name", WRITERS)
def test_air_around_is_cropped(write, name):
    moved = {(x + 3, y + 2, z + 4): block for (x, y, z), block in CUBE.items()}
    assert read_schematic(write(WRITERS[name](moved), name)) == CUBE


def test_long_palettes(write):
    root = script.sponge(CUBE, 2)
    root["Palette"] = nbtlib.Compound({f"minecraft:{k}": nbtlib.Int(k) for k in range(300)} | {COBBLE: nbtlib.Int(300)})
    data = [300 if number else 0 for number in root["BlockData"]]
    packed = [byte for number in data for byte in ([number & 127 | 128, number >> 7] if number > 127 else [number])]
    root["BlockData"] = nbtlib.ByteArray(np.array(packed, np.uint8).view(np.int8))
    blocks = read_schematic(write(root, "a.schem"))
    assert {cell for cell, name in blocks.items() if name == COBBLE} == set(CUBE)


def test_repeats_in_palettes_and_regions(write):
    root = script.structure({(0, 0, 0): COBBLE, (1, 0, 0): COBBLE})
    root["palettes"] = nbtlib.List[nbtlib.List[nbtlib.Compound]]([[*root["palette"], *root["palette"]]] * 2)
    del root["palette"]
    root["blocks"][1]["state"] = nbtlib.Int(1)
    assert read_schematic(write(root, "a.nbt")) == {(0, 0, 0): COBBLE, (1, 0, 0): COBBLE}
    two = script.litematic({(0, 0, 0): COBBLE})
    other = script.Region(4, 0, 0, -2, 1, -1)
    other[-1, 0, 0] = script.block_state(PLANKS)
    two.regions["other"] = other
    assert read_schematic(write(two, "a.litematic")) == {(0, 0, 0): COBBLE, (3, 0, 0): PLANKS}


def test_the_kind_of_a_block_counts(write):
    blocks = {
        (0, 0, 0): COBBLE,
        (0, 1, 0): "minecraft:oak_stairs[facing=north,half=top]",
        (1, 0, 0): "minecraft:wall_torch",
    }
    env = reset_on(write(script.structure(blocks), "a.nbt"))
    assert sorted(env.unwrapped.view.goal().values()) == ["cobblestone", "oak_stairs", "torch"]


def test_reset_takes_a_file():
    env = make("McPlace/Blueprint-v0", items=("oak_slab", "oak_planks", "cobblestone"))
    env.reset(seed=0, options={"task": {"blueprint": FILES[0]}})
    assert len(env.unwrapped.view.goal()) == len(script.hut())
    env.reset(options={"task": {"difficulty": 0.0}})
    assert len(env.unwrapped.view.goal()) == 2


# -- bad files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=[f.name for f in FILES])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_truncated_files(write, path, share):
    data = path.read_bytes()
    assert "truncated, or not an NBT file" in refusal(write(data[: int(share * len(data))], path.name))


def test_files_of_another_kind(write, tmp_path):
    assert "truncated, or not an NBT file" in refusal(write(b"hello", "a.schem"))
    assert "no such file" in refusal(tmp_path / "none.nbt")
    assert "ending in .schem, .litematic, .nbt" in refusal(write(b"", "old.schematic"))
    assert "damaged, or no .schem file" in refusal(write(script.structure(CUBE), "a.schem"))
    for data in (bytes(MAX_BYTES + 1), gzip.compress(bytes(MAX_BYTES + 1))):
        assert f"more than {MAX_BYTES} bytes when unpacked" in refusal(write(data, "a.nbt"))


def test_newer_formats(write):
    root = script.sponge(CUBE, 2)
    root["Version"] = nbtlib.Int(4)
    assert "Sponge schematic version 4: versions 1 to 3 are read" in refusal(write(root, "a.schem"))
    path = write(script.litematic(CUBE), "a.litematic")
    root = nbtlib.load(path)
    root["Version"] = nbtlib.Int(8)
    root.save(path)
    assert "Litematica version 8: versions 1 to 7 are read" in refusal(path)


def test_damaged_files(write):
    root = script.sponge(CUBE, 3)
    root["Schematic"]["Blocks"]["Data"] = nbtlib.ByteArray([1, 1])
    assert "2 blocks instead of 6 x 5 x 7" in refusal(write(root, "a.schem"))
    root = script.structure(CUBE)
    root["blocks"][0]["state"] = nbtlib.Int(9)
    assert "damaged, or no .nbt file" in refusal(write(root, "a.nbt"))


def test_too_large(write):
    root = script.structure(CUBE)
    root["size"] = nbtlib.List[nbtlib.Int](map(nbtlib.Int, (3, 3, 300)))
    assert "3 x 3 x 300 cells: at most 64 a side" in refusal(write(root, "a.nbt"))
    plate = {(x, 0, z): COBBLE for x in range(11) for z in range(10)}
    assert "11 x 1 x 10 cells (width, height, depth), too large" in refusal(write(script.structure(plate), "b.nbt"))
    tower = {(0, y, 0): COBBLE for y in range(7)}
    assert "in layer 6 a block is more than 4.0 blocks" in refusal(write(script.structure(tower), "c.nbt"))


def test_blocks_that_cannot_be_placed_are_named_together(write):
    blocks = CUBE | {(3, 0, 0): "minecraft:water", (4, 0, 0): "minecraft:water", (5, 0, 0): "minecraft:sculk_jelly"}
    message = refusal(write(script.structure(blocks), "a.nbt"))
    assert "places minecraft:sculk_jelly (1), minecraft:water (2)" in message
    message = refusal(write(script.structure(CUBE), "b.nbt"), items=("dirt",))
    assert "none of the items dirt places minecraft:cobblestone (8)" in message


def test_nothing_and_floating(write):
    assert "no block but air" in refusal(write(script.structure({}), "a.nbt"))
    floating = {(0, 0, 0): COBBLE, (0, 3, 0): COBBLE}
    assert "nothing supports cell (0, 67, 1); 2 more blocks would lead there" in refusal(
        write(script.structure(floating), "b.nbt")
    )


def test_a_path_is_text():
    with pytest.raises(ConfigError, match="blueprint=5: expected the path of a file; Blueprint takes"):
        make("McPlace/Blueprint-v0", parameters={"blueprint": 5})


# -- goals that cannot be reached ------------------------------------------------------------------------------------

GOALS = [
    ([[0, 64, 3, "dirt"], [0, 64, 4, "dirt"]], [], {"dirt": 1}, "needs 2 dirt, the inventory holds 1"),
    ([[0, 64, 3, "dirt"]], [], {}, "needs 1 dirt, the inventory holds 0"),
    ([[0, 64, 3, "dirt"]], [[0, 64, 3, "stone"]], {"dirt": 4}, "cell (0, 64, 3) holds stone, and blocks stay"),
    ([[0, 68, 3, "dirt"]], [], {"dirt": 4}, "nothing supports cell (0, 68, 3); 4 more blocks would lead there, 3 are"),
    ([[0, 64, 30, "dirt"]], [], {"dirt": 4}, "outside the region"),
]


@pytest.mark.parametrize(("goal", "blocks", "inventory", "message"), GOALS, ids=[g[-1] for g in GOALS])
def test_goals_that_cannot_be_reached(goal, blocks, inventory, message):
    with pytest.raises(ScenarioError) as error:
        make().reset(options={"scenario": scenario(*blocks, goal=goal, inventory=inventory)})
    assert message in str(error.value)


def test_goals_that_can():
    env = make()
    for goal, blocks, inventory in (
        ([[0, 68, 3, "dirt"]], [], {"dirt": 5}),
        ([[0, 64, 3, "dirt"]], [[0, 64, 3, "short_grass"]], {"dirt": 1}),
        ([[0, 68, 3, "dirt"]], [[0, 68, 4, "stone"]], {"dirt": 1}),
        ([[0, 64, 3, "stone"], [0, 64, 2, "dirt"]], [[0, 64, 3, "stone"]], {"dirt": 1}),
    ):
        env.reset(options={"scenario": scenario(*blocks, goal=goal, inventory=inventory)})


def test_no_ground_at_all():
    with pytest.raises(ScenarioError, match="nothing supports cell"):
        make().reset(options={"scenario": scenario(fill=(), goal=[[0, 64, 3, "dirt"]], inventory={"dirt": 64})})
