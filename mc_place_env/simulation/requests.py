"""The life of a request: submitted, accepted, in flight, judged, reported; and what happens to its block later."""

import math

from mc_place_env.jit import jit, scalar
from mc_place_env.rules.geometry import (
    absolute_face,
    cell_index,
    cell_of,
    face_x,
    face_y,
    face_z,
    quadrant_of,
    world_x,
    world_z,
)
from mc_place_env.rules.placement import check_placement, resulting_state, takes_anchor_cell
from mc_place_env.rules.world import block_at, clear_partner, write_block
from mc_place_env.simulation.random import (
    STREAM_ENTRY,
    STREAM_RESPONSE,
    STREAM_REVERT,
    STREAM_REVERT_TICKS,
    draw_index,
    uniform,
)
from mc_place_env.types import (
    AIR,
    MAX_EVENTS,
    ActionType,
    ChangeKind,
    Face,
    Outcome,
    Reason,
    Status,
)

FALL_DELAY = 2  # ticks until an unsupported block begins to fall (RULES, Gravity: K)
FAR_AWAY = 1e6  # offsets beyond are equally out of reach; keeps the cell arithmetic in range


@jit
def check_action(row, shared, action):
    """Whether the values of a well-formed action mean something -> Reason."""
    if action.type < 0 or action.type > ActionType.SNEAK or not shared.actions[action.type]:
        return Reason.INVALID_TYPE
    if action.type != ActionType.PLACE:
        return Reason.NONE
    if action.item < 0 or action.item >= shared.n_items:
        return Reason.UNKNOWN_ITEM
    for axis in range(3):
        if not math.isfinite(action.anchor[axis]):
            return Reason.INVALID_POSITION
    if action.face < 0 or action.face > Face.WEST:
        return Reason.INVALID_FACE
    if row.pending_count >= shared.max_pending:
        return Reason.QUEUE_FULL
    return Reason.NONE


@scalar
def round_offset(value):
    """Nearest cell, half to even."""
    return int(round(min(max(value, -FAR_AWAY), FAR_AWAY)))


@jit
def submit(row, shared, action):
    """Accepts or refuses a PLACE; an accepted request enters the queue with anchor and absolute face fixed."""
    quadrant = quadrant_of(row.yaw)
    right, up, forward = (
        round_offset(action.anchor[0]),
        round_offset(action.anchor[1]),
        round_offset(action.anchor[2]),
    )
    x = cell_of(row.position[0]) + world_x(quadrant, right, forward)
    y = cell_of(row.position[1]) + up
    z = cell_of(row.position[2]) + world_z(quadrant, right, forward)
    face = absolute_face(action.face, quadrant)
    if shared.precheck_world:
        reason = check_placement(row, shared, x, y, z, face, action.item)
        if reason != Reason.NONE:
            refuse(row, reason)
            return
    row.status = Status.ACCEPTED
    row.accepted += 1
    enqueue(row, x, y, z, face, action.item)
    draw_times(row, shared, row.pending[row.pending_count - 1])


@jit
def refuse(row, reason):
    """This step's action is refused at once."""
    row.status = Status.REJECTED
    row.reason = reason


@jit
def enqueue(row, x, y, z, face, item):
    """Appends an accepted request to the queue."""
    request = row.pending[row.pending_count]
    row.pending_count += 1
    request.id = row.accepted
    request.item = item
    request.face = face
    request.anchor[0], request.anchor[1], request.anchor[2] = x, y, z
    request.destination[0] = x + face_x(face)
    request.destination[1] = y + face_y(face)
    request.destination[2] = z + face_z(face)
    request.cell[0], request.cell[1], request.cell[2] = 0, 0, 0
    request.submitted_tick = row.tick
    request.submitted_step = row.step
    request.outcome = Outcome.PENDING
    request.reason = Reason.NONE


@jit
def draw_times(row, shared, request):
    """When the server judges the request, and when the agent hears of it."""
    latency = shared.latencies[row.latency]
    entry = draw_index(row.key, request.id, STREAM_ENTRY, latency.entry_count)
    response = draw_index(row.key, request.id, STREAM_RESPONSE, latency.response_count)
    request.resolved_tick = row.tick + latency.entry_ticks[entry]
    request.reported_tick = request.resolved_tick + latency.response_ticks[response]


