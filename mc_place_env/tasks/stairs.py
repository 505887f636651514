"""Stairs: build a flight of steps up to a ledge, and climb it."""

import random

from mc_place_env.rules.geometry import world_x, world_z
from mc_place_env.tasks.base import Instance, Parameters, Task, scaled
from mc_place_env.tasks.expert import build_and_walk
from mc_place_env.tasks.sandbox import GROUND, floor
from mc_place_env.tasks.single import CLIMBING_REWARDS
from mc_place_env.types import ActionType, Cell, SuccessKind


def parameters(difficulty: float) -> Parameters:
    """`height` of the ledge in blocks; a flight up to height n takes n(n-1)/2 blocks."""
    return {"height": scaled(difficulty, 2, 5)}


def generate(draw: random.Random, parameters: Parameters, items: tuple[str, ...]) -> Instance:
    """Heading, distance, and kind, width and depth of the ledge are random."""
    quadrant, height, start = draw.randrange(4), parameters["height"], draw.randint(1, 3)
    kind = draw.choice(("stone", "grass_block", "oak_planks"))
    left, right, depth = draw.randint(0, 3), draw.randint(0, 3), draw.randint(1, 3)

    def cell(right: int, up: int, forward: int) -> Cell:
        return world_x(quadrant, right, forward), GROUND + up, world_z(quadrant, right, forward)

    ledge = start + height - 1
    columns = [(side, ledge + back) for side in range(-left, right + 1) for back in range(depth)]
    flight = [cell(0, up, start + k) for k in range(height - 1) for up in range(1, k + 2)]
    return Instance(
        blocks=dict.fromkeys((cell(side, up, ahead) for side, ahead in columns for up in range(1, height + 1)), kind),
        goal=dict.fromkeys(flight, items[0]),
        yaw=90.0 * quadrant,
        inventory={items[0]: 16},
        success=SuccessKind.STAND_AT,
        stand_at=cell(0, height + 1, ledge),
    )


TASK = Task(
    name="Stairs",
    generate=generate,
    parameters=parameters,
    ranges={"height": (2, 5)},
    floor=floor(16),
    actions=(ActionType.WAIT, ActionType.PLACE, ActionType.MOVE_FORWARD, ActionType.MOVE_BACK),
    episode_steps=64,
    difficulty=0.3,
    rewards=CLIMBING_REWARDS,
    expert=build_and_walk,
)
