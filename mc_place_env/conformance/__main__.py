"""The command. Exit status: 0 every disagreement is explained, 1 one is not, 3 no server."""

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from mc_place_env.conformance.pair import Comparison, Pair
from mc_place_env.conformance.report import Report, html_page
from mc_place_env.conformance.shrink import shrunk
from mc_place_env.conformance.trials import COMMON, REQUESTS, Trial, packs, random_items, random_trial, representatives
from mc_place_env.conformance.trials import scripted as scripted_trials
from mc_place_env.errors import McPlaceError
from mc_place_env.rules.blocks import DEFAULT_VERSION, BlockTable

MOST_SHRUNK = 20  # disagreements shrunk; the others are reported as they came
WORLD_NAMES = 16  # block names of the random worlds of a pack


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="python -m mc_place_env.conformance", description="The rules beside a server."
    )
    parser.add_argument(
        "--backend", choices=["minecraft"], default="minecraft", help="what the simulator is compared with"
    )
    parser.add_argument("--server", default="embedded", help="'embedded' (default) or host:port")
    parser.add_argument("--random", type=int, default=10_000, metavar="N", help="random placements (default 10000)")
    parser.add_argument(
        "--scripted", type=float, default=1.0, metavar="SHARE", help="share of the scripted cases (default 1)"
    )
    parser.add_argument("--bots", type=int, default=12, help="bots at the same time (default 12)")
    parser.add_argument("--seed", type=int, default=0, help="of the random placements (default 0)")
    parser.add_argument("--json", type=Path, help="write the report to this file")
    parser.add_argument("--html", type=Path, help="write the report to this page")
    return parser.parse_args(arguments)


def scripted_packs(table: BlockTable, share: float) -> Iterator[tuple[tuple[str, ...], list[Trial]]]:
    """Items and their scripted trials, evenly thinned to a share."""
    for items in packs(table, representatives(table)) if share > 0 else ():
        trials = [trial for item in items for trial in scripted_trials(table, item)]
        yield items, trials[:: max(1, round(1 / share))]


def random_packs(table: BlockTable, count: int, seed: int) -> Iterator[tuple[tuple[str, ...], list[Trial]]]:
    """Items and random trials, `count` requests in all, mixed over the families."""
    draw = random.Random(seed)
    groups = list(packs(table, random_items(draw, table))) if count > 0 else []
    trials_each = -(-count // (REQUESTS * len(groups))) if groups else 0
    for items in groups:
        grounds = [name for name in table.blocks if any("ground_" in tag for tag in table.blocks[name].get("tags", ()))]
        names = [*draw.sample(COMMON, WORLD_NAMES - 6), *draw.sample(grounds, 3), *draw.sample(list(table.blocks), 3)]
        yield items, [random_trial(draw, items, names) for _ in range(trials_each)]


def run(
    report: Report, bots: int, work: Iterator[tuple[tuple[str, ...], list[Trial]]], after_each: Callable[[], None]
) -> None:
    """Plays every pack, fills the report, and calls `after_each`."""
    for items, trials in work:
        pair = Pair(items, min(bots, len(trials)), report.server)
        try:
            differing = [each for each in count_all(report, pair, trials) if not each.agrees]
            for each in differing:
                report.add_disagreement(shrunk(pair, each) if len(report.disagreements) < MOST_SHRUNK else each)
        finally:
            pair.close()
        counted = report.counted
        told = f"{', '.join(items)}: {counted.compared} compared, {len(report.disagreements)} disagreements so far"
        print(told, file=sys.stderr, flush=True)
        after_each()


def count_all(report: Report, pair: Pair, trials: list[Trial]) -> Iterator[Comparison]:
    """Every comparison of the trials, counted."""
    for comparison in pair.compare(trials):
        report.add(comparison)
        yield comparison


def main(arguments: list[str] | None = None) -> int:
    """Runs and writes what was asked for."""
    given = parse_arguments(arguments)
    table = BlockTable.load(DEFAULT_VERSION)
    report, start = Report(table, given.server, given.seed), time.monotonic()

    def save() -> None:
        """After every pack, so that a run cut short is not lost."""
        report.seconds = time.monotonic() - start
        if given.json:
            given.json.write_text(json.dumps(report.as_dict(), indent=1))
        if given.html:
            given.html.write_text(html_page(report))

    try:
        for work in (scripted_packs(table, given.scripted), random_packs(table, given.random, given.seed)):
            run(report, given.bots, work, save)
    except McPlaceError as error:
        print(error, file=sys.stderr)
        return 3
    print(report.text())
    return 1 if report.unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
