"""Trains and evaluates what `results/runs.yaml` lists and is not recorded yet, then writes docs/results.md.

    python train/results.py [results/runs.yaml] [--jobs 2] [--only 'wall-*'] [--out results] [--page docs/results.md]

An entry of the list: `config` (a name in configs/), `seed`; and, if wanted, `variant` (words for the page), `set`
(`key=value` as for ppo.py), `live: false` (only on the simulator as in training) and `sampled: true` (evaluated as it
acts in training, not by its most likely actions). Each run has a folder of its own in --out: `model.zip` (half
precision, no optimiser), `run.json` (config, versions, learning curve), and summaries of the test episodes:
`simulator.json`, `prompt.json` (the simulator at 0 ticks), `minecraft.json`. What is recorded is not repeated; a run
that was broken off, or was made with other settings, is. Several jobs are as many processes, each with one thread.
"""

import argparse
import json
import multiprocessing
import os
import shutil
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

MEASURED = ("torch_threads=1", "seconds=null")  # a budget of time would make a run depend on the machine's load
ROOT = Path(__file__).resolve().parents[1]
EPISODES = {"simulator": 1000, "prompt": 1000, "minecraft": 60}  # prompt: the simulator at 0 ticks, as the live server
ROWS = {"simulator": 64, "prompt": 64, "minecraft": 12}
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Entry:
    """One run of the list; see the module's docstring."""

    config: str
    seed: int
    variant: str = ""
    set: list[str] = field(default_factory=list)
    live: bool = True
    sampled: bool = False

    @property
    def name(self) -> str:
        """Of the run's folder."""
        return "-".join([self.config, *self.variant.replace(",", "").split(), str(self.seed)])

    @property
    def backends(self) -> list[str]:
        """On which it is evaluated."""
        return [backend for backend in EPISODES if self.live or backend == "simulator"]

    def settings(self) -> dict[str, Any]:
        """The whole config of the training, as run.json records it."""
        path = ROOT / "configs" / f"{self.config}.yaml"
        config = trainer(path).load_config(path, [*self.set, f"seed={self.seed}", *MEASURED])
        return json.loads(json.dumps(config))


def main() -> int:
    """The command; 1 where a run failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="?", default=ROOT / "results" / "runs.yaml", help="the list")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time, a core each")
    parser.add_argument("--only", default="*", help="runs whose folder's name matches this pattern")
    parser.add_argument("--out", type=Path, default=ROOT / "results", help="folder of the runs")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "results.md")
    arguments = parser.parse_args()
    os.environ |= dict.fromkeys(THREADS, "1")  # before torch and numba are imported, here and in the jobs
    from mc_place_env.errors import McPlaceError

    try:
        entries = read_entries(arguments.runs)
        chosen = [entry for entry in entries if fnmatch(entry.name, arguments.only)]
        failed = work_off(chosen, arguments.out, arguments.jobs)
    except McPlaceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: what is recorded stays", file=sys.stderr)
        return 130
    from results_page import write_page

    write_page(entries, arguments.out, arguments.page)
    return 1 if failed else 0


def trainer(path: Path) -> Any:
    """The training script of a config: curriculum.py where it has one, else ppo.py."""
    import ppo

    from mc_place_env.config import read_yaml

    if "curriculum" not in read_yaml(path):
        return ppo
    import curriculum

    return curriculum


def read_entries(path: Path) -> list[Entry]:
    """The list; ConfigError names an unknown key, a missing one, a setting that is none, or a run listed twice."""
    import yaml

    from mc_place_env.config import refuse_unknown
    from mc_place_env.errors import ConfigError

    listed = yaml.safe_load(path.read_text()) if path.is_file() else None
    if not isinstance(listed, list) or not all(isinstance(given, dict) for given in listed):
        raise ConfigError(f"{path}: expected a list of runs")
    entries: list[Entry] = []
    for k, given in enumerate(listed):
        refuse_unknown(given, [f.name for f in fields(Entry)], f"{path}: run {k}")
        if not {"config", "seed"} <= given.keys():
            raise ConfigError(f"{path}: run {k}: {given}: expected config and seed")
        entries.append(Entry(**given))
        entries[-1].settings()
    names = [entry.name for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{path}: {name} is listed twice")
    return entries


def work_off(entries: list[Entry], out: Path, jobs: int) -> list[str]:
    """Does what is missing, `jobs` runs at a time, each in a process of its own; the names of those that failed."""
    todo = [entry for entry in entries if missing(entry, out / entry.name)]
    print(f"{len(entries) - len(todo)} of {len(entries)} runs are recorded", flush=True)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            codes = list(pool.map(lambda entry: do_apart(entry, out / entry.name), todo))
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [entry.name for entry, code in zip(todo, codes, strict=True) if code != 0]


def do_apart(entry: Entry, folder: Path) -> int | None:
    """`do` in a fresh process, for its own thread settings, memory and clock of processor time; its exit status."""
    child = multiprocessing.get_context("spawn").Process(target=do, args=(entry, folder))
    child.start()
    child.join()
    return child.exitcode


def missing(entry: Entry, folder: Path) -> list[str]:
    """What a run's folder lacks: `training` (then all is to be done), and the backends of evaluation."""
    record, settings = read_record(folder / "run.json"), entry.settings()
    trained = record.get("config", {})  # may lack a key that is newer than the record
    if not trained or record.get("interrupted") or any(settings.get(key) != trained[key] for key in trained):
        return ["training", *entry.backends]
    return [b for b in entry.backends if read_record(folder / f"{b}.json").get("episodes") != EPISODES[b]]


