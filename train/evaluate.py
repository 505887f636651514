"""Evaluates policies on a task, on the simulator and on real Minecraft, and prints one table.

    python train/evaluate.py --policy runs/wall/model.zip --policy random --policy scripted \\
        --id McPlace/Wall-v0 --episodes 200 [--backend simulator --backend minecraft] [latency=5 ...]

All policies play the same seeds. `key=value` sets an option of the environment.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from common import git_state, versions

from mc_place_env.command_line import overrides
from mc_place_env.errors import McPlaceError


def main() -> int:
    """The command; returns the exit status."""
    arguments = parse_arguments()
    results: list[Any] = []
    try:
        run_all(arguments, results)
    except McPlaceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    finally:
        report(results, arguments.out)
    return 0


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", action="append", required=True, help="model.zip, random or scripted; repeatable")
    parser.add_argument("--id", default="McPlace/Wall-v0")
    parser.add_argument("--backend", action="append", choices=("simulator", "minecraft"), help="repeatable")
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--live-episodes", type=int, help="on minecraft; default: as --episodes")
    parser.add_argument("--num-envs", type=int, help="rows, or bots, at once; default 64, live 8")
    parser.add_argument("--seed", type=int, default=0, help="of the first episode")
    parser.add_argument("--split", choices=("train", "test"), default="test")
    parser.add_argument("--out", type=Path, help="JSON file for all episodes")
    parser.add_argument("options", nargs="*", metavar="key=value")
    return parser.parse_intermixed_args()


def run_all(arguments: argparse.Namespace, results: list[Any]) -> None:
    """Every policy on every backend; appends to `results` as they come."""
    options = overrides(arguments.options)
    from mc_place_env.evaluation import as_policy, evaluate

    policies = [as_policy(policy) for policy in arguments.policy]
    for backend in arguments.backend or ["simulator"]:
        live = backend == "minecraft" and arguments.live_episodes
        episodes = arguments.live_episodes if live else arguments.episodes
        for policy in policies:
            with Bar(f"{policy.name} on {backend}", episodes) as bar:
                same = {"seed": arguments.seed, "split": arguments.split, "num_envs": arguments.num_envs}
                played = {"episodes": episodes, "backend": backend, "on_progress": bar.add}
                results.append(evaluate(policy, arguments.id, **same, **played, **options))


class Bar:
    """Episodes, success so far and time left, on a terminal; nothing in a log."""

    def __init__(self, title: str, episodes: int):
        from tqdm import tqdm

        self.bar = tqdm(total=episodes, desc=title, unit="episode", disable=None, leave=False)
        self.solved = 0

    def add(self, finished: list[dict[str, Any]]) -> None:
        """Takes in the episodes just finished."""
        self.solved += sum(episode["success"] for episode in finished)
        self.bar.update(len(finished))
        self.bar.set_postfix_str(f"success {self.solved / max(self.bar.n, 1):.1%}")

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: Any) -> None:
        self.bar.close()


def report(results: list[Any], out: Path | None) -> None:
    """Prints the table of what was finished, and writes the file."""
    if not results:
        return
    from mc_place_env.evaluation import format_table

    print(format_table(results))
    if out is not None:
        record = {"results": [result.to_dict() for result in results], "versions": versions(), "git": git_state()}
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
