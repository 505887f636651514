"""What a batch asks of a backend other than the simulator."""

from typing import Protocol

import numpy as np

from mc_place_env.simulation.batch import Batch


class Backend(Protocol):
    """Advances the rows of a batch by what happened elsewhere, into the same arrays the simulator writes.

    Observation, masks, rewards, spatial map and info are then the same code on every backend.
    """

    def reset(self, batch: Batch, which: np.ndarray) -> None:
        """Makes the other world equal to the rows of the mask, which the batch has just reset."""

    def advance(self, batch: Batch, which: np.ndarray) -> None:
        """Carries out the step that `begin_step` began in the rows of the mask: world, body, verdicts, tick."""

    def close(self) -> None:
        """Leaves nothing running; may be called twice."""
