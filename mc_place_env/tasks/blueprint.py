"""Blueprint: build a structure of several kinds of blocks in front of the agent, drawn at random or from a file."""

import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from math import dist
from pathlib import Path

from mc_place_env.errors import ScenarioError
from mc_place_env.rules.blocks import BlockTable
from mc_place_env.rules.geometry import world_x, world_z
from mc_place_env.tasks.base import FILE, Instance, Parameters, Task, scaled
from mc_place_env.tasks.expert import build_around, ring_around
from mc_place_env.tasks.goals import check_support
from mc_place_env.tasks.sandbox import GROUND, floor
from mc_place_env.tasks.schematics import read_schematic
from mc_place_env.tasks.single import BUILDING_REWARDS, ITEMS
from mc_place_env.types import MAX_ITEMS, ActionType, Cell

# Cells right, up, forward of the agent, in the layer above the floor and up: all can be built from where it stands.
SIDE, HEIGHT, DEPTH = 3, 4, 3
SIDEWAYS = ((1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1))
CORNERS = ((1, 0, 1), (1, 0, -1), (-1, 0, 1), (-1, 0, -1))
ABOVE = ((0, 1, 0),)
WALKING = (ActionType.MOVE_FORWARD, ActionType.MOVE_BACK, ActionType.MOVE_LEFT, ActionType.MOVE_RIGHT)


def flat(built: list[Cell]) -> list[Cell]:
    """One layer on the floor."""
    return steps(built, SIDEWAYS)


def tall(built: list[Cell]) -> list[Cell]:
    """Columns beside one another."""
    return steps(built, ABOVE) + steps([cell for cell in built if cell[1] == 0], SIDEWAYS)


def diagonal(built: list[Cell]) -> list[Cell]:
    """One layer whose blocks touch along their edges only."""
    return steps(built, CORNERS)


def overhanging(built: list[Cell]) -> list[Cell]:
    """A column, then arms with nothing beneath."""
    if len(built) < 2:
        return steps(built, ABOVE)
    high = steps([cell for cell in built if cell[1] > 0], SIDEWAYS + ABOVE)
    return [cell for cell in high if (cell[0], cell[1] - 1, cell[2]) not in built] or high


SHAPES: dict[str, Callable[[list[Cell]], list[Cell]]] = {
    grow.__name__: grow for grow in (flat, tall, diagonal, overhanging)
}


def steps(built: list[Cell], moves: tuple[Cell, ...]) -> list[Cell]:
    """The free cells one of the moves away, within the volume."""
    ahead = [(x + dx, y + dy, z + dz) for x, y, z in built for dx, dy, dz in moves]
    return [cell for cell in ahead if is_inside(cell) and cell not in built]


def is_inside(cell: Cell) -> bool:
    """Whether a cell (right, up, forward) belongs to the volume that structures are drawn in."""
    return abs(cell[0]) <= SIDE and 0 <= cell[1] < HEIGHT and 1 <= cell[2] <= DEPTH


def parameters(difficulty: float) -> Parameters:
    """`shape`, number of `blocks`, and how many `kinds` of blocks there are at most."""
    shape = list(SHAPES)[scaled(difficulty, 0, len(SHAPES) - 1)]
    return {"shape": shape, "blocks": scaled(difficulty, 2, 10), "kinds": scaled(difficulty, 1, 3)}


def generate(draw: random.Random, parameters: Parameters, items: tuple[str, ...]) -> Instance:
    """A connected structure grown block by block, heading and kinds random; or that of the file `blueprint`."""
    if "blueprint" in parameters:
        return from_file(parameters["blueprint"], items)
    quadrant, kinds = draw.randrange(4), draw.sample(items, min(parameters["kinds"], len(items)))
    cells = grow(draw, SHAPES[parameters["shape"]], parameters["blocks"])
    placed = [(world_x(quadrant, x, z), GROUND + 1 + y, world_z(quadrant, x, z)) for x, y, z in cells]
    return Instance(
        blocks={},
        goal={cell: draw.choice(kinds) for cell in placed},
        yaw=90.0 * quadrant,
        inventory=dict.fromkeys(items, 16),
    )


