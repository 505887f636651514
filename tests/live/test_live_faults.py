"""What can go wrong with a live environment: one error or one failed outcome within 3 s, and reset works again."""

import os
import signal
import socket
import subprocess
import sys
import time
from importlib.util import find_spec

import numpy as np
import pytest
from helpers import make, make_vec, scenario
from processes import FAULT_LIMIT, assert_gone, start_script

if find_spec("javascript") is None:  # importing it would start Node
    pytest.skip("needs the extra [minecraft]", allow_module_level=True)

import mc_place_env
from mc_place_env.minecraft.bridge import bridge
from mc_place_env.minecraft.errors import ConnectionLost, ServerUnreachable, SetupRefused
from mc_place_env.minecraft.server import EmbeddedServer
from mc_place_env.types import ActionType

pytestmark = pytest.mark.live

STONE = "stone"
START = {"scenario": scenario(inventory={STONE: 4})}


@pytest.fixture
def env():
    """An environment of its own, reset, for a test that breaks it."""
    env = make(backend="minecraft", items=(STONE,), episode_steps=1000)
    env.reset(seed=0, options=START)
    step(env)  # compiles what a step needs, outside the limits of the faults
    env.reset(seed=0, options=START)
    yield env
    env.close()


def backend_of(env):
    return env.unwrapped.backend


def username(env):
    return backend_of(env).players[0].bot.username


def surfaces(error, action):
    """Text of the `error` that `action`, repeated, raises within the limit."""
    start = time.monotonic()
    while time.monotonic() < start + FAULT_LIMIT:
        try:
            action()
        except error as caught:
            assert time.monotonic() - start < FAULT_LIMIT
            return str(caught)
    raise AssertionError(f"no {error.__name__} within {FAULT_LIMIT} s")


def step(env):
    return env.step(mc_place_env.Actions(env).wait())


def works(env):
    """Whether a reset makes it whole: a placement succeeds."""
    env.reset(seed=1, options=START)
    outcomes = env.step(mc_place_env.Actions(env).place(STONE, 0, -1, 2, "up"))[4]["outcomes"]
    return [outcome["outcome"] for outcome in outcomes] == ["placed"]


# ---- the connection


def test_kicked(env):
    backend_of(env).server.kick(username(env), "no robots here")
    assert "no robots here" in surfaces(ConnectionLost, lambda: step(env))
    assert works(env)


def test_server_killed(env):
    os.kill(backend_of(env).server.pid, signal.SIGKILL)
    surfaces(ConnectionLost, lambda: step(env))
    assert works(env)


def test_server_killed_and_reset_at_once(env):
    os.kill(backend_of(env).server.pid, signal.SIGKILL)
    assert works(env)


def test_server_stands_still(env):
    """After 2.5 s without an answer the server is given up, and the reset goes on with a new one."""
    pid, start = backend_of(env).server.pid, time.monotonic()
    os.kill(pid, signal.SIGSTOP)
    assert works(env)
    assert backend_of(env).server.pid != pid
    assert time.monotonic() - start < 2 * FAULT_LIMIT


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_node_killed_or_stopped(env, number):
    os.kill(bridge.pid, number)
    surfaces(ConnectionLost, lambda: step(env))
    assert works(env)


def test_one_of_several_is_kicked():
    """The step of all raises; a reset of all works, and so does, without autoreset, one of the lost row alone."""
    envs = make_vec(backend="minecraft", num_envs=3, items=(STONE,), autoreset_mode="Disabled")
    place = {"type": 1, "anchor": (0, -1, 2), "face": 0, "item": 0}
    actions = {key: np.array([value] * 3, envs.action_space[key].dtype) for key, value in place.items()}
    waits = actions | {"type": np.full(3, ActionType.WAIT)}
    for mask in (None, np.array([False, True, False])):
        envs.reset(seed=0, options=START)
        backend = envs.batch.backend
        backend.server.kick(backend.players[1].bot.username, "out")
        surfaces(ConnectionLost, lambda: envs.step(waits))
        envs.reset(options=START if mask is None else START | {"reset_mask": mask})
        facts = envs.step(actions)[4]
        assert facts["outcome"][:, 0].tolist() == [1, 1, 1]
    envs.close()


def test_closing_twice_and_coming_back(env):
    env.close()
    env.close()
    with pytest.raises(ConnectionLost, match="reset"):
        step(env)
    assert works(env)


# ---- the address


