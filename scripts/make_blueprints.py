"""Writes the example blueprints: the same small hut as Sponge version 2 and 3, Litematica, and vanilla structure.

    python scripts/make_blueprints.py [folder]

The hut is four cells wide and deep with a door opening, planks on cobblestone and a roof of slabs, and stands in a
corner of a larger volume of air, as a careless selection in the game has it.
"""

import sys
from itertools import product
from pathlib import Path

import numpy as np
from litemapy import BlockState, Region
from nbtlib import ByteArray, Compound, File, Int, IntArray, List, Short

DATA_VERSION = 3700  # Minecraft 1.20.4
SIZE = (6, 5, 7)  # x, y, z, air included
FOLDER = Path(__file__).parent.parent / "configs" / "blueprints"
AIR = "minecraft:air"


def hut() -> dict[tuple[int, int, int], str]:
    """Block names by cell."""
    blocks = {}
    for x, y, z in product(range(4), range(3), range(4)):
        wall = x in (0, 3) or z in (0, 3)
        if wall and not (x == 1 and z == 0 and y < 2):
            name = "cobblestone" if y == 0 else "oak_planks"
            blocks[x + 1, y, z + 2] = f"minecraft:{name}"
        if y == 2 and not wall:
            blocks[x + 1, y, z + 2] = "minecraft:oak_slab[type=top,waterlogged=false]"
    return blocks


def cropped_hut():
    """As it is read: without the air around it."""
    return {(x - 1, y, z - 2): name for (x, y, z), name in hut().items()}


def sponge(blocks, version):
    """A Sponge schematic; palettes may name a block twice."""
    names = [AIR, *sorted(set(blocks.values())), "minecraft:cave_air"]
    cells = [(x, y, z) for y in range(SIZE[1]) for z in range(SIZE[2]) for x in range(SIZE[0])]
    numbers = [names.index(blocks.get(cell, AIR)) for cell in cells]
    palette = Compound({name: Int(k) for k, name in enumerate(names)})
    data = ByteArray(np.array(numbers, np.int8))
    root = {key: Short(side) for key, side in zip(("Width", "Height", "Length"), SIZE, strict=True)}
    root |= {"Version": Int(version), "DataVersion": Int(DATA_VERSION), "Offset": IntArray([0, 0, 0])}
    if version == 3:
        blocks = {"Palette": palette, "Data": data, "BlockEntities": List[Compound]([])}
        return File({"Schematic": Compound(root | {"Blocks": Compound(blocks)})})
    return File(root | {"Palette": palette, "PaletteMax": Int(len(names)), "BlockData": data}, root_name="Schematic")


def structure(blocks):
    """A vanilla structure."""
    names = sorted(set(blocks.values()))
    palette = List[Compound]([block_state(name).to_nbt() for name in names])
    listed = [
        Compound({"pos": List[Int](map(Int, cell)), "state": Int(names.index(name))})
        for cell, name in sorted(blocks.items())
    ]
    size = List[Int](map(Int, SIZE))
    root = {"DataVersion": Int(DATA_VERSION), "size": size, "palette": palette, "blocks": List[Compound](listed)}
    return File(root | {"entities": List[Compound]([])})


def litematic(blocks):
    """A Litematica schematic of one region."""
    region = Region(0, 0, 0, *SIZE)
    for cell, name in blocks.items():
        region[cell] = block_state(name)
    return region.as_schematic(name="hut", author="mc_place_env")


def block_state(name):
    """litemapy's block of a name with states."""
    block, _, states = name.rstrip("]").partition("[")
    return BlockState(block, **dict(state.split("=") for state in states.split(",") if state))


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    blocks = hut()
    sponge(blocks, 2).save(folder / "hut_v2.schem", gzipped=True)
    sponge(blocks, 3).save(folder / "hut_v3.schem", gzipped=True)
    structure(blocks).save(folder / "hut.nbt", gzipped=True)
    litematic(blocks).save(str(folder / "hut.litematic"))
    print(*sorted(folder.iterdir()), sep="\n")


if __name__ == "__main__":
    main()
