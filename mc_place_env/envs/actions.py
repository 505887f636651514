"""The canonical action and its views for stock algorithms: spaces, decoding, and exact inverses.

| view | space | offered faces | offsets |
|---|---|---|---|
| `dict` (canonical) | Dict(type, anchor, face, item) | all ten | floats |
| `tuple` | Tuple(type, anchor, face, item) | all ten | floats |
| `multi_discrete` | MultiDiscrete([types, n, n, n, 6, K]) | six relative | -R..R, n = 2R+1 |
| `discrete` | Discrete(other types + n^3 * 6 * K) | six relative | -R..R |

The discrete views count only the action types the environment offers, in the order of ActionType.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from mc_place_env.config import PlaceEnvConfig
from mc_place_env.errors import ActionError, ConfigError
from mc_place_env.simulation.batch import Batch
from mc_place_env.simulation.decode import decode_index, decode_parts
from mc_place_env.simulation.masks import joint_masks, marginal_masks
from mc_place_env.types import ACTION, ActionParts, ActionType

KEYS = ("type", "anchor", "face", "item")
KEY_SET = frozenset(KEYS)
INTEGERS = frozenset({int, *(np.dtype(code).type for code in np.typecodes["AllInteger"])})
N_FACES = 10
N_RELATIVE_FACES = 6
ANCHOR_LIMIT = 5.0


class DictAction:
    """The canonical view."""

    name = "dict"
    mask_width = 0  # entries of an action mask; 0 where the view has none

    def __init__(self, offered: Sequence[ActionType], n_items: int, offset_range: int):
        self.n_items = n_items
        self.space: spaces.Space = spaces.Dict(self._parts())

    def _parts(self) -> dict[str, spaces.Space]:
        return {
            "type": spaces.Discrete(len(ActionType)),
            "anchor": spaces.Box(-ANCHOR_LIMIT, ANCHOR_LIMIT, (3,), np.float32),
            "face": spaces.Discrete(N_FACES),
            "item": spaces.Discrete(self.n_items),
        }

    def decode(self, actions: Any, out: ActionParts) -> None:
        """Writes a batch of actions (each part with a leading axis n) into ACTION (n,)."""
        self._check_keys(actions)
        for key, column in zip(KEYS, out[1:], strict=True):
            column[:] = self._part(key, actions[key], column.shape)

    def _check_keys(self, actions: Any) -> None:
        if not isinstance(actions, dict) or actions.keys() != KEY_SET:
            found = list(actions) if isinstance(actions, dict) else type(actions).__name__
            raise ActionError(f"action: expected a dict with the keys {', '.join(KEYS)}, got {found}")

    def _part(self, key: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
        kinds = "fiu" if key == "anchor" else "iu"
        array = value if type(value) is np.ndarray else as_array(value)
        if array.dtype.kind not in kinds or array.shape != shape:
            expected = "numbers" if key == "anchor" else "integers"
            raise ActionError(
                f"action[{key!r}]: expected {expected} of shape {shape}, got {array.dtype} of shape {array.shape}"
            )
        return array

    def decode_one(self, action: Any, out: ActionParts) -> None:
        """Writes a single environment's action into ACTION (1,)."""
        self._check_keys(action)
        anchor = action["anchor"]
        if type(anchor) is not np.ndarray or anchor.shape != (3,) or anchor.dtype.kind != "f":
            anchor = self._part("anchor", anchor, (3,))
        for key, column in (("type", out.type), ("face", out.face), ("item", out.item)):
            value = action[key]
            column[0] = value if type(value) in INTEGERS else self._part(key, value, ())
        out.anchor[0] = anchor

    def encode(self, actions: np.ndarray) -> Any:
        """The inverse of `decode`: ACTION (n,) -> a batch of this view."""
        return {
            "type": actions["type"].copy(),
            "anchor": actions["anchor"].astype(np.float32),
            "face": actions["face"].copy(),
            "item": actions["item"].copy(),
        }

    def encode_one(self, action: dict[str, Any]) -> Any:
        """A canonical action in this view."""
        packed = np.zeros(1, ACTION)
        for key in KEYS:
            packed[key][0] = action[key]
        return self._first(self.encode(packed))

    def masks(self, batch: Batch) -> np.ndarray:
        """Which actions the world as it is allows: bool (n, width); ActionError in a view that has no masks."""
        raise ActionError(f"action_view={self.name!r} has no action masks; use 'discrete' or 'multi_discrete'")

    def _first(self, batch: Any) -> Any:
        return {key: value[0] for key, value in batch.items()}


