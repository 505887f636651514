"""The compile cache: used again while the sources are the same, and never after an edit in any file of the rules."""

import shutil
from pathlib import Path

from helpers import run_python

import mc_place_env

# An entry of view.py that asks placement.py: numba's own cache looks at the file of the entry only.
PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import mc_place_env
from mc_place_env.simulation.view import _check_placement
from mc_place_env.types import ROW, SHARED, Reason
assert mc_place_env.__file__.startswith(sys.argv[1]), mc_place_env.__file__
rows, shared = np.zeros(1, ROW), np.zeros(1, SHARED)
rows["position"], shared["max_y"], shared["reach"] = (8.5, 9.5, 8.5), 99, 4.5
reason = Reason(_check_placement(rows, shared, 0, 8, 3, 8, 0, 0))  # air, 7.12 blocks below the eye
print(reason.name, sum(_check_placement.stats.cache_hits.values()))
"""
OLD, NEW = "<= shared.reach * shared.reach", "<= 64.0"


def test_an_edited_rule_is_never_answered_by_a_stale_kernel(tmp_path):
    package, cache = tmp_path / "mc_place_env", tmp_path / "cache"
    shutil.copytree(Path(mc_place_env.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))

    def run():
        reason, hits = run_python(PROGRAM, tmp_path, MC_PLACE_ENV_CACHE=cache, NUMBA_DISABLE_JIT=0).split()
        return reason, int(hits)

    assert run() == ("OUT_OF_REACH", 0)
    assert [folder.name for folder in tmp_path.iterdir() if folder.is_dir()].count("cache") == 1
    assert run() == ("OUT_OF_REACH", 1)
    source = package / "rules" / "placement.py"
    assert source.read_text().count(OLD) == 1
    source.write_text(source.read_text().replace(OLD, NEW))
    assert run() == ("ANCHOR_MISSING", 0)
    assert run() == ("ANCHOR_MISSING", 1)
    assert not list(package.rglob("*.nbi"))
