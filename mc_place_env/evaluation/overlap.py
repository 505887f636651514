"""Goal overlap: what was to be built against what was built, as intersection over union of cells."""

import numpy as np

from mc_place_env.simulation.view import RowView
from mc_place_env.tasks.base import cell_number


class Overlap:
    """Remembers the start of one episode; `measure` compares the world of now with it."""

    def __init__(self, view: RowView):
        self.view = view
        self.start = view.blocks().copy()
        self.todo = missing_cells(view)

    def measure(self) -> float | None:
        """Filled / (asked for or changed), in [0, 1]; 1.0 is exact. None where the task asked for no block.

        `asked for` are the goal cells that did not hold their block at reset, `filled` those of them that do now,
        `changed` all cells whose block is another than at reset (another state of the same block is no change).
        """
        if not self.todo:
            return None
        filled = self.todo - missing_cells(self.view)
        return len(filled) / len(self.todo | self.changed_cells())

    def changed_cells(self) -> set[int]:
        """Indices of the cells whose block has another name than at reset."""
        now = self.view.blocks()
        different = np.flatnonzero(now != self.start)
        return {cell for cell in different.tolist() if self.name(now[cell]) != self.name(self.start[cell])}

    def name(self, palette_id: int) -> str:
        """The block's name without its state."""
        return self.view.state_name(int(palette_id)).partition("[")[0]


def missing_cells(view: RowView) -> set[int]:
    """Indices of the goal cells that do not hold their block."""
    return {cell_number(cell, view.origin) for cell, _ in view.missing_goal()}
