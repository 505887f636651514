"""The embedded Minecraft server: flying-squid in its own Node process, steered over its stdin and stdout."""

import atexit
import json
import os
import subprocess
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from mc_place_env.minecraft.errors import ConnectionLost, MinecraftError, SetupRefused, VersionMismatch
from mc_place_env.minecraft.node import install, node_binary

HERE = Path(__file__).parent
TABLES = HERE.parent / "data"
HOST = "127.0.0.1"
REPLY_TIMEOUT = 2.5  # seconds; a control command takes milliseconds
CLOSE_TIMEOUT = 2.0  # seconds until an unwilling server is killed


class EmbeddedServer:
    """A running server on a free loopback port: an empty world in which scenarios are built.

    Make one with `EmbeddedServer.start()`; close it, or use it as a context manager. It also ends with this process.
    """

    def __init__(self, process: subprocess.Popen[str]):
        self._process = process
        self._owner = os.getpid()
        self._awaited = {0}  # 0: the line that says on which port it listens
        self._replies: dict[int, dict[str, Any]] = {}
        self._arrived = threading.Condition()
        self._write_lock = threading.Lock()
        self._next_id = 0
        self._errors: deque[str] = deque(maxlen=20)
        self.host = HOST
        self.port = 0
        self._readers = [threading.Thread(target=each, daemon=True) for each in (self._read_replies, self._read_errors)]
        for reader in self._readers:
            reader.start()
        atexit.register(self.close)

    @classmethod
    def start(cls, version: str = "1.20.4", timeout: float = 20.0, operators: bool = True) -> Self:
        """Start a server and wait until it listens, `timeout` seconds at most.

        `operators`: whether everybody who connects may use operator commands.
        Raises VersionMismatch (no block table for it), NodeMissing, InstallFailed or MinecraftError.
        """
        table = TABLES / f"{version}.json"
        if not table.exists():
            known = ", ".join(sorted(path.stem for path in TABLES.glob("[0-9]*.json")))
            raise VersionMismatch(f"the embedded server has no block table for {version}; it knows {known}")
        options = {"version": version, "table": str(table), "op": operators}
        server = cls(_spawn(options))
        server._await_ready(timeout)
        return server

    # ---- life

    @property
    def pid(self) -> int:
        """Process id of the server's Node."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def ends_within(self, seconds: float) -> bool:
        """Whether the process ends in that time: a dying one closes its connections before it is dead."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return not self.alive

    def close(self) -> None:
        """End the server and wait for it; does nothing the second time, or in a forked child."""
        if os.getpid() != self._owner:
            return
        atexit.unregister(self.close)
        assert self._process.stdin is not None
        with suppress(OSError):  # it may be dead already
            self._process.stdin.close()  # the server ends with its stdin
        try:
            self._process.wait(CLOSE_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for reader, pipe in zip(self._readers, (self._process.stdout, self._process.stderr), strict=True):
            reader.join(CLOSE_TIMEOUT)
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- commands

    def setup(self, username: str, scenario: dict[str, Any]) -> None:
        """Make the world of a connected player equal to `scenario`: cells, inventory, position, reach.

        Only what differs is touched. Returns when the server has done it (the client hears it a little later).
        Raises SetupRefused (unknown player or item, block outside the region, too many items) or ConnectionLost.
        """
        self._ask("setup", username=username, scenario=scenario)

    def state(self, x: int, y: int, z: int) -> int:
        """State id of a cell, as the server holds it."""
        return self._ask("state", cell=[x, y, z])["state"]

    def body(self, username: str) -> dict[str, Any]:
        """x, y, z, yaw (degrees) and sneaking of a player, as the server holds them."""
        return self._ask("body", username=username)["body"]

    def inventory(self, username: str) -> dict[str, int]:
        """Items by name of a player, as the server holds them."""
        return self._ask("inventory", username=username)["inventory"]

    def kick(self, username: str, reason: str = "kicked") -> None:
        """Throw a player out."""
        self._ask("kick", username=username, reason=reason)

    def refuse(self, username: str, reason: str) -> None:
        """Do not let this player log in."""
        self._ask("refuse", username=username, reason=reason)

    def mute(self, username: str, on: bool) -> None:
        """Never answer this player's placements, until turned off or the next setup."""
        self._ask("mute", username=username, on=on)

    def delay(self, username: str, ticks: int) -> None:
        """Judge this player's placements only `ticks` (50 ms each) later, until set to 0 or the next setup."""
        self._ask("delay", username=username, ticks=ticks)

    def revert_next(self, username: str, ticks: int) -> None:
        """Take the player's next placement back after `ticks` (50 ms each)."""
        self._ask("revert_next", username=username, ticks=ticks)

    def set_operator(self, username: str, on: bool) -> None:
        """Give or take operator rights."""
        self._ask("set_op", username=username, on=on)

    def freeze(self, seconds: float) -> None:
        """Let the whole server stand still, as an overloaded one does."""
        self._ask("freeze", seconds=seconds)

    # ---- the control channel: one JSON object per line

    def _ask(self, op: str, **values: Any) -> dict[str, Any]:
        if os.getpid() != self._owner:
            raise ConnectionLost("this embedded server belongs to the parent process; start one here")
        with self._write_lock:
            self._next_id += 1
            number = self._next_id
            self._awaited.add(number)
            self._write(json.dumps({"id": number, "op": op, **values}, allow_nan=False))
        reply = self._await(number, REPLY_TIMEOUT)
        if "error" in reply:
            raise SetupRefused(f"the embedded server refused {op}: {reply['error']}")
        return reply

    def _write(self, line: str) -> None:
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # ValueError: closed by us
            raise self._gone() from error

    def _await(self, number: int, timeout: float) -> dict[str, Any]:
        try:
            with self._arrived:
                self._arrived.wait_for(lambda: number in self._replies or not self.alive, timeout)
                if number in self._replies:
                    return self._replies.pop(number)
        finally:
            self._awaited.discard(number)
        if not self.alive:
            raise self._gone()
        self._process.kill()  # of no use any more; who sees it dead starts another
        self._process.wait()
        raise ConnectionLost(f"the embedded server did not answer within {timeout:g} s and was ended; start another")

    def _await_ready(self, timeout: float) -> None:
        try:
            self.port = self._await(0, timeout)["port"]
        except MinecraftError:
            self.close()
            raise

    def _gone(self) -> ConnectionLost:
        last = "\n".join(self._errors)
        text = "the embedded server has ended; start another (a new environment, or the next reset, does)"
        return ConnectionLost(text + (f"\n{last}" if last else ""))

    def _read_replies(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            reply = json.loads(line)
            number = reply.get("id", 0)
            with self._arrived:
                if number in self._awaited:  # nobody waits any more after Ctrl-C
                    self._replies[number] = reply
                self._arrived.notify_all()
        self._process.wait()
        with self._arrived:
            self._arrived.notify_all()

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        self._errors.extend(line.rstrip() for line in self._process.stderr)


def _spawn(options: dict[str, Any]) -> subprocess.Popen[str]:
    """Start server.js in a session of its own, so that Ctrl-C in a terminal does not reach it."""
    packages = install()
    environment = os.environ | {"NODE_PATH": str(packages / "node_modules"), "NODE_NO_WARNINGS": "1"}
    return subprocess.Popen(
        [node_binary(), str(HERE / "server.js"), json.dumps(options)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,
        start_new_session=True,
    )
