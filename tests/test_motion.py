"""Vanilla walking, jumping and falling, and the grid-aligned MOVE."""

from itertools import pairwise

import numpy as np
import pytest
from helpers import sandbox


def positions(env, actions):
    """Where the agent is after each action, one tick each."""
    found = []
    for action in actions:
        env.step(action)
        found.append(env.unwrapped.agent.position)
    return found


def walked(env, act, ticks, move="move_forward", axis=2):
    """Distance from the start along an axis after each tick of a MOVE."""
    start = env.unwrapped.agent.position[axis]
    return [p[axis] - start for p in positions(env, [getattr(act, move)()] + [act.wait()] * (ticks - 1))]


def heights(env, act, ticks, start=64.0):
    return [p[1] - start for p in positions(env, [act.jump()] + [act.wait()] * (ticks - 1))]


def vanilla_walk(ticks, acceleration=0.098):
    """Vanilla's recurrence: speed += acceleration, move, speed *= 0.546 (ground)."""
    speed, at, found = 0.0, 0.0, []
    for _ in range(ticks):
        speed += acceleration
        at += speed
        speed *= 0.546
        found.append(at)
    return found


# -- walking -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "axis", "sign"),
    [("move_forward", 2, 1), ("move_back", 2, -1), ("move_right", 0, -1), ("move_left", 0, 1)],
)
def test_a_move_takes_six_ticks_from_rest(move, axis, sign):
    env, act = sandbox()
    found = walked(env, act, 8, move, axis)
    expected = vanilla_walk(5)
    assert expected[:2] == pytest.approx([0.098, 0.2495], abs=1e-4)
    assert expected[-1] < 1.0 < vanilla_walk(6)[-1]
    np.testing.assert_allclose(found[:5], sign * np.array(expected), atol=1e-12)
    assert found[5:] == [sign * 1.0] * 3
    assert env.unwrapped.agent.on_ground
    assert not env.unwrapped.view.moving


@pytest.mark.parametrize(
    ("yaw", "step"),
    [
        (0, (0, 1)),
        (90, (-1, 0)),
        (180, (0, -1)),
        (270, (1, 0)),
        (-90, (1, 0)),
        (44, (0, 1)),
        (46, (-1, 0)),
        (720, (0, 1)),
    ],
)
def test_forward_is_where_the_agent_looks(yaw, step):
    env, act = sandbox(yaw=float(yaw))
    x, _, z = positions(env, [act.move_forward()] + [act.wait()] * 6)[-1]
    assert (x - 0.5, z - 0.5) == step


def test_turns_are_quarter_turns_at_once():
    env, act = sandbox(yaw=30.0)
    yaws = []
    for action in (act.turn_right(), act.turn_right(), act.turn_right(), act.turn_right(), act.turn_left()):
        env.step(action)
        yaws.append(env.unwrapped.agent.yaw)
    assert yaws == [90.0, 180.0, 270.0, 0.0, 270.0]


def test_a_move_ends_in_the_middle_of_a_cell_wherever_it_began():
    for z, end in ((0.2, 1.5), (0.9, 1.5), (0.5, 1.5)):
        env, act = sandbox(position=(0.5, 64.0, z))
        assert positions(env, [act.move_forward()] + [act.wait()] * 12)[-1][2] == end


def test_a_turn_or_a_move_during_a_move_is_ignored():
    for ignored in ("turn_left", "turn_right", "move_left", "move_back"):
        env, act = sandbox()
        positions(env, [act.move_forward(), getattr(act, ignored)()] + [act.wait()] * 5)
        assert env.unwrapped.agent.position == (0.5, 64.0, 1.5)
        assert env.unwrapped.agent.yaw == 0.0
        env.step(act.turn_left())
        assert env.unwrapped.agent.yaw == 270.0


def test_a_move_goes_on_while_something_is_placed():
    env, act = sandbox(latency=2)
    plain, _ = sandbox(latency=2)
    wait, move = act.wait(), act.move_forward()
    busy = [move, act.place("cobblestone", 2, -1, 0, "up"), wait, act.sneak(), act.sneak(), wait, wait, wait, wait]
    assert positions(env, busy[:3]) == positions(plain, [move, wait, wait])
    end = positions(env, busy[3:] + [wait] * 4)[-1]
    assert end == (0.5, 64.0, 1.5)
    assert env.unwrapped.block_at(-2, 64, 0) == "cobblestone"


