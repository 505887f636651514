"""A scene as an isometric picture, drawn with Pillow: no GPU, no display, the same bytes for the same scene.

The scene is first turned so that the camera stands south-east: then a box shows its top, south and east side, and
cells in order of x + y + z are in painter's order. Lengths are blocks unless a name says pixels.
"""

from functools import lru_cache, partial
from math import cos, radians, sin
from operator import itemgetter

import numpy as np

from mc_place_env.rendering.colours import bounds_of, colour_of, look_of
from mc_place_env.rendering.scene import (
    CORNERS,
    cell_box,
    fit_camera,
    goal_state,
    hides_agent,
    in_front,
    in_shadow,
    kept_in_view,
    move_box,
    quadrant_of,
    shown_faces,
    solid_blocks,
    turn_box,
    turn_scene,
)

FINE = 2  # drawn this many times larger, then averaged down
LIGHT = {"top": 1.0, "south": 0.86, "east": 0.68}  # brightness of the three sides
SKY_TOP, SKY_BOTTOM = (205, 222, 238), (241, 245, 248)
STRIP, INK = (24, 28, 36), (232, 236, 242)
TONES = {"failed": (255, 120, 110), "rejected": (255, 184, 92), "placed": (120, 224, 140), "accepted": (140, 200, 255)}
AGENT_BODY, AGENT_HEAD, ARROW, EYES = (40, 96, 230), (104, 162, 255), (255, 214, 64), (16, 24, 48)
SATISFIED, WRONG = (30, 200, 90), (226, 60, 170)
PLACED, FAILED = (255, 250, 190), (240, 40, 40)
FILM_ALPHA, FADED_ALPHA, SHADOW = 90, 36, (10, 20, 40, 56)
FLASH_TICKS = 16  # how long a verdict stays in the picture
EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 5), (5, 6), (6, 1), (2, 5))  # pairs of `visible_corners`


def draw_frame(scene, size=512):
    """The scene as a (size, size, 3) uint8 picture."""
    image_draw = _pillow()[1]
    scene = turn_scene(scene)
    canvas = _sky(size * FINE).copy()
    pen = image_draw.Draw(canvas, "RGBA")
    camera = fit_camera(scene.window, size * FINE, (size - strip_height(size)) * FINE)
    pieces = [*_block_pieces(scene), *_goal_pieces(scene), *_request_pieces(scene), *_agent_pieces(scene)]
    for _, draw in sorted(pieces, key=itemgetter(0)):
        draw(pen, camera)
    picture = canvas.reduce(FINE)
    _draw_caption(image_draw.Draw(picture), scene.caption, size)
    return np.array(picture)


