"""The task families by name: one file each."""

from mc_place_env.tasks import blueprint, bridge, pillar, sandbox, shelter, single, stairs, wall
from mc_place_env.tasks.base import Task

FAMILIES = (sandbox, single, wall, bridge, stairs, pillar, shelter, blueprint)
TASKS: dict[str, Task] = {family.TASK.name: family.TASK for family in FAMILIES}
