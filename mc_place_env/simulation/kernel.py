"""One step of one environment, as the data flows; and the loop over a batch.

decode -> submit -> for each tick: motion, requests due, reverts -> verdicts heard -> reward -> observation.
A backend that is not the simulator (live Minecraft) calls `begin_step` and `finish_step` and advances the row itself.
"""

import numba

from mc_place_env.jit import entry, jit, parallel_entry
from mc_place_env.rules.geometry import cell_of
from mc_place_env.rules.motion import advance_body, settle, start_action
from mc_place_env.rules.world import clear_region, restore_template, write_block, write_goal
from mc_place_env.simulation.copy import copy_items, write_byte, write_float
from mc_place_env.simulation.facts import fact_count, write_facts
from mc_place_env.simulation.observe import write_cubes, write_numbers
from mc_place_env.simulation.random import STREAM_INSTANCE, draw_index, episode_key
from mc_place_env.simulation.requests import check_action, judge_due, refuse, report_outcomes, run_events, submit
from mc_place_env.simulation.rewards import distance_to_goal, write_rewards
from mc_place_env.types import ActionType, Autoreset, Reason, Status, SuccessKind


@jit
def step_one(row, shared, action):
    """One decision: `ticks_per_step` ticks of the world, then what the agent hears of them."""
    begin_step(row, shared, action)
    judge_due(row, shared)
    for _ in range(shared.ticks_per_step):
        advance_tick(row, shared)
    finish_step(row, shared)


@jit
def begin_step(row, shared, action):
    """Clears the last step's report, then accepts, starts or refuses the action."""
    row.status = Status.NONE
    row.reason = Reason.NONE
    row.change_count = 0
    reason = check_action(row, shared, action)
    if reason != Reason.NONE:
        refuse(row, reason)
    elif action.type == ActionType.PLACE:
        submit(row, shared, action)
    else:
        start_action(row, shared, action.type)


@jit
def advance_tick(row, shared):
    """One game tick: body, then requests in order of submission, then reverts."""
    row.tick += 1
    advance_body(row, shared)
    if row.pending_count > 0:
        judge_due(row, shared)
    if row.event_count > 0:
        run_events(row, shared)


@jit
def finish_step(row, shared):
    """Ends the step: success, verdicts heard, reward."""
    row.step += 1
    row.success = int(check_success(row))
    row.terminated = row.success
    row.truncated = int(not row.terminated and row.step >= row.episode_steps)
    row.needs_reset = int(row.terminated or row.truncated)
    report_outcomes(row, row.terminated or row.truncated)
    write_rewards(row, shared)


@jit
def check_success(row):
    """Whether the task is solved in the world as it is."""
    if row.success_kind == SuccessKind.GOAL_CELLS:
        return row.goal_matched == row.goal_total
    if row.success_kind == SuccessKind.STAND_AT:
        return (
            row.on_ground != 0
            and cell_of(row.position[0]) == row.stand_at[0]
            and cell_of(row.position[1]) == row.stand_at[1]
            and cell_of(row.position[2]) == row.stand_at[2]
        )
    return False


@jit
def reset_one(row, shared, table, instance):
    """Begins an episode on an instance of the table; a negative number draws one."""
    row.key = episode_key(row.seed, row.episode)
    row.episode += 1
    if instance < 0:
        instance = shared.first_instance + draw_index(row.key, 0, STREAM_INSTANCE, shared.instance_count)
    row.instance = instance
    row.latency = shared.latency
    clear_episode(row)
    restore_template(row, shared, table.rows[instance].template)
    apply_instance(row, shared, table, table.rows[instance])
    settle(row, shared)


@jit
def clear_episode(row):
    """Forgets everything of the last episode but its blocks."""
    row.tick = 0
    row.step = 0
    row.accepted = 0
    row.pending_count = 0
    row.outcome_count = 0
    row.event_count = 0
    row.change_count = 0
    row.last_outcome.id = 0
    row.status = Status.NONE
    row.reason = Reason.NONE
    row.sneaking = 0
    row.moving = 0
    row.retreating = 0
    row.collided = 0
    row.jump_asked = 0
    row.credited = 0
    row.potential = 0.0
    row.nearness = 0.0
    row.reward = 0.0
    row.reward_terms[:] = 0.0
    row.terminated = 0
    row.truncated = 0
    row.success = 0
    row.needs_reset = 0


