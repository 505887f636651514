"""Live Minecraft: one bot a row, each on its own plot of one server, reporting into the rows of the batch.

A step is two short calls a bot: `submit`, and `observe` once the ticks have passed. What the server will not judge as
the product does (reach, air and fluid anchors) is refused here by the rules, before anything is sent.
"""

import itertools
import os
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from mc_place_env.backends.verdict import Verdict, judge_evidence
from mc_place_env.config import PlaceEnvConfig
from mc_place_env.errors import ConfigError
from mc_place_env.minecraft.client import Bot, NodeClient
from mc_place_env.minecraft.errors import ConnectionLost
from mc_place_env.minecraft.server import EmbeddedServer
from mc_place_env.rules.geometry import cell_index, in_region
from mc_place_env.rules.placement import check_placement
from mc_place_env.rules.world import write_block
from mc_place_env.simulation.batch import Batch
from mc_place_env.simulation.report import FACE_TEXT
from mc_place_env.simulation.requests import note_change
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
    ChangeKind,
    Outcome,
    Reason,
    Status,
)

PLOT = 64  # blocks between the plots of two bots: regions do not touch
FOREIGN_PLOTS = 2048  # x of the first plot on somebody else's server: away from spawn and its protection
REVERT_TICKS = 20  # a change back within this many ticks of the verdict is a revert
OBSERVE_TIMEOUT = 3.0  # seconds beyond the ticks themselves
CURSOR = (0.5, 0.25, 0.5)  # lower half of a side face: at exactly 0.5 servers disagree on halves
CLIENT_SIDE = (Reason.UNLOADED, Reason.OUT_OF_REACH, Reason.ANCHOR_MISSING, Reason.NO_ITEM)

_numbers = itertools.count(1)


class Parity:
    """The rules' prediction beside what happened, request by request."""

    def __init__(self) -> None:
        self.requests = 0
        self.agreed = 0
        self.disagreements: deque[dict[str, Any]] = deque(maxlen=1000)

    def record(self, request_id: int, predicted: Reason, verdict: Verdict) -> None:
        """Counts one verdict; a prediction of NONE means 'placed'."""
        agrees = (predicted is Reason.NONE) == (verdict.outcome is Outcome.PLACED)
        self.requests += 1
        self.agreed += agrees
        if not agrees:
            actual = "placed" if verdict.outcome is Outcome.PLACED else verdict.reason.name.lower()
            expected = "placed" if predicted is Reason.NONE else predicted.name.lower()
            self.disagreements.append({"request_id": request_id, "predicted": expected, "actual": actual})


class MinecraftBackend:
    """The bots of one batch. The server is the embedded one, or `server="host:port"` where we must be operator."""

    def __init__(self, config: PlaceEnvConfig, n: int):
        self.parity = Parity()
        self._config, self._n = config, n
        self._name = config.username or f"placer{os.getpid() % 100000}_{next(_numbers)}"
        self._address = None if config.server == "embedded" else parse_address(config.server)
        self._client = NodeClient()
        self._server: EmbeddedServer | None = None
        self._players: list[Player | None] = [None] * n

    @staticmethod
    def connect(config: PlaceEnvConfig, batch: Batch) -> "MinecraftBackend":
        """Starts or dials the server and logs the bots in; raises MinecraftError, ConfigError."""
        backend = MinecraftBackend(config, batch.n)
        try:
            for i in range(batch.n):
                backend._player(i)
        except BaseException:
            backend.close()
            raise
        return backend

    def reset(self, batch: Batch, which: np.ndarray) -> None:
        """Sets the rows' scenarios up with real blocks, items and teleports, and waits until each bot sees its own."""
        for i in np.flatnonzero(which):
            self._player(int(i)).reset(batch, int(i), self._server)

    def advance(self, batch: Batch, which: np.ndarray) -> None:
        """One step of every bot, side by side: all submit, then all are observed."""
        rows = [(int(i), self._running(int(i))) for i in np.flatnonzero(which)]
        for i, player in rows:
            player.submit(batch, i)
        for i, player in rows:
            player.observe(batch, i)

    def close(self) -> None:
        """Logs the bots out and ends the embedded server."""
        for player in self._players:
            if player is not None:
                player.bot.close()
        self._players = [None] * self._n
        if self._server is not None:
            self._server.close()
            self._server = None

    def _running(self, i: int) -> "Player":
        player = self._players[i]
        if player is None:
            raise ConnectionLost("this environment is not connected; reset it first")
        return player

    def _player(self, i: int) -> "Player":
        """The bot of row i, connected anew if it or its server is gone."""
        player = self._players[i]
        if player is None or not player.bot.alive:
            host, port = self._address or self._embedded()
            name = self._name if self._n == 1 else f"{self._name[:12]}_{i}"
            bot = self._client.connect(host, port, name[:16], self._config.version)
            base = 0 if self._address is None else FOREIGN_PLOTS
            player = self._players[i] = Player(bot, (base + PLOT * i, 0, 0), self.parity)
        return player

    def _embedded(self) -> tuple[str, int]:
        if self._server is None or not self._server.alive:
            if self._server is not None:
                self._server.close()
            self._server = EmbeddedServer.start(self._config.version)
        return self._server.host, self._server.port

    def __getstate__(self) -> None:
        raise TypeError("an environment on live Minecraft cannot be pickled; make a new one in the other process")


