"""An episode as plain data: what the replay page shows, and what `json.dump` takes.

| key | value |
|---|---|
| `format` | 1 |
| `env_id`, `policy`, `seed`, `backend` | what was played |
| `ticks_per_step`, `items` | of the environment |
| `names`, `placed_by` | by palette id: the block's name, and the item that places it or None |
| `blocks` | `[x, y, z, palette id]` of every block at the start that is not air |
| `goal`, `stand_at` | `[x, y, z, item]` of the goal cells; the cell to stand in, or None |
| `steps` | the reset, then each step: `tick`, `action` (text), `status`, `reason`, `agent` [x, y, z, yaw, sneaking], \
`reward_terms` (weighted) |
| `changed` | `[tick, x, y, z, palette id]` of every change of a cell, in order |
| `requests` | accepted requests: the outcome's dict (`outcome` is "pending" where the recording ended before), and \
`changes`, what became of the block later |
| `success`, `terminated`, `truncated` | how it ended |

Positions of the body are those at the end of each step. A changed cell has the tick of the verdict or later change
that explains it, else the tick at the end of its step.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mc_place_env.envs.vector_env import PlaceVectorEnv
from mc_place_env.errors import ConfigError
from mc_place_env.simulation import report
from mc_place_env.simulation.batch import Batch
from mc_place_env.simulation.view import RowView
from mc_place_env.types import (
    AIR,
    MARGIN,
    SIZE_X,
    SIZE_Y,
    SIZE_Z,
    UNLOADED,
    VOID,
    ActionType,
    Autoreset,
    Cell,
    CellClass,
    SuccessKind,
)

if TYPE_CHECKING:
    from mc_place_env.evaluation.policies import Policy

FORMAT = 1
NOTHING = (AIR, UNLOADED, VOID)


def record_episode(
    env: PlaceVectorEnv, policy: "Policy", seed: int, options: dict[str, Any] | None = None, steps: float = math.inf
) -> dict[str, Any]:
    """Plays row 0 of `env`, from `reset(seed=seed, options=options)` to its end or for so many steps -> plain data.

    Rows beyond the first idle along. ConfigError in SAME_STEP mode, where the last world of an episode is not seen.
    """
    if env.batch.autoreset is Autoreset.SAME_STEP:
        raise ConfigError("record_episode: autoreset_mode=SAME_STEP hides the end of an episode; use DISABLED")
    seeds, running = [seed + i for i in range(env.num_envs)], np.arange(env.num_envs) == 0
    observations, _ = env.reset(seed=seeds, options=options)
    policy.begin(env, seeds)
    recorder = Recorder(env.batch)
    while running.any() and len(recorder) < steps:
        observations, _, terminated, truncated, _ = env.step(policy.actions(env, observations, running))
        recorder.add()
        running &= ~(terminated | truncated)
    return recorder.episode(env_id=env_id_of(env), policy=policy.name, seed=seed)


def env_id_of(env: Any) -> str | None:
    """The id an environment was made with; None if it was made without."""
    return None if env.spec is None else str(env.spec.id)


class Recorder:
    """Follows row `i` of a batch (`env.unwrapped.batch`) from a reset on; call `add` after each step."""

    def __init__(self, batch: Batch, i: int = 0):
        self._batch, self._i, self._view = batch, i, RowView(batch, i)
        self._steps = [self._step("reset")]
        self._start = self._world()
        self._before = self._start
        self._cells: list[tuple[int, int, Cell, int]] = []  # ticks before and after the step, cell, palette id
        self._outcomes: dict[int, dict[str, Any]] = {}
        self._changes: list[dict[str, Any]] = []

    @property
    def _row(self) -> np.void:
        return self._batch.rows[self._i]

    def __len__(self) -> int:
        """Steps taken in."""
        return len(self._steps) - 1

    def add(self) -> None:
        """Takes in what the last step did."""
        row, palette = self._row, self._batch.palette
        tick = self._steps[-1]["tick"]
        self._steps.append(self._step(action_text(self._batch.actions[self._i], self._batch.items)))
        world = self._world()
        for index in np.flatnonzero(world != self._before).tolist():
            self._cells.append((tick, int(row["tick"]), self._cell(index), int(world[index])))
        self._before = world
        self._outcomes |= {outcome["request_id"]: outcome for outcome in report.outcome_dicts(row, palette)}
        self._changes += report.change_dicts(row, palette)

    def episode(self, **what: Any) -> dict[str, Any]:
        """The record so far; `what` was played: env_id, policy, seed."""
        row, view = self._row, self._view
        backend = self._batch.config.backend
        return {
            "format": FORMAT,
            **what,
            "backend": backend if isinstance(backend, str) else type(backend).__name__,
            "ticks_per_step": int(self._batch.shared["ticks_per_step"][0]),
            "items": list(self._batch.items),
            "names": self._batch.palette.names(),
            "placed_by": self._placed_by(),
            "blocks": [[*self._cell(k), int(self._start[k])] for k in solid(self._start)],
            "goal": [[*cell, item] for cell, item in view.goal().items()],
            "stand_at": row["stand_at"].tolist() if row["success_kind"] == SuccessKind.STAND_AT else None,
            "steps": self._steps,
            "changed": self._changed(),
            "requests": [plain(request) for request in self._requests()],
            "success": bool(row["success"]),
            "terminated": bool(row["terminated"]),
            "truncated": bool(row["truncated"]),
        }

    # -- pieces ------------------------------------------------------------------------------------------------------

    def _world(self) -> np.ndarray:
        return self._view.blocks().copy()

    def _step(self, action: str) -> dict[str, Any]:
        row, agent = self._row, self._view.agent
        return {
            "tick": int(row["tick"]),
            "action": action,
            "status": report.STATUS_TEXT[row["status"]],
            "reason": report.REASON_TEXT[row["reason"]],
            "agent": [*(round(c, 3) for c in agent.position), agent.yaw, agent.sneaking],
            "reward_terms": dict(zip(report.TERM_TEXT, self._batch.out.terms[self._i].tolist(), strict=True)),
        }

    def _cell(self, index: int) -> Cell:
        """The world cell of an index into the row's blocks."""
        x, z, y = np.unravel_index(index, (SIZE_X, SIZE_Z, SIZE_Y))
        x0, y0, z0 = self._view.origin
        return int(x) + x0 - MARGIN, int(y) + y0 - MARGIN, int(z) + z0 - MARGIN

    def _placed_by(self) -> list[str | None]:
        classes = self._batch.shared[0]["cell_class"][: len(self._batch.palette)].tolist()
        return [self._batch.items[k - CellClass.ITEM] if k >= CellClass.ITEM else None for k in classes]

    def _requests(self) -> list[dict[str, Any]]:
        """Every accepted request in order, with its verdict and what happened to its block later."""
        row, palette = self._row, self._batch.palette
        flying = (
            report.outcome_dict(request, palette)
            for request in report.read_requests(report.request_numbers(row["pending"][: row["pending_count"]]))
        )
        known = {request["request_id"]: request for request in flying} | self._outcomes
        later = {number: [c for c in self._changes if c["request_id"] == number] for number in known}
        return [known[number] | {"changes": later[number]} for number in sorted(known)]

    def _changed(self) -> list[list[int]]:
        """Every change of a cell, at its tick."""
        requests = list(self._outcomes.values())
        timed = [(tick_of(cell, a, b, requests, self._changes), *cell, state) for a, b, cell, state in self._cells]
        return [list(change) for change in sorted(timed, key=lambda change: change[0])]


