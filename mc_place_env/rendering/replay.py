"""Episodes as one HTML page that needs nothing else: 3D to orbit, a slider over the ticks, requests, reward curves.

    python -m mc_place_env.rendering.replay --id McPlace/Wall-v0 --policy scripted --seed 3 --out replay.html

`--policy` takes `scripted`, `random` or a model.zip of train/ppo.py; `--seed` may be repeated, for several episodes on
one page; `--backend minecraft` plays live; `--trace FILE` plays a recorded live run (backends/replay.py) by the policy
and the seeds it was recorded with. `key=value` sets an option of the environment.
Exit status: 0 written, 2 anything that cannot be played.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from mc_place_env.command_line import overrides
from mc_place_env.errors import ConfigError, McPlaceError
from mc_place_env.rendering.colours import look_of
from mc_place_env.rendering.record import FORMAT, record_episode
from mc_place_env.rendering.scene import AIR_NAMES

PAGE = "replay.html"


def write_replay(path: Path | str, episodes: Sequence[dict[str, Any]]) -> None:
    """Writes records of `record_episode` as one page; ConfigError for anything else, before a file is touched."""
    if not episodes:
        raise ConfigError("write_replay: expected at least one episode")
    for k, episode in enumerate(episodes):
        if not isinstance(episode, dict) or episode.get("format") != FORMAT:
            raise ConfigError(f"write_replay: episodes[{k}]: expected a record of record_episode, format {FORMAT}")
    data = {"episodes": list(episodes), "looks": looks(episodes)}
    Path(path).write_text(page(data), encoding="utf-8")


def page(data: dict[str, Any]) -> str:
    """The page with its style, scripts and data in it."""
    text = page_part(PAGE)
    told = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    text = text.replace(
        '<script id="data" type="application/json">', f'<script id="data" type="application/json">{told}'
    )
    text = re.sub(r'<link rel="stylesheet" href="(.+?)">', lambda m: f"<style>{page_part(m[1])}</style>", text)
    return re.sub(r'<script src="(.+?)">', lambda m: f"<script>{page_part(m[1])}", text)


def page_part(name: str) -> str:
    """The text of a file of the page."""
    return (resources.files("mc_place_env.rendering") / "page" / name).read_text(encoding="utf-8")


def looks(episodes: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """How every block and item of the episodes looks, by name: as in the pictures."""
    names = {name for episode in episodes for name in (*episode["names"], *episode["items"])}
    return {name: look_dict(name) for name in sorted(names) if name not in AIR_NAMES}


def look_dict(name: str) -> dict[str, Any]:
    """A Look as plain data."""
    look = look_of(name)
    return {"parts": [part._asdict() for part in look.parts], "alpha": look.alpha, "full": look.full}


def play(
    env_id: str, policy: Any, seeds: Sequence[int], backend: Any = "simulator", **options: Any
) -> list[dict[str, Any]]:
    """The record of one episode a seed; `policy` is what `evaluate` takes, options are those of `make`."""
    from mc_place_env.evaluation.policies import as_policy
    from mc_place_env.integrations import make_vector_env

    policy = as_policy(policy)
    options = policy.merged(options)
    env = make_vector_env(env_id, 1, backend=backend, autoreset_mode="Disabled", **options)
    try:
        policy.check(env, env_id)
        return [record_episode(env, policy, seed) for seed in seeds]
    finally:
        env.close()


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m mc_place_env.rendering.replay", description="Play episodes and write them as one HTML page."
    )
    parser.add_argument("--id", default="McPlace/Wall-v0")
    parser.add_argument("--policy", default="scripted", help="scripted (default), random or a model.zip")
    parser.add_argument("--seed", type=int, action="append", help="of an episode; repeatable; default 0")
    parser.add_argument("--backend", choices=("simulator", "minecraft"), default="simulator")
    parser.add_argument("--trace", type=Path, help="a recorded live run, instead of a backend")
    parser.add_argument("--out", type=Path, default=Path("replay.html"))
    parser.add_argument("options", nargs="*", metavar="key=value")
    return parser.parse_intermixed_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Plays and writes; the exit status."""
    given = parse_arguments(arguments)
    try:
        episodes = play(given.id, given.policy, given.seed or [0], backend_of(given), **overrides(given.options))
        write_replay(given.out, episodes)
    except (McPlaceError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{given.out}: {', '.join(map(ending, episodes))}")
    return 0


def backend_of(given: argparse.Namespace) -> Any:
    """The backend asked for."""
    if given.trace is None:
        return given.backend
    from mc_place_env.backends.replay import Replay

    return Replay(given.trace)


def ending(episode: dict[str, Any]) -> str:
    """One episode in a few words."""
    result = "success" if episode["success"] else "no success"
    return f"seed {episode['seed']} {result} in {episode['steps'][-1]['tick']} ticks"


if __name__ == "__main__":
    sys.exit(main())
