"""The tool from the shell: `python -m mc_place_env '<json>' [--scenario FILE] [--server embedded|host:port]`.

Prints the tool's dict, waits, prints the outcome. Exit status: 0 placed, 1 rejected, 2 failed, 3 wrong usage or no
server. Without --scenario: a flat stone world, the agent in its middle, a stack of the item in hand.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym

from mc_place_env.errors import McPlaceError
from mc_place_env.rules.blocks import BlockTable
from mc_place_env.tool import McPlaceTool, item_of

EXIT = {"placed": 0, "failed": 2}
MAX_STEPS = 200


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """Command line of the tool."""
    parser = argparse.ArgumentParser(prog="python -m mc_place_env", description="Place one block.")
    parser.add_argument("call", help="the tool's JSON call")
    parser.add_argument("--scenario", type=Path, help="JSON file with the start world (default: flat stone)")
    parser.add_argument("--server", help="live Minecraft: 'embedded' or host:port (default: the simulator)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the simulator's latencies (default 0)")
    return parser.parse_args(arguments)


def offered_items(call: Any, scenario: dict | None) -> tuple[str, ...] | None:
    """The items of the scenario and the call, or None for the environment's own."""
    names = list((scenario or {}).get("inventory", {}))
    item = item_of(call) if isinstance(call, dict) else None
    if isinstance(item, str) and item in BlockTable.load().items:
        names.append(item)
    return tuple(dict.fromkeys(names)) or None


def run(arguments: argparse.Namespace) -> int:
    """Plays the call; the exit status."""
    call = json.loads(arguments.call)
    scenario = json.loads(arguments.scenario.read_text()) if arguments.scenario else None
    live = {"backend": "minecraft", "server": arguments.server} if arguments.server else {}
    items = offered_items(call, scenario)
    env = gym.make("mc_place_env:McPlace/Sandbox-v0", items=items, **live)
    try:
        env.reset(seed=arguments.seed, options={"scenario": scenario} if scenario else None)
        tool = McPlaceTool(env)
        response = tool(call)
        print(json.dumps(response))
        if response["data"]["status"] != "accepted":
            return 1
        outcome = first_outcome(tool)
        print(json.dumps(outcome))
        return EXIT[outcome["outcome"]]
    finally:
        env.close()


def first_outcome(tool: McPlaceTool) -> dict[str, Any]:
    """Waits for the verdict on the only request."""
    outcomes: tuple[dict[str, Any], ...] = tool.last_step[-1]["outcomes"] if tool.last_step else ()
    for _ in range(MAX_STEPS):
        if outcomes:
            break
        outcomes = tool.wait()
    return outcomes[0]


def main() -> int:
    """Runs the command line; errors are one line on stderr."""
    try:
        return run(parse_arguments())
    except (McPlaceError, json.JSONDecodeError, OSError) as error:
        print(f"mc_place_env: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