class TupleAction(DictAction):
    """The canonical parts as a tuple, as the hybrid-action literature has them."""

    name = "tuple"

    def __init__(self, offered: Sequence[ActionType], n_items: int, offset_range: int):
        self.n_items = n_items
        self.space = spaces.Tuple(tuple(self._parts().values()))

    def decode(self, actions: Any, out: ActionParts) -> None:
        """Writes a batch of tuples into ACTION (n,)."""
        super().decode(self._by_key(actions), out)

    def _by_key(self, action: Any) -> dict[str, Any]:
        if not isinstance(action, (tuple, list)) or len(action) != len(KEYS):
            found = f"{len(action)} parts" if isinstance(action, (tuple, list)) else type(action).__name__
            raise ActionError(f"action: expected a tuple of {', '.join(KEYS)}, got {found}")
        return dict(zip(KEYS, action, strict=True))

    def decode_one(self, action: Any, out: ActionParts) -> None:
        """Writes a single environment's action into ACTION (1,)."""
        super().decode_one(self._by_key(action), out)

    def encode(self, actions: np.ndarray) -> Any:
        """ACTION (n,) -> a tuple of arrays."""
        return tuple(super().encode(actions).values())

    def _first(self, batch: Any) -> Any:
        return tuple(value[0] for value in batch)


class MultiDiscreteAction(DictAction):
    """[type, right, up, forward, face, item] as small integers, for SB3's PPO."""

    name = "multi_discrete"

    def __init__(self, offered: Sequence[ActionType], n_items: int, offset_range: int):
        self.types = np.array(offered)
        self.offset_range, self.n_items = offset_range, n_items
        side = 2 * offset_range + 1
        self.nvec = np.array([len(offered), side, side, side, N_RELATIVE_FACES, n_items])
        self.space = spaces.MultiDiscrete(self.nvec)
        self.mask_width = int(self.nvec.sum())

    def decode(self, actions: Any, out: ActionParts) -> None:
        """Writes a batch (n, 6) of integers into ACTION (n,). An index beyond the space is rejected by the rules."""
        array = as_array(actions)
        if array.dtype.kind not in "iu" or array.shape != (len(out.records), 6):
            raise ActionError(f"action: expected integers of shape {(6,)}, got {array.dtype} of {array.shape[1:]}")
        parts = np.ascontiguousarray(array, np.int64)
        decode_parts(parts, self.types, self.offset_range, N_RELATIVE_FACES, out.records)

    def decode_one(self, action: Any, out: ActionParts) -> None:
        """Writes a single environment's action into ACTION (1,)."""
        self.decode(as_array(action)[None], out)

    def encode(self, actions: np.ndarray) -> Any:
        """ACTION (n,) -> integers (n, 6); ActionError for what this view has no number for."""
        check_encodable(self, actions, self.types)
        parts = [np.searchsorted(self.types, actions["type"])]
        parts += list((np.round(actions["anchor"]).astype(np.int64) + self.offset_range).T)
        return np.stack([*parts, actions["face"], actions["item"]], axis=1)

    def masks(self, batch: Batch) -> np.ndarray:
        """The marginals of the joint mask, concatenated: an outer bound."""
        mask = np.zeros((batch.n, self.mask_width), np.bool_)
        marginal_masks(batch.rows, batch.shared, self.types, mask)
        return mask

    def _first(self, batch: Any) -> Any:
        return batch[0]


