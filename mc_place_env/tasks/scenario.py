"""Scenarios: a start world as JSON, checked entry by entry.

    {"fill": [[x0,y0,z0,x1,y1,z1,name], ...], "blocks": [[x,y,z,name], ...],
     "agent": {"position": [x,y,z], "yaw": degrees}, "inventory": {name: count}, "goal": [[x,y,z,name], ...],
     "stand_at": [x,y,z]}

Everything the scenario does not name is air. Success is every goal cell holding its block, or, with `stand_at`, the
agent standing in that cell; with neither there is none.
"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

from mc_place_env.config import closest
from mc_place_env.errors import ConfigError, ScenarioError
from mc_place_env.rules.palette import Palette
from mc_place_env.tasks.base import Instance, cell_number, check_goal, goal_class, region_origin
from mc_place_env.tasks.goals import check_reachable
from mc_place_env.types import Cell, SuccessKind

KEYS = ("fill", "blocks", "agent", "inventory", "goal", "stand_at")
MAX_COUNT = 64 * 36  # a full inventory


def parse_scenario(scenario: Any, palette: Palette) -> Instance:
    """A scenario -> Instance; ScenarioError names the entry, what is wrong with it and what was expected."""
    if not isinstance(scenario, Mapping):
        raise ScenarioError(f"scenario: expected a mapping with {', '.join(KEYS)}, got {type(scenario).__name__}")
    _refuse_unknown(scenario, KEYS, "scenario")
    position, yaw = _agent(scenario.get("agent", {}))
    origin = region_origin(position)
    blocks = _fills(scenario.get("fill", ()), origin, palette)
    blocks |= _cells(scenario.get("blocks", ()), origin, palette, "blocks")
    goal = _cells(scenario.get("goal", ()), origin, palette, "goal")
    for k, name in enumerate(goal.values()):
        _check_goal_block(palette, name, f"scenario.goal[{k}]")
    stand_at = _stand_at(scenario.get("stand_at"), origin)
    instance = Instance(
        blocks=blocks,
        goal=goal,
        position=position,
        yaw=yaw,
        inventory=_inventory(scenario.get("inventory", {}), palette),
        success=_success(goal, stand_at),
        stand_at=stand_at or (0, 0, 0),
        bare=True,
    )
    check_goal(blocks, instance, "scenario")
    check_reachable(blocks, instance, palette.table, "scenario")
    return instance


def _stand_at(cell: Any, origin: Cell) -> Cell | None:
    if cell is None:
        return None
    if not _is_sequence(cell, 3) or not all(map(_is_cell, cell)):
        raise ScenarioError(f"scenario.stand_at={cell!r}: expected [x, y, z]")
    x, y, z = map(int, cell)
    _check_cell((x, y, z), origin, "scenario.stand_at")
    return x, y, z


def _success(goal: dict[Cell, str], stand_at: Cell | None) -> SuccessKind:
    if stand_at is not None:
        return SuccessKind.STAND_AT
    return SuccessKind.GOAL_CELLS if goal else SuccessKind.NEVER


def _refuse_unknown(given: Mapping, known: tuple[str, ...], where: str) -> None:
    for key in given:
        if key not in known:
            raise ScenarioError(f"{where}: unknown key {key!r}{closest(key, known)}; known: {', '.join(known)}")


def _agent(agent: Any) -> tuple[tuple[float, float, float], float]:
    if not isinstance(agent, Mapping):
        raise ScenarioError(f"scenario.agent={agent!r}: expected {{'position': [x, y, z], 'yaw': degrees}}")
    _refuse_unknown(agent, ("position", "yaw"), "scenario.agent")
    position, yaw = agent.get("position", (0.5, 64.0, 0.5)), agent.get("yaw", 0.0)
    if not _is_sequence(position, 3) or not all(_is_number(c) and abs(c) < 3e7 for c in position):
        raise ScenarioError(f"scenario.agent.position={position!r}: expected three finite numbers")
    if not _is_number(yaw):
        raise ScenarioError(f"scenario.agent.yaw={yaw!r}: expected finite degrees")
    x, y, z = map(float, position)
    return (x, y, z), float(yaw)


def _fills(fills: Any, origin: Cell, palette: Palette) -> dict[Cell, str]:
    blocks: dict[Cell, str] = {}
    for k, entry in enumerate(_list(fills, "fill")):
        where = f"scenario.fill[{k}]"
        if not _is_sequence(entry, 7) or not all(_is_cell(c) for c in entry[:6]):
            raise ScenarioError(f"{where}={entry!r}: expected [x0, y0, z0, x1, y1, z1, name]")
        for corner in (entry[:3], entry[3:6]):
            _check_cell(tuple(corner), origin, where)
        name = _name(entry[6], palette, where)
        xs, ys, zs = (range(min(a, b), max(a, b) + 1) for a, b in zip(entry[:3], entry[3:6], strict=True))
        blocks |= dict.fromkeys(product(xs, ys, zs), name)
    return blocks


def _cells(entries: Any, origin: Cell, palette: Palette, key: str) -> dict[Cell, str]:
    blocks: dict[Cell, str] = {}
    for k, entry in enumerate(_list(entries, key)):
        where = f"scenario.{key}[{k}]"
        if not _is_sequence(entry, 4) or not all(_is_cell(c) for c in entry[:3]):
            raise ScenarioError(f"{where}={entry!r}: expected [x, y, z, name]")
        cell = (int(entry[0]), int(entry[1]), int(entry[2]))
        _check_cell(cell, origin, where)
        blocks[cell] = _name(entry[3], palette, where)
    return blocks


def _inventory(inventory: Any, palette: Palette) -> dict[str, int]:
    if not isinstance(inventory, Mapping):
        raise ScenarioError(f"scenario.inventory={inventory!r}: expected a mapping of item name to count")
    counts = {}
    for name, count in inventory.items():
        where = f"scenario.inventory[{name!r}]"
        if not _is_cell(count) or not 0 <= count <= MAX_COUNT:
            raise ScenarioError(f"{where}={count!r}: expected an integer count in [0, {MAX_COUNT}]")
        item = _item(name, palette, where)
        if item not in palette.items:
            raise ScenarioError(f"{where}: not among the environment's items {palette.items}; pass items=")
        counts[item] = int(count)
    return counts


def _item(name: Any, palette: Palette, where: str) -> str:
    if not isinstance(name, str):
        raise ScenarioError(f"{where}: {name!r} is not an item name")
    try:
        return palette.table.item_name(name)
    except ConfigError as error:
        raise ScenarioError(f"{where}: {error}") from None


def _check_goal_block(palette: Palette, name: str, where: str) -> None:
    try:
        goal_class(palette, name)
    except ScenarioError as error:
        raise ScenarioError(f"{where}: {error}") from None


def _list(entries: Any, key: str) -> list:
    if isinstance(entries, (str, Mapping)) or not hasattr(entries, "__iter__"):
        raise ScenarioError(f"scenario.{key}={entries!r}: expected a list of entries")
    return list(entries)


def _name(name: Any, palette: Palette, where: str) -> str:
    if not isinstance(name, str):
        raise ScenarioError(f"{where}: {name!r} is not a block name")
    try:
        return palette.table.full_name(*palette.table.parse(name))
    except ScenarioError as error:
        raise ScenarioError(f"{where}: {error}") from None


def _check_cell(cell: Cell, origin: Cell, where: str) -> None:
    try:
        cell_number(cell, origin)
    except ScenarioError as error:
        raise ScenarioError(f"{where}: {error}") from None


def _is_sequence(value: Any, length: int) -> bool:
    return not isinstance(value, (str, Mapping)) and hasattr(value, "__len__") and len(value) == length


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value)


def _is_cell(value: Any) -> bool:
    return _is_number(value) and float(value).is_integer()
