"""Reward terms: one function each, written into `reward_terms` already weighted; they sum to the reward.

Everything falls when the verdict is reported; `relabel_credit` (evaluation) moves it to the asking step.
"""

from mc_place_env.jit import jit
from mc_place_env.rules.geometry import cell_of
from mc_place_env.rules.world import goal_class, goal_met
from mc_place_env.types import Outcome, RewardTerm, SuccessKind


@jit
def write_rewards(row, shared):
    """Fills `reward_terms` and `reward` of this step."""
    weights, terms = shared.reward_weights[row.template], row.reward_terms
    terms[RewardTerm.PROGRESS] = weights[RewardTerm.PROGRESS] * progress(row, shared)
    terms[RewardTerm.WRONG_BLOCK] = -weights[RewardTerm.WRONG_BLOCK] * wrong_blocks(row)
    terms[RewardTerm.FAILED_REQUEST] = -weights[RewardTerm.FAILED_REQUEST] * failed_requests(row)
    terms[RewardTerm.TIME] = -weights[RewardTerm.TIME] * shared.ticks_per_step
    terms[RewardTerm.SUCCESS] = weights[RewardTerm.SUCCESS] * row.success
    terms[RewardTerm.APPROACH] = weights[RewardTerm.APPROACH] * approach(row, shared)
    row.reward = 0.0
    for k in range(len(row.reward_terms)):
        row.reward += terms[k]


@jit
def progress(row, shared):
    """Potential-based shaping (Ng, Harada, Russell 1999) on the share of goal cells filled by verdicts.

    gamma * potential(now) - potential(before); the potential of a terminal state is 0.
    """
    update_credit(row, shared)
    missing_at_reset = row.goal_total - row.goal_at_reset
    potential = row.credited / missing_at_reset if missing_at_reset > 0 and not row.terminated else 0.0
    shaping = shared.gamma * potential - row.potential
    row.potential = potential
    return shaping


@jit
def approach(row, shared):
    """The same shaping on the way to the cell to stand in: its share gone, negative further away than at reset."""
    nearness = 0.0
    if row.distance_at_reset > 0 and not row.terminated:
        nearness = 1.0 - distance_to_goal(row) / row.distance_at_reset
    shaping = shared.gamma * nearness - row.nearness
    row.nearness = nearness
    return shaping


@jit
def distance_to_goal(row):
    """Cells along the axes from the agent's cell to the one to stand in; 0 where a task has none."""
    if row.success_kind != SuccessKind.STAND_AT:
        return 0
    distance = 0
    for axis in range(3):
        distance += abs(cell_of(row.position[axis]) - row.stand_at[axis])
    return distance


@jit
def update_credit(row, shared):
    """Counts goal cells that reported verdicts filled, less those that later changes emptied."""
    for k in range(row.outcome_count):
        if outcome_fills_goal(row, row.outcomes[k]):
            row.credited += 1
    for k in range(row.change_count):
        if change_empties_goal(row, shared, row.changes[k]):
            row.credited -= 1


@jit
def outcome_fills_goal(row, request):
    """Whether a reported request put the right block into a goal cell."""
    return request.outcome == Outcome.PLACED and goal_met(row, request.cell[0], request.cell[1], request.cell[2])


@jit
def change_empties_goal(row, shared, change):
    """Whether a later change took the right block out of a goal cell."""
    x, y, z = change.cell[0], change.cell[1], change.cell[2]
    goal = goal_class(row, x, y, z)
    return goal != 0 and shared.cell_class[change.state_from] == goal and not goal_met(row, x, y, z)


@jit
def wrong_blocks(row):
    """Blocks reported as placed in this step that are no part of the goal."""
    count = 0
    for k in range(row.outcome_count):
        if row.outcomes[k].outcome == Outcome.PLACED and not outcome_fills_goal(row, row.outcomes[k]):
            count += 1
    return count


@jit
def failed_requests(row):
    """Requests reported as failed in this step."""
    count = 0
    for k in range(row.outcome_count):
        if row.outcomes[k].outcome == Outcome.FAILED:
            count += 1
    return count
