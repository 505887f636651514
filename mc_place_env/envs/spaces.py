"""The observation space, and observations as dicts of arrays of their own."""

import numpy as np
from gymnasium import spaces

from mc_place_env.simulation.batch import Batch
from mc_place_env.simulation.observe import LIMIT, STACK
from mc_place_env.types import MAX_ITEMS, CellClass

MAX_STACKS = 36.0


def observation_space(batch: Batch) -> spaces.Dict:
    """The Dict space of one environment of the batch (see the table in PlaceEnv)."""
    n_classes = int(CellClass.ITEM) + len(batch.items)
    assert n_classes <= CellClass.ITEM + MAX_ITEMS < 255  # SB3 takes a uint8 box up to 255 for an image
    parts: dict[str, spaces.Space] = {
        "voxels": spaces.Box(0, n_classes - 1, batch.voxels.shape[1:], np.uint8),
        "goal": spaces.Box(0, n_classes - 1, batch.goal.shape[1:], np.uint8),
    }
    for name, (_, shape) in batch.number_slices.items():
        low, high = (0.0, MAX_STACKS) if name == "inventory" else (-LIMIT, LIMIT)
        parts[name] = spaces.Box(low, high, shape, np.float32)
    return spaces.Dict(parts)


def observation(batch: Batch, copy: bool = True) -> dict[str, np.ndarray]:
    """The batch's observation; with copy=False, views of buffers that the next step overwrites."""
    voxels, goal, numbers = (part.copy() for part in batch.observation) if copy else batch.observation
    parts = {"voxels": voxels, "goal": goal}
    for name, (place, shape) in batch.number_slices.items():
        parts[name] = numbers[:, place].reshape(batch.n, *shape)
    return parts


assert STACK * MAX_STACKS >= 2304