def solid(world: np.ndarray) -> list[int]:
    """Indices of what is there: neither air nor beyond the world."""
    return np.flatnonzero(~np.isin(world, NOTHING)).tolist()


def tick_of(cell: Cell, first: int, last: int, outcomes: list[dict[str, Any]], changes: list[dict[str, Any]]) -> int:
    """When a cell changed within the ticks first..last: as the nearest verdict or later change there says, else last.

    A block's other half (doors, beds) is one cell beside the cell of the verdict.
    """
    told = [(outcome["cell"] or outcome["destination"], outcome["resolved_tick"]) for outcome in outcomes]
    told += [(change[end], change["tick"]) for change in changes for end in ("from", "to") if change[end] is not None]
    near = [(distance(cell, other), tick) for other, tick in told if first <= tick <= last]
    return min((pair for pair in near if pair[0] <= 1), default=(0, last))[1]


def distance(a: Cell, b: Cell) -> int:
    """Steps from cell to cell along the axes."""
    return sum(abs(p - q) for p, q in zip(a, b, strict=True))


def action_text(action: np.void, items: tuple[str, ...]) -> str:
    """ACTION in words: `place dirt on (0, -1, 1) up`, `wait`, or its numbers where they mean nothing."""
    kind, item = int(action["type"]), int(action["item"])
    if kind not in list(ActionType):
        return f"type {kind}"
    if kind != ActionType.PLACE:
        return ActionType(kind).name.lower().replace("_", " ")
    anchor = ", ".join(f"{value:g}" for value in action["anchor"].tolist())
    face = int(action["face"])
    face_text = report.FACE_TEXT[face] if 0 <= face < len(report.FACE_TEXT) else f"face {face}"
    return f"place {items[item] if 0 <= item < len(items) else f'item {item}'} on ({anchor}) {face_text}"


def plain(value: Any) -> Any:
    """Tuples as lists, as JSON has them."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value
