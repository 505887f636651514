"""Bridge: cross a gap by placing blocks against the one underfoot and walking over them."""

import random

from mc_place_env.rules.geometry import world_x, world_z
from mc_place_env.tasks.base import Instance, Parameters, Task, scaled
from mc_place_env.tasks.expert import build_and_walk
from mc_place_env.tasks.sandbox import GROUND
from mc_place_env.tasks.single import CLIMBING_REWARDS
from mc_place_env.types import Cell, SuccessKind

PIT = GROUND - 3  # a fall that hurts nobody, and out of reach from above
PIT_FLOOR = {(x, PIT, z): "stone" for x in range(-16, 17) for z in range(-16, 17)}


def parameters(difficulty: float) -> Parameters:
    """`length` of the gap in cells."""
    return {"length": scaled(difficulty, 1, 5)}


def generate(draw: random.Random, parameters: Parameters, items: tuple[str, ...]) -> Instance:
    """Heading, kind and ledges are random."""
    quadrant, length = draw.randrange(4), parameters["length"]
    kind, width = draw.choice(("stone", "grass_block", "oak_planks")), draw.randint(0, 2)

    def cell(right: int, up: int, forward: int) -> Cell:
        return world_x(quadrant, right, forward), up, world_z(quadrant, right, forward)

    near = [cell(right, GROUND, -k) for right in range(-width, width + 1) for k in range(draw.randint(1, 4))]
    far = [cell(right, GROUND, length + 1 + k) for right in range(-width, width + 1) for k in range(3)]
    return Instance(
        blocks=dict.fromkeys(near + far, kind),
        goal=dict.fromkeys((cell(0, GROUND, k) for k in range(1, length + 1)), items[0]),
        yaw=90.0 * quadrant,
        inventory={items[0]: 16},
        success=SuccessKind.STAND_AT,
        stand_at=cell(0, GROUND + 1, length + 1),
    )


TASK = Task(
    name="Bridge",
    generate=generate,
    parameters=parameters,
    ranges={"length": (1, 8)},
    items=("cobblestone",),
    floor=PIT_FLOOR,
    episode_steps=96,
    difficulty=0.5,
    rewards=CLIMBING_REWARDS,
    expert=build_and_walk,
)
