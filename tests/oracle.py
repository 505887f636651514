"""The placement rules a second time: slow, plain, written from RULES.md and the shipped table, not from the kernel.

Worlds are dictionaries, blocks are names, nothing of it is compiled; only `Package` knows the package.
`python -m tests.oracle N` compares N random requests with the package's compiled `check_placement` and prints
every difference; `tests/test_oracle.py` does so for fewer.

Blocks and their geometry: oracle_blocks.py; support, stacking and orientation: oracle_rules.py, one entry a family.
"""

import math
import random
import sys
from dataclasses import dataclass, field

from oracle_blocks import STEPS, TABLE, base, boxes, is_replaceable, tagged, with_states
from oracle_rules import candidates, in_water, is_supported, other_half, player_facing, stacked, stacks_on_click

from mc_place_env.jit import entry
from mc_place_env.rules.geometry import face_x, face_y, face_z
from mc_place_env.rules.placement import check_placement, resulting_state, takes_anchor_cell
from mc_place_env.types import Reason

REACH = 4.5
HALF_WIDTH = 0.3
TOUCHING = 1e-7


@dataclass
class Agent:
    position: tuple
    yaw: float = 0.0
    sneaking: bool = False
    inventory: dict = field(default_factory=dict)

    @property
    def eye(self):
        x, y, z = self.position
        return x, y + (1.27 if self.sneaking else 1.62), z

    @property
    def body(self):
        """Its box: lowest and highest corner."""
        x, y, z = self.position
        height = 1.5 if self.sneaking else 1.8
        return (x - HALF_WIDTH, y, z - HALF_WIDTH), (x + HALF_WIDTH, y + height, z + HALF_WIDTH)


@dataclass
class World:
    """Blocks by cell, within the loaded region from `low` to `high` (both inclusive); air where nothing is named."""

    low: tuple
    high: tuple
    blocks: dict = field(default_factory=dict)

    def block(self, cell):
        return self.blocks.get(cell, "air")

    def in_height(self, cell):
        return TABLE["min_y"] <= cell[1] <= TABLE["max_y"]

    def is_loaded(self, cell):
        return all(a <= c <= b for a, c, b in zip(self.low, cell, self.high, strict=True))


# -- the rules, in order of judgement --------------------------------------------------------------------------------


def step_from(cell, face):
    return tuple(c + s for c, s in zip(cell, STEPS[face], strict=True))


def is_unloaded(world, cell):
    """Beyond the region; beyond the height limits nothing is ever loaded, and that is another reason."""
    return world.in_height(cell) and not world.is_loaded(cell)


def distance_to_cell(point, cell):
    """From a point to the nearest point of a cell's unit box."""
    nearest = [min(max(p, c), c + 1.0) for p, c in zip(point, cell, strict=True)]
    return math.sqrt(sum((p - n) ** 2 for p, n in zip(point, nearest, strict=True)))


def overlaps(low, high, other_low, other_high):
    """Whether two boxes share more than a touch."""
    depths = (min(b, d) - max(a, c) for a, b, c, d in zip(low, high, other_low, other_high, strict=True))
    return all(depth > TOUCHING for depth in depths)


def meets_body(agent, block, cell):
    for box in boxes(block):
        low = [c + b for c, b in zip(cell, box[:3], strict=True)]
        high = [c + b for c, b in zip(cell, box[3:], strict=True)]
        if overlaps(*agent.body, low, high):
            return True
    return False


def goes_into(world, cell, block):
    """Whether a block may take a cell: what is there gives way, and is not its own kind."""
    there = world.block(cell)
    return is_replaceable(there) and base(there) != base(block)


def neighbours(world, cell):
    """near(*faces): the block some steps away; None beyond the region and the height limits."""

    def near(*faces):
        at = cell
        for face in faces:
            at = step_from(at, face)
        return world.block(at) if world.in_height(at) and world.is_loaded(at) else None

    return near


def fits(world, cell, block):
    """Whether the surroundings hold the block, and its other half has room."""
    near = neighbours(world, cell)
    second = other_half(block)
    if second is not None and (near(second[0]) is None or not is_replaceable(near(second[0]))):
        return False
    return is_supported(block, near, world.block(cell))


