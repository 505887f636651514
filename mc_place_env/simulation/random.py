"""Counter-based random numbers: a draw is a function of (key, counter, stream), so that order does not matter.

The mixer is the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
"""

import numpy as np

from mc_place_env.jit import jit, scalar

STREAM_INSTANCE, STREAM_ENTRY, STREAM_RESPONSE, STREAM_REVERT, STREAM_REVERT_TICKS = range(5)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@scalar
def mix(value):
    """Scrambles 64 bits."""
    value = (value ^ (value >> _30)) * _MIX_1
    value = (value ^ (value >> _27)) * _MIX_2
    return value ^ (value >> _31)


@jit
def episode_key(seed, episode):
    """The key of an episode's draws."""
    return mix(mix(seed + _GOLDEN) + np.uint64(episode) * _GOLDEN)


@jit
def uniform(key, counter, stream):
    """A float in [0, 1)."""
    bits = mix(key + (np.uint64(counter) * np.uint64(8) + np.uint64(stream)) * _GOLDEN)
    return np.float64(bits >> _11) * (1.0 / 9007199254740992.0)


@jit
def draw_index(key, counter, stream, count):
    """An integer in [0, count)."""
    return int(uniform(key, counter, stream) * count)
