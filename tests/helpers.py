"""What several test files share: environments, small worlds, rollouts, and runs in another process."""

import os
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np

import mc_place_env
from mc_place_env.types import ActionType, Face

TESTS = Path(__file__).parent
IDS = tuple(mc_place_env.IDS.values())
FLOOR = [-8, 63, -8, 8, 63, 8, "stone"]


def make(env_id="McPlace/Sandbox-v0", **options):
    """A single environment without Gymnasium's checker, whose warnings would hide ours."""
    return gym.make(env_id, disable_env_checker=True, **options)


def make_vec(env_id="McPlace/Sandbox-v0", num_envs=4, **options):
    return gym.make_vec(env_id, num_envs=num_envs, **options)


def scenario(*blocks, position=(0.5, 64.0, 0.5), yaw=0.0, fill=(FLOOR,), **rest):
    """A flat stone floor with `blocks` [x, y, z, name]; the agent stands in cell (0, 64, 0) and looks south."""
    agent = {"position": list(position), "yaw": yaw}
    return {"fill": [list(box) for box in fill], "blocks": [list(b) for b in blocks], "agent": agent, **rest}


def sandbox(*blocks, inventory=None, env_id="McPlace/Sandbox-v0", latency=0, ticks_per_step=1, options=None, **start):
    """A Sandbox reset on `scenario(*blocks, **start)` -> (environment, actions by name)."""
    inventory = {"cobblestone": 8} if inventory is None else inventory
    options = {"latency": latency, "ticks_per_step": ticks_per_step, "items": tuple(inventory)} | (options or {})
    env = make(env_id, **options)
    env.reset(seed=0, options={"scenario": scenario(*blocks, inventory=inventory, **start)})
    return env, mc_place_env.Actions(env)


def place(kind=ActionType.PLACE, anchor=(0, -1, 1), face=Face.UP, item=0):
    """A canonical action."""
    return {"type": int(kind), "anchor": np.asarray(anchor, np.float32), "face": int(face), "item": int(item)}


def random_actions(rng, n, n_items, place_share=0.6):
    """ACTION-like dict of n canonical actions: mostly placements near the feet, every type, some bad values."""
    kinds = np.where(rng.random(n) < place_share, ActionType.PLACE, rng.integers(0, 10, n))
    anchor = rng.integers(-3, 4, (n, 3)) + rng.choice([0.0, 0.5, 0.25], (n, 3))
    near = rng.random(n) < 0.5
    anchor[near] = np.stack([rng.integers(-2, 3, n), rng.integers(-1, 1, n), rng.integers(-2, 3, n)], 1)[near]
    bad = rng.random(n) < 0.03
    anchor[bad, 0] = rng.choice([np.nan, np.inf, -np.inf, 1e30])
    face = np.where(rng.random(n) < 0.5, Face.UP, rng.integers(-1, 11, n))
    item = np.where(rng.random(n) < 0.97, rng.integers(0, n_items, n), n_items)
    return {"type": kinds, "anchor": anchor.astype(np.float32), "face": face, "item": item}


def row_of(batch, i):
    """Part i of a dict of arrays, whatever the nesting."""
    return {key: row_of(part, i) if isinstance(part, dict) else part[i] for key, part in batch.items()}


def as_bytes(value):
    """Nested dicts, tuples, arrays and scalars as bytes that differ whenever any part does."""
    if isinstance(value, dict):
        return b"{" + b",".join(repr(key).encode() + as_bytes(value[key]) for key in sorted(value)) + b"}"
    if isinstance(value, (tuple, list)):
        return b"(" + b",".join(map(as_bytes, value)) + b")"
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{value.dtype}{value.shape}".encode() + value.tobytes()
    return repr(value).encode()


def same_records(a, b):
    """Whether two arrays of records hold the same; the padding between fields is not looked at."""
    if a.dtype.names is None:
        return a.tobytes() == b.tobytes()
    return all(same_records(np.asarray(a[name]), np.asarray(b[name])) for name in a.dtype.names)


def run_python(code, *arguments, **environment):
    """Runs code in a fresh interpreter beside this file -> its standard output; fails with its standard error."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)],
        env=os.environ | {key: str(value) for key, value in environment.items()},
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout
