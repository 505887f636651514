"""The one Node process that the PyPI package `javascript` hosts for this Python process, and calls into it.

Everything that must be known of that package's inside is in this file:
* importing it starts Node, so it is imported on the first use;
* a call that times out, or is interrupted, and is answered later breaks it: all our calls return at once, Ctrl-C waits
  for the end of the running call, and a Node that does not answer is killed;
* it does not notice a dead Node, and cannot start another: we look before each call, and reset its state.
"""

import atexit
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mc_place_env.minecraft.errors import ConnectionLost, MinecraftError
from mc_place_env.minecraft.node import install, node_binary

BRIDGE = Path(__file__).with_name("bridge.js")
CALL_TIMEOUT = 2.5  # seconds; a call takes a tenth of a millisecond
LOAD_TIMEOUT = 20.0  # seconds, for reading mineflayer from a cold disk
DIED = "the Node process of the bots has ended; connect again (the next reset does)"


class Bridge:
    """Starts Node when needed, calls `call` of bridge.js, and notices when Node is gone."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._call: Any = None
        self.generation = 0  # which Node: bots of an earlier one are gone

    @property
    def alive(self) -> bool:
        """Whether Node runs and bridge.js is loaded."""
        return self._call is not None and _node_runs()

    @property
    def pid(self) -> int:
        """Process id of Node; 0 if there is none."""
        return _connection().proc.pid if self.alive else 0

    def start(self) -> int:
        """Make sure that a Node runs; returns its generation."""
        if self.alive:
            return self.generation
        packages, binary = install(), node_binary()  # may take long: Ctrl-C is welcome here
        with interrupts_deferred(), self._lock:
            if not self.alive:
                self._call = _load_bridge(binary)
                self.generation += 1
                self.call("load", timeout=LOAD_TIMEOUT, folder=str(packages))
        return self.generation

    def call(self, name: str, timeout: float = CALL_TIMEOUT, **values: Any) -> dict[str, Any]:
        """Call one function of bridge.js; raises ConnectionLost if Node is gone or hangs."""
        text = json.dumps(values, allow_nan=False)
        with interrupts_deferred(), self._lock:
            if not self.alive:
                raise ConnectionLost(DIED)
            try:
                reply = json.loads(self._call(name, text, timeout=timeout))
            except Exception as error:
                self.kill()
                raise ConnectionLost(f"{DIED}; it gave no answer to {name!r}") from error
        if "error" in reply:
            raise MinecraftError(f"{name} failed inside Node: {reply['error']}")
        return reply

    def kill(self) -> None:
        """End Node at once; the server sees the bots leave."""
        if self._call is None:
            return
        self._call = None
        _connection().proc.kill()
        _bury(_connection())

    def forget(self) -> None:
        """In a forked child: the parent's Node is not ours."""
        self.__init__()  # type: ignore[misc]  # a lock may be held by a thread that does not exist here
        if "javascript" in sys.modules:
            _disown(sys.modules["javascript"])


def _connection() -> Any:
    return sys.modules["javascript.connection"]


def _node_runs() -> bool:
    process = _connection().proc
    return process is not None and process.poll() is None


def _bury(connection: Any) -> None:
    """Wait for a dying Node and close its pipes."""
    connection.proc.wait()
    connection.com_thread.join(CALL_TIMEOUT)  # it reads until the pipe ends
    for pipe in (connection.proc.stdin, connection.proc.stdout, connection.proc.stderr):
        try:
            if pipe:
                pipe.close()
        except OSError:  # what was not yet written cannot be
            pass


def _load_bridge(binary: str) -> Any:
    """Start a Node and load bridge.js; returns the callable `call`."""
    with _environment(NODE_BIN=binary, NODE_NO_WARNINGS="1"), _plain_stdout():
        if "javascript" not in sys.modules:
            import javascript
        else:
            import javascript

            if not _node_runs():
                _reset(javascript, binary)
    loop = javascript.config.event_loop
    atexit.unregister(loop.on_exit)  # waits 0.4 s for callbacks that we do not use
    threading.Thread(target=_watch, args=(loop, _connection().com_thread), daemon=True).start()
    return javascript.config.global_jsi._require(str(BRIDGE), timeout=LOAD_TIMEOUT).call


def _watch(loop: Any, reader: threading.Thread) -> None:
    """Answer the running call with an error once Node is gone, instead of letting it wait for its timeout."""
    reader.join()  # the thread that reads Node's answers ends with Node
    for number, (arrived, _) in list(loop.requests.items()):
        loop.responses[number] = {"r": number, "error": "Node has ended"}, threading.Barrier(1)
        arrived.set()


def _reset(javascript: Any, binary: str) -> None:
    """Make the package start over after its Node died: end its loop, forget its queues, start again."""
    connection = _connection()
    old = javascript.config.event_loop
    if old is not None:
        old.active = False
        old.queue.put("exit")
        atexit.unregister(old.on_exit)
    if connection.proc is not None:
        _bury(connection)
    connection.sendQ.clear()
    connection.com_items = []
    connection.NODE_BIN = binary
    javascript.config.event_loop = None
    javascript.init()


def _disown(javascript: Any) -> None:
    """In a forked child: let go of the parent's pipes and make the package believe that it never had a Node."""
    connection = _connection()
    null = os.open(os.devnull, os.O_RDWR)
    for pipe in (connection.proc.stdin, connection.proc.stderr):
        os.dup2(null, pipe.fileno())  # not closed: the number may be taken again before the object is collected
    os.close(null)
    _inherited.append(connection.proc)  # neither waited for nor collected: it is not ours
    connection.proc = None
    if loop := javascript.config.event_loop:
        atexit.unregister(loop.on_exit)
        javascript.config.event_loop = None


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Set environment variables for a moment; the package also leaves FORCE_COLOR behind."""
    before = {name: os.environ.get(name) for name in (*values, "FORCE_COLOR")}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _plain_stdout() -> Iterator[None]:
    """The package takes a captured stdout for a notebook and starts a thread that prints to it."""
    captured = sys.stdout
    sys.stdout = sys.__stdout__ or captured
    try:
        yield
    finally:
        sys.stdout = captured


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Let Ctrl-C wait until the block has ended (main thread; elsewhere it does not arrive anyway)."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    caught: list[tuple[int, Any]] = []
    signal.signal(signal.SIGINT, lambda number, frame: caught.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if caught and callable(before):
            before(*caught[0])
        elif caught and before == signal.SIG_DFL:
            signal.raise_signal(signal.SIGINT)


_inherited: list[Any] = []
bridge = Bridge()
atexit.register(bridge.kill)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=bridge.forget)
