"""Bots on a Minecraft server, as short calls into the one Node process of this Python process."""

import itertools
import socket
import time
from typing import Any

from mc_place_env.minecraft.bridge import Bridge, bridge
from mc_place_env.minecraft.errors import (
    ConnectionLost,
    MinecraftError,
    ServerUnreachable,
    SetupRefused,
    VersionMismatch,
)

DIAL_TIMEOUT = 2.5  # seconds until an address that does not answer counts as dead
SILENCE_TIMEOUT = 2.5  # seconds until a listener that says nothing counts as no Minecraft server
POLL = 0.002  # seconds between two looks at something under way
COMMAND_TIMEOUT = 15.0  # seconds for a whole setup by commands; each phase is bounded in command_setup.js
TICK = 0.05  # seconds
LONGEST_SLEEP = 0.5  # seconds before we look whether the bot still lives

_ids = itertools.count(1)


class NodeClient:
    """Connects bots. All clients share one Node process, started by the first `connect`."""

    def __init__(self, node: Bridge = bridge):
        self._bridge = node

    @property
    def alive(self) -> bool:
        """Whether Node runs."""
        return self._bridge.alive

    @property
    def pid(self) -> int:
        """Process id of Node; 0 if there is none."""
        return self._bridge.pid

    def connect(self, host: str, port: int, username: str, version: str, timeout: float = 10.0) -> "Bot":
        """Log a bot in; `timeout` in seconds.

        Raises ServerUnreachable, VersionMismatch, ConnectionLost (kicked at login, with the reason), NodeMissing or
        InstallFailed.
        """
        _dial(host, port)
        generation = self._bridge.start()
        bot = Bot(self._bridge, generation, next(_ids), username, f"{host}:{port}")
        self._bridge.call("connect", id=bot.id, host=host, port=port, username=username, version=version)
        try:
            bot._await_login(version, timeout)
        except BaseException:
            bot.close()
            raise
        return bot

    def close(self) -> None:
        """End Node and with it every bot of this process."""
        self._bridge.kill()


class Bot:
    """One connected bot. Every method raises ConnectionLost once the server, Node or the connection is gone."""

    def __init__(self, node: Bridge, generation: int, number: int, username: str, address: str):
        self._bridge = node
        self._generation = generation
        self.id = number
        self.username = username
        self.address = address

    # ---- life

    @property
    def alive(self) -> bool:
        """Whether the bot is connected."""
        try:
            return bool(self._call("status").get("spawned"))
        except ConnectionLost:
            return False

    def close(self) -> None:
        """Leave the server; never fails."""
        try:
            if self._is_ours:
                self._bridge.call("close", id=self.id)
        except MinecraftError:
            pass

    @property
    def _is_ours(self) -> bool:
        return self._bridge.alive and self._bridge.generation == self._generation

    def _await_login(self, version: str, timeout: float) -> None:
        start = time.monotonic()
        while not (status := self._call("status", version=version))["spawned"]:
            waited = time.monotonic() - start
            if not status["heard"] and waited > SILENCE_TIMEOUT:
                raise ServerUnreachable(f"something listens at {self.address}, but it does not speak Minecraft")
            if waited > timeout:
                raise ServerUnreachable(f"no Minecraft server let us in at {self.address} within {timeout:g} s")
            time.sleep(POLL)

    def _call(self, name: str, **values: Any) -> dict[str, Any]:
        if self._bridge.alive and not self._is_ours:
            raise ConnectionLost("the Node process of this bot has ended; connect again (the next reset does)")
        reply = self._bridge.call(name, id=self.id, **values)
        if "lost" in reply:
            raise self._lost(reply, values.get("version", ""))
        return reply

    def _lost(self, reply: dict[str, Any], version: str) -> MinecraftError:
        text, kind = reply["lost"], reply.get("kind", "")
        if kind == "version":
            return VersionMismatch(f"{self.address} does not speak Minecraft {version} ({text}); pass its own version")
        if kind == "unreachable":
            return ServerUnreachable(f"no Minecraft server at {self.address}: {text}")
        if kind == "kicked":
            return ConnectionLost(f"{self.username} was kicked from {self.address}: {text}; reset to connect again")
        return ConnectionLost(f"{self.username} at {self.address}: {text}; reset to connect again")

    # ---- setting up

    def hold(self) -> None:
        """Stop the bot's clock, controls and requests, and wait until the server has heard all it sent.

        Call it before the world is changed under the bot; `synchronise` starts it again.
        """
        self._call("hold")
        self._poll(timeout=1.0)

    def setup_by_commands(self, scenario: dict[str, Any]) -> None:
        """Make the server's world equal to `scenario` by operator commands, verified in the client's own view.

        Raises SetupRefused when the server does not do it, at most 3 s after the last command.
        """
        self._call("command", scenario=scenario)
        reply = self._poll(timeout=COMMAND_TIMEOUT)
        if reply.get("refused"):
            said = "; ".join(reply["chat"]) or "nothing"
            raise SetupRefused(
                f"{self.address} did not set the scenario up: {reply['refused']} (the server said: {said}). "
                f"Does {self.username} have operator rights there?"
            )
        if not reply["done"]:
            raise SetupRefused(f"{self.address} did not set the scenario up within {COMMAND_TIMEOUT:g} s")

    def synchronise(self, scenario: dict[str, Any], timeout: float = 3.0) -> None:
        """Wait until the bot sees `scenario` (cells, items, position), then start its clock at tick 0.

        Raises SetupRefused, naming what is missing, after `timeout` seconds.
        """
        self._call("synchronise", scenario=scenario)
        reply = self._poll(timeout)
        if not reply["done"]:
            raise SetupRefused(f"{self.username} does not see the scenario after {timeout:g} s: {reply['missing']}")

    def _poll(self, timeout: float) -> dict[str, Any]:
        """Ask what is under way until it is done, or the time is over."""
        end = time.monotonic() + timeout
        while not (reply := self._call("poll"))["done"] and time.monotonic() < end:
            time.sleep(POLL)
        return reply

    # ---- steps

    def submit(self, payload: dict[str, Any]) -> int:
        """Start a step, `{"control": name or None, "places": [request, ...]}`; returns the bot's tick."""
        return self._call("submit", payload=payload)["tick"]

    def observe(self, tick: int, timeout: float) -> dict[str, Any]:
        """What happened since the last look, once the bot's clock has reached `tick`; `timeout` in seconds."""
        end = time.monotonic() + timeout
        while "wait_ms" in (reply := self._call("observe", tick=tick)):
            left = end - time.monotonic()
            if left <= 0:
                raise ConnectionLost(f"{self.username} at {self.address} stands still: tick {tick} did not come")
            time.sleep(min(reply["wait_ms"] / 1000, left, LONGEST_SLEEP))
        return reply


def _dial(host: str, port: int) -> None:
    """Is anybody listening there? Cheaper and clearer than to hear it through Node."""
    try:
        socket.create_connection((host, port), timeout=DIAL_TIMEOUT).close()
    except (OSError, OverflowError) as error:
        raise ServerUnreachable(f"nothing answers at {host}:{port} ({error}); is the server running?") from error
