"""Live Minecraft: one bot a row, each on its own plot of one server, reporting into the rows of the batch.

A step is two short calls a bot: `submit`, and `observe` once the ticks have passed (see player.py).
"""

import re
import secrets
from collections.abc import Iterator

import numpy as np

from mc_place_env.backends.player import Player
from mc_place_env.backends.verdict import Parity
from mc_place_env.config import PlaceEnvConfig
from mc_place_env.errors import ConfigError
from mc_place_env.minecraft.client import NodeClient
from mc_place_env.minecraft.errors import ConnectionLost
from mc_place_env.minecraft.server import EmbeddedServer
from mc_place_env.simulation.batch import Batch
from mc_place_env.types import REGION

PLOT = 64  # blocks between the plots of two bots: regions do not touch
FOREIGN_PLOTS = 2048  # lowest x on somebody else's server: away from spawn and its protection
GRACE = 0.2  # seconds that a dying server may take
USERNAME = re.compile(r"[A-Za-z0-9_]{1,16}")


class MinecraftBackend:
    """The bots of one batch. The server is the embedded one, or `server="host:port"` where we must be operator.

    Attributes: `parity` compares the rules' predictions with what happened; `server` is the embedded server, if it
    runs; `players` are the bots by row.
    """

    def __init__(self, config: PlaceEnvConfig, n: int):
        self.parity = Parity()
        self.server: EmbeddedServer | None = None
        self.players: list[Player | None] = [None] * n
        self._config = config
        self._names = usernames(config.username, n)
        self._address = None if config.server == "embedded" else parse_address(config.server)
        self._client = NodeClient()

    @staticmethod
    def connect(config: PlaceEnvConfig, batch: Batch) -> "MinecraftBackend":
        """Starts or dials the server and logs the bots in; raises MinecraftError, ConfigError."""
        backend = MinecraftBackend(config, batch.n)
        try:
            for i in range(batch.n):
                backend._connected(i)
        except BaseException:
            backend.close()
            raise
        return backend

    def reset(self, batch: Batch, which: np.ndarray) -> None:
        """Sets the rows' scenarios up with real blocks, items and teleports; who was lost logs in again."""
        for i in np.flatnonzero(which).tolist():
            try:
                self._connected(i).reset(batch, self.server)
            except ConnectionLost:  # the other side has just ended: once more, on a new connection
                if self.server is not None:
                    self.server.ends_within(GRACE)
                self._connected(i).reset(batch, self.server)

    def advance(self, batch: Batch, which: np.ndarray) -> None:
        """One step of every bot, side by side: all submit, then all are observed."""
        players = list(self._running(which))
        for player in players:
            player.submit(batch)
        for player in players:
            player.observe(batch)

    def close(self) -> None:
        """Logs the bots out and ends the embedded server."""
        for i, player in enumerate(self.players):
            if player is not None:
                player.bot.close()
            self.players[i] = None
        self._close_server()

    def _running(self, which: np.ndarray) -> Iterator[Player]:
        for i in np.flatnonzero(which).tolist():
            player = self.players[i]
            if player is None:
                raise ConnectionLost("this environment is not connected; reset it first")
            yield player

    def _connected(self, i: int) -> Player:
        """The bot of row i, logged in anew if it or its server is gone."""
        host, port = self._address or self._embedded()
        player = self.players[i]
        if player is None or not player.bot.alive:
            bot = self._client.connect(host, port, self._names[i], self._config.version)
            player = self.players[i] = Player(bot, i, self._plot(i), self.parity)
        return player

    def _plot(self, i: int) -> tuple[int, int]:
        """Lowest x and z of a row's plot."""
        first = -(REGION[0] // 2) if self._address is None else FOREIGN_PLOTS
        return first + PLOT * i, -(REGION[2] // 2)

    def _embedded(self) -> tuple[str, int]:
        """Address of the embedded server, started anew if it is gone."""
        if self.server is None or not self.server.alive:
            self.close()
            self.server = EmbeddedServer.start(self._config.version)
        return self.server.host, self.server.port

    def _close_server(self) -> None:
        if self.server is not None:
            self.server.close()
            self.server = None

    def __getstate__(self) -> None:
        raise TypeError("an environment on live Minecraft cannot be pickled or copied; make a new one instead")


def usernames(given: str | None, n: int) -> list[str]:
    """Player names of n bots; ConfigError for what is none."""
    base = f"placer{secrets.token_hex(3)}" if given is None else given
    names = [base] if n == 1 else [f"{base}_{i}" for i in range(n)]
    if not isinstance(base, str) or not USERNAME.fullmatch(names[-1]):
        raise ConfigError(f"username={given!r}: {names[-1]!r} is no Minecraft name (16 letters, digits or underscores)")
    return names


def parse_address(server: str) -> tuple[str, int]:
    """`host:port`; ConfigError otherwise."""
    host, colon, port = server.rpartition(":") if isinstance(server, str) else ("", "", "")
    if not (host and colon and port.isdigit() and 0 < int(port) < 65536):
        raise ConfigError(f"server={server!r}: expected 'embedded' or 'host:port'")
    return host, int(port)