@jit
def judge_due(row, shared):
    """Judges every request due by now, in order of submission."""
    for k in range(row.pending_count):
        request = row.pending[k]
        if request.outcome == Outcome.PENDING and request.resolved_tick <= row.tick:
            judge(row, shared, request)


@jit
def judge(row, shared, request):
    """The simulator's verdict, by the rules and the world of this tick."""
    reason = check_placement(
        row, shared, request.anchor[0], request.anchor[1], request.anchor[2], request.face, request.item
    )
    if reason != Reason.NONE:
        request.outcome = Outcome.FAILED
        request.reason = reason
        return
    apply_placement(row, shared, request)
    if shared.latencies[row.latency].revert_probability > 0.0:
        schedule_revert(row, shared.latencies[row.latency], request)


@jit
def apply_placement(row, shared, request):
    """Puts the block down, with its other half if it has one, and takes the item."""
    face, item = request.face, request.item
    x, y, z = request.anchor[0], request.anchor[1], request.anchor[2]
    if not takes_anchor_cell(row, shared, x, y, z, face, item):
        x, y, z = request.destination[0], request.destination[1], request.destination[2]
    state = resulting_state(row, shared, x, y, z, face, item)[1]
    record_placed(row, shared, request, x, y, z, state)
    clear_partner(row, shared, x, y, z)
    write_block(row, shared, cell_index(row, x, y, z), state)
    if shared.second_face[state] >= 0:
        write_block(row, shared, second_cell(row, shared, x, y, z, state), shared.second_state[state])
    row.inventory[item] -= 1
    if shared.falls[state]:
        schedule_fall(row, shared, request)


@jit
def second_cell(row, shared, x, y, z, state):
    """Index of the cell of a block's other half."""
    face = shared.second_face[state]
    return cell_index(row, x + face_x(face), y + face_y(face), z + face_z(face))


@jit
def record_placed(row, shared, request, x, y, z, state):
    """Notes in the request where the block went and what was there before."""
    request.outcome = Outcome.PLACED
    request.cell[0], request.cell[1], request.cell[2] = x, y, z
    request.state_before = block_at(row, shared, x, y, z)
    request.state_after = state


@jit
def schedule(row, request, kind, tick):
    """Adds an event about a placed block; none is lost before MAX_EVENTS are under way at once."""
    event = row.events[row.event_count]
    row.event_count += 1
    event.tick = tick
    event.kind = kind
    event.request_id = request.id
    event.item = request.item
    event.landed = 0
    event.state_from, event.state_to = request.state_after, request.state_before
    for axis in range(3):
        event.cell[axis] = request.cell[axis]


@jit
def schedule_revert(row, latency, request):
    """Some servers take a block back a little later."""
    if uniform(row.key, request.id, STREAM_REVERT) >= latency.revert_probability or row.event_count >= MAX_EVENTS:
        return
    wait = draw_index(row.key, request.id, STREAM_REVERT_TICKS, latency.revert_count)
    schedule(row, request, ChangeKind.REVERT, row.tick + latency.revert_ticks[wait])


@jit
def schedule_fall(row, shared, request):
    """A block of the gravity list falls if the cell below is replaceable; it arrives after the ticks of its way."""
    x, y, z = request.cell[0], request.cell[1], request.cell[2]
    depth = fall_depth(row, shared, x, y, z)
    if depth > 0 and row.event_count < MAX_EVENTS:
        schedule(row, request, ChangeKind.FALL, row.tick + FALL_DELAY + fall_ticks(depth))


@jit
def fall_depth(row, shared, x, y, z):
    """How many cells a block would fall."""
    depth = 0
    while shared.replaceable[block_at(row, shared, x, y - depth - 1, z)]:
        depth += 1
    return depth


@jit
def fall_ticks(depth):
    """Ticks a falling block needs for a depth in blocks: gravity 0.04, drag 0.98."""
    ticks, speed, fallen = 0, 0.0, 0.0
    while fallen < depth:
        speed += 0.04
        fallen += speed
        speed *= 0.98
        ticks += 1
    return ticks