def parse_address(server: str) -> tuple[str, int]:
    """`host:port`; ConfigError otherwise."""
    host, colon, port = server.rpartition(":") if isinstance(server, str) else ("", "", "")
    if not (host and colon and port.isdigit() and 0 < int(port) < 65536):
        raise ConfigError(f"server={server!r}: expected 'embedded' or 'host:port'")
    return host, int(port)


class Player:
    """One bot and its plot. `offset` (blocks) leads from the row's coordinates to the server's."""

    def __init__(self, bot: Bot, offset: tuple[int, int, int], parity: Parity):
        self.bot, self.offset, self.parity = bot, offset, parity
        self._waiting: deque[int] = deque()  # ids of requests not sent yet
        self._predicted: dict[int, Reason] = {}
        self._placed: list[np.void] = []  # recently placed requests, watched for reverts

    # -- setting up --------------------------------------------------------------------------------------------------

    def reset(self, batch: Batch, i: int, server: EmbeddedServer | None) -> None:
        """Makes the server's world the row's."""
        self._waiting.clear()
        self._predicted.clear()
        self._placed.clear()
        scenario = self._scenario(batch, i)
        self.bot.hold()
        if server is not None:
            server.setup(self.bot.username, scenario)
        else:
            self.bot.setup_by_commands(scenario)
        self.bot.synchronise(scenario)

    def _scenario(self, batch: Batch, i: int) -> dict[str, Any]:
        row, offset = batch.rows[i], np.array(self.offset)
        low = row["origin"] + offset
        counts = row["inventory"].tolist()
        return {
            "region": [*low.tolist(), *(low + np.array(REGION) - 1).tolist()],
            "blocks": [[*(np.array(c) + offset).tolist(), s] for c, s in solid_cells(row, batch)],
            "position": (row["position"] + offset).tolist(),
            "yaw": float(row["yaw"]),
            "inventory": {name: n for name, n in zip(batch.palette.items, counts, strict=False) if n > 0},
            "reach": float(batch.shared["reach"][0]),
        }

    # -- a step ------------------------------------------------------------------------------------------------------

    def submit(self, batch: Batch, i: int) -> None:
        """Starts the step's motion, and sends what can be sent."""
        row = batch.rows[i]
        action = ActionType(batch.actions["type"][i]) if row["status"] != Status.REJECTED else ActionType.WAIT
        if row["status"] == Status.ACCEPTED:
            self._waiting.append(int(row["response"]["id"]))
        control = None if action in (ActionType.WAIT, ActionType.PLACE) else action.name.lower()
        self.bot.submit({"control": control, "place": self._next_to_send(batch, row)})

    def _next_to_send(self, batch: Batch, row: np.void) -> dict[str, Any] | None:
        """The oldest waiting request, once the rules let it out; one they refuse waits for those before it."""
        while self._waiting:
            request = find_request(row, self._waiting[0])
            predicted = predict(row, batch.shared[0], request)
            if predicted in CLIENT_SIDE and self._predicted:
                return None
            self._waiting.popleft()
            if predicted not in CLIENT_SIDE:
                self._predicted[int(request["id"])] = predicted
                return self._payload(request, batch)
            self._settle(batch, row, request, Verdict(Outcome.FAILED, predicted), int(row["tick"]), predicted)
        return None

    def _payload(self, request: np.void, batch: Batch) -> dict[str, Any]:
        return {
            "id": int(request["id"]),
            "anchor": (request["anchor"] + np.array(self.offset)).tolist(),
            "face": FACE_TEXT[request["face"]],
            "item": batch.palette.items[request["item"]],
            "cursor": CURSOR,
        }

    def observe(self, batch: Batch, i: int) -> None:
        """Waits until the step's ticks have passed and writes what the bot saw into the row."""
        row, shared = batch.rows[i], batch.shared[0]
        seen = self.bot.observe(int(row["tick"] + shared["ticks_per_step"]), OBSERVE_TIMEOUT)
        self._read_body(row, seen)
        for name, k in ((name, k) for k, name in enumerate(batch.palette.items)):
            row["inventory"][k] = seen["inventory"].get(name, 0)
        changed = [(self._cell(x, y, z), int(state), int(tick)) for x, y, z, state, tick in seen["changed"]]
        self._read_blocks(batch, row, changed)
        for evidence in seen["settled"]:
            self._judge(batch, row, evidence)
        self._find_reverts(batch, row, changed)
        row["tick"] = seen["tick"]

    def _read_body(self, row: np.void, seen: dict[str, Any]) -> None:
        row["position"] = np.array(seen["position"]) - np.array(self.offset)
        row["velocity"][1] = seen["velocity_y"]
        row["on_ground"], row["sneaking"] = seen["on_ground"], seen["sneaking"]
        row["moving"] = seen["moving"]
        row["yaw"] = 90.0 * seen["yaw_quadrant"]

    def _cell(self, x: int, y: int, z: int) -> tuple[int, int, int]:
        dx, dy, dz = self.offset
        return int(x) - dx, int(y) - dy, int(z) - dz

    def _read_blocks(self, batch: Batch, row: np.void, changed: list) -> None:
        known = len(batch.palette)
        states = [batch.palette.id_of_state(state) for _, state, _ in changed]
        if len(batch.palette) > known:
            batch.palette.fill(batch.shared[0])
        for (cell, _, _), state in zip(changed, states, strict=True):
            if in_region(row, *cell):
                write_block(row, batch.shared[0], cell_index(row, *cell), state)

    def _judge(self, batch: Batch, row: np.void, evidence: dict[str, Any]) -> None:
        request = find_request(row, evidence["id"])
        predicted = self._predicted.pop(evidence["id"])
        reason = predicted
        if predicted is Reason.NONE:  # it may have become impossible while it was on its way
            reason = predict(row, batch.shared[0], request)
        anchor, destination = (tuple(request[key].tolist()) for key in ("anchor", "destination"))
        item = batch.palette.items[request["item"]]
        verdict = judge_evidence(evidence, anchor, destination, item, reason, batch.palette.table)
        self._settle(batch, row, request, verdict, int(evidence["settled_tick"]), predicted)

    def _settle(
        self, batch: Batch, row: np.void, request: np.void, verdict: Verdict, tick: int, predicted: Reason
    ) -> None:
        request["outcome"], request["reason"] = verdict.outcome, verdict.reason
        request["resolved_tick"] = request["reported_tick"] = tick
        self.parity.record(int(request["id"]), predicted, verdict)
        if verdict.cell is not None:
            request["cell"] = verdict.cell
            request["state_before"] = batch.palette.id_of_state(verdict.state_before)
            request["state_after"] = batch.palette.id_of_state(verdict.state_after)
            batch.palette.fill(batch.shared[0])
            self._placed.append(request.copy())

    def _find_reverts(self, batch: Batch, row: np.void, changed: list) -> None:
        """A cell that went back to what it was soon after the verdict: the verdict stands, the change is reported."""
        for cell, state_id, tick in changed:
            state = batch.palette.id_of_state(state_id)
            for placed in self._placed_at(cell, state, tick):
                request = find_request(row, placed["id"])
                if request is not None:
                    request["outcome"], request["reason"] = Outcome.FAILED, Reason.REVERTED
                else:
                    note_change(row, revert_event(placed, tick))
                self._placed = [other for other in self._placed if other["id"] != placed["id"]]
        newest = int(row["tick"])
        self._placed = [r for r in self._placed if newest - r["resolved_tick"] <= REVERT_TICKS]

    def _placed_at(self, cell: tuple[int, int, int], state: int, tick: int) -> Iterator[np.void]:
        for placed in self._placed:
            back = tuple(placed["cell"].tolist()) == cell and placed["state_before"] == state
            if back and tick >= placed["resolved_tick"]:
                yield placed