def judge_in_full(world, agent, anchor, face, item, reach=REACH):
    """-> (reason, {cell: block} of what was put down). A reason is the name of a detail, or of the reason itself."""
    destination = step_from(anchor, face)
    if is_unloaded(world, anchor) or is_unloaded(world, destination):
        return "unloaded", {}
    if distance_to_cell(agent.eye, anchor) > reach:
        return "out_of_reach", {}
    clicked = world.block(anchor) if world.in_height(anchor) else "void_air"
    if tagged(clicked, "air") or tagged(clicked, "fluid"):
        return "anchor_missing", {}
    if tagged(clicked, "intercepts") and not agent.sneaking:
        return "anchor_interacts", {}
    if agent.inventory.get(item, 0) < 1:
        return "no_item", {}
    choices = candidates(item, face, player_facing(agent.yaw))
    first = choices[0]
    stacks = stacked(clicked, first, agent.sneaking) is not None and stacks_on_click(clicked, face)
    cell = anchor if stacks or goes_into(world, anchor, first) else destination
    if not world.in_height(cell):
        return "out_of_world", {}
    block = stacked(world.block(cell), first, agent.sneaking)
    if block is None:
        if not goes_into(world, cell, first):
            return "destination_occupied", {}
        block = next((choice for choice in choices if fits(world, cell, choice)), None)
        if block is None:
            return "no_support", {}
        block = in_water(block, world.block(cell))
    if meets_body(agent, block, cell):
        return "placement_overlaps_agent", {}
    second = other_half(block)
    return "none", {cell: block} | ({step_from(cell, second[0]): second[1]} if second else {})


def judge(world, agent, anchor, face, item, reach=REACH):
    """-> (reason, the cell the block would take or None)."""
    reason, put = judge_in_full(world, agent, anchor, face, item, reach)
    return reason, next(iter(put), None)


# -- random requests -------------------------------------------------------------------------------------------------

COMMON = [
    "stone",
    "dirt",
    "oak_planks",
    "chest",
    "furnace",
    "oak_trapdoor[open=false]",
    "oak_fence",
    "cobblestone_wall",
    "stone_slab[type=bottom]",
    "stone_slab[type=top]",
    "torch",
    "poppy",
    "rail",
    "cobweb",
    "water",
    "lava[level=3]",
    "short_grass",
    "snow[layers=1]",
    "snow[layers=5]",
    "vine",
    "white_carpet",
    "soul_sand",
    "farmland",
    "glass",
    "fire",
    "tall_grass[half=upper]",
    "anvil",
    "oak_door[half=lower,open=true]",
]
ITEMS_AT_ONCE = 5  # the states of more may not fit one palette


def items_by_family():
    """Items by the rules their block is under: each family gets the same share of the requests."""
    found = {}
    for item, block in TABLE["items"].items():
        entry = TABLE["blocks"][block]
        key = (entry.get("support"), entry.get("stack"), entry.get("orientation"), block in TABLE["wall_blocks"])
        found.setdefault(key, []).append(item)
    return list(found.values())


FAMILIES = items_by_family()
FLOORS = (64, 64, 0, -62, -64, 310, 317, 319)


def random_world(draw, items):
    """A small world around a start, now and then at the height limits -> (World, start)."""
    x, y, z = draw.choice((0, 7, -24)), draw.choice(FLOORS), draw.choice((0, -9))
    world = World((x - 16, y - 12, z - 16), (x + 16, y + 12, z + 16))
    # the package's void_air marks what lies beyond the height limits; inside a world nothing is ever made of it
    known = [name for name in TABLE["blocks"] if name != "void_air"]
    names = [draw.choice(COMMON) for _ in range(6)] + [draw.choice(known) for _ in range(4)]
    names += [TABLE["items"][draw.choice(items)] for _ in range(2)] + ["water"]
    for dx in range(-5, 6):
        for dz in range(-5, 6):
            for dy in range(-3, 6):
                if draw.random() < (0.7 if dy == -1 else 0.2):
                    cell = (x + dx, y + dy, z + dz)
                    if world.in_height(cell):
                        world.blocks[cell] = draw.choice(names)
    for cell in ((x + 16, y, z), (x, y, z - 16), (x, y + 12, z)):
        if world.in_height(cell):
            world.blocks[cell] = "stone"
    return world, (x + 0.5, float(y), z + 0.5)


