"""Everything that can go wrong with real Minecraft, as one small tree.

MinecraftError
|-- NodeMissing         no usable Node binary on this machine
|-- InstallFailed       the Node packages could not be installed
|-- ServerUnreachable   dead address, closed port, or nothing there that speaks Minecraft
|-- VersionMismatch     client and server speak different versions, or a version nobody here knows
|-- ConnectionLost      it worked and stopped: kicked, or the server or Node died
`-- SetupRefused        the server does not make the scenario true (no operator rights, too many items, ...)
"""

from mc_place_env.errors import McPlaceError


class MinecraftError(McPlaceError, RuntimeError):
    """Base of all errors of the live backend."""


class NodeMissing(MinecraftError):
    """No usable Node binary on this machine."""


class InstallFailed(MinecraftError):
    """The Node packages could not be installed."""


class ServerUnreachable(MinecraftError):
    """Dead address, closed port, or nothing there that speaks Minecraft."""


class VersionMismatch(MinecraftError):
    """Client and server speak different versions, or a version nobody here knows."""


class ConnectionLost(MinecraftError):
    """It worked and stopped: kicked, or the server or Node died."""


class SetupRefused(MinecraftError):
    """The server does not make the scenario true."""
