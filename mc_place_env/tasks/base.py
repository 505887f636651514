"""What a task is: plain instances (start world, goal, agent), offered items and actions, and a scripted expert.

An instance is a function of (family, parameters, number); a difficulty in [0, 1] stands for parameters. Whether an
instance belongs to `train` or `test` depends on its content alone, so those with equal worlds are always in one split.
"""

import hashlib
import random
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from mc_place_env.config import check_choice, check_int, closest
from mc_place_env.errors import ConfigError, ScenarioError
from mc_place_env.rules.palette import Palette
from mc_place_env.simulation.records import records
from mc_place_env.types import (
    AIR,
    CELLS,
    INSTANCE,
    MARGIN,
    MAX_GOALS,
    PLACED_CELL,
    REGION,
    SIZE_X,
    SIZE_Y,
    SIZE_Z,
    UNLOADED,
    VOID,
    ActionType,
    Cell,
    CellClass,
    SuccessKind,
    Table,
)

Parameters = dict[str, Any]
FILE = (Path,)  # the range of a parameter that is a file
TEST_SHARE = 5  # one instance in five is for testing
INSTANCES = {"train": 2048, "test": 512}


@dataclass(frozen=True)
class Instance:
    """One start: the world around the agent and what is asked of it. Coordinates are world cells."""

    blocks: dict[Cell, str]
    goal: dict[Cell, str] = field(default_factory=dict)
    position: tuple[float, float, float] = (0.5, 64.0, 0.5)
    yaw: float = 0.0
    inventory: dict[str, int] = field(default_factory=dict)
    success: SuccessKind = SuccessKind.GOAL_CELLS
    stand_at: Cell = (0, 0, 0)
    bare: bool = False  # air where it says nothing, instead of the task's floor
    episode_steps: int | None = None  # where it needs others than its task


def no_parameters(difficulty: float) -> Parameters:
    """Of a family that takes none."""
    return {}


@dataclass(frozen=True, eq=False)
class Task:
    """A family of instances. `generate(random, parameters, items)` draws one; `expert(view)` gives its actions.

    `parameters(difficulty)` are the named parameters that a difficulty stands for; `ranges` says what each may be:
    (lowest, highest) for whole numbers, the words it takes, or FILE, which fixes the instance.
    """

    name: str
    generate: Callable[[random.Random, Parameters, tuple[str, ...]], Instance]
    parameters: Callable[[float], Parameters] = no_parameters
    ranges: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    items: tuple[str, ...] = ("cobblestone",)
    floor: dict[Cell, str] = field(default_factory=dict)  # common to all instances
    actions: tuple[ActionType, ...] = tuple(ActionType)
    episode_steps: int = 100
    ticks_per_step: int = 4
    difficulty: float = 0.5
    rewards: dict[str, float] = field(default_factory=dict)  # weights by term
    expert: Callable[[Any], dict[str, Any]] | None = None
    varied: bool = True  # False: one instance, in both splits
    items_of: Callable[[Parameters], tuple[str, ...]] | None = None  # where parameters decide

    def resolve(self, difficulty: float, given: Mapping[str, Any]) -> Parameters:
        """The parameters of a difficulty, overridden by those given; ConfigError lists what the family takes."""
        for name, value in given.items():
            if name not in self.ranges:
                raise ConfigError(f"task: unknown setting {name!r}{closest(name, self.ranges)}; {self.takes()}")
            self._check(name, value)
        return self.parameters(difficulty) | dict(given)

    def _check(self, name: str, value: Any) -> None:
        try:
            check_parameter(name, value, self.ranges[name])
        except ConfigError as error:
            raise ConfigError(f"{error}; {self.takes()}") from None

    def takes(self) -> str:
        """In words, the settings of the family and the ranges of its parameters."""
        named = [name if allowed is FILE else f"{name} in {list(allowed)}" for name, allowed in self.ranges.items()]
        return f"{self.name} takes {', '.join(['split', 'difficulty', 'latency', 'instance', *named])}"

    def default_items(self, given: Mapping[str, Any]) -> tuple[str, ...]:
        """The items offered where the environment's user names none, but perhaps parameters."""
        return self.items_of(self.resolve(self.difficulty, given)) if self.items_of else self.items

    def is_fixed(self, parameters: Parameters) -> bool:
        """Whether there is but one instance."""
        return not self.varied or any(self.ranges[name] is FILE for name in parameters)

    def instance(self, number: int, parameters: Parameters, items: tuple[str, ...]) -> Instance:
        """Instance `number`; ScenarioError if its goal is already met."""
        drawn = self.generate(random.Random(f"{self.name}/{number}"), parameters, items)
        check_goal(ChainMap(drawn.blocks, self.floor), drawn, f"{self.name} instance {number}")
        return drawn

    def instances(self, split: str, parameters: Parameters, items: tuple[str, ...]) -> tuple[Instance, ...]:
        """The instances of a split, in order of number; ScenarioError if the family is too small to fill it."""
        if self.is_fixed(parameters):
            return (self.instance(0, parameters, items),)
        return _instances(self, split, tuple(parameters.items()), items)