def test_dead_address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    assert address in surfaces(ServerUnreachable, lambda: make(backend="minecraft", server=address))


def test_a_listener_that_never_speaks():
    bridge.start()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        assert address in surfaces(ServerUnreachable, lambda: make(backend="minecraft", server=address))


def test_a_listener_that_hangs_up():
    bridge.start()
    code = "import socket, sys\ns = socket.create_server(('127.0.0.1', 0))\nprint(s.getsockname()[1], flush=True)\n"
    code += "while True: s.accept()[0].close()"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as rude:
        address = f"127.0.0.1:{int(rude.stdout.readline())}"
        surfaces(ServerUnreachable, lambda: make(backend="minecraft", server=address))
        rude.kill()


def test_no_operator_rights():
    with EmbeddedServer.start(operators=False) as server:
        env = make(backend="minecraft", server=f"{server.host}:{server.port}", items=(STONE,))
        assert "operator" in surfaces(SetupRefused, lambda: env.reset(seed=0, options=START))
        server.set_operator(username(env), True)
        assert works(env)
        env.close()


# ---- no answer


def test_no_answer_to_placements(env):
    """Each is a `timeout`, also those that waited behind the first."""
    backend_of(env).server.mute(username(env), True)
    actions, outcomes = mc_place_env.Actions(env), []
    start = time.monotonic()
    for right in (-1, 0, 1):
        outcomes += env.step(actions.place(STONE, right, -1, 2, "up"))[4]["outcomes"]
    while len(outcomes) < 3 and time.monotonic() < start + 2 * FAULT_LIMIT:
        outcomes += step(env)[4]["outcomes"]
    assert [outcome["reason"] for outcome in outcomes] == ["timeout"] * 3
    waited = [outcome["resolved_tick"] - outcome["submitted_tick"] for outcome in outcomes]
    assert max(waited) <= 20 * FAULT_LIMIT
    backend_of(env).server.mute(username(env), False)
    assert works(env)


def test_stepping_on_after_the_end(env):
    """A verdict that comes after its request was cancelled is nobody's any more."""
    short = make(backend="minecraft", items=(STONE,), episode_steps=1)
    short.reset(seed=0, options=START)
    backend_of(short).server.delay(username(short), 6)
    info = short.step(mc_place_env.Actions(short).place(STONE, 0, -1, 2, "up"))[4]
    assert [outcome["outcome"] for outcome in info["outcomes"]] == ["cancelled"]
    for _ in range(3):
        info = step(short)[4]
    assert info["outcomes"] == ()
    assert short.unwrapped.block_at(0, 64, 2) == STONE
    short.close()


# ---- the interpreter

SCRIPT = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in a shell's background
import gymnasium, mc_place_env
from mc_place_env.minecraft.bridge import bridge
env = gymnasium.make("McPlace/Sandbox-v0", backend="minecraft", items=["stone"], episode_steps=10**6)
env.reset(seed=0)
actions = mc_place_env.Actions(env)
env.step(actions.wait())
print(env.unwrapped.backend.server.pid, bridge.pid, flush=True)
"""


def run_script(body):
    """Start a script with an open environment; returns it and the pids of its server and its Node."""
    return start_script("-W", "ignore", "-c", SCRIPT + body)


def test_the_interpreter_exits_with_an_open_environment():
    process, pids = run_script("")
    start = time.monotonic()
    _, errors = process.communicate(timeout=10)
    assert time.monotonic() - start < 5
    assert (process.returncode, errors) == (0, "")
    assert_gone(pids)


INTERRUPTED = """
for _ in range(2):
    try:
        print("stepping", flush=True)
        while True:
            env.step(actions.wait())
    except KeyboardInterrupt:
        pass
env.step(actions.wait())
env.reset(seed=1)
print(env.step(actions.wait())[4]["tick"] >= 4, flush=True)
"""


def test_ctrl_c_while_stepping():
    process, pids = run_script(INTERRUPTED)
    for _ in range(2):
        assert process.stdout.readline() == "stepping\n"
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the whole group, Node too
    out, errors = process.communicate(timeout=10)
    assert (out, errors) == ("True\n", "")
    assert_gone(pids)


def test_ctrl_c_that_nobody_catches():
    process, pids = run_script("while True: env.step(actions.wait())")
    time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    start = time.monotonic()
    process.communicate(timeout=10)
    assert time.monotonic() - start < 5
    assert process.returncode != 0
    assert_gone(pids)
