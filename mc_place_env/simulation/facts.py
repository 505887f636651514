"""The facts of a step as numbers: what `info` is made of, for one environment and for a thousand.

One int32 vector an environment, in the order of `fact_dtype`: FACTS, then `max_pending + 1` groups for verdicts, in
order of resolution, and as many for changes. A group has the numbers of a REQUEST or an EVENT in their order; groups
beyond `outcome_count` and `change_count` are 0. Codes are those of the enums in `types`.
"""

import numpy as np

from mc_place_env.jit import jit, scalar
from mc_place_env.simulation.copy import copy_items
from mc_place_env.types import EVENT, REQUEST, Status

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
OUTCOME_SIZE, CHANGE_SIZE = REQUEST.itemsize // 8, EVENT.itemsize // 8
FIRST_GROUP = len(FACTS)
AT_OUTCOME_COUNT, AT_CHANGE_COUNT = FACTS.index("outcome_count"), FACTS.index("change_count")

# names in a vector environment's info
FACT_NAMES = FACTS[: FACTS.index("terminated")]
OUTCOME_NAMES = {
    "outcome_request_id": "id",
    "outcome": "outcome",
    **{
        f"outcome_{name}": name
        for name in REQUEST.names or ()
        if name not in ("id", "outcome", "state_before", "state_after")
    },
}
CHANGE_NAMES = {f"change_{name}": name for name in ("request_id", "kind", "tick", "landed", "cell", "rest")}


def fact_dtype(max_pending: int) -> np.dtype:
    """The vector's parts by name, as a record."""
    numbers = [(name, np.int32) for name in FACTS]
    groups = [(name, as_int32(kind), (max_pending + 1,)) for name, kind in (("outcomes", REQUEST), ("changes", EVENT))]
    return np.dtype(numbers + groups)


def as_int32(kind: np.dtype) -> np.dtype:
    """A record of whole numbers with narrower ones."""
    return np.dtype([(name, np.int32, kind[name].shape) for name in kind.names or ()])


def named_facts(facts: np.ndarray) -> dict[str, np.ndarray]:
    """The facts (n,) of `fact_dtype` by name, but for the flags: views of shape (n,), (n, groups), (n, groups, 3)."""
    named = {name: facts[name] for name in FACT_NAMES}
    for part, names in (("outcomes", OUTCOME_NAMES), ("changes", CHANGE_NAMES)):
        groups = facts[part]
        for key, name in names.items():
            named[key] = groups[name]
    return named


@scalar
def fact_count(shared):
    """Length of the vector."""
    return FIRST_GROUP + (shared.max_pending + 1) * (OUTCOME_SIZE + CHANGE_SIZE)


@jit
def write_facts(row, shared, out, elsewhere):
    """Fills the record's own facts and copies them to an address; `elsewhere`: not the one they are at since before."""
    facts, groups = row.facts, shared.max_pending + 1
    outcomes, changes = facts[AT_OUTCOME_COUNT], facts[AT_CHANGE_COUNT]
    clear_facts(row, FIRST_GROUP, outcomes * OUTCOME_SIZE)
    clear_facts(row, FIRST_GROUP + groups * OUTCOME_SIZE, changes * CHANGE_SIZE)
    write_numbers_of_step(row, groups)
    for k in range(facts[AT_OUTCOME_COUNT]):
        write_outcome(row, row.outcomes[k], FIRST_GROUP + k * OUTCOME_SIZE)
    for k in range(facts[AT_CHANGE_COUNT]):
        write_change(row, row.changes[k], FIRST_GROUP + groups * OUTCOME_SIZE + k * CHANGE_SIZE)
    in_use = outcomes + changes + facts[AT_OUTCOME_COUNT] + facts[AT_CHANGE_COUNT] > 0
    copy_items(out, facts, 0, fact_count(shared) if elsewhere or in_use else FIRST_GROUP)


@jit
def clear_facts(row, first, count):
    """Zeroes a part of the vector."""
    for k in range(first, first + count):
        row.facts[k] = 0


@jit
def write_numbers_of_step(row, groups):
    """The FACTS."""
    facts = row.facts
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


@jit
def write_outcome(row, request, at):
    """A group of `outcomes`."""
    facts = row.facts
    facts[at] = request.id
    facts[at + 1] = request.item
    facts[at + 2] = request.face
    for axis in range(3):
        facts[at + 3 + axis] = request.anchor[axis]
        facts[at + 6 + axis] = request.destination[axis]
        facts[at + 9 + axis] = request.cell[axis]
    facts[at + 12] = request.submitted_tick
    facts[at + 13] = request.submitted_step
    facts[at + 14] = request.resolved_tick
    facts[at + 15] = request.reported_tick
    facts[at + 16] = request.reported_step
    facts[at + 17] = request.outcome
    facts[at + 18] = request.reason
    facts[at + 19] = request.state_before
    facts[at + 20] = request.state_after


@jit
def write_change(row, change, at):
    """A group of `changes`."""
    facts = row.facts
    facts[at] = change.tick
    facts[at + 1] = change.kind
    facts[at + 2] = change.request_id
    for axis in range(3):
        facts[at + 3 + axis] = change.cell[axis]
        facts[at + 9 + axis] = change.rest[axis]
    facts[at + 6] = change.state_from
    facts[at + 7] = change.state_to
    facts[at + 8] = change.item
    facts[at + 12] = change.landed
