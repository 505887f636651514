"""The compiled rules against a second, plain statement of them."""

import math
import random

import numpy as np
import oracle
import pytest
from oracle import Agent, World, judge, judge_in_full

REASONS = [
    "none",
    "unloaded",
    "out_of_reach",
    "anchor_missing",
    "anchor_interacts",
    "no_item",
    "out_of_world",
    "destination_occupied",
    "no_support",
    "placement_overlaps_agent",
]


@pytest.mark.parametrize("seed", range(2))
def test_random_requests(seed):
    found, reasons = oracle.differences(12_000, seed=seed)
    assert found == []
    assert set(reasons) == set(REASONS)
    assert reasons["none"] > 1000


# The oracle itself, by RULES.md: one line a rule.
SMALL = World((-16, 52, -16), (16, 76, 16), {(0, 63, 0): "stone", (0, 63, 1): "stone", (0, 64, 2): "chest"})


@pytest.mark.parametrize(
    ("anchor", "face", "changes", "expected"),
    [
        ((0, 63, 1), "up", {}, ("none", (0, 64, 1))),
        ((0, 63, 17), "up", {}, ("unloaded", None)),
        ((0, 63, 16), "south", {}, ("unloaded", None)),
        ((0, 63, 6), "up", {}, ("out_of_reach", None)),
        ((0, 65, 1), "up", {}, ("anchor_missing", None)),
        ((0, 64, 2), "up", {}, ("anchor_interacts", None)),
        ((0, 64, 2), "up", {"sneaking": True}, ("none", (0, 65, 2))),
        ((0, 63, 1), "up", {"inventory": {}}, ("no_item", None)),
        ((0, 63, 1), "north", {}, ("destination_occupied", None)),
        ((0, 63, 0), "up", {}, ("placement_overlaps_agent", None)),
        ((0, 63, 0), "up", {"position": (0.5, 65.0, 0.5)}, ("none", (0, 64, 0))),
        ((0, 63, 1), "up", {"position": (0.5, 64.0, 0.7)}, ("none", (0, 64, 1))),
        ((0, 63, 1), "up", {"position": (0.5, 64.0, 0.7004)}, ("placement_overlaps_agent", None)),
    ],
)
def test_the_oracle_itself(anchor, face, changes, expected):
    agent = Agent(**{"position": (0.5, 64.0, 0.5), "inventory": {"stone": 1}} | changes)
    assert judge(SMALL, agent, anchor, face, "stone") == expected


def test_replaceable_blocks_are_replaced_but_not_by_their_own_kind():
    light = World(SMALL.low, SMALL.high, {(0, 63, 1): "stone", (0, 64, 1): "light"})
    agent = Agent((0.5, 64.0, 0.5), inventory={"stone": 1, "light": 1})
    assert judge(light, agent, (0, 64, 1), "up", "stone") == ("none", (0, 64, 1))
    assert judge(light, agent, (0, 63, 1), "up", "stone") == ("none", (0, 64, 1))
    assert judge(light, agent, (0, 64, 1), "up", "light") == ("none", (0, 65, 1))
    assert judge(light, agent, (0, 63, 1), "up", "light") == ("destination_occupied", None)


# Support, stacking, orientation, second cells and water, one line a rule: (blocks, anchor, face, item) -> what is put.
FLOOR = {(0, 63, 2): "stone"}
IN_FULL = [
    (FLOOR, (0, 63, 2), "up", "torch", {(0, 64, 2): "torch"}),
    ({(0, 63, 2): "stone_slab[type=bottom]"}, (0, 63, 2), "up", "torch", "no_support"),
    ({(0, 64, 2): "stone"}, (0, 64, 2), "north", "torch", {(0, 64, 1): "wall_torch[facing=north]"}),
    ({(0, 65, 2): "stone"}, (0, 65, 2), "down", "torch", "no_support"),
    ({(0, 65, 2): "stone"}, (0, 65, 2), "down", "lantern", {(0, 64, 2): "lantern[hanging=true,waterlogged=false]"}),
    ({(0, 63, 2): "oak_leaves"}, (0, 63, 2), "up", "rail", "no_support"),
    (FLOOR, (0, 63, 2), "up", "oak_sapling", "no_support"),
    ({(0, 63, 2): "farmland"}, (0, 63, 2), "up", "wheat_seeds", {(0, 64, 2): "wheat[age=0]"}),
    ({(0, 63, 2): "snow[layers=3]"}, (0, 63, 2), "up", "snow", {(0, 63, 2): "snow[layers=4]"}),
    (FLOOR | {(0, 65, 2): "stone"}, (0, 63, 2), "up", "oak_door", "no_support"),
    (FLOOR | {(0, 64, 2): "water"}, (0, 63, 2), "up", "stone_slab",
     {(0, 64, 2): "stone_slab[type=bottom,waterlogged=true]"}),
    ({(0, 63, 2): "stone_slab[type=bottom]"}, (0, 63, 2), "up", "stone_slab",
     {(0, 63, 2): "stone_slab[type=double,waterlogged=false]"}),
    (FLOOR, (0, 63, 2), "up", "white_bed",
     {(0, 64, 2): "white_bed[facing=south,occupied=false,part=foot]",
      (0, 64, 3): "white_bed[facing=south,occupied=false,part=head]"}),
]  # fmt: skip


