"""Blueprint files: Sponge `.schem` (versions 1 to 3), Litematica `.litematic`, vanilla structures `.nbt`.

NBT is read by nbtlib and Litematica's packed regions by litemapy. litemapy's own converters of the other two know
neither Sponge's version 3 nor palettes beyond 127 entries, nor files without the optional lists: those are read here.
"""

import gzip
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from mc_place_env.errors import ScenarioError
from mc_place_env.types import Cell

MAX_BYTES = 16_000_000  # of a file, unpacked
MAX_SIDE = 64  # cells, air included; what of it can be built is another matter
SPONGE_VERSIONS, LITEMATICA_VERSIONS = range(1, 4), range(1, 8)
NOTHING = frozenset(f"minecraft:{name}" for name in ("air", "cave_air", "void_air", "structure_void"))


def read_schematic(path: str | Path) -> dict[Cell, str]:
    """Block names with states by cell, cropped so that the lowest coordinates are 0; ScenarioError names the file."""
    path = Path(path)
    reader = READERS.get(path.suffix)
    if reader is None:
        raise ScenarioError(f"blueprint {str(path)!r}: expected a file ending in {', '.join(READERS)}")
    root = _load(path)
    try:
        blocks = {cell: name for cell, name in reader(root) if name.partition("[")[0] not in NOTHING}
    except (KeyError, ValueError, IndexError, TypeError, AttributeError) as error:
        raise ScenarioError(f"blueprint {str(path)!r}: damaged, or no {path.suffix} file ({error!r})") from None
    except ScenarioError as error:
        raise ScenarioError(f"blueprint {str(path)!r}: {error}") from None
    if not blocks:
        raise ScenarioError(f"blueprint {str(path)!r}: holds no block but air")
    return cropped(blocks)


def _load(path: Path) -> Any:
    """The root of an NBT file, compressed or not."""
    try:
        import nbtlib
    except ImportError:
        raise ScenarioError("blueprint: reading files needs pip install 'mc_place_env[blueprints]'") from None
    if not path.is_file():
        raise ScenarioError(f"blueprint {str(path)!r}: no such file")
    try:
        data = _unpacked(path)
        root = nbtlib.File.parse(BytesIO(data)) if len(data) <= MAX_BYTES else None
    except Exception as error:  # of gzip, zlib, struct and numpy, and nbtlib's own
        raise ScenarioError(f"blueprint {str(path)!r}: truncated, or not an NBT file ({error!r})") from None
    if root is None:
        raise ScenarioError(f"blueprint {str(path)!r}: more than {MAX_BYTES} bytes when unpacked; no more are read")
    return root


def _unpacked(path: Path) -> bytes:
    """The file's contents, as far as one byte beyond the limit."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path) if packed else path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def _sponge(root: Any) -> Iterator[tuple[Cell, str]]:
    schematic = root.get("Schematic", root)
    _check_version("Sponge schematic", int(schematic["Version"]), SPONGE_VERSIONS)
    blocks = schematic["Blocks"] if int(schematic["Version"]) == 3 else schematic
    width, height, length = _size(int(schematic[key]) & 0xFFFF for key in ("Width", "Height", "Length"))
    names = {int(number): name for name, number in blocks["Palette"].items()}
    numbers = list(_varints(blocks["Data" if "Data" in blocks else "BlockData"]))
    if len(numbers) != width * height * length:
        raise ValueError(f"{len(numbers)} blocks instead of {width} x {height} x {length}")
    for k, number in enumerate(numbers):
        yield (k % width, k // (width * length), k // width % length), names[number]


def _varints(data: Any) -> Iterator[int]:
    """Numbers of seven bits a byte, lowest first; the eighth bit says that more follow."""
    value = shift = 0
    for byte in data:
        value |= (int(byte) & 0x7F) << shift
        shift += 7
        if not int(byte) & 0x80:
            yield value
            value = shift = 0


def _litematica(root: Any) -> Iterator[tuple[Cell, str]]:
    from litemapy import Region

    _check_version("Litematica", int(root["Version"]), LITEMATICA_VERSIONS)
    for packed in root["Regions"].values():
        _size(abs(int(packed["Size"][axis])) for axis in "xyz")
        region = Region.from_nbt(packed)
        for x, y, z in region.block_positions():
            yield (region.x + x, region.y + y, region.z + z), region[x, y, z].to_block_state_identifier()


def _structure(root: Any) -> Iterator[tuple[Cell, str]]:
    _size(map(int, root["size"]))
    palette = root["palettes"][0] if "palettes" in root else root["palette"]
    for block in root["blocks"]:
        x, y, z = map(int, block["pos"])
        yield (x, y, z), _state_name(palette[int(block["state"])])


def _state_name(state: Any) -> str:
    """`{Name, Properties}` as Minecraft writes it."""
    properties = ",".join(f"{key}={value}" for key, value in state.get("Properties", {}).items())
    return f"{state['Name']}[{properties}]" if properties else str(state["Name"])


READERS: dict[str, Callable[[Any], Iterator[tuple[Cell, str]]]] = {
    ".schem": _sponge,
    ".litematic": _litematica,
    ".nbt": _structure,
}


def _check_version(what: str, version: int, known: range) -> None:
    if version not in known:
        raise ScenarioError(f"{what} version {version}: versions {known[0]} to {known[-1]} are read")


def _size(sides: Any) -> tuple[int, ...]:
    size = tuple(sides)
    if not all(1 <= side <= MAX_SIDE for side in size):
        raise ScenarioError(f"{' x '.join(map(str, size))} cells: at most {MAX_SIDE} a side are read")
    return size


def cropped(blocks: dict[Cell, str]) -> dict[Cell, str]:
    """The same blocks, moved so that the lowest coordinate on each axis is 0."""
    low = [min(cell[axis] for cell in blocks) for axis in range(3)]
    return {(x - low[0], y - low[1], z - low[2]): name for (x, y, z), name in blocks.items()}
