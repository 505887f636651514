"""The single environment."""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from mc_place_env.config import PlaceEnvConfig
from mc_place_env.envs.actions import make_codec
from mc_place_env.envs.making import make_batch, set_task, task_options
from mc_place_env.envs.spaces import observation, observation_space, shapes
from mc_place_env.simulation import report
from mc_place_env.simulation.batch import Batch
from mc_place_env.simulation.buffers import observed_dtype
from mc_place_env.simulation.facts import FACTS
from mc_place_env.simulation.report import REASON_TEXT, STATUS_TEXT, TERM_TEXT
from mc_place_env.simulation.view import Agent, RowView
from mc_place_env.spatial_map import SpatialMap
from mc_place_env.types import ActionType

STATUS, REASON, REQUEST_ID, TICK, SUCCESS, PENDING, OUTCOMES, CHANGES, TERMINATED, TRUNCATED = range(len(FACTS))


class PlaceEnv(gym.Env):
    """Minecraft's mc-place tool as an environment: ask for a block now, hear ticks later what became of it.

    ## Description
    The agent stands in a voxel world of 33 x 25 x 33 cells. PLACE names an *anchor* (an existing block, as an offset
    right/up/forward of the agent), a *face* of it and an *item*. The request is accepted at once and judged some ticks
    later, by the world, body and inventory of that tick; until then it is in flight. One step is `ticks_per_step`
    ticks of 50 ms. Within a step: decode, submit, then tick by tick the body moves, requests that are due are judged
    in order of submission and reverts happen; then verdicts reach the agent, the spatial map learns, and observation,
    reward and termination are taken.

    ## Action Space
    `Dict`; `action_view=` offers the same as `Tuple`, `MultiDiscrete` or `Discrete` (see envs/actions.py).

    | Key | Space | Meaning |
    |---|---|---|
    | `type` | `Discrete(10)` | 0 WAIT, 1 PLACE, 2-5 MOVE_FORWARD/BACK/LEFT/RIGHT, 6-7 TURN_*, 8 JUMP, 9 SNEAK |
    | `anchor` | `Box(-5, 5, (3,), float32)` | right, up, forward of the agent's cell; rounded half to even |
    | `face` | `Discrete(10)` | UP, DOWN, FORWARD, BACK, LEFT, RIGHT, NORTH, SOUTH, EAST, WEST |
    | `item` | `Discrete(K)` | index into `items` |

    The parameters are read for PLACE only. A MOVE walks to the centre of the neighbour cell (6 ticks from rest) and
    runs on while other actions are taken; a further MOVE or TURN is ignored meanwhile. Wrong keys, shapes or dtypes
    raise ActionError; a bad value in a well-formed action is rejected.

    ## Observation Space
    `Dict`, all in the agent's frame; n = 2 * view_radius + 1, K items, P = max_pending.

    | Key | Shape, dtype | Range | Meaning |
    |---|---|---|---|
    | `voxels` | (n, n, n) uint8 | 0..4+K | cell classes, indexed [right, forward, up] from -r to r |
    | `goal` | (n, n, n) uint8 | 0..4+K | class wanted in a cell, 0 where none is |
    | `inventory` | (K,) float32 | 0..36 | counts in stacks of 64 |
    | `pose` | (9,) float32 | -64..64 | heading sin and cos, offset in the cell right, up, forward (blocks), vertical \
speed (blocks/tick), on_ground, sneaking, moving |
    | `pending` | (P, 7) float32 | -64..64 | valid, destination right, up, forward (cells), face, item, age (ticks) |
    | `last_outcome` | (8,) float32 | -64..64 | valid, placed, failed, reason, destination right, up, forward, item |
    | `spatial_map` | (n, n, n) uint8 | 0..5+K | with `observe=`: 0 unknown, else 1 + class believed |
    | `shapes` | (n, n, n) uint8 | 0..5 | with `observe=`: collision shape, ShapeClass (slabs, layers, fences, doors) |
    | `action_mask` | (width,) int8 | 0..1 | with `observe=`, in the discrete views |

    Classes: 0 empty, 1 replaceable, 2 anchor, 3 intercepts clicks, 4 out of world, 5 + k the block of item k.

    ## Rewards
    Weighted terms, in `info["reward_terms"]`; they sum to the reward. `progress` is potential-based shaping on the
    share of missing goal cells filled by reported verdicts, `approach` on the share of the way gone to the cell to
    stand in (weight 0 in most tasks); `wrong_block`, `failed_request`, `time` (a tick) are penalties; `success` is
    paid once. What a request earns falls when its verdict is reported. Sandbox has no reward.

    ## Starting State
    An instance of the task, drawn from `split` by the seed; `reset(options={"task": {"split", "difficulty",
    "instance", and the parameters of docs/tasks.md}})` chooses, `reset(options={"scenario": {...}})` builds any start
    (see tasks/scenario.py).

    ## Episode End
    1. Termination: the task's goal is reached.
    2. Truncation: `episode_steps` steps. Either way requests not yet judged are reported as `cancelled` in that step.

    ## Information
    The same keys on every step and reset.

    | Key | Meaning |
    |---|---|
    | `status`, `reason` | this step's own action: `none`, `accepted` or `rejected`, and why |
    | `value`, `data` | the tool's one-line text and dict (`None` when nothing was asked) |
    | `outcomes` | one dict a request resolved since the last step: `outcome`, `reason`, `detail`, `cell`, ... |
    | `changes` | later changes to placed blocks: `request_id`, `tick`, `cell`, `from`, `to`, `kind` |
    | `pending` | ids of the requests in flight |
    | `map_updated`, `map_error` | whether the spatial map learned this step; why it could not |
    | `tick` | ticks since reset |
    | `is_success` | goal reached |
    | `reward_terms` | name -> weighted value |

    ## Arguments
    | Parameter | Type | Default | Meaning |
    |---|---|---|---|
    | `backend` | str | `"simulator"` | or `"minecraft"` (live), or a Backend object |
    | `action_view` | str | `"dict"` | or `"tuple"`, `"multi_discrete"`, `"discrete"` |
    | `ticks_per_step` | int | 4 | 1 to 100 |
    | `latency` | int, pair, mapping | `(2, 10)` | ticks to the verdict: config.LatencyModel; not live |
    | `max_pending` | int | 3 | requests in flight, 1 to 32; one more is refused with `queue_full` |
    | `precheck` | str | `"arguments"` | `"world"` also refuses at once what the rules refuse now |
    | `episode_steps` | int | per task | steps until truncation |
    | `view_radius` | int | 4 | 1 to 8 |
    | `items` | list of str | per task | item names, 1 to 64 |
    | `actions` | list of str | per task | offered action types; WAIT always is |
    | `reach` | float | 4.5 | eye to the nearest point of the anchor's cell, blocks |
    | `difficulty`, `split` | float, str | per task, `"train"` | which instances are drawn |
    | `parameters` | mapping | by difficulty | of the task's family: docs/tasks.md |
    | `gamma`, `rewards` | float, mapping | 0.95, per task | discount of the shaping, weights of the terms |
    | `offset_range` | int | 3 | R of the discrete views |
    | `observe` | list of str | none | `"spatial_map"`, `"shapes"`, `"action_mask"` |
    | `keep_spatial_map` | bool | False | the map survives resets |
    | `server`, `version`, `username` | str | `"embedded"`, `"1.20.4"`, generated | live: our server or `host:port` |
    | `render_mode` | str | None | `"rgb_array"`, `"human"`, `"ansi"` |

    ## Version History
    * v0: first release.
    """

    metadata = {"render_modes": ["rgb_array", "human", "ansi"], "render_fps": 5}

    def __init__(self, **options: Any):
        self.config = PlaceEnvConfig.parse(options)
        self.render_mode = self.config.render_mode
        self._batch = make_batch(self.config, 1)
        self._view = RowView(self._batch)
        self._codec = make_codec(self.config, self._batch)
        self.action_space = self._codec.space
        self.observation_space = observation_space(self._batch, self._codec.mask_width)
        self._bind()
        self.spatial_map = SpatialMap(self._batch.palette)
        self._scenes: Any = None
        if self.render_mode is not None:
            from mc_place_env.rendering.env import Scenes

            self._scenes = Scenes(self._view, self.render_mode)

    def _bind(self) -> None:
        """Views into the batch's buffers, made once: a step has no time to make them."""
        batch, side = self._batch, 2 * self.config.view_radius + 1
        self._observed = batch.out.observed
        self._observed_dtype = observed_dtype((), side, len(batch.items), self.config.max_pending)
        self._terms, self._facts = batch.out.terms[0], batch.out.facts.view(np.int32)[: len(FACTS)]
        self._reward, self._view_news = batch.rows["reward"], batch.rows["view_news"]
        self._outcomes = report.request_numbers(batch.rows[0]["outcomes"])
        self._pending = report.request_numbers(batch.rows[0]["pending"])

    def __setstate__(self, state: dict[str, Any]) -> None:
        """An unpickled view is a copy: makes them anew."""
        self.__dict__.update(state)
        self._bind()

    # -- Gymnasium ---------------------------------------------------------------------------------------------------

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begins an episode: on a drawn instance, on `options["task"]`, or on `options["scenario"]`."""
        super().reset(seed=seed)
        instance = task_options(self._batch, options)
        if seed is not None or self._batch.rows["episode"][0] == 0:
            self._batch.seed([int(self.np_random.integers(2**63)) if seed is None else seed])
        self._batch.reset(instance=instance)
        self._batch.out.terms[:] = 0.0
        if not self.config.keep_spatial_map or self._view.origin != self.spatial_map.origin:
            self.spatial_map = SpatialMap(self._batch.palette, self._view.origin)
        info = self._info(self._facts.tolist())
        if self._scenes is not None:
            self._scenes.begin(info)
        return self._observation(), info

    def step(self, action: Any):
        """One decision: decode, step, and say in words what became of it."""
        self._codec.decode_one(action, self._batch.action_parts)
        self._batch.step()
        facts = self._facts.tolist()
        info = self._info(facts)
        if self._scenes is not None:
            self._scenes.add(info)
        return self._observation(), self._reward.item(), facts[TERMINATED] == 1, facts[TRUNCATED] == 1, info

    def render(self) -> Any:
        """A picture (`rgb_array`), a window (`human`) or text (`ansi`) of the scene; None without a render mode."""
        return None if self._scenes is None else self._scenes.render()

    def close(self) -> None:
        """Frees what the backend and the window hold; may be called twice."""
        if self._scenes is not None:
            self._scenes.close()
        self._batch.close()

    # -- for scripts -------------------------------------------------------------------------------------------------

    @property
    def view(self) -> RowView:
        """What scripted experts see."""
        return self._view

    @property
    def items(self) -> tuple[str, ...]:
        """Item names; the index is the action's `item`."""
        return self._batch.items

    @property
    def offered(self) -> tuple[ActionType, ...]:
        """The action types the environment offers."""
        return self._batch.offered

    @property
    def batch(self) -> Batch:
        """The arrays behind the environment: a batch of one."""
        return self._batch

    @property
    def agent(self) -> Agent:
        """Position, yaw, on_ground, sneaking."""
        return self._view.agent

    @property
    def inventory(self) -> dict[str, int]:
        """Counts by item name."""
        return self._view.inventory

    @property
    def backend(self) -> Any:
        """The live backend, or None for the simulator."""
        return self._batch.backend

    def block_at(self, x: int, y: int, z: int) -> str:
        """Name of the block in a cell, on either backend."""
        return self._view.block_at(x, y, z)

    def encode_action(self, action: dict[str, Any]) -> Any:
        """A canonical action in this environment's view."""
        return self._codec.encode_one(action)

    def action_masks(self) -> np.ndarray:
        """What the world as it is allows: joint for `discrete`, marginals for `multi_discrete`."""
        return self._codec.masks(self._batch)[0]

    def set_task(self, **settings: Any) -> None:
        """Takes effect at the next reset: what `reset(options={"task": settings})` takes, but `instance`.

        With `task`, what is not given is as the environment was made (the difficulty of another family: its own);
        without it, what is not given stays as it is. ConfigError names key, value and what was expected.
        """
        set_task(self._batch, settings)

    def get_state(self) -> dict[str, Any]:
        """Plain data from which `set_state` goes on, byte for byte."""
        return self._batch.get_state() | {"map": (self.spatial_map.origin, self.spatial_map.known.copy())}

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on from a saved state of an environment with the same configuration."""
        self._batch.set_state(state)
        origin, known = state["map"]
        self.spatial_map = SpatialMap(self._batch.palette, origin)
        self.spatial_map.known[:] = known

    # -- info --------------------------------------------------------------------------------------------------------

    def _observation(self) -> dict[str, np.ndarray]:
        parts = observation(self._observed.copy(), self._observed_dtype)
        return self._add_optional(parts) if self.config.observe else parts

    def _add_optional(self, parts: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        batch, observe = self._batch, self.config.observe
        if "spatial_map" in observe:
            parts["spatial_map"] = self.spatial_map.believed(batch.rows, batch.shared, self.config.view_radius)
        if "shapes" in observe:
            parts["shapes"] = shapes(batch)[0]
        if "action_mask" in observe:
            parts["action_mask"] = self.action_masks().astype(np.int8)
        return parts

    def _info(self, facts: list[int]) -> dict[str, Any]:
        palette = self._batch.palette
        heard = report.read_requests(self._outcomes[: facts[OUTCOMES]]) if facts[OUTCOMES] else ()
        flying = report.read_requests(self._pending[: facts[PENDING]]) if facts[PENDING] else ()
        text, data = self._response(facts, (*flying, *heard)) if facts[STATUS] else ("", None)
        learned, error = self._learn(heard, flying)
        return {
            "status": STATUS_TEXT[facts[STATUS]],
            "reason": REASON_TEXT[facts[REASON]],
            "value": text,
            "data": data,
            "outcomes": tuple([report.outcome_dict(request, palette) for request in heard]) if heard else (),
            "changes": report.change_dicts(self._batch.rows[0], palette) if facts[CHANGES] else (),
            "pending": tuple([request.id for request in flying]) if flying else (),
            "map_updated": learned,
            "map_error": error,
            "tick": facts[TICK],
            "is_success": facts[SUCCESS] == 1,
            "reward_terms": dict(zip(TERM_TEXT, self._terms.tolist())),
        }

    def _response(self, facts: list[int], requests: tuple[report.Request, ...]) -> tuple[str, dict[str, Any]]:
        """The tool's one-line text and data dict for this step's own action."""
        if facts[STATUS] == report.REJECTED:
            return report.rejected_data(REASON_TEXT[facts[REASON]])
        asked = next(request for request in reversed(requests) if request.id == facts[REQUEST_ID])
        return report.accepted_data(asked, self._batch.palette)

    def _learn(self, heard: Sequence[report.Request], flying: Sequence[report.Request]) -> tuple[bool, str]:
        """Updates the spatial map; a failure is reported, never raised."""
        try:
            for request in heard:
                if request.outcome == report.PLACED:
                    self.spatial_map.record_placement(request.cell, request.state_after)
            self.spatial_map.set_pending({request.id: request.destination for request in flying} if flying else {})
            news = bool(heard) or self._view_news.item() != 0
            return self.spatial_map.observe(self._batch.rows, self.config.view_radius, news), ""
        except Exception as error:
            return False, f"{type(error).__name__}: {error}"
