"""Sandbox: a flat world and no goal, for scenarios, tools and cases."""

import random
from itertools import product

from mc_place_env.tasks.base import Instance, Parameters, Task
from mc_place_env.types import SuccessKind

GROUND = 63  # height of every task's floor; the agent starts in cell (0, 64, 0)


def floor(radius: int, name: str = "stone") -> dict[tuple[int, int, int], str]:
    """A square floor around the start cell."""
    side = range(-radius, radius + 1)
    return {(x, GROUND, z): name for x, z in product(side, side)}


def generate(draw: random.Random, parameters: Parameters, items: tuple[str, ...]) -> Instance:
    """The flat world, with a stack of every item."""
    return Instance(blocks={}, inventory=dict.fromkeys(items, 64), success=SuccessKind.NEVER)


TASK = Task(
    name="Sandbox",
    generate=generate,
    items=("cobblestone", "dirt", "stone", "oak_planks", "torch", "stone_slab"),
    floor=floor(16),
    episode_steps=1000,
    varied=False,
)
