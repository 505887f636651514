"""Single: put one block of a given kind onto one floor cell within reach."""

import random

from mc_place_env.tasks.base import Instance, Parameters, Task, scaled
from mc_place_env.tasks.expert import build_goal
from mc_place_env.tasks.sandbox import GROUND, floor

ITEMS = ("cobblestone", "dirt", "oak_planks")
REWARDS = {"progress": 0.5, "wrong_block": 0.005, "failed_request": 0.0005, "time": 0.002, "success": 1.0}
# Of many goal cells each earns a share: were errors as dear, a policy that explores would learn not to place.
BUILDING_REWARDS = REWARDS | {"progress": 1.0, "wrong_block": 0.001}
CLIMBING_REWARDS = BUILDING_REWARDS | {"approach": 0.5}


def parameters(difficulty: float) -> Parameters:
    """`distance`: how far the cell is at most, in cells along either axis."""
    return {"distance": scaled(difficulty, 1, 3)}


def generate(draw: random.Random, parameters: Parameters, items: tuple[str, ...]) -> Instance:
    """Cell, heading and kind of block are random."""
    side = range(-parameters["distance"], parameters["distance"] + 1)
    cells = [(x, GROUND + 1, z) for x in side for z in side if (x, z) != (0, 0)]
    return Instance(
        blocks={},
        goal={draw.choice(cells): draw.choice(items)},
        yaw=90.0 * draw.randrange(4),
        inventory=dict.fromkeys(items, 8),
    )


TASK = Task(
    name="Single",
    generate=generate,
    parameters=parameters,
    ranges={"distance": (1, 3)},
    items=ITEMS,
    floor=floor(16),
    episode_steps=32,
    difficulty=1.0,
    rewards=REWARDS,
    expert=build_goal,
)