def _pillow():
    """The three Pillow modules in use, imported only when a picture is asked for."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise ImportError("pictures need Pillow: pip install pillow (render_mode='ansi' works without)") from error
    return Image, ImageDraw, ImageFont


@lru_cache(maxsize=4)
def _sky(pixels):
    """A square background that brightens downwards; copy it before drawing."""
    mix = np.linspace(0, 1, pixels)[:, None, None]
    rows = np.asarray(SKY_TOP) * (1 - mix) + np.asarray(SKY_BOTTOM) * mix
    return _pillow()[0].fromarray(np.broadcast_to(rows.round(), (pixels, pixels, 3)).astype(np.uint8))


# ---------------------------------------------------------------- boxes


def visible_corners(camera, box):
    """The 7 corners of a box that face the camera, (column, row) each: the far one of the top first."""
    x0, y0, z0, x1, y1, z1 = box
    points = ((x0, y1, z0), (x1, y1, z0), (x1, y1, z1), (x0, y1, z1), (x0, y0, z1), (x1, y0, z1), (x1, y0, z0))
    return [camera.project(*point) for point in points]


def draw_box(pen, camera, box, top, side, alpha=255, shown=LIGHT, edge_alpha=None):
    """Draw the `shown` sides of a box with thin outlines; `top` and `side` are colours, None leaves the top out."""
    a, b, c, d, e, f, g = visible_corners(camera, box)
    for face, points in (("top", (a, b, c, d)), ("south", (d, c, f, e)), ("east", (b, c, f, g))):
        colour = top if face == "top" else side
        if face in shown and colour is not None:
            fill = shade(colour, LIGHT[face])
            line = (*shade(fill, 0.78), alpha if edge_alpha is None else edge_alpha)
            pen.polygon(points, fill=(*fill, alpha), outline=line)


def draw_flat(pen, camera, points, colour, outline=None):
    """Draw a polygon of world points (P, 3)."""
    pen.polygon([camera.project(*point) for point in points], fill=colour, outline=outline)


def draw_edges(pen, camera, box, colour, width, dashed=False):
    """Draw the 9 edges of a box that face the camera; `colour` is (4,), `width` in pixels."""
    corners = visible_corners(camera, box)
    for first, last in EDGES:
        for stroke in _dashes(corners[first], corners[last]) if dashed else [(corners[first], corners[last])]:
            pen.line(stroke, fill=colour, width=round(width * FINE))


def _dashes(start, end, count=3):
    """`count` strokes with equal gaps between them, one at each end of the line."""
    (x, y), pieces = start, 2 * count - 1
    dx, dy = (end[0] - x) / pieces, (end[1] - y) / pieces
    return [((x + dx * i, y + dy * i), (x + dx * (i + 1), y + dy * (i + 1))) for i in range(0, pieces, 2)]


def shade(colour, brightness):
    """A colour at a brightness of 0-1."""
    return tuple(int(channel * brightness) for channel in colour)


# ---------------------------------------------------------------- pieces: (sort key, draw(pen, camera))


def _key(cell, rank, box, body):
    """Sort key: what is behind the agent first, then far before near, then what shares a cell by `rank`."""
    return (2 if in_front(box, body) else 0, sum(cell), *cell, rank)


def _block_pieces(scene):
    """The blocks inside the window, with only the faces that can be seen; those that hide the agent are faded."""
    kept, quarters = kept_in_view(scene), CORNERS[scene.corner]
    low, high = scene.window[:3], scene.window[3:]
    boxes = {
        (cell, name): move_box(turn_box(bounds_of(name), quarters), cell)
        for cell, name in solid_blocks(scene).items()
        if all(a <= value <= b for a, value, b in zip(low, cell, high))
    }
    faded = {cell for (cell, _), box in boxes.items() if hides_agent(box, kept)}
    hiding = {cell: name for cell, name in boxes if cell not in faded}
    for (cell, name), box in boxes.items():
        shown = shown_faces(cell, name, hiding)
        if shown:
            draw = _draw_faded if cell in faded else _draw_shaded if in_shadow(cell, name, hiding) else _draw_block
            yield _key(cell, 0, box, kept[0]), partial(draw, cell, look_of(name), shown, quarters)


def _draw_block(cell, look, shown, quarters, pen, camera, alpha=None, edge_alpha=None):
    """Draw the parts of one block, from the lowest up."""
    for part in look.parts:
        box = move_box(turn_box(part.box, quarters), cell)
        draw_box(pen, camera, box, part.top, part.side, alpha or look.alpha, shown, edge_alpha)


def _draw_faded(*block):
    """Draw a block that hides the agent as a thin film with outlines."""
    _draw_block(*block, alpha=FADED_ALPHA, edge_alpha=110)


def _draw_shaded(cell, look, shown, quarters, pen, camera):
    """Draw a full block with its neighbour's shadow on the west half of its top."""
    _draw_block(cell, look, shown, quarters, pen, camera)
    if "top" in shown:
        x, y, z = cell
        points = ((x, y + 1, z), (x + 0.4, y + 1, z), (x + 0.4, y + 1, z + 1), (x, y + 1, z + 1))
        draw_flat(pen, camera, points, SHADOW)


def _goal_pieces(scene):
    """Outlines of the goal cells: dashed while missing, solid green when satisfied, solid pink when wrong."""
    blocks, kept = solid_blocks(scene), kept_in_view(scene)
    for x, y, z, name in scene.goal:
        state, box = goal_state(name, blocks.get((x, y, z))), cell_box((x, y, z))
        veil = 0.4 if hides_agent(box, kept) else 1.0
        if state == "missing":
            draw = partial(_draw_missing, box, colour_of(name), veil)
        else:
            draw = partial(_draw_found, box, SATISFIED if state == "satisfied" else WRONG, veil)
        yield _key((x, y, z), 1, box, kept[0]), draw


def _draw_missing(box, colour, veil, pen, camera):
    """Dashes in the item's colour on a pale line, around a film; `veil` (0-1) thins what hides the agent."""
    if veil == 1:
        draw_box(pen, camera, box, colour, colour, FILM_ALPHA, edge_alpha=0)
    draw_edges(pen, camera, box, (255, 255, 255, int(70 * veil)), 1.5)
    draw_edges(pen, camera, box, (*colour, 255), 1.5, dashed=True)


def _draw_found(box, colour, veil, pen, camera):
    """A thin solid outline."""
    draw_edges(pen, camera, box, (*colour, int(220 * veil)), 1.0)