@pytest.mark.parametrize(("blocks", "anchor", "face", "item", "expected"), IN_FULL)
def test_the_oracle_puts_blocks(blocks, anchor, face, item, expected):
    world = World((-16, 52, -16), (16, 76, 16), {(0, 63, 0): "stone"} | blocks)
    told = judge_in_full(world, Agent((0.5, 64.0, 0.5), inventory={item: 1}), anchor, face, item)
    if isinstance(expected, dict):
        expected = {cell: oracle.with_states(name) for cell, name in expected.items()}
    assert told == ((expected, {}) if isinstance(expected, str) else ("none", expected))


def test_the_height_limit():
    top = World((-16, 307, -16), (16, 331, 16), {(0, 319, 1): "stone"})
    agent = Agent((0.5, 319.0, 0.5), inventory={"stone": 1})
    assert judge(top, agent, (0, 319, 1), "up", "stone") == ("out_of_world", None)
    assert judge(top, agent, (0, 319, 1), "south", "stone") == ("none", (0, 319, 2))
    assert judge(top, agent, (0, 320, 1), "down", "stone") == ("anchor_missing", None)


def test_the_comparison_can_fail(monkeypatch):
    monkeypatch.setattr(oracle, "HALF_WIDTH", 0.31)
    assert oracle.differences(2_000, seed=5)[0]


@pytest.mark.parametrize("rule", ["is_supported", "fits", "in_water", "stacks_on_click"])
def test_the_comparison_sees_every_rule(monkeypatch, rule):
    wrong = {"in_water": lambda block, there: block}.get(rule, lambda *arguments: True)
    monkeypatch.setattr(oracle, rule, wrong)
    slabs = [item for item in oracle.TABLE["items"] if item.endswith("_slab")]
    monkeypatch.setattr(oracle, "FAMILIES", [slabs[:10], slabs[10:20], ["snow"], ["torch"], ["oak_door"]])
    assert oracle.differences(4_000, seed=5)[0]


# -- masks -----------------------------------------------------------------------------------------------------------

RELATIVE = ("up", "down", "forward", "back", "left", "right")


def turned(right, forward, heading):
    """An agent-frame offset as world x, z."""
    steps = {"south": (0, 1), "west": (-1, 0), "north": (0, -1), "east": (1, 0)}
    headings = list(steps)
    ahead = steps[heading]
    aside = steps[headings[(headings.index(heading) + 1) % 4]]
    return forward * ahead[0] + right * aside[0], forward * ahead[1] + right * aside[1]


def face_named(relative, heading):
    """The absolute name of a relative face."""
    headings = ("south", "west", "north", "east")
    turns = {"forward": 0, "right": 1, "back": 2, "left": 3}
    return headings[(headings.index(heading) + turns[relative]) % 4] if relative in turns else relative


@pytest.mark.parametrize("seed", range(3))
def test_joint_masks_by_the_oracle(seed):
    """Every PLACE of the discrete view (5^3 anchors) in a random world: allowed if and only if the oracle places it."""
    import gymnasium as gym

    draw = random.Random(seed)
    items = ["stone", "torch", "stone_slab", "oak_door"]
    world, start = oracle.random_world(draw, items)
    heading = draw.randrange(4)
    agent = Agent(start, 90.0 * heading, False, {"stone": 2, "torch": 1, "stone_slab": 3, "oak_door": 0})
    env = gym.make("McPlace/Sandbox-v0", items=items, action_view="discrete", offset_range=2, disable_env_checker=True)
    scenario = {"blocks": [[*cell, name] for cell, name in world.blocks.items()], "inventory": agent.inventory}
    env.reset(seed=0, options={"scenario": scenario | {"agent": {"position": list(start), "yaw": agent.yaw}}})
    mask = env.unwrapped.action_masks()[9:].reshape(5, 5, 5, 6, len(items))
    name, cell = ("south", "west", "north", "east")[heading], [math.floor(c) for c in start]
    allowed = 0
    for right, up, forward, face, item in np.ndindex(mask.shape):
        dx, dz = turned(right - 2, forward - 2, name)
        anchor = (cell[0] + dx, cell[1] + up - 2, cell[2] + dz)
        reason, _ = judge(world, agent, anchor, face_named(RELATIVE[face], name), items[item])
        assert mask[right, up, forward, face, item] == (reason == "none"), (anchor, RELATIVE[face], items[item], reason)
        allowed += reason == "none"
    assert allowed > 20
