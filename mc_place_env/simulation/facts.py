"""The facts of a step as numbers: what `info` is made of, for one environment and for a thousand.

One int32 vector an environment, in the order of `fact_dtype`: FACTS, then lists of `max_pending + 1` groups, in order
of resolution. Groups beyond `outcome_count` and `change_count` are 0. Codes are those of the enums in `types`.
"""

from typing import Any

import numpy as np

from mc_place_env.jit import jit, scalar
from mc_place_env.simulation.report import Request
from mc_place_env.types import Status

FACTS = (
    "status",
    "reason",
    "request_id",
    "tick",
    "is_success",
    "pending_count",
    "outcome_count",
    "change_count",
    "terminated",
    "truncated",
)
OUTCOME = (
    "outcome_request_id",
    "outcome",
    "outcome_reason",
    "outcome_item",
    "outcome_face",
    "outcome_submitted_tick",
    "outcome_resolved_tick",
    "outcome_reported_tick",
    "outcome_submitted_step",
    "outcome_reported_step",
)
OUTCOME_CELLS = ("outcome_anchor", "outcome_destination", "outcome_cell")
REQUEST_NAMES = ("id", *(name.removeprefix("outcome_") for name in OUTCOME[1:]))
REQUEST_CELLS = tuple(name.removeprefix("outcome_") for name in OUTCOME_CELLS)
CHANGE = ("change_request_id", "change_kind", "change_tick", "change_landed")
CHANGE_CELLS = ("change_cell", "change_rest")

NAMES = (*FACTS[: FACTS.index("terminated")], *OUTCOME, *CHANGE, *OUTCOME_CELLS, *CHANGE_CELLS)
FIRST_GROUP = len(FACTS)
AT_OUTCOME_COUNT, AT_CHANGE_COUNT = FACTS.index("outcome_count"), FACTS.index("change_count")
FIRST_CELLS = len(OUTCOME) + len(CHANGE)  # lists come before cells
FACTS_PER_GROUP = len(OUTCOME) + 3 * len(OUTCOME_CELLS) + len(CHANGE) + 3 * len(CHANGE_CELLS)


def fact_dtype(max_pending: int) -> np.dtype:
    """The vector's parts by name, as a record."""
    groups = max_pending + 1
    numbers = [(name, np.int32) for name in FACTS]
    lists = [(name, np.int32, (groups,)) for name in (*OUTCOME, *CHANGE)]
    cells = [(name, np.int32, (groups, 3)) for name in (*OUTCOME_CELLS, *CHANGE_CELLS)]
    return np.dtype(numbers + lists + cells)


def named_facts(facts: np.ndarray) -> dict[str, np.ndarray]:
    """The facts (n,) of `fact_dtype` by name, but for the flags: views of shape (n,), (n, groups), (n, groups, 3)."""
    return {name: facts[name] for name in NAMES}


def read_outcomes(facts: list[int], max_pending: int) -> list[Request]:
    """The verdicts in one environment's facts, as numbers; the states of blocks are not among them."""
    groups = max_pending + 1
    end, cells = FIRST_GROUP + groups * len(OUTCOME), FIRST_GROUP + groups * FIRST_CELLS
    found = []
    for k in range(facts[AT_OUTCOME_COUNT]):
        named: dict[str, Any] = dict(zip(REQUEST_NAMES, facts[FIRST_GROUP + k : end : groups], strict=True))
        for part, name in enumerate(REQUEST_CELLS):
            at = cells + 3 * (groups * part + k)
            named[name] = tuple(facts[at : at + 3])
        found.append(Request(**named, state_before=0, state_after=0))
    return found


@scalar
def fact_count(shared):
    """Length of the vector."""
    return FIRST_GROUP + (shared.max_pending + 1) * FACTS_PER_GROUP


@jit
def write_facts(row, shared):
    """Fills the record's own facts; whether any group is, or was until now, in use."""
    facts, groups = row.facts, shared.max_pending + 1
    used = facts[AT_OUTCOME_COUNT] + facts[AT_CHANGE_COUNT] > 0
    if used:
        for k in range(FIRST_GROUP, fact_count(shared)):
            facts[k] = 0
    facts[0] = row.status
    facts[1] = row.reason
    facts[2] = row.accepted if row.status == Status.ACCEPTED else 0
    facts[3] = row.tick
    facts[4] = row.success
    facts[5] = row.pending_count
    facts[6] = row.outcome_count
    facts[7] = min(row.change_count, groups)
    facts[8] = row.terminated
    facts[9] = row.truncated
    for k in range(row.outcome_count):
        write_outcome(row, row.outcomes[k], k, groups)
    for k in range(facts[AT_CHANGE_COUNT]):
        write_change(row, row.changes[k], k, groups)
    return used or row.outcome_count > 0 or row.change_count > 0


@jit
def write_outcome(row, request, k, groups):
    """Group k of the OUTCOME facts."""
    facts, at = row.facts, FIRST_GROUP + k
    facts[at] = request.id
    facts[at + groups] = request.outcome
    facts[at + 2 * groups] = request.reason
    facts[at + 3 * groups] = request.item
    facts[at + 4 * groups] = request.face
    facts[at + 5 * groups] = request.submitted_tick
    facts[at + 6 * groups] = request.resolved_tick
    facts[at + 7 * groups] = request.reported_tick
    facts[at + 8 * groups] = request.submitted_step
    facts[at + 9 * groups] = request.reported_step
    at = FIRST_GROUP + groups * FIRST_CELLS + 3 * k
    for axis in range(3):
        facts[at + axis] = request.anchor[axis]
        facts[at + 3 * groups + axis] = request.destination[axis]
        facts[at + 6 * groups + axis] = request.cell[axis]


@jit
def write_change(row, change, k, groups):
    """Group k of the CHANGE facts."""
    facts, at = row.facts, FIRST_GROUP + groups * len(OUTCOME) + k
    facts[at] = change.request_id
    facts[at + groups] = change.kind
    facts[at + 2 * groups] = change.tick
    facts[at + 3 * groups] = change.landed
    at = FIRST_GROUP + groups * (FIRST_CELLS + 3 * len(OUTCOME_CELLS)) + 3 * k
    for axis in range(3):
        facts[at + axis] = change.cell[axis]
        facts[at + 3 * groups + axis] = change.rest[axis]
