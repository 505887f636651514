"""Public test kit: play a case (a scenario, a script, the right values) on any engine and list what differs.

A case is JSON as in `tests/cases`: `scenario`, `config`, `script` of actions by name, `expect`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mc_place_env.rules.blocks import same_block
from mc_place_env.simulation import report
from mc_place_env.simulation.view import RowView
from mc_place_env.tool import Actions
from mc_place_env.types import ActionType, Outcome, Status

Case = dict[str, Any]
OUTCOME_NUMBERS = ("request_id", "submitted_tick", "resolved_tick", "reported_tick", "submitted_step", "reported_step")


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
    return [
        f"response {key}: expected {wanted[key]}, got {got.get(key)}" for key in keys if wanted[key] != got.get(key)
    ]


def compare_outcome(wanted: dict, outcome: dict, ticks: bool) -> list[str]:
    """Differences between an expected outcome and a reported one."""
    got = outcome | {"request": outcome["request_id"], "tick": outcome["resolved_tick"]}
    got["cell"] = None if outcome["cell"] is None else list(outcome["cell"])
    keys = [key for key in wanted if ticks or key != "tick"]
    return [
        f"outcome {key}: expected {wanted[key]!r}, got {got[key]!r}"
        for key in keys
        if (wanted[key] or None) != (got[key] or None)
    ]


class VectorRow:
    """Row `i` of a vector environment (action view `dict`) in the shape of a single one, for `run_case`.

    What it tells comes from the vector's numeric facts. The other rows live their own lives: random actions, or WAIT.
    """

    def __init__(self, envs: Any, i: int, busy: bool = True):
        self.envs, self.i, self.busy = envs, i, busy
        self.view: RowView = envs.view(i)
        self.config = envs.config
        self.items, self._palette = envs.items, envs.batch.palette
        envs.action_space.seed(i)

    @property
    def unwrapped(self) -> "VectorRow":
        """There is no wrapper."""
        return self

    @property
    def inventory(self) -> dict[str, int]:
        """Counts by item name."""
        return self.view.inventory

    def block_at(self, x: int, y: int, z: int) -> str:
        """Name of the block in a cell."""
        return self.view.block_at(x, y, z)

    def encode_action(self, action: dict[str, Any]) -> dict[str, Any]:
        """The canonical action itself."""
        return action

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode in every row, then anew, with the options, in this one."""
        self.envs.reset(seed=seed)
        mask = np.arange(self.envs.num_envs) == self.i
        observation, facts = self.envs.reset(options=dict(options or {}) | {"reset_mask": mask})
        return observation, self.info(facts)

    def step(self, action: dict[str, Any]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One step of every row; what this row got."""
        actions = self.envs.action_space.sample()
        if not self.busy:
            actions["type"][:] = ActionType.WAIT
        for key, value in action.items():
            actions[key][self.i] = value
        observation, rewards, terminated, truncated, facts = self.envs.step(actions)
        i = self.i
        return observation, float(rewards[i]), bool(terminated[i]), bool(truncated[i]), self.info(facts)

    def close(self) -> None:
        """Closes the vector environment."""
        self.envs.close()

    def info(self, facts: dict[str, np.ndarray]) -> dict[str, Any]:
        """This row of a vector's facts, in the words of a single environment's `info`."""
        mine = {key: value[self.i] for key, value in facts.items() if isinstance(value, np.ndarray)}
        accepted = mine["status"] == Status.ACCEPTED
        return {
            "status": report.STATUS_TEXT[mine["status"]],
            "reason": report.REASON_TEXT[mine["reason"]],
            "data": report.accepted_data(self._asked(mine["request_id"]), self._palette)[1] if accepted else None,
            "outcomes": tuple(self._outcome(mine, k) for k in range(mine["outcome_count"])),
            "changes": report.change_dicts(self.envs.batch.rows[self.i], self._palette),
            "pending": self.view.pending,
            "tick": int(mine["tick"]),
        }

    def _asked(self, request_id: int) -> report.Request:
        """The request accepted in this step, which is in flight still, or heard of already."""
        row = self.envs.batch.rows[self.i]
        for part in (row["pending"][: row["pending_count"]], row["outcomes"][: row["outcome_count"]]):
            for request in report.read_requests(report.request_numbers(part)):
                if request.id == request_id:
                    return request
        raise LookupError(request_id)

    def _outcome(self, mine: dict[str, np.ndarray], k: int) -> dict[str, Any]:
        """Outcome k in the words of `info`."""
        placed = mine["outcome"][k] == Outcome.PLACED
        cell = tuple(mine["outcome_cell"][k].tolist())
        numbers = {name: int(mine[f"outcome_{name}"][k]) for name in OUTCOME_NUMBERS}
        return numbers | {
            "outcome": report.OUTCOME_TEXT[mine["outcome"][k]],
            "reason": report.REASON_TEXT[mine["outcome_reason"][k]],
            "detail": report.DETAIL_TEXT[mine["outcome_reason"][k]],
            "item": self.items[mine["outcome_item"][k]],
            "anchor": tuple(mine["outcome_anchor"][k].tolist()),
            "destination": tuple(mine["outcome_destination"][k].tolist()),
            "cell": cell if placed else None,
            "face": report.FACE_TEXT[mine["outcome_face"][k]],
        }


class Rows:
    """Plays a list of scripts on a vector environment (autoreset DISABLED), one a row, at the same time."""

    def __init__(self, envs: Any, scenarios: list[dict[str, Any]]):
        self.envs = envs
        self.rows = [VectorRow(envs, i) for i in range(len(scenarios))]
        for row, start in zip(self.rows, scenarios, strict=True):
            mask = np.arange(envs.num_envs) == row.i
            envs.reset(options={"scenario": start, "reset_mask": mask})

    def step(self, actions: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """One action a row -> info a row; rows without a script wait."""
        wait = Actions(self.rows[0]).wait()
        filled = list(actions) + [wait] * (self.envs.num_envs - len(actions))
        batch = {key: np.stack([np.asarray(action[key]) for action in filled]) for key in actions[0]}
        facts = self.envs.step(batch)[4]
        return [row.info(facts) for row in self.rows]
