"""What scripts see of one environment, single or a row of a vector: names and numbers instead of records."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mc_place_env.jit import entry
from mc_place_env.rules.geometry import (
    absolute_face,
    agent_forward,
    agent_right,
    cell_of,
    quadrant_of,
)
from mc_place_env.rules.placement import check_placement
from mc_place_env.rules.world import block_at
from mc_place_env.simulation.report import read_requests, request_numbers
from mc_place_env.types import MARGIN, SIZE_Y, SIZE_Z, ActionType, Cell, CellClass, Face, Reason


# Compiled code takes an array and an index: handing over a single record from Python costs 10 microseconds.
@entry
def _check_placement(rows, shared, i, x, y, z, face, item):
    return check_placement(rows[i], shared[0], x, y, z, face, item)


@entry
def _block_at(rows, shared, i, x, y, z):
    return block_at(rows[i], shared[0], x, y, z)


class Agent(NamedTuple):
    """The agent's body: position of the feet (blocks), yaw (degrees), whether it stands."""

    position: tuple[float, float, float]
    yaw: float
    on_ground: bool
    sneaking: bool


class RowView:
    """Read access to row `i` of a batch."""

    def __init__(self, batch: Any, i: int = 0):
        self._batch, self._i = batch, i

    @property
    def _row(self) -> np.void:
        return self._batch.rows[self._i]

    @property
    def _shared(self) -> np.void:
        return self._batch.shared[0]

    @property
    def agent(self) -> Agent:
        """The agent's body as it is now."""
        row = self._row
        x, y, z = row["position"].tolist()
        return Agent((x, y, z), float(row["yaw"]), bool(row["on_ground"]), bool(row["sneaking"]))

    @property
    def quadrant(self) -> int:
        """The agent's heading: 0 south, 1 west, 2 north, 3 east."""
        return quadrant_of(float(self._row["yaw"]))

    @property
    def agent_cell(self) -> Cell:
        """The cell of the agent's feet."""
        x, y, z = (cell_of(c) for c in self._row["position"].tolist())
        return x, y, z

    @property
    def moving(self) -> bool:
        """Whether a MOVE is under way."""
        return bool(self._row["moving"])

    @property
    def pending(self) -> tuple[int, ...]:
        """Ids of the requests in flight."""
        row = self._row
        return tuple(row["pending"]["id"][: row["pending_count"]].tolist())

    def pending_requests(self) -> list[dict[str, Any]]:
        """The requests in flight: id, item, destination, submitted_tick."""
        row, items = self._row, self._batch.palette.items
        return [
            {
                "request_id": request.id,
                "item": items[request.item],
                "destination": request.destination,
                "submitted_tick": request.submitted_tick,
            }
            for request in read_requests(request_numbers(row["pending"][: row["pending_count"]]))
        ]

    @property
    def origin(self) -> Cell:
        """Lowest cell of the region."""
        x, y, z = self._row["origin"].tolist()
        return x, y, z

    def blocks(self) -> np.ndarray:
        """Palette ids uint8 (CELLS,) of the region and its margin: a view, not to be written."""
        return self._row["blocks"]

    def state_name(self, palette_id: int) -> str:
        """Name of a palette entry."""
        return self._batch.palette.name(palette_id)

    @property
    def inventory(self) -> dict[str, int]:
        """Counts by item name, of every item the environment offers."""
        counts = self._row["inventory"].tolist()
        return dict(zip(self._batch.palette.items, counts, strict=False))

    def block_at(self, x: int, y: int, z: int) -> str:
        """Name of the block in a cell, with states where it has any that matter; `void_air` beyond the region."""
        return self._batch.palette.name(self._state_at((x, y, z)))

    def has_collision(self, cell: Cell) -> bool:
        """Whether the block in a cell has a collision box."""
        return bool(self._shared["box_count"][self._state_at(cell)])

    def _state_at(self, cell: Cell) -> int:
        x, y, z = map(int, cell)
        return int(_block_at(self._batch.rows, self._batch.shared, self._i, x, y, z))

    def goal(self) -> dict[Cell, str]:
        """Goal cells and the item each asks for."""
        return {cell: self._batch.palette.items[item] for _, cell, item in self._goals()}

    def missing_goal(self) -> list[tuple[Cell, int]]:
        """Goal cells that do not hold their block, with the index of the item each asks for; lowest first."""
        seen = self._row["seen"]
        missing = [(cell, item) for at, cell, item in self._goals() if seen[at] != CellClass.ITEM + item]
        return sorted(missing, key=lambda entry: (entry[0][1], entry[0]))

    def _goals(self) -> Iterator[tuple[int, Cell, int]]:
        """Index, cell and item of every goal cell."""
        row = self._row
        x0, y0, z0 = (low - MARGIN for low in row["origin"].tolist())
        for at, goal_class in row["goals"][: row["goal_total"]].tolist():
            column, y = divmod(at, SIZE_Y)
            x, z = divmod(column, SIZE_Z)
            yield at, (x + x0, y + y0, z + z0), goal_class - CellClass.ITEM

    def check(self, anchor: Cell, face: int, item: int) -> Reason:
        """What the rules say now of a placement on a face (relative or absolute) of an anchor cell."""
        face = absolute_face(int(face), self.quadrant)
        x, y, z = map(int, anchor)
        return Reason(_check_placement(self._batch.rows, self._batch.shared, self._i, x, y, z, face, int(item)))

    def action(self, action_type: ActionType) -> dict[str, Any]:
        """A canonical action without parameters."""
        return {"type": int(action_type), "anchor": np.zeros(3, np.float32), "face": 0, "item": 0}

    def place(self, anchor: Cell, face: Face, item: int) -> dict[str, Any]:
        """The canonical PLACE that names an anchor cell as the agent sees it."""
        dx, dy, dz = (a - b for a, b in zip(anchor, self.agent_cell, strict=True))
        right, forward = agent_right(self.quadrant, dx, dz), agent_forward(self.quadrant, dx, dz)
        offset = np.array([right, dy, forward], np.float32)
        return {"type": int(ActionType.PLACE), "anchor": offset, "face": int(face), "item": int(item)}
