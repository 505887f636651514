"""The `info` of a step in words: from one environment's record to plain dicts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mc_place_env.rules.palette import Palette
from mc_place_env.types import REQUEST, ChangeKind, Face, Outcome, Reason, RewardTerm, Status

STATUS_TEXT = tuple(status.name.lower() for status in Status)
OUTCOME_TEXT = tuple(outcome.name.lower() for outcome in Outcome)
CHANGE_TEXT = tuple(kind.name.lower() for kind in ChangeKind)
FACE_TEXT = tuple(face.name.lower() for face in Face)
# REQUEST as numbers of eight bytes: where its single numbers are, and its cells
NUMBERS = [(name, at // 8) for name, (part, at, *_) in (REQUEST.fields or {}).items() if not part.shape]
CELLS = [(name, slice(at // 8, at // 8 + 3)) for name, (part, at, *_) in (REQUEST.fields or {}).items() if part.shape]
REASON_TEXT = tuple(reason.text for reason in Reason)
DETAIL_TEXT = tuple(reason.detail for reason in Reason)
NONE, REJECTED, PLACED = int(Status.NONE), int(Status.REJECTED), int(Outcome.PLACED)  # enum members are slow to find
TERM_TEXT = tuple(term.name.lower() for term in RewardTerm)


def outcome_dicts(row: np.void, palette: Palette) -> tuple[dict[str, Any], ...]:
    """One dict a request resolved since the last step, in order of resolution."""
    return tuple(outcome_dict(request, palette) for request in named_requests(row["outcomes"][: row["outcome_count"]]))


def named_requests(requests: np.ndarray) -> list[dict[str, Any]]:
    """REQUEST records (n,) as dicts of numbers and cells: numpy's own way to a record's fields takes far longer."""
    lists = requests.view(np.int64).reshape(len(requests), -1).tolist()
    return [{name: one[at] for name, at in NUMBERS} | {name: tuple(one[at]) for name, at in CELLS} for one in lists]


def outcome_dict(request: Mapping[str, Any], palette: Palette) -> dict[str, Any]:
    """A verdict in words."""
    reason = request["reason"]
    return {
        "request_id": request["id"],
        "outcome": OUTCOME_TEXT[request["outcome"]],
        "reason": REASON_TEXT[reason],
        "detail": DETAIL_TEXT[reason],
        "item": palette.items[request["item"]],
        "anchor": request["anchor"],
        "destination": request["destination"],
        "cell": request["cell"] if request["outcome"] == PLACED else None,
        "face": FACE_TEXT[request["face"]],
        "submitted_tick": request["submitted_tick"],
        "resolved_tick": request["resolved_tick"],
        "reported_tick": request["reported_tick"],
        "submitted_step": request["submitted_step"],
        "reported_step": request["reported_step"],
    }


def change_dicts(row: np.void, palette: Palette) -> tuple[dict[str, Any], ...]:
    """One dict a later change of a placed block."""
    return tuple(change_dict(change, palette) for change in row["changes"][: row["change_count"]])


def change_dict(change: np.void, palette: Palette) -> dict[str, Any]:
    """Where the block was (`from`) and where it is now (`to`, None if nowhere: taken back, or broken by its fall)."""
    return {
        "request_id": int(change["request_id"]),
        "tick": int(change["tick"]),
        "block": palette.name(int(change["state_from"])),
        "from": tuple(change["cell"].tolist()),
        "to": tuple(change["rest"].tolist()) if change["landed"] else None,
        "kind": CHANGE_TEXT[change["kind"]],
    }


def response(status: int, reason: int, row: np.void, palette: Palette) -> tuple[str, dict[str, Any] | None]:
    """The tool's one-line text and data dict for this step's own action; ("", None) when nothing was asked."""
    if status == NONE:
        return "", None
    if status == REJECTED:
        return rejected_data(REASON_TEXT[reason])
    return accepted_data(named_requests(row["response"].reshape(1))[0], palette)


def accepted_data(request: Mapping[str, Any], palette: Palette) -> tuple[str, dict[str, Any]]:
    """The tool's one-line text and data dict for an accepted request."""
    item, face = palette.items[request["item"]], FACE_TEXT[request["face"]]
    destination, anchor = xyz(request["destination"]), xyz(request["anchor"])
    text = f"Place request accepted: {item} at ({', '.join(map(str, destination.values()))}) (face={face})"
    return text, {
        "success": True,
        "status": "accepted",
        "reason": "",
        "request_id": request["id"],
        "placed": {"name": item, "position": destination, "face": face},
        "anchor": anchor,
        "destination": destination,
    }


def rejected_data(reason: str) -> tuple[str, dict[str, Any]]:
    """The tool's one-line text and data dict for a request refused at once."""
    return f"Place request rejected: {reason}", {
        "success": False,
        "status": "rejected",
        "reason": reason,
        "request_id": None,
        "placed": None,
        "anchor": None,
        "destination": None,
    }


def xyz(cell: Sequence[int]) -> dict[str, int]:
    """A cell as the tool writes it."""
    x, y, z = cell
    return {"x": x, "y": y, "z": z}
