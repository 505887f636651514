"""Codes and records: every closed vocabulary and every array layout of the package, with shapes.

The vocabularies are shared by both backends; text for people is made from the member names, in one place each.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np


class ActionType(IntEnum):
    """What one step asks for. The parameters (anchor, face, item) are read for PLACE only."""

    WAIT = 0
    PLACE = 1
    MOVE_FORWARD = 2
    MOVE_BACK = 3
    MOVE_LEFT = 4
    MOVE_RIGHT = 5
    TURN_LEFT = 6
    TURN_RIGHT = 7
    JUMP = 8
    SNEAK = 9


class Face(IntEnum):
    """Face of the anchor: up/down, four relative to the agent's heading, four absolute."""

    UP = 0
    DOWN = 1
    FORWARD = 2
    BACK = 3
    LEFT = 4
    RIGHT = 5
    NORTH = 6
    SOUTH = 7
    EAST = 8
    WEST = 9


FACE_NAMES = {face.name.lower(): face for face in Face} | {"top": Face.UP, "bottom": Face.DOWN}


class Quadrant(IntEnum):
    """Heading, clockwise from above: floor(yaw / 90 + 0.5) mod 4."""

    SOUTH = 0
    WEST = 1
    NORTH = 2
    EAST = 3


class Status(IntEnum):
    """What became of this step's own action."""

    NONE = 0
    ACCEPTED = 1
    REJECTED = 2


class Outcome(IntEnum):
    """What became of an accepted request. PENDING never leaves the queue."""

    PENDING = 0
    PLACED = 1
    FAILED = 2
    CANCELLED = 3


class Reason(IntEnum):
    """Every way to hear no. 1-10: refused at once. From 11: the verdict on an accepted request."""

    NONE = 0
    INVALID_TYPE = 1
    MISSING_ITEM = 2
    MISSING_POSITION = 3
    MISSING_FACE = 4
    INVALID_FACE = 5
    INVALID_POSITION = 6
    UNKNOWN_ITEM = 7
    QUEUE_FULL = 8
    STATUS_FAILED = 9
    API_FAILED = 10
    UNLOADED = 11
    ANCHOR_MISSING = 12
    ANCHOR_INTERACTS = 13
    OUT_OF_WORLD = 14
    DESTINATION_OCCUPIED = 15
    NO_SUPPORT = 16
    PLACEMENT_OVERLAPS_AGENT = 17
    OUT_OF_REACH = 18
    NO_ITEM = 19
    REFUSED_BY_SERVER = 20
    REVERTED = 21
    TIMEOUT = 22

    @property
    def text(self) -> str:
        """The word for `reason`: details of an invalid placement share one."""
        if self is Reason.NONE:
            return ""
        return "invalid_placement" if self in INVALID_PLACEMENT else self.name.lower()

    @property
    def detail(self) -> str:
        """The word for `detail`: only an invalid placement has one."""
        return self.name.lower() if self in INVALID_PLACEMENT else ""


INVALID_PLACEMENT = frozenset(
    {
        Reason.UNLOADED,
        Reason.ANCHOR_MISSING,
        Reason.ANCHOR_INTERACTS,
        Reason.OUT_OF_WORLD,
        Reason.DESTINATION_OCCUPIED,
        Reason.NO_SUPPORT,
    }
)


class ChangeKind(IntEnum):
    """Why a placed block changed after its verdict."""

    REVERT = 0
    FALL = 1


class CellClass(IntEnum):
    """What a policy sees of a cell. Item k of the environment's list is ITEM + k."""

    EMPTY = 0
    REPLACEABLE = 1
    ANCHOR = 2
    INTERCEPTING = 3
    OUT_OF_WORLD = 4
    ITEM = 5


class ShapeClass(IntEnum):
    """The collision shape of a cell's block, for the optional observation `shapes`: slabs, layers, fences, doors."""

    NONE = 0
    LOWER = 1  # from the floor of the cell, not to its top
    UPPER = 2  # from above the floor to the top
    FULL = 3
    TALL = 4  # reaches into the cell above
    OTHER = 5


class SuccessKind(IntEnum):
    """When a task is solved: never (Sandbox), every goal cell holds its block, or the agent stands in a cell."""

    NEVER = 0
    GOAL_CELLS = 1
    STAND_AT = 2


