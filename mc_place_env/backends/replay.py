"""A recorded live run (backends/trace.py) as a backend: `make(..., backend=Replay(file))`.

The same code judges the same answers, without Minecraft; whoever asks for something else is told so.
"""

import json
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from mc_place_env.backends.player import Player
from mc_place_env.backends.trace import Trace, TraceError, read_trace
from mc_place_env.backends.verdict import Parity
from mc_place_env.simulation.batch import Batch


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
    """A backend that replays a trace from its beginning: all rows of it, or the one row given."""

    def __init__(self, trace: Trace | Path | str, row: int | None = None):
        self.parity = Parity()
        trace = trace if isinstance(trace, Trace) else read_trace(trace)
        self.version = trace.version
        rows = range(len(trace.plots)) if row is None else [row]
        self.players = [
            Player(ReplayBot(deque(trace.lines[k]), k), i, trace.plots[k], self.parity)  # type: ignore[arg-type]
            for i, k in enumerate(rows)
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
