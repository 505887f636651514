"""A scene as text: the layer of the agent's feet and the one below, seen from above, north at the top.

A cell is two characters. First what is there: a letter of the block's name (listed below the maps), `.` for nothing,
the agent as `^ > v <`. Then a mark: `+` goal satisfied, `?` goal missing, `!` wrong block in a goal cell,
`*` request in flight, `#` just placed, `x` just failed.
"""

from string import ascii_letters

from mc_place_env.rendering.colours import base_name, colour_of, top_colour_of
from mc_place_env.rendering.scene import agent_cell, goal_state, quadrant_of, solid_blocks, window_of

ARROWS = ("v", "<", "^", ">")  # by quadrant: south, west, north, east
GOAL_MARKS = {"satisfied": "+", "missing": "?", "wrong": "!"}
REQUEST_MARKS = {"pending": "*", "placed": "#", "failed": "x"}
MARK_COLOURS = {"+": (40, 220, 100), "?": (255, 255, 255), "!": (255, 90, 200), "*": (255, 255, 255),
                "#": (255, 255, 160), "x": (255, 70, 70)}  # fmt: skip
AGENT_COLOUR = (38, 92, 224)
GAP = "   "


def draw_text(scene, layers=(0, -1), colour=True):
    """The maps side by side, the letters used, and the caption. `layers` are heights above the feet, in blocks."""
    letters = letters_for(scene)
    maps = [_layer_lines(scene, agent_cell(scene)[1] + dy, letters, colour) for dy in layers]
    rows = [GAP.join(parts).rstrip() for parts in zip(*maps)]
    key = "  ".join(f"{letter} {name}" for name, letter in letters.items())
    return "\n".join([*rows, key, " | ".join(filter(None, scene.caption))])


def letters_for(scene):
    """{block name without states: letter}, each letter the first free one of the name."""
    names = {base_name(name) for name in solid_blocks(scene).values()}
    names |= {base_name(cell[3]) for cell in scene.goal} | {base_name(request["item"]) for request in scene.requests}
    letters = {}
    for name in sorted(names):
        candidates = [letter for letter in name if letter.isalpha() and letter != "v"] + list(ascii_letters)
        letters[name] = next((letter for letter in candidates if letter not in letters.values()), "%")
    return letters


def _layer_lines(scene, height, letters, colour):
    """The lines of one layer: a heading and one row per z."""
    x0, _, z0, x1, _, z1 = window_of(scene)
    blocks, marks = solid_blocks(scene), _marks(scene)
    width = 2 * (x1 - x0 + 1)
    lines = [f"y={height}".ljust(width)]
    for z in range(z0, z1 + 1):
        cells = [_cell((x, height, z), scene, blocks, marks, letters) for x in range(x0, x1 + 1)]
        lines.append("".join(_paint(*cell) if colour else cell[0] for cell in cells))
    return lines


def _marks(scene):
    """{cell: (mark, item)}: goals first, requests over them."""
    blocks, marks = solid_blocks(scene), {}
    for x, y, z, name in scene.goal:
        marks[x, y, z] = (GOAL_MARKS[goal_state(name, blocks.get((x, y, z)))], name)
    for request in scene.requests:
        marks[tuple(request["cell"])] = (REQUEST_MARKS[request["state"]], request["item"])
    return marks


def _cell(cell, scene, blocks, marks, letters):
    """(text of 2 characters, background or None, ink) of one cell."""
    mark, item = marks.get(cell, (" ", None))
    name = blocks.get(cell)
    if cell == agent_cell(scene):
        return ARROWS[quadrant_of(scene.yaw)] + mark, AGENT_COLOUR, (255, 255, 255)
    if name is not None:
        return letters[base_name(name)] + mark, top_colour_of(name), MARK_COLOURS.get(mark, (20, 20, 20))
    if item is not None:
        return letters[base_name(item)] + mark, None, MARK_COLOURS[mark] if mark == "x" else colour_of(item)
    return ". ", None, (110, 110, 110)


def _paint(text, background, ink):
    """The text with ANSI 24-bit colours."""
    back = "" if background is None else "\x1b[48;2;{};{};{}m".format(*background)
    return "{}\x1b[38;2;{};{};{}m{}\x1b[0m".format(back, *ink, text)
