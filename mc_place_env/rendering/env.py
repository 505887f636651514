"""From an environment to a Scene, and `env.render()`, single and vector."""

from typing import Any

import numpy as np

from mc_place_env.rendering import Scene, corner_behind, draw_frame, draw_text
from mc_place_env.rendering.scene import agent_cell
from mc_place_env.rules.palette import Palette
from mc_place_env.simulation import report
from mc_place_env.simulation.batch import Batch
from mc_place_env.simulation.view import RowView
from mc_place_env.types import AIR, MARGIN, REGION, SIZE_X, SIZE_Y, SIZE_Z, UNLOADED, VOID

WINDOW = (4, 1, 4)  # cells shown beside, below and before the start cell
WINDOW_UP = 3
FLASH_TICKS = 16  # how long a verdict stays visible


class Scenes:
    """Draws one environment over an episode: remembers its camera and the verdicts that are still flashing."""

    def __init__(self, view: RowView, mode: str):
        self._view, self._mode = view, mode
        self._window: Any = None
        self._corner = "south_east"
        self._flashes: list[dict[str, Any]] = []
        self._info: dict[str, Any] = {}
        self._verdicts: tuple[dict[str, Any], ...] = ()  # the last ones heard

    def begin(self, info: dict[str, Any]) -> None:
        """A new episode: the camera stands behind the agent's shoulder."""
        self._corner = corner_behind(self._view.agent.yaw)
        self._flashes, self._verdicts, self._info = [], (), info

    def add(self, info: dict[str, Any]) -> None:
        """A step: its verdicts begin to flash."""
        self._info, self._verdicts = info, info["outcomes"] or self._verdicts
        self._flashes += [flash(o) for o in info["outcomes"] if o["outcome"] != "cancelled"]
        self._flashes = [f for f in self._flashes if info["tick"] - f["tick"] < FLASH_TICKS]
        if self._mode == "human":
            self.render()

    def scene(self) -> Scene:
        """The scene after the last step."""
        view, tick = self._view, self._info["tick"]
        window = window_of(view)
        return Scene(
            blocks=blocks_in(view, window),
            goal=goal_in(view),
            agent=view.agent.position,
            yaw=view.agent.yaw,
            sneaking=view.agent.sneaking,
            requests=(*flying(view, tick), *({**f, "age": tick - f["tick"]} for f in self._flashes)),
            caption=caption(self._info, self._verdicts),
            window=window,
            corner=self._corner,
        )

    def render(self) -> np.ndarray | str | None:
        """Text, or a picture uint8 (512, 512, 3); `human` shows it in a window instead."""
        if self._mode == "ansi":
            scene = self.scene()
            return draw_text(scene, busy_layers(scene))
        frame = draw_frame(self.scene())
        if self._mode == "rgb_array":
            return frame
        self._window = show(self._window, frame)
        return None

    def close(self) -> None:
        """Closes the window."""
        if self._window is not None:
            self._window[0].destroy()
            self._window = None


class RowScenes:
    """Draws the rows of a batch; follow every step with `update`, whether or not it is drawn."""

    def __init__(self, batch: Batch):
        self._batch = batch
        self._scenes = [Scenes(RowView(batch, i), "rgb_array") for i in range(batch.n)]

    def update(self) -> None:
        """A reset or a step of the batch: rows at tick 0 have begun an episode."""
        for row, scenes in zip(self._batch.rows, self._scenes, strict=True):
            follow = scenes.begin if row["tick"] == 0 else scenes.add
            follow(told(row, self._batch.palette))

    def frames(self, count: int | None = None) -> tuple[np.ndarray, ...]:
        """Pictures uint8 (512, 512, 3) of the first `count` rows, or of all."""
        return tuple(draw_frame(scenes.scene()) for scenes in self._scenes[:count])