def _request_pieces(scene):
    """Ghosts of requests in flight, and the last moments of those judged; their edges show through other blocks."""
    kept = kept_in_view(scene)
    for request in scene.requests:
        if request["state"] == "pending" or request["age"] < FLASH_TICKS:
            box = cell_box(request["cell"], 0.02)
            key, (colour, alpha, edge, width) = _key(request["cell"], 2, box, kept[0]), _request_look(request)
            alpha = int(alpha * 0.4) if hides_agent(box, kept) else alpha
            if alpha:
                yield key, partial(draw_box, box=box, top=colour, side=colour, alpha=alpha, edge_alpha=0)
            yield (key[0], float("inf")), partial(draw_edges, box=box, colour=edge, width=width)


def _request_look(request):
    """(colour of the sides, their alpha, colour of the edges with alpha, width of the edges in pixels).

    In flight: a ghost of the item with white edges. Placed: bright edges that fade. Failed: red, flashing.
    """
    if request["state"] == "pending":
        return colour_of(request["item"]), 175, (255, 255, 255, 235), 1.5
    if request["state"] == "placed":
        return PLACED, 0, (*PLACED, 255 - 240 * request["age"] // FLASH_TICKS), 2.0
    return FAILED, (190, 80)[request["age"] // 4 % 2], (*FAILED, 255), 1.6


# ---------------------------------------------------------------- agent and caption


def _agent_pieces(scene):
    """The figure, and its arrow on the ground: above everything when it points to the camera."""
    near = quadrant_of(scene.yaw) in (0, 3)
    yield (1, 1), partial(_draw_agent, scene)
    yield (3,) if near else (1, 0), partial(_draw_arrow, scene)


def _draw_agent(scene, pen, camera):
    """Two boxes, body and head, turned to the nearest quarter; eyes where the face can be seen."""
    (x, y, z), quadrant = scene.agent, quadrant_of(scene.yaw)
    side, deep = (0.3, 0.2) if quadrant % 2 == 0 else (0.2, 0.3)
    neck, lean = (y + 1.0, 0.12) if scene.sneaking else (y + 1.25, 0.0)
    x1, z1 = x - sin(radians(quadrant * 90)) * lean, z + cos(radians(quadrant * 90)) * lean
    draw_box(pen, camera, (x - side, y, z - deep, x + side, neck, z + deep), AGENT_BODY, AGENT_BODY)
    draw_box(pen, camera, (x1 - 0.27, neck, z1 - 0.27, x1 + 0.27, neck + 0.54, z1 + 0.27), AGENT_HEAD, AGENT_HEAD)
    for left, right in ((-0.19, -0.06), (0.06, 0.19)) if quadrant in (0, 3) else ():
        corners = ((left, 0.22), (right, 0.22), (right, 0.38), (left, 0.38))
        face = [(x1 + u, neck + v, z1 + 0.27) if quadrant == 0 else (x1 + 0.27, neck + v, z1 + u) for u, v in corners]
        draw_flat(pen, camera, face, EYES)


def _draw_arrow(scene, pen, camera):
    """A flat yellow arrow at the agent's feet along its yaw."""
    (x, y, z), turn = scene.agent, radians(scene.yaw)
    shape = ((1.15, 0.0), (0.68, 0.4), (0.68, 0.15), (0.3, 0.15), (0.3, -0.15), (0.68, -0.15), (0.68, -0.4))
    points = [(x - u * sin(turn) - v * cos(turn), y + 0.02, z + u * cos(turn) - v * sin(turn)) for u, v in shape]
    draw_flat(pen, camera, points, (*ARROW, 255), (120, 84, 0, 255))


def font_size(size):
    """Pixels; readable in a small picture too."""
    return max(14, size // 34)


def strip_height(size):
    """Pixels of the caption strip: two lines of text."""
    return 2 * (font_size(size) + 5) + 8


@lru_cache(maxsize=4)
def _font(pixels):
    return _pillow()[2].load_default(size=pixels)


def _draw_caption(pen, caption, size):
    """The strings from left to right on two lines, cut off where they do not fit; lengths in pixels."""
    gap, font, top = font_size(size), _font(font_size(size)), size - strip_height(size)
    pen.rectangle((0, top, size, size), fill=STRIP)
    column, row = gap // 2, top + 5
    for text in filter(None, caption):
        if row == top + 5 and column > gap and column + font.getlength(text) > size - gap:
            column, row = gap // 2, row + gap + 5
        text = _shorten(text, font, size - gap // 2 - column)
        ink = next((tone for word, tone in TONES.items() if word in text), INK)
        pen.text((column, row), text, font=font, fill=ink)
        column += int(font.getlength(text)) + gap


def _shorten(text, font, width):
    """The text, or as much of it as fits in `width` pixels with dots at the end."""
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(text + "...") > width:
        text = text[:-1]
    return text + "..." if text else ""
