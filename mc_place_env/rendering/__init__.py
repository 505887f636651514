"""Pictures of a scene: `draw_frame` for pixels, `draw_text` for a terminal. Pure functions on plain data."""

from mc_place_env.rendering.ansi import draw_text
from mc_place_env.rendering.frames import draw_frame
from mc_place_env.rendering.scene import Scene, corner_behind

__all__ = ["Scene", "corner_behind", "draw_frame", "draw_text"]
