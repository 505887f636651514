"""What the package raises for misuse.

McPlaceError
├── ConfigError     a configuration value (also a ValueError)
├── ScenarioError   a scenario or task that cannot be built (also a ValueError)
├── ActionError     an action of the wrong form: keys, shapes, dtypes (also a ValueError)
└── MinecraftError  the live side (mc_place_env.minecraft.errors)
"""


class McPlaceError(Exception):
    """Base of every error this package raises on purpose."""


class ConfigError(McPlaceError, ValueError):
    """A configuration key or value: names the key, the value and what was expected."""


class ScenarioError(McPlaceError, ValueError):
    """A scenario or task instance that cannot be built: names the entry and the reason."""


class ActionError(McPlaceError, ValueError):
    """An action whose keys, shapes or dtypes do not fit the action space."""
