"""Recorded live runs, replayed without Minecraft: the same verdicts, falls and ticks."""

import pytest
from trace_scripts import EPISODES, replayed


@pytest.mark.parametrize("name", EPISODES)
def test_a_trace_of_the_repository(name):
    now, then = replayed(name)
    assert now == then
    outcomes = [outcome["outcome"] for info in now for outcome in info["outcomes"]]
    assert outcomes.count("placed") >= 3
    if name == "sandbox":
        assert "failed" in outcomes
        assert any(change["kind"] == "fall" for info in now for change in info["changes"])
    else:
        assert sum(info["is_success"] for info in now) == 3
