"""A live run as a file, and the file as a backend: `record(env, file)`, then `make(..., backend=Replay(file))`.

A trace is JSON lines. The first: {"trace": 1, "version", "plots"}. Then one for every answer of a bot, {"row", "call",
"asked", "told"}, in the order of the calls. Replayed, the same code judges the same answers, without Minecraft; whoever
asks for something else than was asked then is told so.
"""

import json
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from mc_place_env.backends.player import Player
from mc_place_env.backends.verdict import Parity
from mc_place_env.errors import ConfigError, McPlaceError
from mc_place_env.simulation.batch import Batch

FORMAT = 1


class TraceError(McPlaceError):
    """A trace does not fit what is asked of it."""


def record(env: Any, file: Path | str) -> None:
    """From its next reset on, writes what the bots of a live environment (single or vector) are asked and tell."""
    batch = getattr(env.unwrapped, "batch", None) or env.unwrapped._batch
    players = getattr(batch.backend, "players", None)
    if not players or players[0] is None:
        raise ConfigError("record: expected an environment with backend='minecraft' that is connected")
    version, plots = batch.palette.table.version, [player.plot for player in players]
    path = Path(file)
    path.write_text(json.dumps({"trace": FORMAT, "version": version, "plots": plots}) + "\n")
    for i, player in enumerate(players):
        player.bot = RecordingBot(player.bot, i, path)


class RecordingBot:
    """A bot that writes its answers down."""

    def __init__(self, bot: Any, row: int, path: Path):
        self._bot, self._row, self._path = bot, row, path

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bot, name)

    def synchronise(self, scenario: dict[str, Any]) -> None:
        """As the bot."""
        self._bot.synchronise(scenario)
        self._write("synchronise", scenario, None)

    def submit(self, payload: dict[str, Any]) -> int:
        """As the bot."""
        told = self._bot.submit(payload)
        self._write("submit", payload, told)
        return told

    def observe(self, tick: int, timeout: float) -> dict[str, Any]:
        """As the bot."""
        told = self._bot.observe(tick, timeout)
        self._write("observe", tick, told)
        return told

    def _write(self, call: str, asked: Any, told: Any) -> None:
        with self._path.open("a") as lines:
            lines.write(json.dumps({"row": self._row, "call": call, "asked": asked, "told": told}) + "\n")


class ReplayBot:
    """Answers from a trace."""

    username = "trace"
    alive = True

    def __init__(self, answers: deque[dict[str, Any]], row: int):
        self._answers, self._row = answers, row

    def _answer(self, call: str, asked: Any) -> Any:
        if not self._answers:
            raise TraceError(f"the trace of row {self._row} is over: nothing recorded for {call}")
        line = self._answers.popleft()
        asked = json.loads(json.dumps(asked))
        if (line["call"], line["asked"]) != (call, asked):
            was = f"{line['call']} {line['asked']}"
            raise TraceError(f"the trace of row {self._row} was recorded for {was:.300}, now {call} {asked!s:.300}")
        return line["told"]

    def hold(self) -> None:
        """Nothing to stop."""

    def close(self) -> None:
        """Nothing to close."""

    def setup_by_commands(self, scenario: dict[str, Any]) -> None:
        """Nothing to set up."""

    def synchronise(self, scenario: dict[str, Any]) -> None:
        """The world must be the recorded one."""
        self._answer("synchronise", scenario)

    def submit(self, payload: dict[str, Any]) -> int:
        """The recorded tick."""
        return self._answer("submit", payload)

    def observe(self, tick: int, timeout: float) -> dict[str, Any]:
        """The recorded look."""
        return self._answer("observe", tick)


class Replay:
    """A backend that replays a trace from its beginning."""

    def __init__(self, file: Path | str):
        self.parity = Parity()
        self.version, plots, answers = read_trace(Path(file))
        self.players = [
            Player(ReplayBot(answers[i], i), i, plot, self.parity)  # type: ignore[arg-type]
            for i, plot in enumerate(plots)
        ]

    def reset(self, batch: Batch, which: np.ndarray) -> None:
        """The next recorded episode of the rows."""
        if batch.palette.table.version != self.version or batch.n != len(self.players):
            recorded = f"version {self.version} and {len(self.players)} rows"
            raise TraceError(f"recorded with {recorded}, not version {batch.palette.table.version} and {batch.n} rows")
        for i in np.flatnonzero(which).tolist():
            self.players[i].reset(batch, None)

    def advance(self, batch: Batch, which: np.ndarray) -> None:
        """The next recorded step of the rows."""
        players = [self.players[i] for i in np.flatnonzero(which).tolist()]
        for player in players:
            player.submit(batch)
        for player in players:
            player.observe(batch)

    def close(self) -> None:
        """Nothing runs."""


def read_trace(path: Path) -> tuple[str, list[tuple[int, int]], list[deque[dict[str, Any]]]]:
    """-> (version, plot of every row, answers of every row); ConfigError for what is no trace."""
    if not path.is_file():
        raise ConfigError(f"trace {str(path)!r}: no such file")
    try:
        head, *lines = map(json.loads, path.read_text().splitlines())
        if head["trace"] != FORMAT:
            raise ConfigError(f"trace {str(path)!r}: format {head['trace']!r}, expected {FORMAT}")
        plots = [(x, z) for x, z in head["plots"]]
        answers: list[deque[dict[str, Any]]] = [deque() for _ in plots]
        for line in lines:
            answers[line["row"]].append(line)
        return head["version"], plots, answers
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise ConfigError(f"trace {str(path)!r}: expected JSON lines as `record` writes them ({error!r})") from None
