"""Public test kit: play a case (a scenario, a script, the right values) on any engine and list what differs.

A case is JSON as in `tests/cases`: `scenario`, `config`, `script` of actions by name, `expect`.
"""

from collections.abc import Callable
from typing import Any

from mc_place_env.rules.blocks import same_block
from mc_place_env.tool import Actions

Case = dict[str, Any]


def case_options(case: Case) -> dict[str, Any]:
    """Keyword arguments of make for a case."""
    return case["config"] | {"items": tuple(case["scenario"]["inventory"])}


def play_case(env: Any, case: Case) -> tuple[list[dict], list[dict], dict]:
    """Plays the script -> (info of every place action, outcomes in order, last info)."""
    actions = Actions(env)
    _, info = env.reset(seed=0, options={"scenario": case["scenario"]})
    responses, outcomes = [], []
    for entry in case["script"]:
        entry = dict(entry)
        name = entry.pop("action")
        action = actions.place(**entry) if name == "place" else getattr(actions, name)()
        _, _, _, _, info = env.step(action)
        if name == "place":
            responses.append(info)
        outcomes += info["outcomes"]
    return responses, outcomes, info


def run_case(make_env: Callable[..., Any], case: Case, ticks: bool = True) -> list[str]:
    """Plays a case on a new environment and returns every difference from the expected values, as text."""
    env = make_env(**case_options(case))
    try:
        responses, outcomes, info = play_case(env, case)
        return compare(env, case["expect"], responses, outcomes, info, ticks)
    finally:
        env.close()


def compare(env: Any, expect: dict, responses: list, outcomes: list, info: dict, ticks: bool) -> list[str]:
    """Every difference from a case's `expect`; `ticks=False` leaves out the tick of the verdict (live)."""
    found = [
        difference
        for wanted, response in zip(expect.get("responses", ()), responses, strict=False)
        for difference in compare_response(wanted, response)
    ]
    if len(outcomes) != len(expect["outcomes"]):
        found.append(f"outcomes: expected {expect['outcomes']}, got {outcomes}")
    for wanted, outcome in zip(expect["outcomes"], outcomes, strict=False):
        found += compare_outcome(wanted, outcome, ticks)
    for x, y, z, name in expect["blocks"]:
        actual = env.unwrapped.block_at(x, y, z)
        if not same_block(name, actual):
            found.append(f"block at {(x, y, z)}: expected {name}, got {actual}")
    for name, count in expect["inventory"].items():
        if env.unwrapped.inventory[name] != count:
            found.append(f"inventory[{name}]: expected {count}, got {env.unwrapped.inventory[name]}")
    if "pending" in expect and len(info["pending"]) != expect["pending"]:
        found.append(f"pending: expected {expect['pending']}, got {info['pending']}")
    return found


def compare_response(wanted: dict, info: dict) -> list[str]:
    """Differences between an expected response and the info of the step that asked."""
    got: dict[str, Any] = {"status": info["status"], "reason": info["reason"]}
    if info["status"] == "accepted":
        data = info["data"]
        got |= {key: list(data[key].values()) for key in ("anchor", "destination")}
        got |= {"face": data["placed"]["face"], "request": data["request_id"]}
    keys = [key for key in wanted if key != "request" or wanted["status"] == "accepted"]
    return [f"response {key}: expected {wanted[key]}, got {got.get(key)}" for key in keys if wanted[key] != got.get(key)]


def compare_outcome(wanted: dict, outcome: dict, ticks: bool) -> list[str]:
    """Differences between an expected outcome and a reported one."""
    got = outcome | {"request": outcome["request_id"], "tick": outcome["resolved_tick"]}
    got["cell"] = None if outcome["cell"] is None else list(outcome["cell"])
    keys = [key for key in wanted if ticks or key != "tick"]
    return [
        f"outcome {key}: expected {wanted[key]!r}, got {got[key]!r}" for key in keys if (wanted[key] or None) != (got[key] or None)
    ]
