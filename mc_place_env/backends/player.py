"""One bot and its plot: sends a row's requests and motion to the server, and writes what the bot saw into the row."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from mc_place_env.backends.kernel import (
    block_seen,
    predict_fall,
    predict_own_cell,
    predict_reason,
    write_change,
    write_seen,
)
from mc_place_env.backends.verdict import Parity, Prediction, Verdict, judge_evidence
from mc_place_env.minecraft.client import TICK, Bot
from mc_place_env.minecraft.server import EmbeddedServer
from mc_place_env.simulation.batch import Batch
from mc_place_env.simulation.report import FACE_TEXT
from mc_place_env.types import (
    AIR,
    EVENT,
    MARGIN,
    REGION,
    SIZE_X,
    SIZE_Y,
    SIZE_Z,
    UNLOADED,
    VOID,
    ActionType,
    Cell,
    ChangeKind,
    Outcome,
    Reason,
    Status,
)

REVERT_TICKS = 20  # a change back within this many ticks of the verdict is a revert
FALL_GRACE = 10  # a falling block not seen again this long after it should have landed is gone
OBSERVE_TIMEOUT = 2.5  # seconds beyond the ticks themselves
CURSOR = (0.5, 0.25, 0.5)  # lower half of a side face: at exactly 0.5 servers disagree on halves
# What a server would not judge as the tool does (reach, air and fluid anchors), or cannot judge at all.
NEVER_SENT = (Reason.UNLOADED, Reason.OUT_OF_REACH, Reason.ANCHOR_MISSING, Reason.NO_ITEM)


class Player:
    """The bot of row `i`. Its plot's lowest corner is `plot` (x, z) on the server, whatever the row's coordinates."""

    def __init__(self, bot: Bot, i: int, plot: tuple[int, int], parity: Parity):
        self.bot, self.parity = bot, parity
        self.offset = np.zeros(3, np.int64)  # from the row's coordinates to the server's
        self.row, self.plot = i, plot
        self._newest = 0  # id of the last request taken from the row
        self.submitted_tick = 0  # the bot's tick at which this step began
        self._waiting: deque[int] = deque()  # ids not sent yet
        self._sent: dict[int, Prediction] = {}
        self._placed: list[np.void] = []  # requests placed a moment ago, watched for reverts
        self._falling: list[tuple[np.void, int]] = []  # placed without ground, and the tick when they are given up

    # -- setting up --------------------------------------------------------------------------------------------------

    def reset(self, batch: Batch, server: EmbeddedServer | None) -> None:
        """Makes the server's world the row's, and waits until the bot sees it."""
        self._newest = 0
        for memory in (self._waiting, self._sent, self._placed, self._falling):
            memory.clear()
        scenario = self._scenario(batch)
        self.bot.hold()
        if server is not None:
            server.setup(self.bot.username, scenario)
        else:
            self.bot.setup_by_commands(scenario)
        self.bot.synchronise(scenario)

    def _scenario(self, batch: Batch) -> dict[str, Any]:
        row = batch.rows[self.row]
        x, _, z = row["origin"].tolist()
        self.offset[:] = self.plot[0] - x, 0, self.plot[1] - z
        low = row["origin"] + self.offset
        cells, states = solid_cells(row, batch)
        counts = row["inventory"].tolist()
        return {
            "region": [*low.tolist(), *(low + np.array(REGION) - 1).tolist()],
            "blocks": np.column_stack([cells + self.offset, states]).tolist(),
            "position": (row["position"] + self.offset).tolist(),
            "yaw": float(row["yaw"]),
            "inventory": {name: n for name, n in zip(batch.items, counts, strict=False) if n > 0},
            "reach": float(batch.shared["reach"][0]),
        }

    # -- a step ------------------------------------------------------------------------------------------------------

    def submit(self, batch: Batch) -> None:
        """Starts the step's motion, and sends what can be sent."""
        row = batch.rows[self.row]
        control = control_of(row, batch.actions[self.row])
        asked = self._take_new(row)
        self.submitted_tick = self.bot.submit({"control": control, "places": list(self._sendable(batch))})
        for request in asked:
            request["submitted_tick"] = self.submitted_tick
            if request["outcome"] != Outcome.PENDING:  # refused here: heard of at once
                request["resolved_tick"] = request["reported_tick"] = self.submitted_tick

    def _take_new(self, row: np.void) -> list[np.void]:
        """The requests accepted since the last look, which wait from now on."""
        new = [request for request in row["pending"][: row["pending_count"]] if request["id"] > self._newest]
        for request in new:
            self._newest = int(request["id"])
            self._waiting.append(self._newest)
        return new

    def _sendable(self, batch: Batch) -> Iterator[dict[str, Any]]:
        """The waiting requests the rules let out, in order; one they refuse waits for the verdicts of those before."""
        while self._waiting:
            request = find_request(batch.rows[self.row], self._waiting[0])
            if request is not None:
                predicted = self._predict(batch, request)
                if predicted.reason not in NEVER_SENT:
                    self._sent[int(request["id"])] = predicted
                    yield self._payload(request, batch)
                elif self._sent:
                    return
                else:
                    tick = int(batch.rows[self.row]["tick"])
                    self._settle(batch, request, Verdict(Outcome.FAILED, predicted.reason), tick)
            self._waiting.popleft()

    def _payload(self, request: np.void, batch: Batch) -> dict[str, Any]:
        return {
            "id": int(request["id"]),
            "anchor": (request["anchor"] + self.offset).tolist(),
            "face": FACE_TEXT[request["face"]],
            "item": batch.items[request["item"]],
            "cursor": CURSOR,
        }

    def _predict(self, batch: Batch, request: np.void) -> Prediction:
        """What the rules say now."""
        x, y, z = anchor = as_cell(request["anchor"])
        asked = (batch.rows, batch.shared, self.row, x, y, z, int(request["face"]), int(request["item"]))
        reason = Reason(predict_reason(*asked))
        if reason is not Reason.NONE:
            return Prediction(reason)
        return Prediction(reason, anchor if predict_own_cell(*asked) else as_cell(request["destination"]))

    def observe(self, batch: Batch) -> None:
        """Waits until the step's ticks have passed and writes what the bot saw into the row."""
        row, ticks = batch.rows[self.row], int(batch.shared["ticks_per_step"][0])
        seen = self.bot.observe(self.submitted_tick + ticks, ticks * TICK + OBSERVE_TIMEOUT)
        self._read_body(row, seen)
        row["inventory"][: len(batch.items)] = [seen["inventory"].get(name, 0) for name in batch.items]
        for evidence in seen["settled"]:
            self._judge(batch, evidence)
        row["tick"] = seen["tick"]
        for cell, state, tick in self._read_blocks(batch, seen["changed"]):
            self._notice_reverts(batch, cell, state, tick)
            self._notice_landing(batch, cell, state)
        self._give_up_falls(batch)
        self._placed = [placed for placed in self._placed if row["tick"] - placed["resolved_tick"] <= REVERT_TICKS]

    def _read_body(self, row: np.void, seen: dict[str, Any]) -> None:
        row["position"] = seen["position"] - self.offset
        row["velocity"][1] = seen["velocity_y"]
        row["yaw"] = 90.0 * seen["yaw_quadrant"]
        for name in ("on_ground", "sneaking", "moving"):
            row[name] = seen[name]

    def _read_blocks(self, batch: Batch, told: list[list[int]]) -> list[tuple[Cell, int, int]]:
        """Writes [x, y, z, state id, tick] of every change into the row -> (cell, palette id, tick)."""
        if not told:
            return []
        numbers = np.array(told, np.int64)
        cells = numbers[:, :3] - self.offset
        states = palette_ids(batch, numbers[:, 3].tolist())
        write_seen(batch.rows, batch.shared, self.row, cells, np.array(states))
        return list(zip(map(as_cell, cells), states, numbers[:, 4].tolist(), strict=True))

    # -- verdicts ----------------------------------------------------------------------------------------------------

    def _judge(self, batch: Batch, evidence: dict[str, Any]) -> None:
        """The verdict, beside what the rules said when it was sent, and say now, before what it did is written."""
        request, sent = find_request(batch.rows[self.row], evidence["id"]), self._sent.pop(evidence["id"])
        if request is None:  # cancelled when the episode ended
            return
        now = self._predict(batch, request)
        anchor, destination = as_cell(request["anchor"]), as_cell(request["destination"])
        item, expected = batch.items[request["item"]], sent.reason or now.reason
        verdict = judge_evidence(evidence, anchor, destination, item, expected, batch.palette.table)
        self.parity.record(int(request["id"]), (sent, now), verdict)
        self._settle(batch, request, verdict, int(evidence["settled_tick"]))
        if verdict.cell is not None:
            write_seen(batch.rows, batch.shared, self.row, request["cell"][None], request["state_after"][None])
            self._watch(batch, request.copy())

    def _settle(self, batch: Batch, request: np.void, verdict: Verdict, tick: int) -> None:
        request["outcome"], request["reason"] = verdict.outcome, verdict.reason
        request["resolved_tick"] = request["reported_tick"] = tick
        if verdict.cell is not None:
            request["cell"] = verdict.cell
            states = palette_ids(batch, [verdict.state_before, verdict.state_after])
            request["state_before"], request["state_after"] = states

    @property
    def is_watching_falls(self) -> bool:
        """Whether a placed block is on its way down."""
        return bool(self._falling)

    def _watch(self, batch: Batch, placed: np.void) -> None:
        """What was just placed may fall, or be taken back."""
        ticks = predict_fall(batch.rows, batch.shared, self.row, *as_cell(placed["cell"]))
        if ticks > 0:
            self._falling.append((placed, int(placed["resolved_tick"]) + ticks + FALL_GRACE))
        else:
            self._placed.append(placed)

    def _notice_landing(self, batch: Batch, cell: Cell, state: int) -> None:
        """A block that had no ground appears further down."""
        for fall in self._falling:
            placed, (x, y, z) = fall[0], as_cell(fall[0]["cell"])
            if state == placed["state_after"] and (x, z) == (cell[0], cell[2]) and cell[1] < y:
                write_change(batch.rows, self.row, change_event(placed, ChangeKind.FALL, AIR, cell))
                self._falling = [other for other in self._falling if other is not fall]
                return

    def _give_up_falls(self, batch: Batch) -> None:
        """A block that left its cell and was not seen again is broken; one that stayed stays."""
        row = batch.rows[self.row]
        for placed in [fall[0] for fall in self._falling if fall[1] < row["tick"]]:
            if block_seen(batch.rows, batch.shared, self.row, *as_cell(placed["cell"])) != placed["state_after"]:
                write_change(batch.rows, self.row, change_event(placed, ChangeKind.FALL, AIR))
        self._falling = [fall for fall in self._falling if fall[1] >= row["tick"]]

    def _notice_reverts(self, batch: Batch, cell: Cell, state: int, tick: int) -> None:
        """A cell went back to what it was: the verdict, if it has not been reported yet; else a change."""
        for placed in self._placed:
            is_back = as_cell(placed["cell"]) == cell and placed["state_before"] == state
            if not is_back or tick < placed["resolved_tick"]:
                continue
            request = find_request(batch.rows[self.row], placed["id"])
            if request is None:
                write_change(batch.rows, self.row, change_event(placed, ChangeKind.REVERT, placed["state_before"]))
            else:
                request["outcome"], request["reason"] = Outcome.FAILED, Reason.REVERTED
            self._placed.remove(placed)
            return