def random_agent(draw, start, items):
    """Somewhere near the start, or near an edge of the region, on the ground or not."""
    x, y, z = start
    if draw.random() < 0.1:
        x, y, z = draw.choice(((x + 14, y, z), (x, y, z - 14), (x, y + 9, z)))
    offset = draw.choice((0.0, 0.2, -0.2, 0.2004, 0.3, 0.5, draw.uniform(-0.5, 0.5)))
    rise = draw.choice((0.0, 0.0, 0.0625, 0.5, 0.875, 1.0, draw.uniform(0, 1.3)))
    position = (x + draw.choice((0.0, offset)), y + rise, z + draw.choice((0.0, offset)))
    counts = {item: draw.choice((0, 1, 1, 5)) for item in items}
    return Agent(position, draw.choice((0.0, 90.0, 180.0, 270.0)), draw.random() < 0.4, counts)


def random_request(draw, world, agent, items):
    """An anchor, mostly a block within reach."""
    cell = tuple(math.floor(c) for c in agent.position)
    spread = draw.choice((1, 1, 1, 2, 3, 6))
    for _ in range(20):
        anchor = tuple(c + draw.randint(-spread, spread) for c in cell)
        if anchor in world.blocks:
            break
    return anchor, draw.choice(list(STEPS)), draw.choice(items)


# -- comparing with the package --------------------------------------------------------------------------------------


@entry
def judged(rows, shared, x, y, z, face, item):
    """Reason, whether the block takes the anchor's own cell, palette id of what it becomes."""
    row, common = rows[0], shared[0]
    reason = check_placement(row, common, x, y, z, face, item)
    own = takes_anchor_cell(row, common, x, y, z, face, item)
    if not own:
        x, y, z = x + face_x(face), y + face_y(face), z + face_z(face)
    state = resulting_state(row, common, x, y, z, face, item)[1] if reason == Reason.NONE else 0
    return reason, own, state


class Package:
    """The compiled rules on the same worlds and agents."""

    def load(self, items, world, start):
        """A fresh environment: the palette of one holds 255 states. Returns the items that fit."""
        import gymnasium as gym

        import mc_place_env

        self.items, self.reasons, self.faces = items, mc_place_env.Reason, mc_place_env.Face
        self.env = gym.make("McPlace/Sandbox-v0", items=tuple(items), disable_env_checker=True).unwrapped
        blocks = [[*cell, name] for cell, name in world.blocks.items()]
        try:
            self.env.reset(seed=0, options={"scenario": {"blocks": blocks, "agent": {"position": list(start)}}})
        except mc_place_env.errors.ScenarioError as error:
            if "block states in use" not in str(error) or len(items) == 1:
                raise
            return self.load(items[:-1], world, start)
        return items

    def judge(self, agent, anchor, face, item):
        row, shared = self.env._batch.rows[0], self.env._batch.shared[0]
        row["position"], row["yaw"], row["sneaking"] = agent.position, agent.yaw, agent.sneaking
        for k, name in enumerate(self.items):
            row["inventory"][k] = agent.inventory[name]
        request = (*anchor, int(self.faces[face.upper()]), self.items.index(item))
        code, in_anchor_cell, state = judged(self.env._batch.rows, self.env._batch.shared, *request)
        reason = self.reasons(code).name.lower()
        if reason != "none":
            return reason, {}
        cell = anchor if in_anchor_cell else step_from(anchor, face)
        put, second = {cell: self.name(state)}, shared["second_face"][state]
        if second >= 0:
            put[step_from(cell, self.faces(second).name.lower())] = self.name(shared["second_state"][state])
        return reason, put

    def name(self, palette_id):
        """With every state written out."""
        return with_states(self.env._batch.palette.name(int(palette_id)))


def differences(count, seed=0, per_world=400):
    """Compares `count` random requests -> (differences as text, how often each reason came)."""
    draw, package = random.Random(seed), Package()
    found, reasons = [], {}
    for number in range(count):
        if number % per_world == 0:
            wanted = [draw.choice(family) for family in draw.sample(FAMILIES, ITEMS_AT_ONCE)]
            world, start = random_world(draw, wanted)
            items = package.load(wanted, world, start)
        agent = random_agent(draw, start, items)
        request = random_request(draw, world, agent, items)
        expected, got = judge_in_full(world, agent, *request), package.judge(agent, *request)
        reasons[expected[0]] = reasons.get(expected[0], 0) + 1
        if got != expected:
            found.append(
                f"{request} on {world.block(request[0])}, {agent}: the oracle says {expected}, the package {got}"
            )
    return found, reasons


def main(count):
    found, reasons = differences(count)
    print("\n".join(found[:50]))
    print(f"{count} requests, {len(found)} differences; {dict(sorted(reasons.items()))}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
