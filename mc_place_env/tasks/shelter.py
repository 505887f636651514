"""Shelter: close the walls and the roof around the agent, within reach and without a step."""

import random

from mc_place_env.tasks.base import Instance, Parameters, Task, scaled
from mc_place_env.tasks.expert import build_goal
from mc_place_env.tasks.sandbox import GROUND, floor
from mc_place_env.tasks.single import BUILDING_REWARDS
from mc_place_env.types import ActionType, Cell

SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))
CELLS = 10  # eight of walls, one above a wall to hold the roof, one of the roof


def parameters(difficulty: float) -> Parameters:
    """`missing`: how many of the ten cells are yet to be built."""
    return {"missing": scaled(difficulty, 1, CELLS)}


def generate(draw: random.Random, parameters: Parameters, items: tuple[str, ...]) -> Instance:
    """What is missing, which wall holds the roof, heading, and boulders two cells away are random."""
    cells = shell(draw.choice(SIDES))
    gaps = set(draw.sample(cells, parameters["missing"]))
    ring = [(x, GROUND + 1, z) for x in range(-2, 3) for z in range(-2, 3) if max(abs(x), abs(z)) == 2]
    boulders = draw.sample(ring, draw.randint(0, 4))
    return Instance(
        blocks=dict.fromkeys(boulders, "stone") | {cell: items[0] for cell in cells if cell not in gaps},
        goal=dict.fromkeys(cells, items[0]),
        yaw=90.0 * draw.randrange(4),
        inventory={items[0]: 32},
    )


def shell(holder: tuple[int, int]) -> list[Cell]:
    """The cells around a standing body; the roof hangs on the block above the wall at `holder`."""
    walls = [(x, GROUND + up, z) for x, z in SIDES for up in (1, 2)]
    return [*walls, (holder[0], GROUND + 3, holder[1]), (0, GROUND + 3, 0)]


TASK = Task(
    name="Shelter",
    generate=generate,
    parameters=parameters,
    ranges={"missing": (1, CELLS)},
    floor=floor(16),
    actions=(ActionType.WAIT, ActionType.PLACE),
    episode_steps=48,
    difficulty=0.3,
    rewards=BUILDING_REWARDS,
    expert=build_goal,
)
