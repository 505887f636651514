"""The compile cache: used again while the sources are the same, and never after an edit in any file of the rules."""

import shutil
from pathlib import Path

from helpers import run_python

import mc_place_env

# A function of motion.py that asks one of placement.py: numba's own cache looks at motion.py only.
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import mc_place_env
from mc_place_env.rules.motion import body_is_free
from mc_place_env.types import ROW, SHARED
assert mc_place_env.__file__.startswith(sys.argv[1]), mc_place_env.__file__
row, shared = np.zeros(1, ROW), np.zeros(1, SHARED)
shared["max_y"], shared["box_count"], shared["boxes"][0, :, 0] = 99, 1, [0, 0, 0, 1, 1, 1]
free = body_is_free(row[0], shared[0], 8.5, 9.5, 8.5, 1.0)  # half a block deep in a full one
print(free, sum(body_is_free.stats.cache_hits.values()))
"""
OLD, NEW = "TOUCH_TOLERANCE = 1e-7", "TOUCH_TOLERANCE = 0.9"


def test_an_edited_rule_is_never_answered_by_a_stale_kernel(tmp_path):
    package, cache = tmp_path / "mc_place_env", tmp_path / "cache"
    shutil.copytree(Path(mc_place_env.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))

    def run():
        free, hits = run_python(PROGRAM, tmp_path, MC_PLACE_ENV_CACHE=cache, NUMBA_DISABLE_JIT=0).split()
        return free == "True", int(hits)

    assert run() == (False, 0)
    assert [folder.name for folder in tmp_path.iterdir() if folder.is_dir()].count("cache") == 1
    assert run() == (False, 1)
    source = package / "rules" / "placement.py"
    assert source.read_text().count(OLD) == 1
    source.write_text(source.read_text().replace(OLD, NEW))
    assert run() == (True, 0)
    assert run() == (True, 1)
    assert not list(package.rglob("*.nbi"))
