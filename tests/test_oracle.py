"""The compiled rules against a second, plain statement of them."""

import oracle
import pytest
from oracle import Agent, World, judge

REASONS = [
    "none",
    "unloaded",
    "out_of_reach",
    "anchor_missing",
    "anchor_interacts",
    "no_item",
    "out_of_world",
    "destination_occupied",
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
    grass = World(SMALL.low, SMALL.high, {(0, 63, 1): "stone", (0, 64, 1): "short_grass"})
    agent = Agent((0.5, 64.0, 0.5), inventory={"stone": 1, "short_grass": 1})
    assert judge(grass, agent, (0, 64, 1), "up", "stone") == ("none", (0, 64, 1))
    assert judge(grass, agent, (0, 63, 1), "up", "stone") == ("none", (0, 64, 1))
    assert judge(grass, agent, (0, 64, 1), "up", "short_grass") == ("none", (0, 65, 1))
    assert judge(grass, agent, (0, 63, 1), "up", "short_grass") == ("destination_occupied", None)


def test_the_height_limit():
    top = World((-16, 307, -16), (16, 331, 16), {(0, 319, 1): "stone"})
    agent = Agent((0.5, 319.0, 0.5), inventory={"stone": 1})
    assert judge(top, agent, (0, 319, 1), "up", "stone") == ("out_of_world", None)
    assert judge(top, agent, (0, 319, 1), "south", "stone") == ("none", (0, 319, 2))
    assert judge(top, agent, (0, 320, 1), "down", "stone") == ("anchor_missing", None)


def test_the_comparison_can_fail(monkeypatch):
    monkeypatch.setattr(oracle, "HALF_WIDTH", 0.31)
    assert oracle.differences(2_000, seed=5)[0]
