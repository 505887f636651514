"""mc_place_env: Minecraft's mc-place tool as a Gymnasium environment, on a fast simulator and on real servers.

Importing registers the ids `McPlace/<Task>-v0`; nothing is compiled and nothing is started.
"""

from importlib import import_module
from typing import Any

from gymnasium.envs.registration import register

__version__ = "0.1.0"

TASK_NAMES = ("Sandbox", "Single", "Wall", "Bridge", "Stairs", "Pillar", "Shelter", "Blueprint")
IDS = {name: f"McPlace/{name}-v0" for name in TASK_NAMES}

for _task, _id in IDS.items():
    register(
        _id,
        entry_point="mc_place_env.envs.place_env:PlaceEnv",
        vector_entry_point="mc_place_env.envs.vector_env:PlaceVectorEnv",
        disable_env_checker=True,  # it is checked in the tests; as a wrapper it costs every step
        kwargs={"task": _task},
    )

_PUBLIC = {
    "Actions": "mc_place_env.tool",
    "McPlaceTool": "mc_place_env.tool",
    "ActionType": "mc_place_env.types",
    "Face": "mc_place_env.types",
    "Reason": "mc_place_env.types",
    "PlaceEnvConfig": "mc_place_env.config",
    "LatencyModel": "mc_place_env.config",
    "SpatialMap": "mc_place_env.spatial_map",
    "relabel_credit": "mc_place_env.credit",
}
__all__ = ["IDS", "__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
