"""The task families by name: one file each."""

from mc_place_env.tasks import bridge, sandbox, single, wall
from mc_place_env.tasks.base import Task

TASKS: dict[str, Task] = {task.name: task for task in (sandbox.TASK, single.TASK, wall.TASK, bridge.TASK)}
