"""The observation space, and observations as dicts of arrays of their own."""

import numpy as np
from gymnasium import spaces

from mc_place_env.simulation.batch import Batch
from mc_place_env.simulation.buffers import parts_of
from mc_place_env.simulation.observe import LIMIT, write_shapes
from mc_place_env.types import MAX_ITEMS, CellClass, ShapeClass

MAX_STACKS = 36.0


def observation_space(batch: Batch, mask_width: int) -> spaces.Dict:
    """The Dict space of one environment of the batch (see the table in PlaceEnv)."""
    n_classes = int(CellClass.ITEM) + len(batch.items)
    assert n_classes <= CellClass.ITEM + MAX_ITEMS < 255  # SB3 takes a uint8 box up to 255 for an image
    parts: dict[str, spaces.Space] = {
        "voxels": spaces.Box(0, n_classes - 1, batch.out.voxels.shape[1:], np.uint8),
        "goal": spaces.Box(0, n_classes - 1, batch.out.goal.shape[1:], np.uint8),
    }
    for name in batch.out.numbers.dtype.names or ():
        low, high = (0.0, MAX_STACKS) if name == "inventory" else (-LIMIT, LIMIT)
        parts[name] = spaces.Box(low, high, batch.out.numbers[name].shape[1:], np.float32)
    if "spatial_map" in batch.config.observe:
        parts["spatial_map"] = spaces.Box(0, n_classes, batch.out.voxels.shape[1:], np.uint8)
    if "shapes" in batch.config.observe:
        parts["shapes"] = spaces.Box(0, len(ShapeClass) - 1, batch.out.voxels.shape[1:], np.uint8)
    if "action_mask" in batch.config.observe:
        parts["action_mask"] = spaces.Box(0, 1, (mask_width,), np.int8)
    return spaces.Dict(parts)


def observation(block: np.ndarray, dtype: np.dtype) -> dict[str, np.ndarray]:
    """The observation laid out in a block of bytes, as views of it: buffers.observed_dtype."""
    voxels, goal, numbers = parts_of(block, dtype)
    parts = {"voxels": voxels, "goal": goal}
    for name in numbers.dtype.names or ():
        parts[name] = numbers[name]
    return parts


def shapes(batch: Batch) -> np.ndarray:
    """The optional observation `shapes`: uint8 (n, side, side, side)."""
    cubes = np.empty_like(batch.out.voxels)
    write_shapes(batch.rows, batch.shared, cubes)
    return cubes
