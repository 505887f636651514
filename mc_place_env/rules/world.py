"""The blocks of one environment: reading, writing, and what a write means for the view and the goal."""

from mc_place_env.jit import jit, scalar
from mc_place_env.rules.geometry import cell_index, in_array
from mc_place_env.types import AIR, CELLS, MAX_UNDO, SIZE_Y, UNLOADED, VOID


@scalar
def seen_index(cell):
    """Index into `seen` of a cell's class; its goal class lies SIZE_Y further."""
    return cell + (cell // SIZE_Y) * SIZE_Y


@jit
def block_at(row, shared, x, y, z):
    """Palette id of any cell: UNLOADED beyond the region, VOID beyond the height limits."""
    if y < shared.min_y or y > shared.max_y:
        return VOID
    if not in_array(row, x, y, z):
        return UNLOADED
    return int(row.blocks[cell_index(row, x, y, z)])


@jit
def remember(row, cell):
    """Notes a cell that the next reset must restore."""
    if row.undo_count < MAX_UNDO:
        row.undo[row.undo_count] = cell
    row.undo_count += 1


@jit
def write_block(row, shared, cell, state):
    """Puts a block state into a cell (index), and keeps view and goal count true."""
    at = seen_index(cell)
    goal = row.seen[at + SIZE_Y]
    cell_class = shared.cell_class[state]
    if goal != 0:
        row.goal_matched += int(cell_class == goal) - int(row.seen[at] == goal)
    remember(row, cell)
    row.blocks[cell] = state
    row.seen[at] = cell_class
    row.at_rest = 0


@jit
def write_goal(row, cell, goal_class):
    """Asks for a block class in a cell (index)."""
    at = seen_index(cell)
    remember(row, cell)
    row.seen[at + SIZE_Y] = goal_class
    row.goal_total += 1
    row.goal_matched += int(row.seen[at] == goal_class)


@jit
def goal_class(row, x, y, z):
    """The block class wanted in a cell of the region, or 0."""
    return row.seen[seen_index(cell_index(row, x, y, z)) + SIZE_Y]


@jit
def goal_met(row, x, y, z):
    """Whether a cell is a goal cell that holds its block."""
    at = seen_index(cell_index(row, x, y, z))
    return row.seen[at + SIZE_Y] != 0 and row.seen[at] == row.seen[at + SIZE_Y]


@jit
def restore_template(row, shared, template):
    """Undoes every write since the last reset: what was changed, not the size of the world; or takes another floor."""
    if row.undo_count > MAX_UNDO or row.template != template:
        row.template = template
        copy_template(row, shared.templates[template])
    else:
        for k in range(row.undo_count):
            cell = row.undo[k]
            row.blocks[cell] = shared.templates[template].blocks[cell]
            at = seen_index(cell)
            row.seen[at] = shared.templates[template].seen[at]
            row.seen[at + SIZE_Y] = 0
    row.undo_count = 0
    row.goal_total = 0
    row.goal_matched = 0


@jit
def copy_template(row, template):
    """Copies the whole template: at the start, and where the undo log was too short."""
    blocks, template_blocks = row.blocks, template.blocks
    for cell in range(CELLS):
        blocks[cell] = template_blocks[cell]
    seen, template_seen = row.seen, template.seen
    for at in range(2 * CELLS):
        seen[at] = template_seen[at]


@jit
def clear_region(row):
    """Fills the region with air, instead of the template; the next reset copies the template again."""
    blocks, seen = row.blocks, row.seen
    for cell in range(CELLS):
        if blocks[cell] != UNLOADED:
            blocks[cell] = AIR
            seen[seen_index(cell)] = 0
    row.undo_count = MAX_UNDO + 1


@jit
def clear_partner(row, shared, x, y, z):
    """The other half of a two-cell plant vanishes with this one (seen on a server: case 7h)."""
    state = block_at(row, shared, x, y, z)
    step = shared.partner[state]
    if step != 0 and shared.kind[block_at(row, shared, x, y + step, z)] == shared.kind[state]:
        write_block(row, shared, cell_index(row, x, y + step, z), AIR)
