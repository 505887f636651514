"""Arrays of records whose fields plain Python reads by name, as compiled code does."""

import numpy as np
from numba.core import config


class Record(np.void):  # type: ignore[misc]
    """One record: `row.tick` is `row["tick"]`, also where a field has the name of a numpy method (`item`)."""

    def __getattribute__(self, name):
        get = np.void.__getattribute__
        if name not in get(self, "dtype").fields:
            return get(self, name)
        value = np.void.__getitem__(self, name)
        return value if value.dtype.names is None else value.view((Record, value.dtype))

    def __setattr__(self, name, value):
        self[name] = value


def records(count: int, dtype: np.dtype) -> np.ndarray:
    """`count` zeroed records for the kernel."""
    return np.zeros(count, np.dtype((Record, dtype)) if config.DISABLE_JIT else dtype)