@lru_cache(maxsize=32)
def _instances(
    task: Task, split: str, parameters: tuple[tuple[str, Any], ...], items: tuple[str, ...]
) -> tuple[Instance, ...]:
    """Drawn once a process: environments of the same task share them."""
    numbered = (task.instance(number, dict(parameters), items) for number in range(20 * INSTANCES[split]))
    chosen = tuple(islice((drawn for drawn in numbered if split_of(drawn) == split), INSTANCES[split]))
    if not chosen:
        raise ScenarioError(f"{task.name} with {dict(parameters)} has no instance in the {split} split")
    return chosen


def check_parameter(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """ConfigError where a value is out of a parameter's range."""
    if allowed is FILE:
        if not isinstance(value, (str, Path)):
            raise ConfigError(f"{name}={value!r}: expected the path of a file")
    elif isinstance(allowed[0], str):
        check_choice(name, value, allowed)
    else:
        check_int(name, value, *allowed)


def scaled(difficulty: float, easiest: int, hardest: int) -> int:
    """The whole number that a difficulty in [0, 1] stands for."""
    return easiest + round((hardest - easiest) * difficulty)


def check_goal(world: Mapping[Cell, str], instance: Instance, where: str) -> None:
    """ScenarioError where there is nothing left to do: every goal cell holds its block, or the agent stands there."""
    if is_met(world, instance):
        raise ScenarioError(f"{where}: the goal is already met at reset")


def is_met(world: Mapping[Cell, str], instance: Instance) -> bool:
    """Whether the start is a success already. Of a goal block only the kind counts, not its states."""
    if instance.success is SuccessKind.STAND_AT:
        return cell_of_position(instance.position) == instance.stand_at
    met = (world.get(c, "").partition("[")[0] == name.partition("[")[0] for c, name in instance.goal.items())
    return instance.success is SuccessKind.GOAL_CELLS and all(met)


def split_of(instance: Instance) -> str:
    """`train` or `test`, by the instance's content."""
    content = (sorted(instance.blocks.items()), sorted(instance.goal.items()), instance.position, instance.yaw)
    digest = hashlib.blake2b(repr(content).encode(), digest_size=4).digest()
    return "test" if int.from_bytes(digest, "big") % TEST_SHARE == 0 else "train"


def cell_of_position(position: tuple[float, float, float]) -> Cell:
    """The cell of a body's feet."""
    x, y, z = (int(np.floor(c + 1e-6)) for c in position)
    return x, y, z


def region_origin(position: tuple[float, float, float]) -> Cell:
    """Lowest cell of the region around a start position."""
    x, y, z = (c - size // 2 for c, size in zip(cell_of_position(position), REGION, strict=True))
    return x, y, z


def cell_number(cell: Cell, origin: Cell) -> int:
    """Index of a world cell into `blocks`; ScenarioError outside the region."""
    x, y, z = cell[0] - origin[0], cell[1] - origin[1], cell[2] - origin[2]
    if not (0 <= x < REGION[0] and 0 <= y < REGION[1] and 0 <= z < REGION[2]):
        last = tuple(o + size - 1 for o, size in zip(origin, REGION, strict=True))
        raise ScenarioError(f"cell {tuple(cell)} lies outside the region {origin} to {last} around the agent's start")
    return ((x + MARGIN) * SIZE_Z + z + MARGIN) * SIZE_Y + y + MARGIN


def empty_region() -> np.ndarray:
    """Palette ids of a region of air within its unloaded margin: uint8 (SIZE_X, SIZE_Z, SIZE_Y)."""
    world = np.full((SIZE_X, SIZE_Z, SIZE_Y), UNLOADED, np.uint8)
    world[MARGIN:-MARGIN, MARGIN:-MARGIN, MARGIN:-MARGIN] = AIR
    return world


def template(floor: dict[Cell, str], origin: Cell, palette: Palette) -> np.ndarray:
    """Palette ids (CELLS,) of the world before an instance's own blocks."""
    world = empty_region().reshape(CELLS)
    for cell, name in floor.items():
        world[cell_number(cell, origin)] = palette.id(name)
    return world


def build_table(instances: Sequence[Instance], palette: Palette, template: int, episode_steps: int) -> Table:
    """Checks the instances and packs them as the kernel reads them; `template`: index of the floor they stand on."""
    rows = records(len(instances), INSTANCE)
    rows["template"], rows["episode_steps"] = template, episode_steps
    id_of, class_of = cache(palette.id), cache(partial(goal_class, palette))
    for name in sorted({name for instance in instances for name in instance.blocks.values()}):
        id_of(name)  # in an order that no draw decides
    blocks: list[tuple[int, int]] = []
    goals: list[tuple[int, int]] = []
    for row, instance in zip(rows, instances, strict=True):
        if len(instance.goal) > MAX_GOALS:
            raise ScenarioError(f"goal: {len(instance.goal)} cells, expected at most {MAX_GOALS}")
        origin = region_origin(instance.position)
        row["origin"], row["position"], row["yaw"] = origin, instance.position, instance.yaw
        row["bare"] = instance.bare
        row["success_kind"], row["stand_at"] = instance.success, instance.stand_at
        for name, count in instance.inventory.items():
            row["inventory"][palette.items.index(name)] = count
        row["first_block"], row["first_goal"] = len(blocks), len(goals)
        blocks += out_of_world_cells(origin, palette.table.min_y, palette.table.max_y)
        blocks += [(cell_number(c, origin), id_of(name)) for c, name in instance.blocks.items()]
        goals += [(cell_number(c, origin), class_of(name)) for c, name in instance.goal.items()]
        row["block_count"] = len(blocks) - row["first_block"]
        row["goal_count"] = len(goals) - row["first_goal"]
    return Table(rows, _packed(blocks), _packed(goals))


def _packed(cells: list[tuple[int, int]]) -> np.ndarray:
    packed = records(max(len(cells), 1), PLACED_CELL)
    packed[: len(cells)] = cells
    return packed


def out_of_world_cells(origin: Cell, min_y: int, max_y: int) -> list[tuple[int, int]]:
    """The region's cells beyond the height limits: nothing can be there."""
    heights = [y for y in range(origin[1], origin[1] + REGION[1]) if not min_y <= y <= max_y]
    x0, _, z0 = origin
    columns = ((x0 + dx, z0 + dz) for dx in range(REGION[0]) for dz in range(REGION[2])) if heights else ()
    return [(cell_number((x, y, z), origin), VOID) for x, z in columns for y in heights]


def goal_class(palette: Palette, name: str) -> int:
    """The class a goal cell asks for: the item that places that block."""
    block = palette.table.parse(name)[0]
    for k, item in enumerate(palette.items):
        if palette.table.block_of_item(item) == block:
            return CellClass.ITEM + k
    raise ScenarioError(f"goal block {name!r}: none of the offered items {palette.items} places it")