@jit
def run_events(row, shared):
    """Carries out the reverts and falls due by now and keeps the others."""
    kept = 0
    for k in range(row.event_count):
        if row.events[k].tick > row.tick:
            row.events[kept] = row.events[k]
            kept += 1
        elif row.events[k].kind == ChangeKind.REVERT:
            revert(row, shared, row.events[k])
        else:
            fall(row, shared, row.events[k])
    row.event_count = kept


@jit
def fall(row, shared, event):
    """The block comes to rest on the first cell it cannot replace; on one it cannot stand on it breaks."""
    x, y, z = event.cell[0], event.cell[1], event.cell[2]
    if block_at(row, shared, x, y, z) != event.state_from:
        return
    rest_y = y - fall_depth(row, shared, x, y, z)
    write_block(row, shared, cell_index(row, x, y, z), AIR)
    below = block_at(row, shared, x, rest_y - 1, z)
    event.landed = int(shared.box_count[below] > 0)
    event.state_to = AIR
    event.rest[0], event.rest[1], event.rest[2] = x, rest_y, z
    if event.landed:
        clear_partner(row, shared, x, rest_y, z)
        write_block(row, shared, cell_index(row, x, rest_y, z), event.state_from)
    note_change(row, event)


@jit
def revert(row, shared, event):
    """Takes a block back, with its other half, and returns its item, unless the cell holds something else by now."""
    x, y, z = event.cell[0], event.cell[1], event.cell[2]
    if block_at(row, shared, x, y, z) != event.state_from:
        return
    write_block(row, shared, cell_index(row, x, y, z), event.state_to)
    if shared.second_face[event.state_from] >= 0:
        write_block(row, shared, second_cell(row, shared, x, y, z, event.state_from), AIR)
    row.inventory[event.item] += 1
    note_revert(row, event)


@jit
def note_revert(row, event):
    """A revert seen before the report is the verdict; afterwards it is a change, and the verdict stands."""
    for k in range(row.pending_count):
        request = row.pending[k]
        if request.id == event.request_id:
            request.outcome = Outcome.FAILED
            request.reason = Reason.REVERTED
            return
    note_change(row, event)


@jit
def note_change(row, event):
    """Adds to this step's changes."""
    if row.change_count < MAX_EVENTS:
        row.changes[row.change_count] = event
        row.changes[row.change_count].tick = row.tick
        row.change_count += 1


@jit
def report_outcomes(row, everything):
    """Moves what the agent hears of in this step from the queue to `outcomes`, in order of resolution.

    `everything`, at the end of an episode: judged requests are reported, the others cancelled.
    """
    row.outcome_count = 0
    for k in range(row.pending_count):
        request = row.pending[k]
        if everything and request.outcome == Outcome.PENDING:
            request.outcome = Outcome.CANCELLED
            request.resolved_tick = row.tick
        if request.outcome != Outcome.PENDING and (everything or request.reported_tick <= row.tick):
            request.reported_tick = min(request.reported_tick, row.tick)
            request.reported_step = row.step
            insert_outcome(row, request)
    drop_reported(row, everything)
    if row.outcome_count > 0:
        row.last_outcome = row.outcomes[row.outcome_count - 1]


@jit
def insert_outcome(row, request):
    """Keeps `outcomes` sorted by tick of resolution, then by submission; cancelled ones come last."""
    k = row.outcome_count
    while k > 0 and resolved_later(row.outcomes[k - 1], request):
        row.outcomes[k] = row.outcomes[k - 1]
        k -= 1
    row.outcomes[k] = request
    row.outcome_count += 1


@jit
def resolved_later(request, other):
    """Whether a request was resolved after another."""
    if (request.outcome == Outcome.CANCELLED) != (other.outcome == Outcome.CANCELLED):
        return request.outcome == Outcome.CANCELLED
    return request.resolved_tick > other.resolved_tick


@jit
def drop_reported(row, everything):
    """Closes the gaps that reported requests leave in the queue."""
    kept = 0
    for k in range(row.pending_count):
        request = row.pending[k]
        if request.outcome == Outcome.PENDING or (not everything and request.reported_tick > row.tick):
            row.pending[kept] = request
            kept += 1
    row.pending_count = kept
