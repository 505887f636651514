"""The facts of a step as numbers: what `info` is made of, for one environment and for a thousand.

One int32 vector an environment. `FACTS` come first, then `max_pending + 1` groups of OUTCOME facts, in order of
resolution, then as many groups of CHANGE facts. Groups beyond `outcome_count` and `change_count` are 0.
Codes are those of the enums in `types`.
"""

import numpy as np

from mc_place_env.jit import jit
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
CHANGE = ("change_request_id", "change_kind", "change_tick", "change_landed")
CHANGE_CELLS = ("change_cell", "change_rest")

AT_OUTCOME_COUNT, AT_CHANGE_COUNT = FACTS.index("outcome_count"), FACTS.index("change_count")
FIRST_GROUP = len(FACTS)
OUTCOME_SIZE = len(OUTCOME) + 3 * len(OUTCOME_CELLS)
CHANGE_SIZE = len(CHANGE) + 3 * len(CHANGE_CELLS)


def fact_slices(max_pending: int) -> dict[str, tuple[slice, tuple[int, ...]]]:
    """Where each fact lies in the vector, and its shape per environment."""
    slices: dict[str, tuple[slice, tuple[int, ...]]] = {name: (slice(k, k + 1), ()) for k, name in enumerate(FACTS)}
    groups = max_pending + 1
    start = FIRST_GROUP
    for size, names, cells in ((OUTCOME_SIZE, OUTCOME, OUTCOME_CELLS), (CHANGE_SIZE, CHANGE, CHANGE_CELLS)):
        stop = start + size * groups
        for k, name in enumerate(names):
            slices[name] = (slice(start + k, stop, size), (groups,))
        for k, name in enumerate(cells):
            first = start + len(names) + 3 * k
            slices[name] = (slice(first, stop, size), (groups, 3))
        start = stop
    return slices


def fact_count(max_pending: int) -> int:
    """Length of the vector."""
    return FIRST_GROUP + (OUTCOME_SIZE + CHANGE_SIZE) * (max_pending + 1)


def named_facts(facts: np.ndarray, max_pending: int) -> dict[str, np.ndarray]:
    """The facts (n, F) by name: views of shape (n,), (n, groups) or (n, groups, 3)."""
    named = {}
    for name, (place, shape) in fact_slices(max_pending).items():
        if len(shape) == 2:
            parts = [facts[:, slice(place.start + k, place.stop, place.step)][:, : shape[0]] for k in range(3)]
            named[name] = np.stack(parts, axis=-1)
        else:
            named[name] = facts[:, place].reshape(len(facts), *shape) if shape else facts[:, place.start]
    return named


@jit
def write_facts(row, shared):
    """Fills the record's own facts; returns their number."""
    facts = row.facts
    clear_groups(row, shared)
    facts[0] = row.status
    facts[1] = row.reason
    facts[2] = row.accepted if row.status == Status.ACCEPTED else 0
    facts[3] = row.tick
    facts[4] = row.success
    facts[5] = row.pending_count
    facts[6] = row.outcome_count
    facts[7] = min(row.change_count, shared.max_pending + 1)
    facts[8] = row.terminated
    facts[9] = row.truncated
    at = FIRST_GROUP
    for k in range(row.outcome_count):
        write_outcome(row, row.outcomes[k], at + k * OUTCOME_SIZE)
    at += OUTCOME_SIZE * (shared.max_pending + 1)
    for k in range(facts[7]):
        write_change(row, row.changes[k], at + k * CHANGE_SIZE)
    return at + CHANGE_SIZE * (shared.max_pending + 1)


@jit
def clear_groups(row, shared):
    """Zeroes the groups that the last step filled."""
    facts = row.facts
    for k in range(FIRST_GROUP, FIRST_GROUP + facts[AT_OUTCOME_COUNT] * OUTCOME_SIZE):
        facts[k] = 0
    first = FIRST_GROUP + OUTCOME_SIZE * (shared.max_pending + 1)
    for k in range(first, first + facts[AT_CHANGE_COUNT] * CHANGE_SIZE):
        facts[k] = 0


@jit
def write_outcome(row, request, at):
    """One group of OUTCOME facts."""
    facts = row.facts
    facts[at] = request.id
    facts[at + 1] = request.outcome
    facts[at + 2] = request.reason
    facts[at + 3] = request.item
    facts[at + 4] = request.face
    facts[at + 5] = request.submitted_tick
    facts[at + 6] = request.resolved_tick
    facts[at + 7] = request.reported_tick
    facts[at + 8] = request.submitted_step
    facts[at + 9] = request.reported_step
    for axis in range(3):
        facts[at + 10 + axis] = request.anchor[axis]
        facts[at + 13 + axis] = request.destination[axis]
        facts[at + 16 + axis] = request.cell[axis]


@jit
def write_change(row, change, at):
    """One group of CHANGE facts."""
    facts = row.facts
    facts[at] = change.request_id
    facts[at + 1] = change.kind
    facts[at + 2] = change.tick
    facts[at + 3] = change.landed
    for axis in range(3):
        facts[at + 4 + axis] = change.cell[axis]
        facts[at + 7 + axis] = change.rest[axis]