def grow(draw: random.Random, shape: Callable[[list[Cell]], list[Cell]], blocks: int) -> list[Cell]:
    """Cells (right, up, forward) of a random structure of that shape."""
    built = [(draw.randint(-SIDE, SIDE), 0, draw.randint(1, DEPTH))]
    while len(built) < blocks:
        built.append(draw.choice(shape(built)))
    return built


# -- files -----------------------------------------------------------------------------------------------------------

EYE = (0.5, 1.62, 0.5)  # in the cell of the feet
SPARE = 4  # items of each kind beyond those needed
FAR = 4.0  # from the eye to the middle of a block: then whatever it is placed against is within the reach of 4.5


def from_file(path: str | Path, items: tuple[str, ...]) -> Instance:
    """The structure of a file: its north side to the agent, which looks south at the middle of it.

    Of a block its kind counts, not its states. ScenarioError names every block that no item places.
    """
    blocks = read_schematic(path)
    width = 1 + max(x for x, _, _ in blocks)
    placed = {(x - width // 2, GROUND + 1 + y, 1 + z): name for (x, y, z), name in blocks.items()}
    kinds = {name: placing_item(name) for name in set(blocks.values())}
    unknown = Counter(name for name in blocks.values() if kinds[name] not in items)
    if unknown:
        named = ", ".join(f"{name} ({count})" for name, count in sorted(unknown.items()))
        raise ScenarioError(
            f"blueprint {str(path)!r}: none of the items {', '.join(items)} places {named}; pass items="
        )
    check_within_reach(path, set(placed))
    needed = Counter(str(kinds[name]) for name in blocks.values())
    check_support(floor(16), set(placed), 0, BlockTable.load(), f"blueprint {str(path)!r}")
    return Instance(
        blocks={},
        goal={cell: BlockTable.load().block_of_item(str(kinds[name])) for cell, name in placed.items()},
        inventory={item: count + SPARE for item, count in needed.items()},
        episode_steps=64 + 4 * len(blocks),
    )


def items_of(parameters: Parameters) -> tuple[str, ...]:
    """The items that the file `blueprint` asks for, or the family's."""
    if "blueprint" not in parameters:
        return ITEMS
    kinds = {placing_item(name) for name in read_schematic(parameters["blueprint"]).values()}
    if len(kinds) > MAX_ITEMS:
        raise ScenarioError(f"blueprint {str(parameters['blueprint'])!r}: {len(kinds)} kinds; at most {MAX_ITEMS}")
    return tuple(sorted(kind for kind in kinds if kind)) or ITEMS


def placing_item(name: str) -> str | None:
    """The item that places a block, whatever its states; None where there is none."""
    table = BlockTable.load()
    block = name.partition("[")[0].removeprefix("minecraft:")
    block = table.aliases.get(block, block)
    return _placing_items().get(block)


@cache
def _placing_items() -> dict[str, str]:
    table = BlockTable.load()
    items = {block: item for item, block in table.items.items()}
    return items | {wall: items[block] for block, wall in table.wall_blocks.items()}


def check_within_reach(path: str | Path, goal: set[Cell]) -> None:
    """ScenarioError naming a block that is too far from everywhere that the agent may stand."""
    eyes = [(x + EYE[0], GROUND + 1 + EYE[1], z + EYE[2]) for x, z in ring_around(goal)]
    for x, y, z in sorted(goal, key=lambda cell: (cell[1], cell)):
        if min(dist((x + 0.5, y + 0.5, z + 0.5), eye) for eye in eyes) > FAR:
            size = " x ".join(str(1 + max(c[k] for c in goal) - min(c[k] for c in goal)) for k in range(3))
            raise ScenarioError(
                f"blueprint {str(path)!r}: {size} cells (width, height, depth), too large to be built from the ground "
                f"around it: in layer {y - GROUND} a block is more than {FAR} blocks from every eye"
            )


TASK = Task(
    name="Blueprint",
    generate=generate,
    parameters=parameters,
    ranges={"shape": tuple(SHAPES), "blocks": (2, 10), "kinds": (1, 3), "blueprint": FILE},
    items=ITEMS,
    items_of=items_of,
    floor=floor(16),
    actions=(ActionType.WAIT, ActionType.PLACE, *WALKING),
    episode_steps=48,
    difficulty=0.3,
    rewards=BUILDING_REWARDS,
    expert=build_around,
)
