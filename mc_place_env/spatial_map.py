"""What the agent knows of the world: belief, apart from the truth in the simulator's arrays."""

from pathlib import Path
from typing import Any

import numpy as np

from mc_place_env.errors import ConfigError
from mc_place_env.jit import Direct, entry, jit
from mc_place_env.rules.geometry import cell_index, world_x, world_z
from mc_place_env.simulation.copy import same_items
from mc_place_env.simulation.observe import pose_of
from mc_place_env.types import AIR, CELLS, MARGIN, SIZE_X, SIZE_Y, SIZE_Z, UNLOADED, VOID, Cell, Outcome

UNKNOWN = "unknown"


@entry
def learn_cube(rows, i, radius, known):
    """Copies what row i's observed cube shows into `known`, as `SpatialMap.known` but flat; how many cells were news.

    Of what lies beyond the region nothing is learned.
    """
    row = rows[i]
    x, y, z, _ = pose_of(row)
    low, high = max(y - radius, 0), min(y + radius + 1, SIZE_Y)
    news = 0
    for a in range(max(x - radius, 0), min(x + radius + 1, SIZE_X)):
        for b in range(max(z - radius, 0), min(z + radius + 1, SIZE_Z)):
            column = (a * SIZE_Z + b) * SIZE_Y
            if not same_items(known, row.blocks, column + low, high - low):
                news += learn_cells(row, known, column + low, column + high)
    return news


@jit
def learn_cells(row, known, first, last):
    """Learns a run of cells."""
    news = 0
    for cell in range(first, last):
        state = row.blocks[cell]
        if known[cell] != state and state != UNLOADED:
            known[cell] = state
            news += 1
    return news


@jit
def learn_placements(row, known):
    """Learns every placement reported in the last step, in sight or not."""
    for k in range(row.outcome_count):
        request = row.outcomes[k]
        if request.outcome == Outcome.PLACED:
            known[cell_index(row, request.cell[0], request.cell[1], request.cell[2])] = request.state_after


@entry
def write_believed(rows, shared, i, radius, known, cube):
    """The map around the agent as a policy sees it: uint8 (n, n, n) [right, forward, up], 0 or 1 + class."""
    row = rows[i]
    x, y, z, quadrant = pose_of(row)
    for right in range(-radius, radius + 1):
        for forward in range(-radius, radius + 1):
            a, b = x + world_x(quadrant, right, forward), z + world_z(quadrant, right, forward)
            for up in range(-radius, radius + 1):
                c = y + up
                believed = 0
                if 0 <= a < SIZE_X and 0 <= b < SIZE_Z and 0 <= c < SIZE_Y:
                    state = known[(a * SIZE_Z + b) * SIZE_Y + c]
                    believed = 0 if state == UNLOADED else 1 + int(shared[0].cell_class[state])
                cube[right + radius, forward + radius, up + radius] = believed


@entry
def learn_and_write(rows, shared, known, cubes):
    """Every row of a batch: forgets at a reset, learns from sight and from placements, and fills `cubes`."""
    radius = shared[0].view_radius
    for i in range(len(rows)):
        if rows[i].tick == 0:
            known[i] = UNLOADED
        learn_placements(rows[i], known[i])
        learn_cube(rows, i, radius, known[i])
        write_believed(rows, shared, i, radius, known[i], cubes[i])


LEARN_CUBE = Direct(learn_cube)


class SpatialMap:
    """Unknown, known block, or pending target, by world cell.

    It learns from what is observed and, on its own, from every successful placement, in sight or not. `known`: uint8
    (CELLS,), palette ids as in a row's `blocks`, UNLOADED where nothing is known.
    """

    def __init__(self, palette: Any, origin: Cell = (0, 0, 0)):
        self._palette = palette
        self.origin = tuple(int(c) for c in origin)
        self.known = np.full(CELLS, UNLOADED, np.uint8)
        self._pending: dict[int, Cell] = {}
        self._loaded = True

    def observe(self, rows: np.ndarray, radius: int, news: bool) -> bool:
        """Learns from the cube that a batch of one observes; whether anything was news.

        `news`: whether the view is another than in the last step, or something else has been written to the map.
        """
        if not (news or self._loaded):
            return False
        self._loaded = False
        return LEARN_CUBE.call(rows, 0, radius, self.known) > 0

    def believed(self, rows: np.ndarray, shared: np.ndarray, radius: int) -> np.ndarray:
        """The observation `spatial_map` of a batch of one: uint8 (n, n, n), 0 unknown, else 1 + class believed."""
        cube = np.zeros((2 * radius + 1,) * 3, np.uint8)
        write_believed(rows, shared, 0, radius, self.known, cube)
        return cube

    def record_placement(self, cell: Cell, state: int) -> None:
        """Learns that a placement succeeded; IndexError beyond what the map covers."""
        at = self._index(cell)
        if at is None:
            raise IndexError(f"cell {cell} is beyond the map")
        self.known[at] = state

    def set_pending(self, targets: dict[int, Cell]) -> None:
        """Destination by request id, of the requests in flight."""
        self._pending = targets

    @property
    def pending_targets(self) -> dict[int, Cell]:
        """Destination by request id, of the requests in flight."""
        return dict(self._pending)

    def block_at(self, x: int, y: int, z: int) -> str:
        """The block believed to be in a cell, or `unknown`."""
        at = self._index((x, y, z))
        state = UNLOADED if at is None else int(self.known[at])
        return UNKNOWN if state == UNLOADED else self._palette.name(state)

    def status_at(self, x: int, y: int, z: int) -> str:
        """`pending`, `known` or `unknown`."""
        if (x, y, z) in self._pending.values():
            return "pending"
        return "unknown" if self.block_at(x, y, z) == UNKNOWN else "known"

    def _index(self, cell: Cell) -> int | None:
        x, y, z = (int(c) - o + MARGIN for c, o in zip(cell, self.origin, strict=True))
        inside = 0 <= x < SIZE_X and 0 <= y < SIZE_Y and 0 <= z < SIZE_Z
        return (x * SIZE_Z + z) * SIZE_Y + y if inside else None

    def save(self, path: str | Path) -> None:
        """Writes the map, with the names of its blocks, as a compressed numpy file."""
        with open(path, "wb") as file:
            np.savez_compressed(file, blocks=self.known, origin=self.origin, names=self._palette.names())

    def load(self, path: str | Path) -> None:
        """Reads a saved map; ConfigError if the file is none."""
        try:
            data = np.load(path, allow_pickle=False)
            blocks, origin, names = data["blocks"], data["origin"], data["names"].tolist()
        except (OSError, ValueError, KeyError) as error:
            raise ConfigError(f"{path}: not a saved spatial map ({error})") from None
        ids = np.array([AIR, UNLOADED, VOID] + [self._palette.id(name) for name in names[3:]], np.uint8)
        self.known[:], self._loaded = ids[blocks], True
        self.origin = tuple(origin.tolist())