def solid_cells(row: np.void, batch: Batch) -> Iterator[tuple[tuple[int, int, int], int]]:
    """Every cell of the row that is not air, with Minecraft's state id."""
    blocks = row["blocks"].reshape(SIZE_X, SIZE_Z, SIZE_Y)
    solid = (blocks != AIR) & (blocks != UNLOADED) & (blocks != VOID)
    x0, y0, z0 = row["origin"].tolist()
    for x, z, y in np.argwhere(solid).tolist():
        yield (x + x0 - MARGIN, y + y0 - MARGIN, z + z0 - MARGIN), batch.palette.state_id(int(blocks[x, z, y]))


def find_request(row: np.void, request_id: int) -> np.void | None:
    """The pending request of that id, as a view."""
    for k in range(int(row["pending_count"])):
        if row["pending"][k]["id"] == request_id:
            return row["pending"][k]
    return None


def predict(row: np.void, shared: np.void, request: np.void) -> Reason:
    """What the rules say now of a request."""
    x, y, z = request["anchor"].tolist()
    return Reason(check_placement(row, shared, x, y, z, int(request["face"]), int(request["item"])))


def revert_event(placed: np.void, tick: int) -> np.void:
    """The EVENT of a placed block that went back."""
    event = np.zeros((), EVENT)[()]
    event["tick"], event["kind"], event["request_id"] = tick, ChangeKind.REVERT, placed["id"]
    event["cell"], event["item"] = placed["cell"], placed["item"]
    event["state_from"], event["state_to"] = placed["state_after"], placed["state_before"]
    return event


