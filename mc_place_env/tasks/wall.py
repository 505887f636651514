"""Wall: fill the missing cells of a wall in front of the agent with the kind of block it is made of."""

import random

from mc_place_env.errors import ConfigError
from mc_place_env.rules.geometry import world_x, world_z
from mc_place_env.tasks.base import Instance, Parameters, Task, scaled
from mc_place_env.tasks.expert import build_goal
from mc_place_env.tasks.sandbox import GROUND, floor
from mc_place_env.tasks.single import ITEMS, REWARDS


def parameters(difficulty: float) -> Parameters:
    """3 cells wide and 1 high with one missing, to 5 wide and 2 high with four missing."""
    size = {"width": 5 if difficulty > 0.6 else 3, "height": 2 if difficulty > 0.3 else 1}
    return size | {"missing": scaled(difficulty, 1, 4)}


def generate(draw: random.Random, parameters: Parameters, items: tuple[str, ...]) -> Instance:
    """Heading, distance, shift, base and kind are random; so is what is missing."""
    width, height, missing = parameters["width"], parameters["height"], parameters["missing"]
    if missing >= width * height:
        raise ConfigError(f"missing={missing}: expected fewer than the {width * height} cells of the wall")
    quadrant, ahead, shift = draw.randrange(4), draw.randint(2, 3), draw.randint(-1, 1)
    base = GROUND + 1 + draw.randint(0, 1)
    kind = draw.choice(items)
    cells = [
        (world_x(quadrant, right + shift, ahead), base + up, world_z(quadrant, right + shift, ahead))
        for right in range(-(width // 2), width - width // 2)
        for up in range(height)
    ]
    gaps = set(draw.sample(cells, missing))
    return Instance(
        blocks={cell: kind for cell in cells if cell not in gaps},
        goal=dict.fromkeys(cells, kind),
        yaw=90.0 * quadrant,
        inventory=dict.fromkeys(items, max(8, 2 * missing)),
    )


TASK = Task(
    name="Wall",
    generate=generate,
    parameters=parameters,
    ranges={"width": (2, 5), "height": (1, 3), "missing": (1, 8)},
    items=ITEMS,
    floor=floor(16),
    episode_steps=32,
    difficulty=0.0,
    rewards=REWARDS,
    expert=build_goal,
)