class Special(IntEnum):
    """Support rules that ask about more than one neighbour."""

    NONE = 0
    CACTUS = 1  # nothing solid beside it, no fluid above
    SUGAR_CANE = 2  # water beside the block below, unless that is cane
    IN_WATER = 3  # its own cell held a water source
    NOT_IN_FLUID = 4  # its own cell held none


class RewardTerm(IntEnum):
    """Columns of `reward_terms`; `simulation/rewards.py` has one function for each."""

    PROGRESS = 0
    WRONG_BLOCK = 1
    FAILED_REQUEST = 2
    TIME = 3
    SUCCESS = 4
    APPROACH = 5


MAX_ITEMS = 64
MAX_PENDING = 32
MAX_STATES = 255  # palette entries
MAX_BOXES = 16  # collision boxes of one block state (hoppers and cauldrons have most)
MAX_EVENTS = 64  # reverts (and later falls) under way
MAX_GOALS = 1024  # cells a goal may have
MAX_UNDO = 512  # written cells remembered; beyond it a reset copies the whole template
SOLID_BIT, WATER_BIT = 1 << 18, 1 << 28  # of `offers`, for compiled rules: see rules/support.py
MAX_CANDIDATES = 6  # states an item may become on one face
LATENCY_TABLE = 1024
MAX_LATENCIES = 8  # latency models that episodes under way may still use
MAX_TEMPLATES = 8  # floors, one a task family
MAX_NUMBERS = 1024  # of the observation's vector
MAX_FACTS = 1152  # of a step

# The region: 33 x 25 x 33 cells around the start cell, and a margin of 4 so that the default view needs no bounds test.
REGION = (33, 25, 33)  # x, y, z
MARGIN = 4
SIZE_X, SIZE_Y, SIZE_Z = (n + 2 * MARGIN for n in REGION)
CELLS = SIZE_X * SIZE_Y * SIZE_Z

_INT, _FLOAT = np.int64, np.float64

REQUEST = np.dtype(
    [
        ("id", _INT),  # from 1 within an episode
        ("item", _INT),
        ("face", _INT),  # absolute: UP, DOWN, NORTH, SOUTH, EAST, WEST
        ("anchor", _INT, (3,)),
        ("destination", _INT, (3,)),
        ("cell", _INT, (3,)),  # where the block was put; read only if outcome is PLACED
        ("submitted_tick", _INT),
        ("submitted_step", _INT),
        ("resolved_tick", _INT),  # due tick until judged
        ("reported_tick", _INT),
        ("reported_step", _INT),
        ("outcome", _INT),
        ("reason", _INT),
        ("state_before", _INT),  # palette id in `cell` before and after
        ("state_after", _INT),
    ],
    align=True,
)

EVENT = np.dtype(
    [
        ("tick", _INT),
        ("kind", _INT),
        ("request_id", _INT),
        ("cell", _INT, (3,)),
        ("state_from", _INT),  # palette id in `cell` before and after
        ("state_to", _INT),
        ("item", _INT),
        ("rest", _INT, (3,)),  # FALL: where it came to rest; read only if `landed`
        ("landed", _INT),
    ],
    align=True,
)

# The world of a row and a floor to begin with alike: y innermost, then z, then x.
WORLD = [
    ("blocks", np.uint8, (CELLS,)),  # palette ids
    ("seen", np.uint8, (CELLS,)),  # their cell classes
    ("open", _INT, (SIZE_X * SIZE_Z,)),  # bit y of a column: something could be put into the cell
    ("solid", _INT, (SIZE_X * SIZE_Z,)),  # bit y of a column: something that can be clicked or bumped into
]
TEMPLATE = np.dtype(WORLD, align=True)

# A block or goal cell of an instance: index into `blocks`; palette id, or the class the goal asks for.
PLACED_CELL = np.dtype([("cell", np.int32), ("state", np.int32)], align=True)

