"""Plays trials on the simulator and on a server, many side by side, and compares request by request."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import gymnasium as gym
import numpy as np

from mc_place_env.conformance.trials import STONE, Blocks, Request, Trial, bottom
from mc_place_env.rules.geometry import agent_forward, agent_right
from mc_place_env.testing import Rows
from mc_place_env.tool import Actions
from mc_place_env.types import MARGIN, SIZE_X, SIZE_Y, SIZE_Z, Cell

TICKS = 2  # a step: a verdict takes one or two ticks
MOST_WAITS = 40  # steps until verdicts and falls must be over
NEVER_SENT = ("unloaded", "anchor_missing", "out_of_reach", "no_item")


@dataclass(frozen=True)
class Told:
    """What one side made of a request: the verdict, and every cell that is another than before."""

    outcome: str
    reason: str
    cell: Cell | None
    changed: tuple[tuple[Cell, str], ...]
    held: int
    falls: tuple

    def agrees(self, other: "Told") -> bool:
        """Everything but the reason: a server gives none."""
        return replace(self, reason="") == replace(other, reason="")


@dataclass(frozen=True)
class Comparison:
    """A request, in the world before it, on both sides. `judged`: it was sent, so that the server had a say."""

    request: Request
    trial: Trial  # the same request alone in that world
    simulator: Told
    server: Told
    judged: bool

    @property
    def agrees(self) -> bool:
        """Whether both sides did the same."""
        return self.simulator.agrees(self.server)


class Side:
    """One side: its environment and the worlds of its rows."""

    def __init__(self, items: tuple[str, ...], n: int, **options: Any):
        self.envs: Any = gym.make_vec(
            "mc_place_env:McPlace/Sandbox-v0", num_envs=n, items=items, ticks_per_step=TICKS,
            episode_steps=1_000_000, autoreset_mode="Disabled", **options,
        )  # fmt: skip
        self.envs.reset(seed=0, options={"scenario": {}})

    def start(self, scenarios: list[dict[str, Any]]) -> None:
        """New worlds."""
        self.playing = Rows(self.envs, scenarios)

    def world(self, i: int) -> np.ndarray:
        """Minecraft's state ids of a row's cells, -1 beyond the region."""
        palette = self.envs.batch.palette
        state_ids = np.array([0, -1, -1, *(palette.state_id(k) for k in range(3, len(palette)))])
        return state_ids[self.envs.batch.rows[i]["blocks"]]

    def falling(self, i: int) -> bool:
        """Whether something placed in this row is on its way."""
        players = getattr(self.envs.batch.backend, "players", None)
        return self.envs.batch.rows[i]["event_count"] > 0 if players is None else players[i].is_watching_falls

    def close(self) -> None:
        """Ends the environment."""
        self.envs.close()


class Pair:
    """The simulator and a server with the same items."""

    def __init__(self, items: tuple[str, ...], bots: int, server: str):
        self.bots = bots
        self.sides = (
            Side(items, bots, latency=0),
            Side(items, bots, backend="minecraft", server=server),
        )

    def close(self) -> None:
        """Ends both."""
        for side in self.sides:
            side.close()

    def compare(self, trials: Iterable[Trial]) -> Iterator[Comparison]:
        """Every request of the trials, as many at a time as there are bots; a trial ends where the sides differ."""
        for group in groups(trials, self.bots):
            yield from self._play(group)

    def _play(self, trials: list[Trial]) -> Iterator[Comparison]:
        for side in self.sides:
            side.start([trial.scenario() for trial in trials])
        self._step([{"action": "sneak"} if trial.sneaking else None for trial in trials])
        running = set(range(len(trials)))
        for k in range(max(len(trial.requests) for trial in trials)):
            asked = {i: trials[i].requests[k] for i in sorted(running) if k < len(trials[i].requests)}
            for i, comparison in self._ask(trials, asked):
                yield comparison
                if not comparison.agrees:
                    running.discard(i)

    def _ask(self, trials: list[Trial], asked: dict[int, Request]) -> Iterator[tuple[int, Comparison]]:
        """One request in each of these rows."""
        before = {i: [side.world(i) for side in self.sides] for i in asked}
        places = [place_entry(trials[i], asked[i]) if i in asked else None for i in range(len(trials))]
        heard = self._until_settled(self._step(places), asked)
        for i, request in asked.items():
            simulator, server = (
                told_by(side, i, request, worlds, infos[i])
                for side, worlds, infos in zip(self.sides, before[i], heard, strict=True)
            )
            lowest = bottom(trials[i].position)[1]
            blocks = blocks_of(self.sides[0], i, before[i][0]).items()
            kept = {cell: name for cell, name in blocks if cell[1] != lowest or name != STONE}
            alone = replace(trials[i], requests=[request], blocks=kept, floor=False)
            yield i, Comparison(request, alone, simulator, server, judged=server.reason not in NEVER_SENT)

    def _step(self, entries: list[dict[str, Any] | None]) -> list[list[dict[str, Any]]]:
        """One step of both sides -> infos by side and row."""
        return [side.playing.step([encode(row, entry) for row, entry in zip(side.playing.rows, entries, strict=True)])
                for side in self.sides]  # fmt: skip

    def _until_settled(self, infos: list[list[dict]], asked: dict[int, Request]) -> list[list[dict]]:
        """Waits for verdicts and falls -> by side and row, {outcomes, changes} of all those steps."""
        heard = [[{key: list(info[key]) for key in ("outcomes", "changes")} for info in side] for side in infos]
        for _ in range(MOST_WAITS):
            late = any(not heard[s][i]["outcomes"] or self.sides[s].falling(i) for s in range(2) for i in asked)
            if not late:
                break
            for side, told in zip(heard, self._step([None] * len(infos[0])), strict=True):
                for row, info in zip(side, told, strict=True):
                    row["outcomes"] += info["outcomes"]
                    row["changes"] += info["changes"]
        return heard


def told_by(side: Side, i: int, request: Request, before: np.ndarray, heard: dict[str, list]) -> Told:
    """What a side made of a request, from what it told and from its world."""
    silent = {"outcome": "none", "reason": "", "detail": "", "cell": None}
    outcome: dict[str, Any] = heard["outcomes"][0] if heard["outcomes"] else silent
    return Told(
        outcome["outcome"],
        outcome["detail"] or outcome["reason"],
        outcome["cell"],
        tuple(sorted(blocks_of(side, i, side.world(i), before).items())),
        side.envs.view(i).inventory[request.item],
        tuple((change["block"], change["from"], change["to"]) for change in heard["changes"]),
    )


def blocks_of(side: Side, i: int, world: np.ndarray, before: np.ndarray | None = None) -> Blocks:
    """The cells of a world that are not air, or, with `before`, that have changed since."""
    shape = (SIZE_X, SIZE_Z, SIZE_Y)
    chosen = (world > 0) if before is None else (world != before) & (world >= 0)
    at = np.argwhere(chosen.reshape(shape))
    cells = at[:, [0, 2, 1]] + side.envs.batch.rows[i]["origin"] - MARGIN
    table = side.envs.batch.palette.table
    names = [table.full_name(*table.from_state_id(int(state))) for state in world.reshape(shape)[tuple(at.T)]]
    return {(x, y, z): name for (x, y, z), name in zip(cells.tolist(), names, strict=True)}


def place_entry(trial: Trial, request: Request) -> dict[str, Any]:
    """The request as a script's entry: the anchor relative to the agent."""
    quadrant = int(trial.yaw // 90) % 4
    x, y, z = (a - int(np.floor(p)) for a, p in zip(request.anchor, trial.position, strict=True))
    right, forward = agent_right(quadrant, x, z), agent_forward(quadrant, x, z)
    offsets = {"dx": right, "dy": y, "dz": forward}
    return {"action": "place", "item": request.item, "face": request.face, **offsets}


def encode(row: Any, entry: dict[str, Any] | None) -> dict[str, Any]:
    """An entry of a script as an action of a row; None waits."""
    actions = Actions(row)
    if entry is None:
        return actions.wait()
    values = dict(entry)
    return getattr(actions, values.pop("action"))(**values)


def groups(trials: Iterable[Trial], size: int) -> Iterator[list[Trial]]:
    """Trials in lists of at most `size`."""
    group: list[Trial] = []
    for trial in trials:
        group.append(trial)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group
