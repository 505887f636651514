"""The smallest scenario that still shows a disagreement: blocks are removed while it does."""

from dataclasses import replace

from mc_place_env.conformance.pair import Comparison, Pair
from mc_place_env.conformance.trials import Blocks, Trial

MOST_ROUNDS = 12


def shrunk(pair: Pair, comparison: Comparison) -> Comparison:
    """The comparison of the smallest trial found; the given one if it does not disagree when played alone."""
    best = _played(pair, [comparison.trial])[0]
    if best.agrees:
        return comparison
    parts = 2
    for _ in range(MOST_ROUNDS):
        blocks = best.trial.blocks
        tried = [replace(best.trial, blocks=rest) for rest in without_a_part(blocks, parts, ground_of(best.trial))]
        smaller = next((found for found in _played(pair, tried) if not found.agrees), None)
        if smaller is not None:
            best, parts = smaller, max(parts - 1, 2)
        elif parts >= len(blocks):
            break
        else:
            parts = min(2 * parts, len(blocks))
    return best


def _played(pair: Pair, trials: list[Trial]) -> list[Comparison]:
    return list(pair.compare(trials))


def ground_of(trial: Trial) -> tuple[int, int, int]:
    """The cell the agent stands on, which stays."""
    x, y, z = trial.position
    return int(x // 1), int(y // 1) - 1, int(z // 1)


def without_a_part(blocks: Blocks, parts: int, keep: tuple[int, int, int]) -> list[Blocks]:
    """The blocks without their first, second, ... part of `parts`."""
    cells = sorted(cell for cell in blocks if cell != keep)
    size = -(-len(cells) // parts) if cells else 1
    removed = [set(cells[k : k + size]) for k in range(0, len(cells), size)]
    return [{cell: name for cell, name in blocks.items() if cell not in gone} for gone in removed]
