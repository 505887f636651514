"""`python -m mc_place_env.backends.latency FILE [--server host:port | --trace FILE]`: how long a live server takes.

Writes one number of ticks a line, from a request to its verdict; `latency={"empirical": FILE}` simulates them.
Exit status: 0 written, 2 too few verdicts, 3 no server.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import gymnasium as gym

from mc_place_env.backends.trace import read_trace
from mc_place_env.errors import McPlaceError
from mc_place_env.tool import Actions

ITEM = "stone"
SPOTS = [(right, forward) for right in (-2, -1, 0, 1, 2) for forward in (-2, 2)]
WAITS = 100  # steps until a verdict must be there
SCENARIO: dict[str, Any] = {"fill": [[-8, 63, -8, 8, 63, 8, ITEM]], "inventory": {ITEM: 64}}


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m mc_place_env.backends.latency", description="Measure a server.")
    parser.add_argument("file", type=Path, help="written: one number of ticks a line")
    parser.add_argument("--server", default="embedded", help="'embedded' (default) or host:port")
    parser.add_argument("--trace", type=Path, help="take them from this recorded run instead (backends/trace.py)")
    parser.add_argument("--requests", type=int, default=50, help="placements to time (default 50)")
    return parser.parse_args(arguments)


def recorded(trace: Path) -> list[int]:
    """Ticks from sending to verdict of every answered request of a trace."""
    looks = [line["told"] for row in read_trace(trace).lines for line in row if line["call"] == "observe"]
    return [
        evidence["settled_tick"] - evidence["sent_tick"]
        for look in looks
        for evidence in look["settled"]
        if evidence["answered"]
    ]


def measured_live(server: str, count: int) -> list[int]:
    """Ticks of `count` placements on a server."""
    env = gym.make(
        "mc_place_env:McPlace/Sandbox-v0",
        backend="minecraft", server=server, items=(ITEM,), ticks_per_step=1, episode_steps=1_000_000,
    )  # fmt: skip
    try:
        return measured(env, count)
    finally:
        env.close()


def measured(env: Any, count: int) -> list[int]:
    """Ticks from request to verdict of `count` placements on flat stone, one at a time; without the unanswered."""
    actions, ticks = Actions(env), []
    for k in range(count):
        if k % len(SPOTS) == 0:
            env.reset(seed=0, options={"scenario": SCENARIO})
        right, forward = SPOTS[k % len(SPOTS)]
        outcome = first_outcome(env, actions, actions.place(ITEM, right, -1, forward, "up"))
        if outcome is not None and outcome["outcome"] == "placed":
            ticks.append(outcome["resolved_tick"] - outcome["submitted_tick"])
    return ticks


def first_outcome(env: Any, actions: Actions, action: Any) -> dict[str, Any] | None:
    """The verdict on an action, or None if there is none in time."""
    for _ in range(WAITS):
        outcomes = env.step(action)[4]["outcomes"]
        if outcomes:
            return outcomes[0]
        action = actions.wait()
    return None


def main(arguments: list[str] | None = None) -> int:
    """Measures, writes and tells."""
    given = parse_arguments(arguments)
    try:
        ticks = recorded(given.trace) if given.trace else measured_live(given.server, given.requests)
    except McPlaceError as error:
        print(error, file=sys.stderr)
        return 3
    if not ticks or (given.trace is None and 2 * len(ticks) < given.requests):
        print(f"only {len(ticks)} placements were answered; nothing written", file=sys.stderr)
        return 2
    given.file.write_text("".join(f"{value}\n" for value in ticks))
    shares = ", ".join(f"{value}: {count}" for value, count in sorted(Counter(ticks).items()))
    print(f"{len(ticks)} placements, ticks to the verdict: {shares}\nlatency={{'empirical': {str(given.file)!r}}}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
