"""The placement rules a second time: slow, plain, written from RULES.md and the shipped table, not from the kernel.

Worlds are dictionaries, blocks are names, nothing is compiled. `python -m tests.oracle N` compares N random requests
with the package's compiled `check_placement` and prints every difference; `tests/test_oracle.py` does so for fewer.

To add a family of rules: a function in SUPPORT (may the block be here at all), STACKING (does the item go into the
clicked block) or a line in `placed_state` (how the block turns out).
"""

import json
import math
import random
import sys
from dataclasses import dataclass, field
from importlib import resources

TABLE = json.loads((resources.files("mc_place_env.data") / "1.20.4.json").read_text())
STEPS = {
    "up": (0, 1, 0),
    "down": (0, -1, 0),
    "north": (0, 0, -1),
    "south": (0, 0, 1),
    "east": (1, 0, 0),
    "west": (-1, 0, 0),
}
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


# -- blocks --------------------------------------------------------------------------------------------------------


def split_name(block):
    """'stone_slab[type=top]' -> ('stone_slab', {'type': 'top'}), every state filled in."""
    name, _, rest = block.partition("[")
    given = dict(part.split("=") for part in rest.rstrip("]").split(",") if part)
    entry = TABLE["blocks"][name]
    return name, states_at(entry, entry.get("default", 0)) | given


def states_at(entry, offset):
    """The states at an offset: the last one listed varies fastest."""
    found = {}
    for key, values in reversed(list(entry.get("states", {}).items())):
        offset, k = divmod(offset, len(values))
        found[key] = values[k]
    return found


def tagged(block, tag):
    return tag in TABLE["blocks"][block.partition("[")[0]].get("tags", ())


def boxes(block):
    """Collision boxes of a block state."""
    name, states = split_name(block)
    entry = TABLE["blocks"][name]
    shape = entry["shape"]
    if isinstance(shape, int):
        return TABLE["shapes"][shape]
    offset = 0
    for key, values in entry["states"].items():
        offset = offset * len(values) + values.index(states[key])
    return TABLE["shapes"][shape[offset]]


def is_replaceable(block):
    name, states = split_name(block)
    return tagged(name, "replaceable") or (tagged(name, "replaceable_if_single_layer") and states["layers"] == "1")


def placed_state(agent, item, face):
    """The block an item becomes. Orientation: not yet."""
    return TABLE["items"][item]


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


SUPPORT = []  # functions (world, agent, cell, block, face) -> bool
STACKING = []  # functions (world, cell, block, face) -> the state it becomes there, or None


def goes_into(world, cell, block):
    """Whether a block may take a cell: what is there gives way, and is not its own kind."""
    there = world.block(cell)
    return is_replaceable(there) and there.partition("[")[0] != block.partition("[")[0]


def judge(world, agent, anchor, face, item, reach=REACH):
    """-> (reason, the cell the block would take or None). A reason is the name of a detail, or of the reason itself."""
    destination = step_from(anchor, face)
    if is_unloaded(world, anchor) or is_unloaded(world, destination):
        return "unloaded", None
    if distance_to_cell(agent.eye, anchor) > reach:
        return "out_of_reach", None
    clicked = world.block(anchor) if world.in_height(anchor) else "void_air"
    if tagged(clicked, "air") or tagged(clicked, "fluid"):
        return "anchor_missing", None
    if tagged(clicked, "intercepts") and not agent.sneaking:
        return "anchor_interacts", None
    if agent.inventory.get(item, 0) < 1:
        return "no_item", None
    block = placed_state(agent, item, face)
    cell = anchor if goes_into(world, anchor, block) else destination
    if not world.in_height(cell):
        return "out_of_world", None
    if not goes_into(world, cell, block):
        return "destination_occupied", None
    if not all(rule(world, agent, cell, block, face) for rule in SUPPORT):
        return "no_support", None
    if meets_body(agent, block, cell):
        return "placement_overlaps_agent", None
    return "none", cell


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
SUPPORTED_ITEMS = [
    "stone",
    "cobblestone",
    "dirt",
    "glass",
    "oak_leaves",
    "oak_fence",
    "cobblestone_wall",
    "soul_sand",
    "stone_slab",
    "white_carpet",
    "torch",
    "rail",
    "stone_pressure_plate",
    "chest",
    "short_grass",
    "snow",
    "lantern",
    "cobweb",
    "iron_bars",
    "poppy",
]
FLOORS = (64, 64, 0, -62, -64, 310, 317, 319)