@jit
def apply_instance(row, shared, table, instance):
    """Writes the instance's agent, blocks and goal."""
    if instance.bare:
        clear_region(row, shared)
    row.success_kind = instance.success_kind
    row.episode_steps = instance.episode_steps
    row.yaw = instance.yaw
    for axis in range(3):
        row.origin[axis] = instance.origin[axis]
        row.position[axis] = instance.position[axis]
        row.velocity[axis] = 0.0
        row.stand_at[axis] = instance.stand_at[axis]
    for k in range(shared.n_items):
        row.inventory[k] = instance.inventory[k]
    for k in range(instance.first_block, instance.first_block + instance.block_count):
        write_block(row, shared, table.blocks[k].cell, table.blocks[k].state)
    for k in range(instance.first_goal, instance.first_goal + instance.goal_count):
        write_goal(row, table.goals[k].cell, table.goals[k].state)
    row.goal_at_reset = row.goal_matched
    row.distance_at_reset = distance_to_goal(row)


@jit
def write_start(row, shared, out, i):
    """Writes row i of what a reset returns, observation and facts, into the buffers at the addresses `out`.

    What these buffers hold already, from the last step, is left alone.
    """
    side = 2 * shared.view_radius + 1
    voxels, goal = out[0] + i * side * side * side, out[1] + i * side * side * side
    elsewhere = row.shown_at != voxels
    write_cubes(row, shared, voxels, goal)
    count = write_numbers(row, shared)
    copy_items(out[2] + i * count * 4, row.numbers, 0, count)
    write_facts(row, shared, out[3] + i * fact_count(shared) * 4, elsewhere)


@jit
def write_results(row, shared, out, i):
    """Writes row i of what a step returns: the same, and terms, reward and flags."""
    write_start(row, shared, out, i)
    count = len(row.reward_terms)
    copy_items(out[4] + i * count * 8, row.reward_terms, 0, count)
    write_float(out[5] + i * 8, row.reward)
    write_byte(out[6] + i, row.terminated)
    write_byte(out[7] + i, row.truncated)


@jit
def step_range(rows, shared, actions, table, out, autoreset, first, stop):
    """Steps rows `first` to `stop`, or begins their next episodes where the autoreset mode has it so.

    `out`: addresses of the `Buffers`.
    """
    common = shared[0]
    for i in range(first, stop):
        row = rows[i]
        if row.needs_reset and autoreset == Autoreset.NEXT_STEP:
            reset_one(row, common, table, -1)
        else:
            step_one(row, common, actions[i])
        write_results(row, common, out, i)


@entry
def step_single(rows, shared, actions, out):
    """Steps a batch of one."""
    step_one(rows[0], shared[0], actions[0])
    write_results(rows[0], shared[0], out, 0)


@entry
def step_batch(rows, shared, actions, table, out, autoreset):
    """Steps every row, one after another."""
    step_range(rows, shared, actions, table, out, autoreset, 0, len(rows))


@parallel_entry
def step_batch_parallel(rows, shared, actions, table, out, autoreset, chunk):
    """As `step_batch`, over threads, `chunk` rows at a time. The body must stay one call: see numba #7135."""
    for k in numba.prange((len(rows) + chunk - 1) // chunk):
        step_range(rows, shared, actions, table, out, autoreset, k * chunk, min((k + 1) * chunk, len(rows)))


@entry
def reset_batch(rows, shared, table, chosen, which):
    """Resets the rows whose `which` is set, each to its `chosen` instance (negative: drawn)."""
    for i in range(len(rows)):
        if which[i]:
            reset_one(rows[i], shared[0], table, chosen[i])


@entry
def start_batch(rows, shared, out, which):
    """Observation and facts of the rows whose `which` is set."""
    for i in range(len(rows)):
        if which[i]:
            write_start(rows[i], shared[0], out, i)


@entry
def begin_batch(rows, shared, actions, which):
    """`begin_step` for the rows whose `which` is set: a live backend goes on from here."""
    for i in range(len(rows)):
        if which[i]:
            begin_step(rows[i], shared[0], actions[i])


@entry
def finish_batch(rows, shared, which):
    """`finish_step` for the rows whose `which` is set."""
    for i in range(len(rows)):
        if which[i]:
            finish_step(rows[i], shared[0])


@entry
def result_batch(rows, shared, out, which):
    """Results of the rows whose `which` is set."""
    for i in range(len(rows)):
        if which[i]:
            write_results(rows[i], shared[0], out, i)
