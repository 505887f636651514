"""The verdict on a live placement: from what happened to the world, never from a promise.

Evidence: the state ids of anchor and destination and the held count, before the request was sent and after it settled.
"""

from dataclasses import dataclass
from typing import Any

from mc_place_env.rules.blocks import BlockTable
from mc_place_env.types import Outcome, Reason

Cell = tuple[int, int, int]
CLIENT_REASONS = {"no_item": Reason.NO_ITEM, "unloaded": Reason.UNLOADED}


@dataclass(frozen=True)
class Verdict:
    """What became of a request: `cell` and the state ids before and after are read only if it was placed."""

    outcome: Outcome
    reason: Reason = Reason.NONE
    cell: Cell | None = None
    state_before: int = 0
    state_after: int = 0


def judge_evidence(
    evidence: dict[str, Any], anchor: Cell, destination: Cell, item: str, predicted: Reason, table: BlockTable
) -> Verdict:
    """The verdict of the evidence. A refusal the server gave no reason for takes the rules' (`predicted`).

    * a cell changed into a block of the item: placed there
    * neither answered nor changed: timeout
    * the anchor changed into something else and the item was kept: the click did something to the anchor
    * answered, and the rules say why not: that reason; else refused_by_server
    """
    for cell, name in ((anchor, "anchor"), (destination, "dest")):
        before, after = evidence[f"{name}_before"], evidence[f"{name}_after"]
        if before != after and is_block_of(item, after, table):
            return Verdict(Outcome.PLACED, cell=cell, state_before=before, state_after=after)
    if evidence["error"] in CLIENT_REASONS:
        return Verdict(Outcome.FAILED, CLIENT_REASONS[evidence["error"]])
    if not evidence["answered"]:
        return Verdict(Outcome.FAILED, Reason.TIMEOUT)
    kept = evidence["held_before"] == evidence["held_after"]
    if evidence["anchor_before"] != evidence["anchor_after"] and kept:
        return Verdict(Outcome.FAILED, Reason.ANCHOR_INTERACTS)
    return Verdict(Outcome.FAILED, Reason.REFUSED_BY_SERVER if predicted is Reason.NONE else predicted)


def is_block_of(item: str, state_id: int, table: BlockTable) -> bool:
    """Whether a block state is what an item becomes (on the floor or on a wall)."""
    if state_id < 0:
        return False
    block, placed = table.block_of_item(item), table.from_state_id(state_id)[0]
    return placed in (block, table.wall_blocks.get(block))
