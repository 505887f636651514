"""The episodes of tests/traces: played live to record them (`python trace_scripts.py`), from the file in the tests.

A trace belongs to the worlds of its version: record anew when a task's instances or the bridge's answers change.
"""

import json
import sys
from pathlib import Path

from helpers import make, scenario

import mc_place_env
from mc_place_env.backends.replay import Replay
from mc_place_env.backends.trace import record
from mc_place_env.tasks import TASKS

TRACES = Path(__file__).parent / "traces"
START = {"scenario": scenario([0, 65, 3, "stone"], [0, 64, 2, "short_grass"], inventory={"sand": 4, "torch": 2})}


def sandbox(env):
    """Sand that falls, a torch on the floor and one under a block, into one's own feet, a step forward."""
    actions = mc_place_env.Actions(env)
    script = [actions.place("sand", 0, 1, 3, "back"), actions.wait(), actions.place("torch", 0, -1, 1, "up")]
    script += [actions.place("torch", 0, 1, 3, "down"), actions.place("sand", 0, -1, 0, "up"), actions.move_forward()]
    infos = [env.reset(seed=0, options=START)[1]]
    return infos + [env.step(action)[-1] for action in script + [actions.wait()] * 12]


def wall(env):
    """The scripted expert fills three walls."""
    infos = []
    for seed in range(3):
        infos.append(env.reset(seed=seed)[1])
        while not (infos[-1]["is_success"] or len(infos) > 200):
            infos.append(env.step(TASKS["Wall"].expert(env.unwrapped.view))[-1])
    return infos


EPISODES = {
    "sandbox": (sandbox, "McPlace/Sandbox-v0", {"items": ("sand", "torch"), "ticks_per_step": 2}),
    "wall": (wall, "McPlace/Wall-v0", {}),
}


def told(infos):
    """What a user hears, as JSON has it: every key that is not a number of the observation."""
    kept = ("status", "reason", "outcomes", "changes", "pending", "tick", "is_success")
    return json.loads(json.dumps([{key: info[key] for key in kept} for info in infos]))


def replayed(name):
    """The infos of a trace of the repository, and those told when it was recorded."""
    play, env_id, options = EPISODES[name]
    env = make(env_id, backend=Replay(TRACES / f"{name}.jsonl"), **options)
    return told(play(env)), json.loads((TRACES / f"{name}.told.json").read_text())


def main():
    """Records every trace anew."""
    for name, (play, env_id, options) in EPISODES.items():
        env = make(env_id, backend="minecraft", **options)
        env.reset(seed=0)
        record(env, TRACES / f"{name}.jsonl")
        (TRACES / f"{name}.told.json").write_text(json.dumps(told(play(env)), indent=1) + "\n")
        env.close()


if __name__ == "__main__":
    sys.exit(main())
