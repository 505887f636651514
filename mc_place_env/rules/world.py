"""The blocks of one environment: reading, writing, and what a write means for the view, the masks and the goal."""

from mc_place_env.jit import jit
from mc_place_env.rules.geometry import cell_index, column_index, in_array
from mc_place_env.types import AIR, CELLS, MARGIN, MAX_UNDO, SIZE_X, SIZE_Y, SIZE_Z, UNLOADED, VOID


@jit
def block_at(row, shared, x, y, z):
    """Palette id of any cell: UNLOADED beyond the region, VOID beyond the height limits."""
    if y < shared.min_y or y > shared.max_y:
        return VOID
    if not in_array(row, x, y, z):
        return UNLOADED
    return int(row.blocks[cell_index(row, x, y, z)])


@jit
def write_block(row, shared, cell, state):
    """Puts a block state into a cell (index), and keeps everything that is read from blocks true."""
    if row.undo_count < MAX_UNDO:
        row.undo[row.undo_count] = cell
    row.undo_count += 1
    goal, cell_class = row.wanted[cell], shared.cell_class[state]
    if goal != 0:
        row.goal_matched += int(cell_class == goal) - int(row.seen[cell] == goal)
    set_cell(row, shared, cell, state, cell_class)
    row.blocks_changed = 1
    row.at_rest = 0


@jit
def set_cell(row, shared, cell, state, cell_class):
    """Writes a cell of a world, in all its forms."""
    row.blocks[cell] = state
    row.seen[cell] = cell_class
    column, bit = cell // SIZE_Y, 1 << (cell % SIZE_Y)
    row.open[column] = row.open[column] | bit if shared.open[state] else row.open[column] & ~bit
    row.solid[column] = row.solid[column] | bit if shared.solid[state] else row.solid[column] & ~bit


@jit
def occupied(row, x, z, low, high):
    """Cells of a column, from height `low` to `high`, that may hold a collision box, as bits counted from `low`."""
    every = (1 << (high - low + 1)) - 1
    if not (in_array(row, x, low, z) and in_array(row, x, high, z)):
        return every
    return (row.solid[column_index(row, x, z)] >> (low - row.origin[1] + MARGIN)) & every


@jit
def may_take(row, column):
    """Clickable cells of a column (bits by height) where a placement on each of ABSOLUTE_FACES could find room.

    A necessary condition, whatever the item: the cell itself or the one across the face is open.
    """
    solid, here = row.solid[column], row.open[column]
    return (
        solid & (here | here >> 1),
        solid & (here | here << 1),
        solid & (here | row.open[column - 1]),
        solid & (here | row.open[column + 1]),
        solid & (here | row.open[column + SIZE_Z]),
        solid & (here | row.open[column - SIZE_Z]),
    )


@jit
def write_goal(row, cell, goal_class):
    """Asks for a block class in a cell (index)."""
    row.wanted[cell] = goal_class
    row.goals[row.goal_total].cell = cell
    row.goals[row.goal_total].state = goal_class
    row.goal_total += 1
    row.goal_changed = 1
    row.goal_matched += int(row.seen[cell] == goal_class)


@jit
def goal_class(row, x, y, z):
    """The block class wanted in a cell of the region, or 0."""
    return row.wanted[cell_index(row, x, y, z)]


@jit
def goal_met(row, x, y, z):
    """Whether a cell is a goal cell that holds its block."""
    cell = cell_index(row, x, y, z)
    return row.wanted[cell] != 0 and row.seen[cell] == row.wanted[cell]


@jit
def restore_template(row, shared, template):
    """Undoes every write since the last reset: what was changed, not the size of the world; or takes another floor."""
    clear_goal(row)
    if row.undo_count > MAX_UNDO or row.template != template:
        row.template = template
        copy_template(row, shared.templates[template])
    else:
        for k in range(row.undo_count):
            state = shared.templates[template].blocks[row.undo[k]]
            set_cell(row, shared, row.undo[k], state, shared.cell_class[state])
    row.undo_count = 0
    row.blocks_changed = 1


@jit
def clear_goal(row):
    """Asks for nothing."""
    for k in range(row.goal_total):
        row.wanted[row.goals[k].cell] = 0
    row.goal_total = 0
    row.goal_changed = 1
    row.goal_matched = 0


@jit
def copy_template(row, template):
    """Copies the whole template: where the undo log was too short, or the floor is another."""
    for cell in range(CELLS):
        row.blocks[cell] = template.blocks[cell]
        row.seen[cell] = template.seen[cell]
    for column in range(SIZE_X * SIZE_Z):
        row.open[column] = template.open[column]
        row.solid[column] = template.solid[column]


@jit
def clear_region(row, shared):
    """Fills the region with air, instead of the template; the next reset copies the template again."""
    for cell in range(CELLS):
        if row.blocks[cell] != UNLOADED:
            set_cell(row, shared, cell, AIR, shared.cell_class[AIR])
    row.undo_count = MAX_UNDO + 1


@jit
def clear_partner(row, shared, x, y, z):
    """The other half of a two-cell plant vanishes with this one (seen on a server: case 7h)."""
    state = block_at(row, shared, x, y, z)
    step = shared.partner[state]
    if step != 0 and shared.kind[block_at(row, shared, x, y + step, z)] == shared.kind[state]:
        write_block(row, shared, cell_index(row, x, y + step, z), AIR)
