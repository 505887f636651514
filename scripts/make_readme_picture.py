"""Draws docs/episode.png: one episode in three pictures. `python scripts/make_readme_picture.py`."""

from pathlib import Path

import gymnasium as gym
import numpy as np
from PIL import Image

import mc_place_env
from mc_place_env.rules.geometry import absolute_face
from mc_place_env.tasks.expert import RELATIVE_FACES, neighbour

SHOWN = (2, 4, 6)  # steps
TOP = 90  # rows of sky cut off


def eager_place(view):
    """A legal PLACE for a missing goal cell that no request in flight aims at, or None."""
    aimed = [request["destination"] for request in view.pending_requests()]
    for cell, item in view.missing_goal():
        for face in RELATIVE_FACES:
            anchor = neighbour(cell, absolute_face(face, view.quadrant), -1)
            if cell not in aimed and view.check(anchor, face, item) == mc_place_env.Reason.NONE:
                return view.place(anchor, face, item)
    return None


def main():
    options = {"difficulty": 1.0, "ticks_per_step": 2, "latency": 6, "max_pending": 4}
    env = gym.make("McPlace/Wall-v0", render_mode="rgb_array", **options)
    env.reset(seed=3)
    actions, view = mc_place_env.Actions(env), env.unwrapped.view
    frames = [env.render()]
    for step in range(max(SHOWN)):
        under_own_feet = actions.place(env.unwrapped.items[0], 0, -1, 0, "up")
        env.step(under_own_feet if step == 1 else eager_place(view) or actions.wait())
        frames.append(env.render())
    strip = np.concatenate([frames[k][TOP:] for k in SHOWN], axis=1)
    Image.fromarray(strip).save(Path(__file__).parents[1] / "docs" / "episode.png", optimize=True)


if __name__ == "__main__":
    main()