def test_moving_says_so_until_it_ends():
    env, act = sandbox()
    env.step(act.move_forward())
    assert env.unwrapped.view.moving
    positions(env, [act.wait()] * 5)
    assert not env.unwrapped.view.moving


# -- jumping and falling -----------------------------------------------------------------------------------------------


def test_heights_of_a_jump():
    env, act = sandbox()
    found = heights(env, act, 14)
    assert found[:9] == pytest.approx([0.42, 0.753, 1.001, 1.166, 1.249, 1.252, 1.177, 1.024, 0.797], abs=6e-4)
    speed, at = 0.42, 0.0
    for height in found[:11]:
        at += speed
        speed = (speed - 0.08) * 0.98
        assert height == pytest.approx(at, abs=1e-9)
    assert found[11:] == [0.0] * 3
    assert env.unwrapped.agent.on_ground


def test_no_second_jump_in_the_air():
    env, act = sandbox()
    assert heights(env, act, 3) == pytest.approx([0.42, 0.7532, 1.0013], abs=1e-3)
    again = [p[1] - 64.0 for p in positions(env, [act.jump()] * 3)]
    assert again == pytest.approx([1.166, 1.249, 1.252], abs=1e-3)


def test_a_ceiling_stops_a_jump():
    env, act = sandbox([0, 66, 0, "stone"])
    found = heights(env, act, 8)
    assert max(found) == pytest.approx(0.2, abs=1e-9)
    assert found[-1] == 0.0


def test_a_fall_lands():
    env, act = sandbox(position=(0.5, 68.0, 0.5))
    assert not env.unwrapped.agent.on_ground
    found = [p[1] for p in positions(env, [act.wait()] * 20)]
    assert found[0] == pytest.approx(68.0, abs=0.09)
    falls = -np.diff([68.0, *found])
    assert (falls[1:5] > falls[:4]).all()
    for before, after in pairwise(falls[1:6]):
        assert after == pytest.approx((before + 0.08) * 0.98, abs=1e-9)
    assert found[-1] == 64.0
    assert env.unwrapped.agent.on_ground


@pytest.mark.parametrize(
    ("block", "top"),
    [
        ("stone_slab[type=bottom]", 64.5),
        ("soul_sand", 64.875),
        ("oak_fence", 65.5),
        ("torch", 64.0),
        ("snow[layers=3]", 64.25),
    ],
)
def test_landing_on_shapes(block, top):
    env, act = sandbox([0, 64, 0, block], position=(0.5, 67.0, 0.5))
    assert positions(env, [act.wait()] * 20)[-1][1] == top


def test_walking_off_an_edge_falls():
    env, act = sandbox(fill=([-2, 63, -2, 2, 63, 0, "stone"], [-2, 60, -2, 2, 60, 4, "stone"]))
    end = positions(env, [act.move_forward()] + [act.wait()] * 30)[-1]
    assert end == (0.5, 61.0, 1.5)


# -- obstacles ---------------------------------------------------------------------------------------------------------


def test_one_block_is_climbed():
    env, act = sandbox([0, 64, 1, "stone"])
    path = positions(env, [act.move_forward()] + [act.wait()] * 30)
    assert path[-1] == (0.5, 65.0, 1.5)
    assert max(y for _, y, _ in path) > 65.0
    assert env.unwrapped.agent.on_ground


@pytest.mark.parametrize("z", [(0,), (1,), (0, 1)])
def test_room_for_the_body_one_block_higher_is_enough_to_climb(z):
    ceiling = [[0, 66, k, "oak_trapdoor[half=top]"] for k in z]  # 2.8125 blocks above the floor
    env, act = sandbox([0, 64, 1, "stone"], *ceiling)
    assert positions(env, [act.move_forward()] + [act.wait()] * 60)[-1] == (0.5, 65.0, 1.5)


