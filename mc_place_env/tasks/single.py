"""Single: put one block of a given kind onto one floor cell within reach."""

import random

from mc_place_env.tasks.base import Instance, Task
from mc_place_env.tasks.expert import build_goal
from mc_place_env.tasks.sandbox import GROUND, floor

ITEMS = ("cobblestone", "dirt", "oak_planks")
REWARDS = {"progress": 0.5, "wrong_block": 0.005, "failed_request": 0.0005, "time": 0.002, "success": 1.0}


def generate(draw: random.Random, difficulty: float, items: tuple[str, ...]) -> Instance:
    """The cell is up to 1 (difficulty 0) to 3 (difficulty 1) cells away; heading and kind are random."""
    radius = 1 + round(2 * difficulty)
    side = range(-radius, radius + 1)
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
    items=ITEMS,
    floor=floor(16),
    episode_steps=32,
    difficulty=1.0,
    rewards=REWARDS,
    expert=build_goal,
)
