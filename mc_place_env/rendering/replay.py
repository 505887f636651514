"""Episodes as one HTML page that needs nothing else: 3D to orbit, a slider over the ticks, requests, reward curves.

    python -m mc_place_env.rendering.replay --id McPlace/Wall-v0 --policy scripted --seed 3 --out replay.html

`--policy` takes `scripted`, `random` or a model.zip of train/ppo.py; `--seed` may be repeated, for several episodes on
one page; `--backend minecraft` plays live; `key=value` sets an option of the environment. `--trace FILE` shows a
recorded live run (backends/trace.py) instead, every episode of it.
Exit status: 0 written, 2 anything that cannot be played, 130 interrupted.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from mc_place_env.command_line import exit_status, overrides
from mc_place_env.errors import ConfigError
from mc_place_env.rendering.colours import look_of
from mc_place_env.rendering.record import FORMAT
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

    def write() -> None:
        episodes = played(given)
        write_replay(given.out, episodes)
        print(f"{given.out}: {', '.join(map(ending, episodes))}")

    return exit_status(write)


def played(given: argparse.Namespace) -> list[dict[str, Any]]:
    """The episodes the command line asks for."""
    from mc_place_env.rendering.playing import play, replayed  # evaluation, whose report needs this module

    if given.trace:
        return replayed(given.trace)
    return play(given.id, given.policy, given.seed or [0], given.backend, **overrides(given.options))


def ending(episode: dict[str, Any]) -> str:
    """One episode in a few words."""
    which = episode["policy"] if episode["seed"] is None else f"seed {episode['seed']}"
    return f"{which}: {'success' if episode['success'] else 'no success'} in {episode['steps'][-1]['tick']} ticks"


if __name__ == "__main__":
    sys.exit(main())
