"""Blueprint: build a structure of several kinds of blocks in front of the agent."""

import random
from collections.abc import Callable

from mc_place_env.rules.geometry import world_x, world_z
from mc_place_env.tasks.base import Cell, Instance, Parameters, Task, scaled
from mc_place_env.tasks.expert import build_goal
from mc_place_env.tasks.sandbox import GROUND, floor
from mc_place_env.tasks.single import ITEMS, REWARDS
from mc_place_env.types import ActionType

# Cells right, up, forward of the agent, in the layer above the floor and up: all can be built from where it stands.
SIDE, HEIGHT, DEPTH = 3, 4, 3
SIDEWAYS = ((1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1))
CORNERS = ((1, 0, 1), (1, 0, -1), (-1, 0, 1), (-1, 0, -1))
ABOVE = ((0, 1, 0),)


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
    """A connected structure grown block by block; heading and kinds are random."""
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


TASK = Task(
    name="Blueprint",
    generate=generate,
    parameters=parameters,
    ranges={"shape": tuple(SHAPES), "blocks": (2, 10), "kinds": (1, 3)},
    items=ITEMS,
    floor=floor(16),
    actions=(ActionType.WAIT, ActionType.PLACE),
    episode_steps=96,
    difficulty=0.3,
    rewards=REWARDS,
    expert=build_goal,
)
