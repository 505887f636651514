"""Pillar: go up by jumping and placing a block underneath in mid-air.

The feet are at least a block above the ground at the ends of ticks 3 to 8 after a jump began; only then is a verdict
good, and the latency is not the agent's choice. At three ticks a step, a request one step before the jump meets that
window with a latency of 6 to 11 ticks, and one a step after it with 0 to 5: each constant latency can be solved. At
four ticks a step 5 and 6 cannot.
"""

import random
from typing import TYPE_CHECKING, Any

from mc_place_env.tasks.base import Instance, Parameters, Task, scaled
from mc_place_env.tasks.bridge import PIT_FLOOR
from mc_place_env.tasks.expert import neighbour
from mc_place_env.tasks.sandbox import GROUND
from mc_place_env.tasks.single import REWARDS
from mc_place_env.types import ActionType, Face, SuccessKind

if TYPE_CHECKING:
    from mc_place_env.simulation.view import RowView

APEX = 1.2  # blocks; higher up it is too late for this jump and too early for the next
NEIGHBOURS = [(x, z) for x in (-1, 0, 1) for z in (-1, 0, 1) if (x, z) != (0, 0)]


def parameters(difficulty: float) -> Parameters:
    """`height` of the pillar in blocks."""
    return {"height": scaled(difficulty, 1, 5)}


def generate(draw: random.Random, parameters: Parameters, items: tuple[str, ...]) -> Instance:
    """The agent stands on a small island in a pit; which of the eight cells around it are there is random."""
    height, kind = parameters["height"], draw.choice(("stone", "grass_block", "oak_planks"))
    around = [cell for cell in NEIGHBOURS if draw.random() < 0.5]
    return Instance(
        blocks=dict.fromkeys(((x, GROUND, z) for x, z in [(0, 0), *around]), kind),
        goal=dict.fromkeys(((0, GROUND + k, 0) for k in range(1, height + 1)), items[0]),
        yaw=90.0 * draw.randrange(4),
        inventory={items[0]: 16},
        success=SuccessKind.STAND_AT,
        stand_at=(0, GROUND + 1 + height, 0),
    )


def jump_and_place(view: "RowView") -> dict[str, Any]:
    """Keeps jumping; asks on the way up for this jump's verdict, and before landing for the next one's.

    An expert without memory, and it needs no guess of the latency: one of the two is in time, or a later jump is.
    """
    if view.agent.on_ground:
        return view.action(ActionType.JUMP)
    for target, item in view.missing_goal()[:1]:
        asked = sum(request["destination"] == target for request in view.pending_requests())
        if asked < 2 and view.agent.position[1] - target[1] < APEX:
            return view.place(neighbour(target, Face.DOWN), Face.UP, item)
    return view.action(ActionType.WAIT)


TASK = Task(
    name="Pillar",
    generate=generate,
    parameters=parameters,
    ranges={"height": (1, 8)},
    floor=PIT_FLOOR,
    actions=(ActionType.WAIT, ActionType.PLACE, ActionType.JUMP),
    episode_steps=96,
    ticks_per_step=3,
    difficulty=0.5,
    rewards=REWARDS,
    expert=jump_and_place,
)