def control_of(row: np.void, action: np.void) -> str | None:
    """The bot's control for the action; `begin_step` has decided whether it sneaks or stands."""
    if row["status"] == Status.REJECTED or action["type"] in (ActionType.WAIT, ActionType.PLACE):
        return None
    if action["type"] == ActionType.SNEAK:
        return "sneak" if row["sneaking"] else "stand"
    return ActionType(action["type"]).name.lower()


def as_cell(array: np.ndarray) -> Cell:
    """Three numbers as a cell."""
    x, y, z = array.tolist()
    return x, y, z


def palette_ids(batch: Batch, state_ids: list[int]) -> list[int]:
    """Palette ids of Minecraft's state ids; new states enter the palette."""
    known = len(batch.palette)
    ids = [batch.palette.id_of_state(state_id) for state_id in state_ids]
    if len(batch.palette) > known:
        batch.palette.fill(batch.shared[0])
    return ids


def solid_cells(row: np.void, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """Every cell of the row that is not air: cells int64 (n, 3), and Minecraft's state ids (n,)."""
    blocks = row["blocks"].reshape(SIZE_X, SIZE_Z, SIZE_Y)
    at = np.argwhere((blocks != AIR) & (blocks != UNLOADED) & (blocks != VOID))
    ids = blocks[tuple(at.T)]
    state_of = np.zeros(len(batch.palette), np.int64)
    for palette_id in np.unique(ids).tolist():
        state_of[palette_id] = batch.palette.state_id(palette_id)
    return at[:, [0, 2, 1]] + row["origin"] - MARGIN, state_of[ids]


def find_request(row: np.void, request_id: int) -> np.void | None:
    """The pending request of that id, as a view."""
    ids = row["pending"]["id"][: row["pending_count"]].tolist()
    return row["pending"][ids.index(request_id)] if request_id in ids else None


def change_event(placed: np.void, kind: ChangeKind, state_to: int, rest: Cell | None = None) -> np.ndarray:
    """The EVENT (1,) of a placed block that went back, or fell to `rest` (None: it broke)."""
    events = np.zeros(1, EVENT)
    event = events[0]
    event["kind"], event["request_id"], event["item"] = kind, placed["id"], placed["item"]
    event["cell"] = placed["cell"]
    event["state_from"], event["state_to"] = placed["state_after"], state_to
    if rest is not None:
        event["rest"], event["landed"] = rest, 1
    return events
