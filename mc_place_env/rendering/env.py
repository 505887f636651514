"""From an environment to a Scene, and `env.render()`."""

from typing import Any

import numpy as np

from mc_place_env.rendering import Scene, corner_behind, draw_frame, draw_text
from mc_place_env.types import AIR, MARGIN, REGION, SIZE_X, SIZE_Y, SIZE_Z, UNLOADED, VOID

WINDOW = (5, 1, 5)  # cells shown beside, below and before the start cell
WINDOW_UP = 4
FLASH_TICKS = 16  # how long a verdict stays visible


class Scenes:
    """Draws one environment over an episode: remembers its camera and the verdicts that are still flashing."""

    def __init__(self) -> None:
        self._corner = "south_east"
        self._flashes: list[tuple[int, dict[str, Any]]] = []

    def begin(self, row: np.void) -> None:
        """A new episode: the camera stands behind the agent's shoulder."""
        self._corner = corner_behind(float(row["yaw"]))
        self._flashes = []

    def scene(self, env: Any, info: dict[str, Any]) -> Scene:
        """The scene after a step with that info."""
        tick = info["tick"]
        self._flashes += [(o["resolved_tick"], flash(o)) for o in info["outcomes"] if o["outcome"] != "cancelled"]
        self._flashes = [(t, request) for t, request in self._flashes if tick - t < FLASH_TICKS]
        window = window_of(env)
        return Scene(
            blocks=blocks_in(env, window),
            goal=tuple((*cell, item) for cell, item in env.view.goal().items()),
            agent=env.agent.position,
            yaw=env.agent.yaw,
            sneaking=env.agent.sneaking,
            requests=(*flying(env, tick), *({**request, "age": tick - t} for t, request in self._flashes)),
            caption=caption(info),
            window=window,
            corner=self._corner,
        )


def flash(outcome: dict[str, Any]) -> dict[str, Any]:
    """A verdict as the picture shows it."""
    return {
        "state": outcome["outcome"],
        "cell": outcome["cell"] or outcome["destination"],
        "item": outcome["item"],
    }


def flying(env: Any, tick: int) -> list[dict[str, Any]]:
    """The requests in flight as the picture shows them."""
    return [
        {"state": "pending", "cell": r["destination"], "item": r["item"], "age": tick - r["submitted_tick"]}
        for r in env.view.pending_requests()
    ]


def window_of(env: Any) -> tuple[int, int, int, int, int, int]:
    """The cells shown: around the start cell."""
    x, y, z = (o + size // 2 for o, size in zip(env.view.origin, REGION, strict=True))
    dx, down, dz = WINDOW
    return x - dx, y - down, z - dz, x + dx, y + WINDOW_UP, z + dz


def blocks_in(env: Any, window: tuple[int, int, int, int, int, int]) -> tuple[tuple[int, int, int, str], ...]:
    """Every visible block of the window."""
    x0, y0, z0 = env.view.origin
    blocks = env.view.blocks().reshape(SIZE_X, SIZE_Z, SIZE_Y)
    low, high = np.array(window[:3]), np.array(window[3:]) + 1
    a, b = low - (x0, y0, z0) + MARGIN, high - (x0, y0, z0) + MARGIN
    part = blocks[a[0] : b[0], a[2] : b[2], a[1] : b[1]]
    names = [env.view.state_name(k) for k in range(int(part.max()) + 1)]
    cells = np.argwhere((part != AIR) & (part != UNLOADED) & (part != VOID)).tolist()
    return tuple((x + int(low[0]), y + int(low[1]), z + int(low[2]), names[part[x, z, y]]) for x, z, y in cells)


def caption(info: dict[str, Any]) -> tuple[str, ...]:
    """Tick, last status and outcomes in words."""
    status = f"{info['status']} {info['reason']}".strip()
    verdicts = [f"#{o['request_id']} {o['outcome']} {o['detail'] or o['reason']}".strip() for o in info["outcomes"]]
    return (f"tick {info['tick']}", status, *verdicts)


def render(env: Any, scene: Scene) -> np.ndarray | str | None:
    """What `env.render()` returns in its mode; `human` shows a window."""
    if env.render_mode == "ansi":
        return draw_text(scene)
    frame = draw_frame(scene)
    if env.render_mode == "rgb_array":
        return frame
    env.window = show(env.window, frame)
    return None


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
