"""The `info` of a step in words: from one environment's record to plain dicts."""

from typing import Any, NamedTuple

import numpy as np

from mc_place_env.rules.palette import Palette
from mc_place_env.types import REQUEST, Cell, ChangeKind, Face, Outcome, Reason, RewardTerm, Status

STATUS_TEXT = tuple(status.name.lower() for status in Status)
OUTCOME_TEXT = tuple(outcome.name.lower() for outcome in Outcome)
CHANGE_TEXT = tuple(kind.name.lower() for kind in ChangeKind)
FACE_TEXT = tuple(face.name.lower() for face in Face)
REASON_TEXT = tuple(reason.text for reason in Reason)
DETAIL_TEXT = tuple(reason.detail for reason in Reason)
REJECTED, PLACED = int(Status.REJECTED), int(Outcome.PLACED)  # enum members are slow to find
TERM_TEXT = tuple(term.name.lower() for term in RewardTerm)


class Request(NamedTuple):
    """A REQUEST record as plain Python."""

    id: int
    item: int
    face: int
    anchor: Cell
    destination: Cell
    cell: Cell
    submitted_tick: int
    submitted_step: int
    resolved_tick: int
    reported_tick: int
    reported_step: int
    outcome: int
    reason: int
    state_before: int
    state_after: int


assert Request._fields == REQUEST.names


def request_numbers(requests: np.ndarray) -> np.ndarray:
    """REQUEST records (..., n), or their facts, as whole numbers (..., n, numbers).

    A view: numpy's own way to a record's fields takes far longer.
    """
    number = requests.dtype["id"]
    return requests.view(number).reshape(*requests.shape, requests.dtype.itemsize // number.itemsize)


def read_requests(numbers: np.ndarray) -> list[Request]:
    """What `request_numbers` gave, read."""
    return [
        Request(id, item, face, (ax, ay, az), (dx, dy, dz), (cx, cy, cz), *rest)
        for id, item, face, ax, ay, az, dx, dy, dz, cx, cy, cz, *rest in numbers.tolist()
    ]


def outcome_dicts(row: np.void, palette: Palette) -> tuple[dict[str, Any], ...]:
    """One dict a request resolved since the last step, in order of resolution."""
    requests = read_requests(request_numbers(row["outcomes"][: row["outcome_count"]]))
    return tuple(outcome_dict(request, palette) for request in requests)


def outcome_dict(request: Request, palette: Palette) -> dict[str, Any]:
    """A verdict in words."""
    return {
        "request_id": request.id,
        "outcome": OUTCOME_TEXT[request.outcome],
        "reason": REASON_TEXT[request.reason],
        "detail": DETAIL_TEXT[request.reason],
        "item": palette.items[request.item],
        "anchor": request.anchor,
        "destination": request.destination,
        "cell": request.cell if request.outcome == PLACED else None,
        "face": FACE_TEXT[request.face],
        "submitted_tick": request.submitted_tick,
        "resolved_tick": request.resolved_tick,
        "reported_tick": request.reported_tick,
        "submitted_step": request.submitted_step,
        "reported_step": request.reported_step,
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


def accepted_data(request: Request, palette: Palette) -> tuple[str, dict[str, Any]]:
    """The tool's one-line text and data dict for an accepted request."""
    item, face = palette.items[request.item], FACE_TEXT[request.face]
    x, y, z = request.destination
    text = f"Place request accepted: {item} at ({x}, {y}, {z}) (face={face})"
    return text, {
        "success": True,
        "status": "accepted",
        "reason": "",
        "request_id": request.id,
        "placed": {"name": item, "position": xyz(request.destination), "face": face},
        "anchor": xyz(request.anchor),
        "destination": xyz(request.destination),
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


def xyz(cell: Cell) -> dict[str, int]:
    """A cell as the tool writes it."""
    x, y, z = cell
    return {"x": x, "y": y, "z": z}
