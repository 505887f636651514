"""What a step fills, for n environments, in two blocks of memory: what is copied together lies together."""

from typing import Any

import numpy as np

from mc_place_env.simulation.copy import addresses
from mc_place_env.simulation.facts import fact_dtype
from mc_place_env.simulation.observe import number_dtype
from mc_place_env.types import RewardTerm


class Buffers:
    """Results of n environments; side = 2 * view_radius + 1.

    | Attribute | Shape, dtype | Block |
    |---|---|---|
    | `voxels`, `goal` | (n, side, side, side) uint8 | `observed` |
    | `numbers` | (n,) of observe.number_dtype | `observed` |
    | `facts` | (n,) of facts.fact_dtype | `told` |
    | `terms` | (n, reward terms) float64 | `told` |
    | `rewards` | (n,) float64 | `told` |
    | `terminated`, `truncated` | (n,) bool | `told` |

    `observed` and `told` are the blocks' bytes, laid out as `observed_dtype` and `told_dtype`: see `parts_of`.
    """

    def __init__(self, n: int, side: int, n_items: int, max_pending: int):
        self.observed_dtype = observed_dtype((n,), side, n_items, max_pending)
        self.told_dtype = told_dtype(n, max_pending)
        self.observed = np.zeros(self.observed_dtype.itemsize, np.uint8)
        self.told = np.zeros(self.told_dtype.itemsize, np.uint8)
        self._find_parts()

    def _find_parts(self) -> None:
        self.voxels, self.goal, self.numbers = parts_of(self.observed, self.observed_dtype)
        self.facts, self.terms, self.rewards, *flags = parts_of(self.told, self.told_dtype)
        self.terminated, self.truncated = flags
        self.addresses = addresses(self.voxels, self.goal, self.numbers, self.facts, self.terms, self.rewards, *flags)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickled blocks lie elsewhere."""
        self.__dict__.update(state)
        self._find_parts()


def observed_dtype(leading: tuple[int, ...], side: int, n_items: int, max_pending: int) -> np.dtype:
    """The observation of all environments as one record, each part with the leading shape; `()`: of a single one."""
    cube = (*leading, side, side, side)
    numbers = number_dtype(n_items, max_pending)
    return np.dtype([("voxels", np.uint8, cube), ("goal", np.uint8, cube), ("numbers", numbers, leading)], align=True)


def told_dtype(n: int, max_pending: int) -> np.dtype:
    """The rest of a step's results as one record."""
    return np.dtype(
        [
            ("facts", fact_dtype(max_pending), (n,)),
            ("terms", np.float64, (n, len(RewardTerm))),
            ("rewards", np.float64, (n,)),
            ("terminated", np.bool_, (n,)),
            ("truncated", np.bool_, (n,)),
        ],
        align=True,
    )


def parts_of(block: np.ndarray, dtype: np.dtype) -> list[np.ndarray]:
    """A block's parts, in order: views."""
    record: np.ndarray = np.ndarray((), dtype, block)
    return [record[name] for name in dtype.names or ()]