def read_record(path: Path) -> dict[str, Any]:
    """A JSON file's content; empty where there is none, or half of one."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def do(entry: Entry, folder: Path) -> None:
    """What is missing of one run; prints a line about it. What is done stays, even if a later part fails."""
    from mc_place_env.errors import McPlaceError

    try:
        if "training" in missing(entry, folder) or not (folder / "model.zip").is_file():
            shutil.rmtree(folder, ignore_errors=True)
            train(entry, folder)
        for backend in missing(entry, folder):
            print(f"{entry.name}: {backend} {play(entry, folder, backend)['success']:.1%}", flush=True)
    except McPlaceError as error:
        sys.exit(f"error: {entry.name}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def train(entry: Entry, folder: Path) -> None:
    """Trains, and keeps the small model; nothing counts as recorded before."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    settings = entry.settings()
    trainer(ROOT / "configs" / f"{entry.config}.yaml").train(settings, part, None)
    if read_record(part / "run.json").get("interrupted"):
        raise KeyboardInterrupt  # ppo.py keeps half a run, and goes on
    slim(part / "model.zip", settings["algorithm"])
    os.replace(part, folder)


def slim(path: Path, algorithm: str) -> None:
    """Rewrites a model without optimiser state and buffers, its weights in half precision: an eighth of the size.

    It loads as before, into single precision.
    """
    from mc_place_env.evaluation.policies import load_model

    model = load_model(path, algorithm)
    model.policy.half()
    model.policy.optimizer = type(model.policy.optimizer)(model.policy.parameters(), lr=0.0)
    model.save(path, exclude=["_last_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer"])
    deflate(path)


def deflate(path: Path) -> None:
    """Compresses a zip file's members."""
    with zipfile.ZipFile(path) as stored:
        members = {name: stored.read(name) for name in stored.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)


def play(entry: Entry, folder: Path, backend: str) -> dict[str, Any]:
    """Evaluates on the test split, and records the summary; what Minecraft plays too, at the default latency."""
    import torch
    from common import git_state, machine, versions

    from mc_place_env.evaluation import evaluate
    from mc_place_env.evaluation.policies import CheckpointPolicy

    config = entry.settings()
    options = {key: value for key, value in config["env"].items() if key != "latency" or not entry.live}
    options |= {"latency": 0} if backend == "prompt" else {}
    name = "minecraft" if backend == "minecraft" else "simulator"
    played = {"episodes": EPISODES[backend], "num_envs": ROWS[backend], "split": "test", "backend": name}
    torch.manual_seed(entry.seed)
    policy = CheckpointPolicy(folder / "model.zip", deterministic=not entry.sampled)
    summary = evaluate(policy, config["id"], **played, **options).summary
    made_with = {"machine": machine(), "versions": versions(), "git": git_state()}
    record = summary | {"sampled": entry.sampled, "options": options} | made_with
    (folder / f"{backend}.json").write_text(json.dumps(record, indent=1) + "\n")
    return summary


if __name__ == "__main__":
    sys.exit(main())