def told(row: np.void, palette: Palette) -> dict[str, Any]:
    """What of a step's info a picture shows."""
    return {
        "tick": int(row["tick"]),
        "status": report.STATUS_TEXT[row["status"]],
        "reason": report.REASON_TEXT[row["reason"]],
        "outcomes": report.outcome_dicts(row, palette),
    }


def flash(outcome: dict[str, Any]) -> dict[str, Any]:
    """A verdict as the picture shows it."""
    return {
        "state": outcome["outcome"],
        "cell": outcome["cell"] or outcome["destination"],
        "item": outcome["item"],
        "tick": outcome["resolved_tick"],
    }


def flying(view: RowView, tick: int) -> list[dict[str, Any]]:
    """The requests in flight as the picture shows them."""
    return [
        {"state": "pending", "cell": r["destination"], "item": r["item"], "age": tick - r["submitted_tick"]}
        for r in view.pending_requests()
    ]


def window_of(view: RowView) -> tuple[int, int, int, int, int, int]:
    """The cells shown: around the start cell."""
    x, y, z = (o + size // 2 for o, size in zip(view.origin, REGION, strict=True))
    dx, down, dz = WINDOW
    return x - dx, y - down, z - dz, x + dx, y + WINDOW_UP, z + dz


def blocks_in(view: RowView, window: tuple[int, int, int, int, int, int]) -> tuple[tuple[int, int, int, str], ...]:
    """Every visible block of the window."""
    x0, y0, z0 = view.origin
    blocks = view.blocks().reshape(SIZE_X, SIZE_Z, SIZE_Y)
    low, high = np.array(window[:3]), np.array(window[3:]) + 1
    a, b = low - (x0, y0, z0) + MARGIN, high - (x0, y0, z0) + MARGIN
    part = blocks[a[0] : b[0], a[2] : b[2], a[1] : b[1]]
    names = [view.state_name(k) for k in range(int(part.max()) + 1)]
    cells = np.argwhere((part != AIR) & (part != UNLOADED) & (part != VOID)).tolist()
    return tuple((x + int(low[0]), y + int(low[1]), z + int(low[2]), names[part[x, z, y]]) for x, z, y in cells)


def goal_in(view: RowView) -> tuple[tuple[int, int, int, str], ...]:
    """The goal cells: with the block itself where it is right (a torch may be a wall_torch), else with the item."""
    missing = {cell for cell, _ in view.missing_goal()}
    return tuple((*cell, item if cell in missing else view.block_at(*cell)) for cell, item in view.goal().items())


def busy_layers(scene: Scene) -> tuple[int, ...]:
    """Heights above the feet to show as text, from the top: the goal's, the requests', the feet's and the one below."""
    feet = agent_cell(scene)[1]
    heights = {cell[1] - feet for cell in scene.goal} | {request["cell"][1] - feet for request in scene.requests}
    return tuple(sorted(heights | {0, -1}, reverse=True))


def caption(info: dict[str, Any], outcomes: tuple[dict[str, Any], ...]) -> tuple[str, ...]:
    """Tick, last status and outcomes in words."""
    status = f"{info['status']} {info['reason']}".strip()
    verdicts = [f"#{o['request_id']} {o['outcome']} {o['detail'] or o['reason']}".strip() for o in outcomes]
    return (f"tick {info['tick']}", status, *verdicts)


def show(window: Any, frame: np.ndarray) -> Any:
    """Shows a frame in a window of Tk, which Python brings; RuntimeError without a display."""
    import tkinter

    from PIL import Image, ImageTk

    if window is None:
        try:
            root = tkinter.Tk()
        except tkinter.TclError as error:
            raise RuntimeError(f"render_mode='human' needs a display ({error}); use 'rgb_array' or 'ansi'") from None
        root.title("mc_place_env")
        window = (root, tkinter.Label(root))
        window[1].pack()
    root, label = window
    label.image = ImageTk.PhotoImage(Image.fromarray(frame))  # Tk keeps no reference of its own
    label.configure(image=label.image)
    root.update()
    return window