# One environment. Everything a step reads or writes, so that a helper takes one pointer. What every step touches comes
# first and close together: with hundreds of rows a step's time is that of the memory it asks for.
ROW = np.dtype(
    [
        ("seed", np.uint64),
        ("episode", _INT),  # episodes begun since the seed was set
        ("key", np.uint64),  # of this episode's random numbers
        ("tick", _INT),
        ("step", _INT),
        ("origin", _INT, (3,)),  # lowest region cell
        ("position", _FLOAT, (3,)),  # middle of the feet, blocks
        ("velocity", _FLOAT, (3,)),  # blocks/tick
        ("yaw", _FLOAT),  # degrees, 0 south, clockwise from above
        ("on_ground", _INT),
        ("sneaking", _INT),
        ("collided", _INT),  # horizontally, in the last tick
        ("jump_asked", _INT),
        ("at_rest", _INT),  # nothing moves the agent until something is asked or a block changes
        ("moving", _INT),
        ("retreating", _INT),  # the move was blocked and goes back to its own cell
        ("move_axis", _INT),  # 0 x, 2 z
        ("move_sign", _INT),
        ("move_target", _FLOAT),  # coordinate on move_axis
        ("accepted", _INT),  # requests accepted this episode = last id
        ("status", _INT),
        ("reason", _INT),
        ("pending_count", _INT),
        ("outcome_count", _INT),
        ("event_count", _INT),
        ("change_count", _INT),
        ("undo_count", _INT),
        ("instance", _INT),
        ("template", _INT),  # whose floor the world stands on
        ("episode_steps", _INT),
        ("latency", _INT),  # of `latencies`, fixed at reset
        ("success_kind", _INT),
        ("stand_at", _INT, (3,)),
        ("goal_total", _INT),
        ("goal_matched", _INT),  # goal cells that hold their block now
        ("goal_at_reset", _INT),
        ("credited", _INT),  # goal cells matched by reported verdicts
        ("potential", _FLOAT),  # of `progress`
        ("distance_at_reset", _INT),  # to `stand_at`, cells along the axes; 0 where nothing is to be reached
        ("nearness", _FLOAT),  # potential of `approach`
        ("reward_terms", _FLOAT, (len(RewardTerm),)),
        ("reward", _FLOAT),
        ("terminated", _INT),
        ("truncated", _INT),
        ("success", _INT),
        ("needs_reset", _INT),  # the episode ended and no new one has begun
        ("shown_at", _INT),  # address of the observation written last ...
        ("shown_pose", _INT, (4,)),  # ... and where the agent saw it from: observe.pose_of
        ("blocks_changed", _INT),  # since then
        ("goal_changed", _INT),
        ("view_news", _INT),  # whether this step changed the cube of blocks
        ("column", np.uint8, (64,)),  # scratch of observe.write_voxels_beyond
        ("inventory", _INT, (MAX_ITEMS,)),
        ("last_outcome", REQUEST),
        ("pending", REQUEST, (MAX_PENDING,)),  # in order of submission
        ("outcomes", REQUEST, (MAX_PENDING + 1,)),  # reported in this step
        ("events", EVENT, (MAX_EVENTS,)),
        ("changes", EVENT, (MAX_EVENTS,)),  # happened in this step
        ("numbers", np.float32, (MAX_NUMBERS,)),  # of the observation: see observe.number_dtype
        ("facts", np.int32, (MAX_FACTS,)),  # of the step: see facts.fact_dtype
        ("undo", np.int32, (MAX_UNDO,)),
        ("goals", PLACED_CELL, (MAX_GOALS,)),
        ("wanted", np.uint8, (CELLS,)),  # class the goal asks for in a cell, 0: none
        *WORLD,
    ],
    align=True,
)

LATENCY = np.dtype(
    [
        ("entry_count", _INT),
        ("entry_ticks", _INT, (LATENCY_TABLE,)),  # equally likely latencies until the verdict
        ("response_count", _INT),
        ("response_ticks", _INT, (LATENCY_TABLE,)),  # from the verdict to its report
        ("revert_probability", _FLOAT),
        ("revert_count", _INT),
        ("revert_ticks", _INT, (LATENCY_TABLE,)),
    ],
    align=True,
)

