"""The package's compile decorators: lazy, one signature a function, cached under a key of our own sources.

numba's cache looks only at the file of the function itself; a rule edited in another file would be answered by a
stale kernel. So the cache folder is named after a hash of every compiled source file of the package.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config
from numba.extending import register_jitable

PACKAGE = Path(__file__).parent
COMPILED_SOURCES = ("types.py", "jit.py", "rules", "simulation")

Function = TypeVar("Function", bound=Callable[..., Any])


def source_key() -> str:
    """Hash of every source file that reaches a kernel, and of the compiler's version."""
    digest = hashlib.blake2b(digest_size=10)
    digest.update(f"{numba.__version__} {sys.version}".encode())
    for entry in COMPILED_SOURCES:
        path = PACKAGE / entry
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()


@cache
def cache_folder() -> str:
    """The folder for this state of the sources: `$MC_PLACE_ENV_CACHE` or the user's cache folder."""
    base = os.environ.get("MC_PLACE_ENV_CACHE")
    if base is None:
        user_cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        base = str(Path(user_cache) / "mc_place_env" / "kernels")
    return str(Path(base) / source_key())


def scalar(function: Function) -> Function:
    """For arithmetic on a few numbers: plain Python when called from Python, compiled inside kernels."""
    return register_jitable(error_model="numpy")(function)


def jit(function: Any) -> Any:
    """For the functions inside a kernel: compiled with it; not meant to be called from Python in a hurry."""
    return numba.njit(error_model="numpy")(function)


def entry(function: Any) -> Any:
    """For what Python calls: compiled on first use, then taken from our cache."""
    return _compile(function)


def parallel_entry(function: Any) -> Any:
    """As `entry`, for a function whose loop is a `prange`. Its body must be one call (see numba #7135)."""
    return _compile(function, parallel=True)


def _compile(function: Any, **options: Any) -> Any:
    # numba takes the folder from its public setting at decoration time; ours must not leak into user code
    before = config.CACHE_DIR
    config.CACHE_DIR = cache_folder()
    try:
        return numba.njit(cache=True, error_model="numpy", **options)(function)
    finally:
        config.CACHE_DIR = before
