import json
from pathlib import Path

import gymnasium as gym
import pytest

from mc_place_env.testing import run_case

CASES = Path(__file__).parent / "cases"


def load(*names):
    return [case for name in names for case in json.loads((CASES / f"{name}.json").read_text())]


def sandbox(**options):
    return gym.make("mc_place_env:McPlace/Sandbox-v0", disable_env_checker=True, **options)


@pytest.mark.parametrize("case", load("frames", "placement", "timing"), ids=lambda case: case["id"])
def test_case(case):
    assert run_case(sandbox, case) == []