# What all rows share: the configuration and one record of properties per palette entry, as columns.
SHARED = np.dtype(
    [
        ("ticks_per_step", _INT),
        ("max_pending", _INT),
        ("view_radius", _INT),
        ("n_items", _INT),
        ("precheck_world", _INT),
        ("reach", _FLOAT),
        ("gamma", _FLOAT),
        ("offset_range", _INT),  # of the discrete action views
        ("min_y", _INT),
        ("max_y", _INT),
        ("actions", np.uint8, (len(ActionType),)),  # offered by the task
        ("latency", _INT),  # of the episodes that begin now
        ("latencies", LATENCY, (MAX_LATENCIES,)),
        ("reward_weights", _FLOAT, (MAX_TEMPLATES, len(RewardTerm))),
        ("first_instance", _INT),
        ("instance_count", _INT),
        ("palette_size", _INT),
        ("kind", _INT, (256,)),  # block name as a number: equal for states of one block
        ("cell_class", np.uint8, (256,)),
        ("shape_class", np.uint8, (256,)),
        ("anchorable", np.uint8, (256,)),  # neither air nor fluid nor void
        ("open", np.uint8, (256,)),  # replaceable, or the same item stacks on it
        ("solid", np.uint8, (256,)),  # anchorable, or with a collision box
        ("intercepts", np.uint8, (256,)),
        ("replaceable", np.uint8, (256,)),
        ("partner", _INT, (256,)),  # of a two-cell plant: +1 above, -1 below, 0 none
        ("fluid", np.uint8, (256,)),
        ("offers", _INT, (256,)),  # to neighbours: bits of rules/support.py
        ("needs", _INT, (256,)),  # one of these bits, from the neighbour ...
        ("needs_from", _INT, (256,)),  # ... across this face
        ("special", _INT, (256,)),  # Special
        ("second_face", _INT, (256,)),  # where the other half of a two-cell block is, -1: none
        ("second_state", np.uint8, (256,)),  # palette id of the half that comes with this one
        ("stacked", np.uint8, (256,)),  # palette id after the same item again, 0: does not stack
        ("stack_faces", _INT, (256,)),  # faces that stack when the block itself is clicked, as bits by Face
        ("stack_sneaking", np.uint8, (256,)),  # whether it stacks while sneaking
        ("waterlogged", np.uint8, (256,)),  # palette id when its cell held a water source, 0: the same
        ("falls", np.uint8, (256,)),
        ("lava", _INT),  # kind of lava, -1 where there is none
        ("box_count", _INT, (256,)),
        ("boxes", _FLOAT, (256, MAX_BOXES, 6)),  # x0 y0 z0 x1 y1 z1, blocks
        ("overhang", _FLOAT),  # how far boxes reach above their cell: fences, walls and gates do
        # what an item may become, by item, absolute face, heading; tried in order, 0 ends the list
        ("candidates", np.uint8, (MAX_ITEMS, len(Face), len(Quadrant), MAX_CANDIDATES)),
        ("templates", TEMPLATE, (MAX_TEMPLATES,)),
    ],
    align=True,
)

# Task instances: `cells[first : first + count]` are an instance's blocks, the goals likewise.
INSTANCE = np.dtype(
    [
        ("origin", _INT, (3,)),
        ("position", _FLOAT, (3,)),
        ("yaw", _FLOAT),
        ("template", _INT),
        ("episode_steps", _INT),
        ("bare", _INT),  # air where it says nothing, instead of the template
        ("inventory", _INT, (MAX_ITEMS,)),
        ("success_kind", _INT),
        ("stand_at", _INT, (3,)),
        ("first_block", _INT),
        ("block_count", _INT),
        ("first_goal", _INT),
        ("goal_count", _INT),
    ],
    align=True,
)


class Autoreset(IntEnum):
    """When an ended episode begins anew (Gymnasium's AutoresetMode): by the user, in the next step, in the same."""

    DISABLED = 0
    NEXT_STEP = 1
    SAME_STEP = 2


class Table(NamedTuple):
    """Task instances as the kernel reads them: `rows` point into `blocks` and `goals`."""

    rows: np.ndarray  # INSTANCE (n,)
    blocks: np.ndarray  # PLACED_CELL: cell index, palette id
    goals: np.ndarray  # PLACED_CELL: cell index, goal class


ACTION = np.dtype(
    [("type", _INT), ("anchor", _FLOAT, (3,)), ("face", _INT), ("item", _INT)],
    align=True,
)


class ActionParts(NamedTuple):
    """Where actions are decoded to: ACTION (n,), and views of its parts, made once."""

    records: np.ndarray
    type: np.ndarray
    anchor: np.ndarray
    face: np.ndarray
    item: np.ndarray


def action_parts(records: np.ndarray) -> ActionParts:
    """For ACTION (n,)."""
    return ActionParts(records, *(records[name] for name in ACTION.names or ()))


Cell = tuple[int, int, int]  # x, y, z
AIR, UNLOADED, VOID = 0, 1, 2  # fixed palette ids: air, beyond the region, beyond the height limits
