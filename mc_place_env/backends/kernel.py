"""The rules as a live row needs them. Compiled code takes arrays and an index: handing over a record costs 10 us."""

from mc_place_env.jit import entry
from mc_place_env.rules.geometry import cell_index, in_region
from mc_place_env.rules.placement import check_placement, takes_anchor_cell
from mc_place_env.rules.world import block_at, write_block
from mc_place_env.simulation.requests import FALL_DELAY, fall_depth, fall_ticks, note_change


@entry
def predict_reason(rows, shared, i, x, y, z, face, item):
    """What the rules say now of a placement on the anchor at x, y, z."""
    return check_placement(rows[i], shared[0], x, y, z, face, item)


@entry
def predict_own_cell(rows, shared, i, x, y, z, face, item):
    """Whether the block would take the anchor's own cell."""
    return takes_anchor_cell(rows[i], shared[0], x, y, z, face, item)


@entry
def predict_fall(rows, shared, i, x, y, z):
    """Ticks until a block of the gravity list, just placed in a cell, comes to rest further down; 0 if it stays."""
    row = rows[i]
    depth = 0
    if shared[0].falls[block_at(row, shared[0], x, y, z)]:
        depth = fall_depth(row, shared[0], x, y, z)
    return FALL_DELAY + fall_ticks(depth) if depth > 0 else 0


@entry
def block_seen(rows, shared, i, x, y, z):
    """Palette id of a cell."""
    return block_at(rows[i], shared[0], x, y, z)


@entry
def write_seen(rows, shared, i, cells, states):
    """Writes what the bot saw: cells int64 (n, 3), palette ids int64 (n,). Cells beyond the region are left out."""
    row = rows[i]
    for k in range(len(states)):
        x, y, z = cells[k, 0], cells[k, 1], cells[k, 2]
        if in_region(row, x, y, z):
            write_block(row, shared[0], cell_index(row, x, y, z), states[k])


@entry
def write_change(rows, i, events):
    """Reports a later change of a placed block, EVENT (1,)."""
    note_change(rows[i], events[0])
