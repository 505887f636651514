"""Charts of the report as inline SVG: lines with bands, and bars. Colours tell apart what a legend names."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f")  # Okabe and Ito
WIDTH, HEIGHT = 560, 300  # of the drawing; the margins come on top
LEFT, TOP, BOTTOM, RIGHT = 64, 12, 46, 40
BAR, GAP, NAMES = 14, 10, 210  # thickness of a bar, space between groups, width of the names; pixels
Point = tuple[float, float]


class Line(NamedTuple):
    """A named curve; `band` has the lower and the upper one around it, if known."""

    name: str
    points: list[Point]
    band: tuple[list[Point], list[Point]] | None = None


def line_chart(lines: Sequence[Line], x_label: str, y_label: str) -> str:
    """Curves of rates over anything: y runs from 0 to 1, x from 0 to the greatest."""
    widest = max((x for line in lines for x, _ in line.points), default=1.0) or 1.0

    def place(point: Point) -> str:
        return f"{LEFT + point[0] / widest * WIDTH:.1f},{TOP + (1 - point[1]) * HEIGHT:.1f}"

    parts = [grid(widest, x_label, y_label)]
    for k, line in enumerate(lines):
        colour = COLOURS[k % len(COLOURS)]
        if line.band is not None:
            outline = " ".join(map(place, [*line.band[0], *reversed(line.band[1])]))
            parts.append(f'<polygon points="{outline}" fill="{colour}" opacity="0.15"/>')
        path = " ".join(map(place, line.points))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
    size = (LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM)
    return svg(size, f"{y_label} over {x_label}", parts) + legend([line.name for line in lines])


def grid(widest: float, x_label: str, y_label: str) -> str:
    """Axes with five marks each and their names."""
    parts = []
    for k in range(5):
        x, y, value = LEFT + k / 4 * WIDTH, TOP + (1 - k / 4) * HEIGHT, k / 4 * widest
        parts += [
            f'<line x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + WIDTH}" y2="{y:.1f}" class="grid"/>',
            text(LEFT - 8, y + 4, f"{k / 4:.0%}", "end"),
            text(x, TOP + HEIGHT + 18, f"{value:,.0f}" if widest > 10 else f"{value:g}"),
        ]
    middle = TOP + HEIGHT / 2
    upright = f'transform="rotate(-90 14 {middle})"'
    names = [text(LEFT + WIDTH / 2, TOP + HEIGHT + 38, x_label), text(14, middle, y_label, more=upright)]
    return "".join([*parts, *names])


def bar_chart(groups: Sequence[tuple[str, list[float | None]]], names: Sequence[str]) -> str:
    """Lying bars: for each group its rates, one a name; what was not measured is a dash and no bar."""
    longest = max((rate for _, rates in groups for rate in rates if rate is not None), default=0.0) or 1.0
    parts, y = [], TOP
    for title, rates in groups:
        parts.append(text(NAMES - 8, y + BAR * len(rates) / 2 + 4, title, "end"))
        for k, rate in enumerate(rates):
            width = 0.0 if rate is None else rate / longest * WIDTH
            colour = COLOURS[k % len(COLOURS)]
            parts.append(f'<rect x="{NAMES}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{colour}"/>')
            parts.append(text(NAMES + width + 6, y + BAR - 4, "-" if rate is None else f"{rate:.1%}", "start"))
            y += BAR
        y += GAP
    return svg((NAMES + WIDTH + 60, y), "rates of " + ", ".join(names), parts) + legend(names)


def text(x: float, y: float, content: str, anchor: str = "middle", more: str = "") -> str:
    """A label."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(content)}</text>'


def svg(size: tuple[float, float], title: str, parts: Sequence[str]) -> str:
    """A drawing of `size` pixels with a title for those who cannot see it."""
    head = f'<svg viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" height="{size[1]}" role="img">'
    return f"{head}<title>{escape(title)}</title>{''.join(parts)}</svg>"


def legend(names: Sequence[str]) -> str:
    """Which colour is whose."""
    parts = (
        f'<span><i style="background:{COLOURS[k % len(COLOURS)]}"></i>{escape(name)}</span>'
        for k, name in enumerate(names)
    )
    return f'<p class="legend">{"".join(parts)}</p>'