@pytest.mark.parametrize("obstacle", ["wall", "no headroom here", "no headroom there", "fence", "sneaking"])
def test_what_cannot_be_climbed_sends_back_to_the_own_cell(obstacle):
    blocks = {
        "wall": ([0, 64, 1, "stone"], [0, 65, 1, "stone"]),
        "no headroom here": ([0, 64, 1, "stone"], [0, 66, 0, "stone"]),
        "no headroom there": ([0, 64, 1, "stone"], [0, 66, 1, "stone"]),
        "fence": ([0, 64, 1, "oak_fence"],),
        "sneaking": ([0, 64, 1, "stone"],),
    }[obstacle]
    env, act = sandbox(*blocks)
    if obstacle == "sneaking":
        env.step(act.sneak())
    path = positions(env, [act.move_forward()] + [act.wait()] * 40)
    assert max(z for _, _, z in path) > 0.6
    assert path[-1] == (0.5, 64.0, 0.5)
    assert not env.unwrapped.view.moving
    env.step(act.turn_left())
    assert env.unwrapped.agent.yaw == 270.0


@pytest.mark.parametrize(
    ("block", "top"), [("stone_slab[type=bottom]", 64.5), ("snow[layers=4]", 64.375), ("white_carpet", 64.0625)]
)
def test_a_low_step_needs_no_jump(block, top):
    env, act = sandbox([0, 64, 1, block])
    path = positions(env, [act.move_forward()] + [act.wait()] * 12)
    assert path[-1] == (0.5, top, 1.5)
    assert max(y for _, y, _ in path) == top
    assert len({z for _, _, z in path}) == 6  # as quick as on flat ground


def test_the_edge_of_the_region_blocks():
    env, act = sandbox(position=(0.5, 64.0, 0.5), fill=([-16, 63, -16, 16, 63, 16, "stone"],))
    for _ in range(16):
        positions(env, [act.move_forward()] + [act.wait()] * 6)
    assert env.unwrapped.agent.position == (0.5, 64.0, 16.5)
    assert positions(env, [act.move_forward()] + [act.wait()] * 20)[-1] == (0.5, 64.0, 16.5)


def test_blocks_without_collision_do_not_stop():
    env, act = sandbox([0, 64, 1, "torch"], [0, 65, 1, "short_grass"])
    assert walked(env, act, 7)[-1] == 1.0


# -- sneaking ----------------------------------------------------------------------------------------------------------


def test_sneaking_is_slow_and_toggles():
    env, act = sandbox()
    env.step(act.sneak())
    assert env.unwrapped.agent.sneaking
    found = walked(env, act, 5)
    np.testing.assert_allclose(found, vanilla_walk(5, 0.098 * 0.3), atol=1e-12)
    positions(env, [act.wait()] * 20)
    assert env.unwrapped.agent.position[2] == 1.5
    env.step(act.sneak())
    assert not env.unwrapped.agent.sneaking


def test_sneaking_does_not_walk_off_an_edge():
    env, act = sandbox(fill=([-2, 63, -2, 2, 63, 0, "stone"],))
    env.step(act.sneak())
    path = positions(env, [act.move_forward()] + [act.wait()] * 60)
    assert all(y == 64.0 for _, y, _ in path)
    assert max(z for _, _, z in path) < 1.3
    assert path[-1] == (0.5, 64.0, 0.5)
    assert not env.unwrapped.view.moving


def test_sneaking_does_step_down_a_little():
    env, act = sandbox([0, 63, 1, "stone_slab[type=bottom]"])
    env.step(act.sneak())
    assert positions(env, [act.move_forward()] + [act.wait()] * 40)[-1] == (0.5, 63.5, 1.5)


def test_standing_up_needs_headroom():
    env, act = sandbox([0, 65, 0, "stone_slab[type=top]"], position=(0.5, 64.0, 0.5))
    env.step(act.sneak())
    env.step(act.sneak())
    assert env.unwrapped.agent.sneaking  # 1.5 blocks of room
    positions(env, [act.move_forward()] + [act.wait()] * 40)
    env.step(act.sneak())
    assert not env.unwrapped.agent.sneaking


def test_a_jump_and_a_block_underfoot():
    env, act = sandbox(latency=0)
    path = positions(env, [act.jump(), act.wait(), act.wait(), act.place("cobblestone", 0, -1, 0, "up")])
    assert env.unwrapped.block_at(0, 64, 0) == "air"  # the cell under the feet is that of the jump by now
    env, act = sandbox(latency=3)
    path = positions(env, [act.jump(), act.place("cobblestone", 0, -1, 0, "up")] + [act.wait()] * 14)
    assert env.unwrapped.block_at(0, 64, 0) == "cobblestone"
    assert path[-1] == (0.5, 65.0, 0.5)
