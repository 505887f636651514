"""Figures of the live backend on its own server, as JSON: python benchmarks/live.py [--bots 1 8] [--steps 60].

* `step_ms`: time a step takes beyond waiting for the game's ticks (all bots together)
* `ticks_per_step`: ticks that passed in a step; what is above the wanted number was missed by Python
* `verdict_ms`: from sending a placement to its verdict in Python
* `resets_per_second`: episodes begun, all bots together
"""

import argparse
import json
import os
import platform
import time
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np

import mc_place_env
from mc_place_env.minecraft import client

TICKS = 4
SCENARIO = {
    "fill": [[-8, 63, -8, 8, 63, 8, "stone"]],
    "agent": {"position": [0.5, 64.0, 0.5], "yaw": 0.0},
    "inventory": {"stone": 640},
}
TARGETS = [(x, 63, z) for x in range(-2, 3) for z in (2, 3)]


def measure(bots: int, steps: int, verdicts: int, resets: int) -> dict[str, Any]:
    """All figures with this many bots."""
    options = {"items": ("stone",), "ticks_per_step": TICKS, "episode_steps": 10**6}
    envs = gym.make_vec("McPlace/Sandbox-v0", num_envs=bots, backend="minecraft", **options)
    envs.reset(seed=0, options={"scenario": SCENARIO})
    figures = {"bots": bots, **measure_steps(envs, steps)}
    figures["verdict_ms"] = percentiles(measure_verdicts(envs, verdicts))
    figures["resets_per_second"] = measure_resets(envs, resets)
    envs.close()
    return figures


def measure_steps(envs: Any, steps: int) -> dict[str, Any]:
    """Steps with a placement each, without the time slept for ticks."""
    slept = [0.0]

    def sleep(seconds: float) -> None:
        start = time.perf_counter()
        time.sleep(seconds)
        slept[0] += time.perf_counter() - start

    place = {"type": 1, "anchor": (0, -1, 2), "face": 0, "item": 0}
    actions = {k: np.array([v] * envs.num_envs, envs.action_space[k].dtype) for k, v in place.items()}
    envs.step(actions)
    first, times = envs.batch.rows["tick"].copy(), []
    client.time = SimpleNamespace(sleep=sleep, monotonic=time.monotonic)
    for _ in range(steps):
        slept[0], start = 0.0, time.perf_counter()
        envs.step(actions)
        times.append(1000 * (time.perf_counter() - start - slept[0]))
    client.time = time
    passed = (envs.batch.rows["tick"] - first).mean() / steps
    return {"step_ms": percentiles(times), "ticks_per_step": round(float(passed), 2), "wanted_ticks": TICKS}


def measure_verdicts(envs: Any, rounds: int) -> list[float]:
    """Every bot places once a round; milliseconds until each verdict is in Python."""
    times = []
    for k in range(rounds):
        if k % len(TARGETS) == 0:
            envs.reset(options={"scenario": SCENARIO})
        waiting, start = dict(enumerate(envs.batch.backend.players)), time.perf_counter()
        for player in waiting.values():
            anchor = (np.array(TARGETS[k % len(TARGETS)]) + player.offset).tolist()
            place = {"id": 1, "anchor": anchor, "face": "up", "item": "stone", "cursor": (0.5, 1.0, 0.5)}
            player.bot.submit({"control": None, "places": [place]})
        while waiting:
            for i, player in list(waiting.items()):
                if player.bot.observe(0, 1.0)["settled"]:
                    times.append(1000 * (time.perf_counter() - start))
                    del waiting[i]
    return times


def measure_resets(envs: Any, resets: int) -> float:
    """Drawn worlds and full inventories, one after the other."""
    start = time.perf_counter()
    for _ in range(resets):
        envs.reset()
    return round(resets * envs.num_envs / (time.perf_counter() - start), 1)


def percentiles(times: list[float]) -> dict[str, float]:
    """p50 and p95."""
    return {name: round(float(np.percentile(times, q)), 2) for name, q in (("p50", 50), ("p95", 95))}


def main() -> None:
    """Measures with each number of bots and prints one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--steps", type=int, default=60)
    arguments = parser.parse_args()
    figures = [measure(bots, arguments.steps, verdicts=50, resets=max(3, 48 // bots)) for bots in arguments.bots]
    machine = {"cpus": os.cpu_count(), "system": platform.system(), "python": platform.python_version()}
    print(json.dumps({"version": mc_place_env.__version__, "machine": machine, "live": figures}, indent=2))


if __name__ == "__main__":
    main()
