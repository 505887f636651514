"""A live run as a file: `record(env, file)`; backends/replay.py plays it again, rendering/replay.py shows it.

A trace is JSON lines. The first: {"trace": 2, "version", "plots", "task", "options"}, the options those of `make`. Then
one for every answer of a bot, {"row", "call", "asked", "told"}, in the order of the calls. `synchronise`, the beginning
of an episode, has the task's "goal" and "stand_at" with it; `submit`, a step, the canonical "action". Coordinates are
the server's.
"""

import json
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mc_place_env.backends.player import Player
from mc_place_env.errors import ConfigError, McPlaceError
from mc_place_env.rules.blocks import BlockTable
from mc_place_env.simulation.batch import Batch
from mc_place_env.simulation.view import RowView
from mc_place_env.types import ACTION, SuccessKind

FORMAT = 2
OF_THE_RUN = (
    "task",
    "backend",
    "server",
    "username",
    "render_mode",
    "action_view",
    "observe",
)  # no part of the options


class TraceError(McPlaceError):
    """A trace does not fit what is asked of it."""


class Trace(NamedTuple):
    """A trace as read."""

    version: str
    task: str
    options: dict[str, Any]  # of `make`, beside those of the run
    plots: list[tuple[int, int]]  # lowest x and z on the server, by row
    lines: list[list[dict[str, Any]]]  # the calls of every row


class Episode(NamedTuple):
    """One recorded episode of a row."""

    scenario: dict[str, Any]  # for `reset(options={"scenario": ...})`
    actions: np.ndarray  # ACTION (steps,)


# ---------------------------------------------------------------- writing


def record(env: Any, file: Path | str) -> None:
    """From its next reset on, writes what the bots of a live environment (single or vector) are asked and tell."""
    batch = env.unwrapped.batch
    players = getattr(batch.backend, "players", None)
    if not players or players[0] is None:
        raise ConfigError("record: expected an environment with backend='minecraft' that is connected")
    config = batch.config
    head = {
        "trace": FORMAT,
        "version": batch.palette.table.version,
        "plots": [player.plot for player in players],
        "task": config.task,
        "options": {key: getattr(config, key) for key in sorted(config.given) if key not in OF_THE_RUN},
    }
    path = Path(file)
    path.write_text(json.dumps(head) + "\n")
    for player in players:
        player.bot = RecordingBot(player, batch, path)


class RecordingBot:
    """A player's bot that writes its answers down."""

    def __init__(self, player: Player, batch: Batch, path: Path):
        self._player, self._bot, self._batch, self._path = player, player.bot, batch, path

    def __getattr__(self, name: str) -> Any:
        return getattr(self._bot, name)

    def synchronise(self, scenario: dict[str, Any]) -> None:
        """As the bot."""
        self._bot.synchronise(scenario)
        self._write("synchronise", scenario, None, **self._goal())

    def submit(self, payload: dict[str, Any]) -> int:
        """As the bot."""
        told = self._bot.submit(payload)
        action = self._batch.actions[self._player.row]
        self._write("submit", payload, told, action={name: action[name].tolist() for name in ACTION.names or ()})
        return told

    def observe(self, tick: int, timeout: float) -> dict[str, Any]:
        """As the bot."""
        told = self._bot.observe(tick, timeout)
        self._write("observe", tick, told)
        return told

    def _goal(self) -> dict[str, Any]:
        """What the task asks for in this episode."""
        batch, offset = self._batch, self._player.offset
        row, goal = batch.rows[self._player.row], RowView(batch, self._player.row).goal()
        blocks = {cell: batch.palette.table.block_of_item(item) for cell, item in goal.items()}
        stands = row["success_kind"] == SuccessKind.STAND_AT
        return {
            "goal": [[*(np.array(cell) + offset).tolist(), name] for cell, name in blocks.items()],
            "stand_at": (row["stand_at"] + offset).tolist() if stands else None,
        }

    def _write(self, call: str, asked: Any, told: Any, **more: Any) -> None:
        line = {"row": self._player.row, "call": call, "asked": asked, "told": told, **more}
        with self._path.open("a") as lines:
            lines.write(json.dumps(line) + "\n")


# ---------------------------------------------------------------- reading


def read_trace(file: Path | str) -> Trace:
    """The trace in a file; ConfigError for what is none."""
    path = Path(file)
    if not path.is_file():
        raise ConfigError(f"trace {str(path)!r}: no such file")
    try:
        head, *lines = map(json.loads, path.read_text().splitlines())
        if head["trace"] != FORMAT:
            raise ConfigError(f"trace {str(path)!r}: format {head['trace']!r}, expected {FORMAT}")
        plots = [(x, z) for x, z in head["plots"]]
        calls: list[list[dict[str, Any]]] = [[] for _ in plots]
        for line in lines:
            calls[line["row"]].append(line)
        return Trace(head["version"], head["task"], head["options"], plots, calls)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise ConfigError(f"trace {str(path)!r}: expected JSON lines as `record` writes them ({error!r})") from None


def episodes_of(trace: Trace, row: int) -> Iterator[Episode]:
    """The episodes of a row, in order."""
    table = BlockTable.load(trace.version)
    lines = deque(trace.lines[row])
    while lines:
        start = lines.popleft()
        steps = []
        while lines and lines[0]["call"] != "synchronise":
            steps.append(lines.popleft())
        actions = [step["action"] for step in steps if step["call"] == "submit"]
        packed = np.zeros(len(actions), ACTION)
        for name in ACTION.names or ():
            packed[name] = [action[name] for action in actions]
        yield Episode(scenario_of(start, table), packed)


def scenario_of(start: dict[str, Any], table: BlockTable) -> dict[str, Any]:
    """The world of a `synchronise` line as a scenario."""
    asked = start["asked"]
    names = {state: table.full_name(*table.from_state_id(state)) for state in {block[3] for block in asked["blocks"]}}
    scenario = {
        "blocks": [[x, y, z, names[state]] for x, y, z, state in asked["blocks"]],
        "agent": {"position": asked["position"], "yaw": asked["yaw"]},
        "inventory": asked["inventory"],
        "goal": start["goal"],
    }
    return scenario if start["stand_at"] is None else scenario | {"stand_at": start["stand_at"]}
