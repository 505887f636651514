"""The verdict on a live placement, from evidence alone: no server, no Node."""

import numpy as np
import pytest

from mc_place_env.backends.minecraft import parse_address, usernames
from mc_place_env.backends.player import change_event, control_of
from mc_place_env.backends.verdict import Parity, Prediction, Verdict, is_block_of, judge_evidence
from mc_place_env.errors import ConfigError
from mc_place_env.rules.blocks import BlockTable
from mc_place_env.types import ACTION, REQUEST, ROW, ActionType, ChangeKind, Outcome, Reason, Status

TABLE = BlockTable.load()
ANCHOR, DESTINATION = (2, 63, 2), (2, 64, 2)


def state(text):
    return TABLE.state_id(*TABLE.parse(text))


AIR, STONE = state("air"), state("stone")


def evidence(anchor=("stone", "stone"), dest=("air", "air"), held=(4, 4), answered=True, changed=None, error=""):
    """What the bot reports of one request; `changed` is whether a cell ever differed."""
    states = [state(text) for text in (*anchor, *dest)]
    names = ("anchor_before", "anchor_after", "dest_before", "dest_after")
    differs = anchor[0] != anchor[1] or dest[0] != dest[1]
    rest = {"held_before": held[0], "held_after": held[1], "answered": answered, "error": error}
    return dict(zip(names, states, strict=True)) | rest | {"was_changed": differs if changed is None else changed}


def judge(item="stone", expected=Reason.NONE, **what):
    return judge_evidence(evidence(**what), ANCHOR, DESTINATION, item, expected, TABLE)


PLACED = [
    ("across the face", {"dest": ("air", "stone"), "held": (4, 3)}, DESTINATION),
    ("into the anchor's cell", {"anchor": ("short_grass", "stone"), "held": (4, 3)}, ANCHOR),
    ("creative: nothing is spent", {"dest": ("air", "stone")}, DESTINATION),
    ("no answer, but it stands there", {"dest": ("air", "stone"), "answered": False}, DESTINATION),
    ("against the rules", {"dest": ("air", "stone"), "expected": Reason.PLACEMENT_OVERLAPS_AGENT}, DESTINATION),
    ("wall form", {"item": "torch", "dest": ("air", "wall_torch[facing=west]")}, DESTINATION),
    ("item and block differ", {"item": "redstone", "dest": ("air", "redstone_wire")}, DESTINATION),
    ("a layer more", {"item": "snow", "anchor": ("snow[layers=1]", "snow[layers=2]")}, ANCHOR),
    (
        "both halves",
        {"item": "stone_slab", "anchor": ("stone_slab[type=bottom]", "stone_slab[type=double]")},
        ANCHOR,
    ),
]


@pytest.mark.parametrize(("what", "cell"), [case[1:] for case in PLACED], ids=[case[0] for case in PLACED])
def test_placed(what, cell):
    verdict = judge(**what)
    assert (verdict.outcome, verdict.reason, verdict.cell) == (Outcome.PLACED, Reason.NONE, cell)
    assert verdict.state_before != verdict.state_after


FAILED = [
    ("nothing changed, rules agree", {"expected": Reason.DESTINATION_OCCUPIED}, Reason.DESTINATION_OCCUPIED),
    ("nothing changed, rules do not know why", {}, Reason.REFUSED_BY_SERVER),
    ("no answer", {"answered": False}, Reason.TIMEOUT),
    ("no answer, and no wonder", {"answered": False, "expected": Reason.NO_ITEM}, Reason.TIMEOUT),
    ("never sent: no item", {"answered": False, "error": "no_item"}, Reason.NO_ITEM),
    ("never sent: no chunk", {"answered": False, "error": "unloaded"}, Reason.UNLOADED),
    ("changed and changed back", {"changed": True}, Reason.REVERTED),
    ("the anchor opened", {"anchor": ("barrel[open=false]", "barrel[open=true]")}, Reason.ANCHOR_INTERACTS),
    ("somebody else's block", {"dest": ("air", "dirt")}, Reason.REFUSED_BY_SERVER),
    (
        "already there",
        {"dest": ("stone", "stone"), "expected": Reason.DESTINATION_OCCUPIED},
        Reason.DESTINATION_OCCUPIED,
    ),
]


