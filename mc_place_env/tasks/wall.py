"""Wall: fill the missing cells of a wall in front of the agent with the kind of block it is made of."""

import random

from mc_place_env.rules.geometry import world_x, world_z
from mc_place_env.tasks.base import Instance, Task
from mc_place_env.tasks.expert import build_goal
from mc_place_env.tasks.sandbox import GROUND, floor
from mc_place_env.tasks.single import ITEMS, REWARDS


def generate(draw: random.Random, difficulty: float, items: tuple[str, ...]) -> Instance:
    """3 cells wide and 1 high with one missing (difficulty 0), to 5 wide and 2 high with four missing (1)."""
    half_width, height = (2 if difficulty > 0.6 else 1), (2 if difficulty > 0.3 else 1)
    missing = 1 + round(3 * difficulty)
    quadrant, ahead, shift = draw.randrange(4), draw.randint(2, 3), draw.randint(-1, 1)
    base = GROUND + 1 + draw.randint(0, 1)
    kind = draw.choice(items)
    cells = [
        (world_x(quadrant, right + shift, ahead), base + up, world_z(quadrant, right + shift, ahead))
        for right in range(-half_width, half_width + 1)
        for up in range(height)
    ]
    gaps = set(draw.sample(cells, missing))
    return Instance(
        blocks={cell: kind for cell in cells if cell not in gaps},
        goal=dict.fromkeys(cells, kind),
        yaw=90.0 * quadrant,
        inventory=dict.fromkeys(items, 8),
    )


TASK = Task(
    name="Wall",
    generate=generate,
    items=ITEMS,
    floor=floor(16),
    episode_steps=32,
    difficulty=0.0,
    rewards=REWARDS,
    expert=build_goal,
)
