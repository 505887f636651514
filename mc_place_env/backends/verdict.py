"""The verdict on a live placement: from what happened to the world, never from a promise.

Evidence: the state ids of anchor and destination and the held count, before the request was sent and after it settled.
"""

from collections import deque
from dataclasses import dataclass
from typing import Any

from mc_place_env.rules.blocks import BlockTable
from mc_place_env.types import Cell, Outcome, Reason

CLIENT_REASONS = {"no_item": Reason.NO_ITEM, "unloaded": Reason.UNLOADED}


@dataclass(frozen=True)
class Prediction:
    """What the rules say of a request at some moment: NONE and the cell it would take, or why not."""

    reason: Reason
    cell: Cell | None = None


@dataclass(frozen=True)
class Verdict:
    """What became of a request: `cell` and the state ids before and after are read only if it was placed."""

    outcome: Outcome
    reason: Reason = Reason.NONE
    cell: Cell | None = None
    state_before: int = 0
    state_after: int = 0


def judge_evidence(
    evidence: dict[str, Any], anchor: Cell, destination: Cell, item: str, expected: Reason, table: BlockTable
) -> Verdict:
    """The verdict of the evidence. A refusal the server gave no reason for takes the rules' (`expected`).

    * a cell changed into a block of the item: placed there
    * never sent: the client's reason
    * a cell changed and changed back: reverted
    * not answered: timeout
    * the anchor changed into something else and the item was kept: the click did something to the anchor
    * answered, and the rules say why not: that reason; else refused_by_server
    """
    for cell, name in ((anchor, "anchor"), (destination, "dest")):
        before, after = evidence[f"{name}_before"], evidence[f"{name}_after"]
        if before != after and is_block_of(item, after, table):
            return Verdict(Outcome.PLACED, cell=cell, state_before=before, state_after=after)
    return Verdict(Outcome.FAILED, _why_not(evidence, expected))


def _why_not(evidence: dict[str, Any], expected: Reason) -> Reason:
    if evidence["error"] in CLIENT_REASONS:
        return CLIENT_REASONS[evidence["error"]]
    anchor_is_same = evidence["anchor_before"] == evidence["anchor_after"]
    if evidence["was_changed"] and anchor_is_same and evidence["dest_before"] == evidence["dest_after"]:
        return Reason.REVERTED
    if not evidence["answered"]:
        return Reason.TIMEOUT
    if not anchor_is_same and evidence["held_before"] == evidence["held_after"]:
        return Reason.ANCHOR_INTERACTS
    return Reason.REFUSED_BY_SERVER if expected is Reason.NONE else expected


def is_block_of(item: str, state_id: int, table: BlockTable) -> bool:
    """Whether a block state is what an item becomes (on the floor or on a wall)."""
    if state_id < 0:
        return False
    block, placed = table.block_of_item(item), table.from_state_id(state_id)[0]
    return placed in (block, table.wall_blocks.get(block))


class Parity:
    """The rules beside the server, over all requests it judged: was it placed, and in which cell?

    The rules are asked twice, when a request is sent and when its verdict has come, since body and world move on
    meanwhile; the server agrees if it did what they said either time.
    """

    def __init__(self) -> None:
        self.requests = 0
        self.agreed = 0
        self.disagreements: deque[dict[str, Any]] = deque(maxlen=1000)

    def record(self, request_id: int, predicted: tuple[Prediction, Prediction], verdict: Verdict) -> None:
        """Counts one verdict."""
        agrees = verdict.cell in [prediction.cell for prediction in predicted]
        self.requests += 1
        self.agreed += agrees
        if not agrees:
            expected = " or ".join(dict.fromkeys(_told(each.reason, each.cell) for each in predicted))
            actual = _told(verdict.reason, verdict.cell)
            self.disagreements.append({"request_id": request_id, "predicted": expected, "actual": actual})


def _told(reason: Reason, cell: Cell | None) -> str:
    return reason.name.lower() if cell is None else f"placed at {cell}"