@pytest.mark.parametrize(("what", "reason"), [case[1:] for case in FAILED], ids=[case[0] for case in FAILED])
def test_failed(what, reason):
    verdict = judge(**what)
    assert (verdict.outcome, verdict.reason, verdict.cell) == (Outcome.FAILED, reason, None)


def test_an_unloaded_cell_is_no_block():
    assert not is_block_of("stone", -1, TABLE)
    assert is_block_of("stone", STONE, TABLE)
    assert not is_block_of("stone", AIR, TABLE)


def test_parity_counts_where_it_was_placed():
    parity = Parity()
    here, refused = Prediction(Reason.NONE, DESTINATION), Prediction(Reason.PLACEMENT_OVERLAPS_AGENT)
    placed, failed = Verdict(Outcome.PLACED, cell=DESTINATION), Verdict(Outcome.FAILED, Reason.TIMEOUT)
    parity.record(1, (here, here), placed)
    parity.record(2, (refused, here), placed)  # the body moved out of the way
    parity.record(3, (here, refused), failed)  # or into it
    assert (parity.requests, parity.agreed, list(parity.disagreements)) == (3, 3, [])
    parity.record(4, (here, here), failed)
    parity.record(5, (here, here), Verdict(Outcome.PLACED, cell=ANCHOR))
    parity.record(6, (refused, refused), placed)
    assert (parity.requests, parity.agreed) == (6, 3)
    assert [(d["request_id"], d["predicted"], d["actual"]) for d in parity.disagreements] == [
        (4, "placed at (2, 64, 2)", "timeout"),
        (5, "placed at (2, 64, 2)", "placed at (2, 63, 2)"),
        (6, "placement_overlaps_agent", "placed at (2, 64, 2)"),
    ]


@pytest.mark.parametrize(
    ("action", "sneaking", "status", "control"),
    [
        (ActionType.WAIT, 0, Status.NONE, None),
        (ActionType.PLACE, 0, Status.ACCEPTED, None),
        (ActionType.MOVE_LEFT, 0, Status.NONE, "move_left"),
        (ActionType.JUMP, 0, Status.NONE, "jump"),
        (ActionType.SNEAK, 1, Status.NONE, "sneak"),
        (ActionType.SNEAK, 0, Status.NONE, "stand"),
        (99, 0, Status.REJECTED, None),
    ],
)
def test_the_bots_control(action, sneaking, status, control):
    rows, actions = np.zeros(1, ROW), np.zeros(1, ACTION)
    rows["sneaking"], rows["status"], actions["type"] = sneaking, status, action
    assert control_of(rows[0], actions[0]) == control


def test_a_revert_names_its_request():
    placed = np.zeros(1, REQUEST)
    placed["id"], placed["cell"], placed["state_before"], placed["state_after"] = 7, DESTINATION, 0, 3
    event = change_event(placed[0], ChangeKind.REVERT, int(placed["state_before"][0]))[0]
    assert (event["request_id"], event["kind"]) == (7, ChangeKind.REVERT)
    assert (event["state_from"], event["state_to"], event["cell"].tolist()) == (3, 0, list(DESTINATION))


def test_usernames():
    assert usernames("guest", 1) == ["guest"]
    assert usernames("guest", 2) == ["guest_0", "guest_1"]
    generated = usernames(None, 1000)
    assert len(set(generated)) == 1000
    assert max(map(len, generated)) <= 16
    assert usernames(None, 1) != usernames(None, 1)
    for bad in ("", "no spaces", "x" * 17, 5):
        with pytest.raises(ConfigError, match="username"):
            usernames(bad, 1)


def test_addresses():
    assert parse_address("localhost:25565") == ("localhost", 25565)
    for bad in ("", "localhost", "localhost:", ":25565", "localhost:0", "localhost:65536", "localhost:x", 25565, None):
        with pytest.raises(ConfigError, match="server"):
            parse_address(bad)