class DiscreteAction(DictAction):
    """One joint index: the offered types but PLACE, then every PLACE by anchor, face, item (item fastest)."""

    name = "discrete"

    def __init__(self, offered: Sequence[ActionType], n_items: int, offset_range: int):
        self.others = np.array([a for a in offered if a != ActionType.PLACE])
        self.places = ActionType.PLACE in offered
        self.offset_range, self.n_items = offset_range, n_items
        side = 2 * offset_range + 1
        self.shape = (side, side, side, N_RELATIVE_FACES, n_items)
        self.size = len(self.others) + (int(np.prod(self.shape)) if self.places else 0)
        self.space = spaces.Discrete(self.size)
        self.mask_width = self.size

    def decode(self, actions: Any, out: ActionParts) -> None:
        """Writes a batch (n,) of indices into ACTION (n,)."""
        array = as_array(actions)
        if array.dtype.kind not in "iu" or array.shape != (len(out.records),):
            raise ActionError(f"action: expected an integer, got {array.dtype} of shape {array.shape[1:]}")
        index, faces = np.ascontiguousarray(array, np.int64), N_RELATIVE_FACES
        decode_index(index, self.others, self.offset_range, faces, self.n_items, self.places, out.records)

    def decode_one(self, action: Any, out: ActionParts) -> None:
        """Writes a single environment's action into ACTION (1,)."""
        self.decode(as_array(action)[None], out)

    def encode(self, actions: np.ndarray) -> Any:
        """ACTION (n,) -> indices (n,); ActionError for what this view has no number for.

        Parameters of actions other than PLACE are not kept: nothing reads them.
        """
        check_encodable(self, actions, (*self.others, ActionType.PLACE) if self.places else self.others)
        is_place = actions["type"] == ActionType.PLACE
        offsets = (np.round(actions["anchor"]).astype(np.int64) + self.offset_range).T
        parts = (*offsets, actions["face"], actions["item"])
        index = np.ravel_multi_index(tuple(np.where(is_place, part, 0) for part in parts), self.shape)
        return np.where(is_place, len(self.others) + index, np.searchsorted(self.others, actions["type"]))

    def masks(self, batch: Batch) -> np.ndarray:
        """The exact joint mask."""
        mask = np.zeros((batch.n, self.mask_width), np.bool_)
        joint_masks(batch.rows, batch.shared, self.others, mask)
        return mask

    def _first(self, batch: Any) -> Any:
        return int(batch[0])


def as_array(value: Any) -> np.ndarray:
    """The value as an array; a list of uneven lists becomes one of objects, which no view takes."""
    try:
        return np.asarray(value)
    except ValueError:
        return np.empty(len(value), object)


def check_encodable(view: "MultiDiscreteAction | DiscreteAction", actions: np.ndarray, types: Any) -> None:
    """ActionError naming the first part of an action that a view of whole numbers cannot express."""
    place = actions["type"] == ActionType.PLACE
    r, anchors = view.offset_range, np.round(actions["anchor"])
    for bad, part, expected in (
        (~np.isin(actions["type"], types), "type", ", ".join(ActionType(t).name for t in types)),
        (place & (np.abs(anchors) > r).any(axis=1), "anchor", f"offsets from {-r} to {r} (offset_range)"),
        (place & ~np.isin(actions["face"], range(N_RELATIVE_FACES)), "face", "the relative faces UP to RIGHT"),
        (place & ~np.isin(actions["item"], range(view.n_items)), "item", f"an index below {view.n_items}"),
    ):
        if bad.any():
            value = actions[part][bad][0]
            name = ActionType(value).name if part == "type" and value in list(ActionType) else value.tolist()
            raise ActionError(f"action[{part!r}]={name}: action_view={view.name!r} offers {expected}")


def make_codec(config: PlaceEnvConfig, batch: Batch) -> DictAction:
    """The configured view; ConfigError if its masks are to be observed and it has none."""
    codec = VIEWS[config.action_view](batch.offered, len(batch.items), config.offset_range)
    if "action_mask" in config.observe and codec.mask_width == 0:
        raise ConfigError(f"observe='action_mask': action_view={config.action_view!r} has no masks")
    return codec


VIEWS = {view.name: view for view in (DictAction, TupleAction, MultiDiscreteAction, DiscreteAction)}
