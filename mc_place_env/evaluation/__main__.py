"""Evaluates policies and compares evaluations.

    python -m mc_place_env.evaluation --policy runs/wall/model.zip --policy random --policy scripted \\
        --id McPlace/Wall-v0 --episodes 200 [--backend simulator --backend minecraft] [--out runs/eval] [latency=5 ...]
    python -m mc_place_env.evaluation repeat runs/eval --out runs/again
    python -m mc_place_env.evaluation compare runs/eval runs/other [--out runs/comparison.html]

A policy is a model.zip of train/ppo.py, 'runs/wall-*/model.zip' (quoted: several training runs of one policy), random,
scripted, or module:function (from a batch of observations to a batch of actions). All policies play the same seeds.
`key=value` sets an option of the environment. The folder --out receives run.json, episodes.csv, summary.json and
report.html; interrupted, the same command goes on.
"""

import argparse
import sys
from pathlib import Path

from mc_place_env.command_line import exit_status, overrides
from mc_place_env.errors import ConfigError
from mc_place_env.evaluation.aggregate import compare, mixed_versions, summary
from mc_place_env.evaluation.policies import Policy
from mc_place_env.evaluation.progress import Progress
from mc_place_env.evaluation.replays import write_replays
from mc_place_env.evaluation.report import compare_page, run_page
from mc_place_env.evaluation.run import (
    Plan,
    Run,
    as_json,
    begin,
    differences,
    load_policies,
    load_run,
    new_record,
    play,
    write_whole,
)
from mc_place_env.evaluation.table import COMPARISONS, POLICIES, aligned, changed_table, format_table, make_table


def main(arguments: list[str] | None = None) -> int:
    """The command; returns the exit status: 0, 2 for bad input, 130 if interrupted."""
    arguments = sys.argv[1:] if arguments is None else arguments
    command = {"repeat": repeat_command, "compare": compare_command}.get(arguments[0] if arguments else "")
    if "" not in sys.path:
        sys.path.insert(0, "")  # for module:function
    return exit_status(lambda: command(arguments[1:]) if command else run_command(arguments))


def run_command(arguments: list[str]) -> None:
    """Plays a plan, in a folder or not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", action="append", required=True, help="see above; repeatable")
    parser.add_argument("--id", action="append", help="repeatable; default McPlace/Wall-v0")
    parser.add_argument("--split", action="append", choices=("train", "test"), help="repeatable; default test")
    parser.add_argument("--backend", action="append", choices=("simulator", "minecraft"), help="repeatable")
    parser.add_argument("--episodes", type=int, default=200, help="of each policy on each task")
    parser.add_argument("--live-episodes", type=int, help="on minecraft; default: as --episodes")
    parser.add_argument("--num-envs", type=int, help="rows, or bots, at once; default 64, live 8")
    parser.add_argument("--seed", type=int, default=0, help="of the first episode")
    parser.add_argument("--out", type=Path, help="folder of the run")
    parser.add_argument("options", nargs="*", metavar="key=value")
    given = parser.parse_intermixed_args(arguments)
    plan = Plan(
        policies=given.policy,
        ids=given.id or ["McPlace/Wall-v0"],
        splits=given.split or ["test"],
        backends=given.backend or ["simulator"],
        episodes=given.episodes,
        live_episodes=given.live_episodes,
        seed=given.seed,
        num_envs=given.num_envs,
        options=overrides(given.options),
    )
    carry_out(plan, given.out)


def repeat_command(arguments: list[str]) -> None:
    """Plays the plan of another run again; ConfigError if its policies are not the same any more."""
    parser = argparse.ArgumentParser(prog="... repeat", description="Plays an evaluation again, from its run.json.")
    parser.add_argument("run", type=Path, help="folder of the evaluation")
    parser.add_argument("--out", type=Path, required=True, help="folder of the new one")
    given = parser.parse_args(arguments)
    if given.out.resolve() == given.run.resolve():
        raise ConfigError(f"--out={given.out}: the run to be repeated; choose another folder")
    run = load_run(given.run)
    new = Run("", new_record(run.plan, load_policies(run.plan)), {})
    for key, (before, now) in differences("policies", [run.record["policies"], new.record["policies"]]):
        raise ConfigError(f"{given.run}: not to be repeated: {key} was {before} and is {now}")
    for line in mixed_versions([run, new]):
        print(f"warning: not as it was, {line}", file=sys.stderr)
    carry_out(run.plan, given.out)


def carry_out(plan: Plan, folder: Path | None) -> None:
    """Plays a plan, prints the table of what was finished, and writes summary and report."""
    policies = load_policies(plan)
    run = begin(plan, policies, folder)
    try:
        play_with_progress(run, policies, folder)
    except BaseException:
        if folder is not None:
            print(f"{run.missing} episodes are missing in {folder}: the same command goes on", file=sys.stderr)
        raise
    finally:
        if any(run.episodes.values()):
            print(format_table(run.evaluations()))
    if folder is not None:
        finish(run, policies, folder)


def play_with_progress(run: Run, policies: list[Policy], folder: Path | None) -> None:
    """Plays, and shows how far it is."""
    before = sum(map(len, run.episodes.values()))
    with Progress(run.missing + before, before) as progress:
        play(run, policies, folder, lambda s, told: progress.add(f"{s.policy} on {s.id}, {s.backend}", told))


def finish(run: Run, policies: list[Policy], folder: Path) -> None:
    """Writes summary.json and report.html with its replays."""
    told = summary(run)
    write_whole(folder / "summary.json", as_json(told))
    write_whole(folder / "report.html", run_page(run, told, write_replays(run, policies, folder)))
    print(f"{folder / 'report.html'}")


def compare_command(arguments: list[str]) -> None:
    """Prints runs side by side, and writes the page."""
    parser = argparse.ArgumentParser(prog="... compare", description="Evaluations side by side, paired by start.")
    parser.add_argument("runs", nargs="+", type=Path, help="folders; the first one is what the others are compared to")
    parser.add_argument("--out", type=Path, help="HTML page")
    given = parser.parse_args(arguments)
    if given.out is not None and given.out.exists():
        raise ConfigError(f"--out={given.out}: exists already; choose another file or delete it")
    runs = [load_run(folder) for folder in given.runs]
    told = compare(runs)
    for warning in told["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    tables = [make_table(POLICIES, told["policies"]), make_table(COMPARISONS, told["comparisons"])]
    tables += [changed_table(told["runs"], told["changed"])] if told["changed"] else []
    print("\n\n".join(map(aligned, tables)))
    if given.out is not None:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        write_whole(given.out, compare_page(runs, told))


if __name__ == "__main__":
    sys.exit(main())