def random_world(draw):
    """A small world around a start, now and then at the height limits -> (World, start)."""
    x, y, z = draw.choice((0, 7, -24)), draw.choice(FLOORS), draw.choice((0, -9))
    world = World((x - 16, y - 12, z - 16), (x + 16, y + 12, z + 16))
    names = [draw.choice(COMMON) for _ in range(6)] + [draw.choice(list(TABLE["blocks"])) for _ in range(4)]
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


def random_agent(draw, start):
    """Somewhere near the start, or near an edge of the region, on the ground or not."""
    x, y, z = start
    if draw.random() < 0.1:
        x, y, z = draw.choice(((x + 14, y, z), (x, y, z - 14), (x, y + 9, z)))
    offset = draw.choice((0.0, 0.2, -0.2, 0.2004, 0.3, 0.5, draw.uniform(-0.5, 0.5)))
    rise = draw.choice((0.0, 0.0, 0.0625, 0.5, 0.875, 1.0, draw.uniform(0, 1.3)))
    position = (x + draw.choice((0.0, offset)), y + rise, z + draw.choice((0.0, offset)))
    counts = {item: draw.choice((0, 1, 1, 5)) for item in SUPPORTED_ITEMS}
    return Agent(position, draw.choice((0.0, 90.0, 180.0, 270.0)), draw.random() < 0.4, counts)


def random_request(draw, world, agent):
    """An anchor, mostly a block within reach."""
    cell = tuple(math.floor(c) for c in agent.position)
    spread = draw.choice((1, 1, 1, 2, 3, 6))
    for _ in range(6):
        anchor = tuple(c + draw.randint(-spread, spread) for c in cell)
        if anchor in world.blocks:
            break
    return anchor, draw.choice(list(STEPS)), draw.choice(SUPPORTED_ITEMS)


# -- comparing with the package --------------------------------------------------------------------------------------


class Package:
    """The compiled rules on the same worlds and agents."""

    def __init__(self):
        import gymnasium as gym

        import mc_place_env

        self.reasons, self.faces = mc_place_env.Reason, mc_place_env.Face
        self.env = gym.make("McPlace/Sandbox-v0", items=tuple(SUPPORTED_ITEMS), disable_env_checker=True).unwrapped

    def load(self, world, start):
        # a fresh environment: the palette of one holds 255 states
        self.__init__()
        blocks = [[*cell, name] for cell, name in world.blocks.items()]
        self.env.reset(seed=0, options={"scenario": {"blocks": blocks, "agent": {"position": list(start)}}})

    def judge(self, agent, anchor, face, item):
        from mc_place_env.rules.placement import check_placement, takes_anchor_cell

        row, shared = self.env._batch.rows[0], self.env._batch.shared[0]
        row["position"], row["yaw"], row["sneaking"] = agent.position, agent.yaw, agent.sneaking
        for k, name in enumerate(SUPPORTED_ITEMS):
            row["inventory"][k] = agent.inventory[name]
        request = (*anchor, int(self.faces[face.upper()]), SUPPORTED_ITEMS.index(item))
        reason = self.reasons(check_placement(row, shared, *request)).name.lower()
        if reason != "none":
            return reason, None
        return reason, anchor if takes_anchor_cell(row, shared, *request) else step_from(anchor, face)


def differences(count, seed=0, per_world=400):
    """Compares `count` random requests -> (differences as text, how often each reason came)."""
    draw, package = random.Random(seed), Package()
    found, reasons = [], {}
    for number in range(count):
        if number % per_world == 0:
            world, start = random_world(draw)
            package.load(world, start)
        agent = random_agent(draw, start)
        request = random_request(draw, world, agent)
        expected, got = judge(world, agent, *request), package.judge(agent, *request)
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
