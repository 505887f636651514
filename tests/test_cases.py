"""Cases with right values, on every engine: compiled single environment, a row of a batch, and plain Python."""

import json
from pathlib import Path

import pytest
from helpers import make, make_vec, run_python

from mc_place_env.testing import VectorRow, run_case

CASES = Path(__file__).parent / "cases"

# Cases of server.json that ask for rules the package does not have yet, by family. They are run all the same and must
# fail: when a family's rules arrive, its entries have to go.
WITHOUT_RULES: dict[str, list[str]] = {}
MISSING = {case_id: family for family, ids in WITHOUT_RULES.items() for case_id in ids}


def load(*names):
    return [case for name in names for case in json.loads((CASES / f"{name}.json").read_text())]


def covered():
    """Every case whose rules the package has."""
    return [case for case in load("frames", "placement", "timing", "server") if case["id"] not in MISSING]


def not_covered():
    return [case for case in load("server") if case["id"] in MISSING]


def row_of_batch(**options):
    return VectorRow(make_vec(num_envs=4, **options), 2)


def by_id(case):
    return case["id"]


@pytest.mark.parametrize("case", covered(), ids=by_id)
def test_compiled(case):
    assert run_case(make, case) == []


@pytest.mark.parametrize("case", covered(), ids=by_id)
def test_row_of_batch(case):
    assert run_case(row_of_batch, case) == []


def test_plain_python():
    found = run_python("import test_cases; test_cases.print_differences()", NUMBA_DISABLE_JIT=1)
    differences, count = found.rsplit("\n", 2)[:2]
    assert differences == ""
    assert int(count) == len(covered())


def print_differences():
    """For a process without the JIT: every difference, and how many cases were run."""
    cases = covered()
    found = [f"{case['id']}: {difference}" for case in cases for difference in run_case(make, case)]
    print("\n".join(found), len(cases), sep="\n")


@pytest.mark.parametrize("case", not_covered(), ids=by_id)
def test_missing_rules_are_still_missing(case):
    assert run_case(make, case) != [], f"{case['id']} passes now: take it out of WITHOUT_RULES"


def test_missing_rules_name_cases_that_exist():
    assert set(MISSING) == {case["id"] for case in not_covered()}


def test_a_case_can_fail():
    """The comparison itself: every kind of wrong value is a difference, in every engine."""
    case = next(case for case in load("placement") if case["expect"]["outcomes"][0]["outcome"] == "placed")
    for engine in (make, row_of_batch):
        for wrong in wrong_values(case["expect"]):
            assert run_case(engine, case | {"expect": case["expect"] | wrong}) != [], wrong


def wrong_values(expect):
    outcome, response = expect["outcomes"][0], expect["responses"][0]
    for key, value in (("outcome", "failed"), ("reason", "no_item"), ("cell", [0, 0, 0]), ("tick", 99), ("request", 7)):
        yield {"outcomes": [outcome | {key: value}, *expect["outcomes"][1:]]}
    for key, value in (("status", "rejected"), ("face", "north?"), ("anchor", [9, 9, 9]), ("destination", [9, 9, 9])):
        yield {"responses": [response | {key: value}, *expect["responses"][1:]]}
    yield {"outcomes": []}
    yield {"blocks": [[*outcome["cell"], "bedrock"]]}
    yield {"inventory": {name: count + 1 for name, count in expect["inventory"].items()}}
    yield {"pending": 3}
