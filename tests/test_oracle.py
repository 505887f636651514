"""The compiled rules against a second, plain statement of them."""

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
