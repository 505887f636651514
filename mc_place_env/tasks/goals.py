"""Goals that make no sense: already met, or such that nobody can reach them.

Only what is certain is refused: blocks are never broken here, so what is in the way stays; each block takes an item;
and each is placed against another.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import ceil, inf

import numpy as np

from mc_place_env.errors import ScenarioError
from mc_place_env.rules.blocks import BlockTable
from mc_place_env.tasks.base import Instance
from mc_place_env.types import Cell, SuccessKind

SIDES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))


def check_reachable(world: Mapping[Cell, str], instance: Instance, table: BlockTable, where: str) -> None:
    """ScenarioError where a goal of cells can never be met, saying which cell or item is to blame."""
    if instance.success is not SuccessKind.GOAL_CELLS:
        return
    missing = {c: name for c, name in instance.goal.items() if kind(table, world.get(c, "air")) != kind(table, name)}
    check_room(world, missing, table, where)
    spare = sum(instance.inventory.values()) - check_items(missing, instance.inventory, table, where)
    check_support(world, set(missing), spare, table, where)


def check_room(world: Mapping[Cell, str], missing: Mapping[Cell, str], table: BlockTable, where: str) -> None:
    """Whether nothing that stays is in the way."""
    for cell in missing:
        there = kind(table, world.get(cell, "air"))
        if not any(table.has_tag(there, tag) for tag in ("replaceable", "replaceable_if_single_layer")):
            raise ScenarioError(f"{where}: the goal cannot be reached: cell {cell} holds {there}, and blocks stay")


def check_items(missing: Mapping[Cell, str], inventory: Mapping[str, int], table: BlockTable, where: str) -> int:
    """How many items the missing cells take at least; ScenarioError where the inventory has too few of a kind."""
    held = Counter({table.block_of_item(item): count for item, count in inventory.items()})
    cells, total = Counter(kind(table, name) for name in missing.values()), 0
    for name, count in cells.items():
        halves = table.has_tag(name, "two_high") or table.has_tag(name, "two_long")
        needed = ceil(count / 2) if halves else count
        if needed > held[name]:
            raise ScenarioError(
                f"{where}: the goal cannot be reached: it needs {needed} {name}, the inventory holds {held[name]}"
            )
        total += needed
    return total


def check_support(world: Mapping[Cell, str], missing: set[Cell], spare: int, table: BlockTable, where: str) -> None:
    """Whether floating cells can be reached from something with the items to spare."""
    solid = {cell for cell, name in world.items() if is_anchor(table, name)}
    for group in groups(missing):
        if any(near in solid for cell in group for near in around(cell)):
            continue
        bridge = distance(group, solid | (missing - group)) - 1 if solid else inf
        if bridge > spare:
            raise ScenarioError(
                f"{where}: the goal cannot be reached: nothing supports cell {min(group)}; "
                f"{bridge} more blocks would lead there, {spare} are to spare"
            )


def distance(cells: Iterable[Cell], others: Iterable[Cell]) -> int:
    """Fewest steps along the axes from one of some cells to one of others."""
    targets = np.array(list(others))
    return min(int(np.abs(targets - cell).sum(axis=1).min()) for cell in cells)


def groups(cells: set[Cell]) -> list[set[Cell]]:
    """The cells, divided into those that hang together by their faces."""
    left, found = set(cells), []
    while left:
        group, edge = set(), [left.pop()]
        while edge:
            cell = edge.pop()
            group.add(cell)
            fresh = left.intersection(around(cell))
            left -= fresh
            edge += fresh
        found.append(group)
    return found


def around(cell: Cell) -> Iterable[Cell]:
    """The six cells that share a face."""
    return [(cell[0] + dx, cell[1] + dy, cell[2] + dz) for dx, dy, dz in SIDES]


def kind(table: BlockTable, name: str) -> str:
    """A block's name without states, in its present spelling."""
    return table.parse(name)[0]


def is_anchor(table: BlockTable, name: str) -> bool:
    """Whether something can be placed against it."""
    return not (table.has_tag(kind(table, name), "air") or table.has_tag(kind(table, name), "fluid"))
