"""The optional observation `shapes`: block states that matter to a body."""

import numpy as np
from helpers import make, make_vec, scenario

from mc_place_env.types import ShapeClass

BLOCKS = {
    "stone": ShapeClass.FULL,
    "stone_slab[type=bottom]": ShapeClass.LOWER,
    "stone_slab[type=top]": ShapeClass.UPPER,
    "stone_slab[type=double]": ShapeClass.FULL,
    "snow[layers=1]": ShapeClass.NONE,
    "snow[layers=5]": ShapeClass.LOWER,
    "oak_fence": ShapeClass.TALL,
    "torch": ShapeClass.NONE,
    "oak_door[half=lower]": ShapeClass.OTHER,
    "white_carpet": ShapeClass.LOWER,
}


def test_every_shape_where_it_is():
    env = make(items=("stone",), observe="shapes")
    for k, (name, expected) in enumerate(BLOCKS.items()):
        start = scenario([2, 64, 3, name], yaw=90.0 * (k % 4))
        seen, _ = env.reset(seed=0, options={"scenario": start})
        assert env.observation_space.contains(seen)
        right, forward = {0: (-2, 3), 1: (-3, -2), 2: (2, -3), 3: (3, 2)}[k % 4]
        assert seen["shapes"][4 + right, 4 + forward, 4] == expected, name
        assert seen["shapes"][4, 4, 3] == ShapeClass.FULL


def test_rows_see_what_the_single_one_sees():
    rows = make_vec("McPlace/Wall-v0", num_envs=3, observe="shapes")
    single = make("McPlace/Wall-v0", observe="shapes")
    many, one = rows.reset(seed=5)[0], single.reset(seed=6)[0]
    assert np.array_equal(many["shapes"][1], one["shapes"])
