"""A small writer of SVG: text, frames with axes, lines. Drawings are 360 units wide: one phone, half a page.

Colours are the page's: `var(--ink)`, `var(--muted)`, `var(--grid)`, `var(--series-1)` to `var(--series-6)`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chainrule.report.axis import Ruler
from chainrule.report.markup import Attributes, escape, tag
from chainrule.report.numbers import tick

WIDTH = 360.0
SIZE = 11.0  # of text; stays above 10 px when the drawing is as wide as a phone of 390 px leaves it
COLOURS = tuple(f"var(--series-{index})" for index in range(1, 7))
DASHES = ("", "6 3", "1.5 3", "8 3 1.5 3", "3 2", "10 2")
INK, MUTED, GRID = "var(--ink)", "var(--muted)", "var(--grid)"


Point = tuple[float | int, float | int]


def colour(index: int) -> str:
    """The colour of the series or class number `index`."""
    return COLOURS[index % len(COLOURS)]


def width_of(text: str) -> float:
    """About how wide a text is drawn."""
    return 0.56 * SIZE * len(text)


def shortened(name: str, most: int) -> str:
    """A name cut to so many letters."""
    return name if len(name) <= most else name[: most - 1] + "…"


def words(
    text: object,
    x: float | int,
    y: float | int,
    *,
    anchor: str = "start",
    fill: str = INK,
    halo: bool = False,
    turn: float | int = 0,
) -> str:
    """One line of text; `y` is its baseline."""
    attributes: Attributes = {"x": x, "y": y, "fill": fill}
    if anchor != "start":
        attributes["text-anchor"] = anchor
    if halo:  # stays legible on a line
        attributes |= {"stroke": "var(--paper)", "stroke-width": 3, "paint-order": "stroke", "stroke-linejoin": "round"}
    if turn:
        attributes["transform"] = f"rotate({turn:g} {x:.2f} {y:.2f})"
    return tag("text", attributes, escape(text))


def line(start: Point, end: Point, *, stroke: str = GRID, dash: str = "") -> str:
    """A straight hairline."""
    where: Attributes = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1], "stroke": stroke}
    return tag("line", where | ({"stroke-dasharray": dash} if dash else {}))


def drawing(height: float | int, name: str, *children: str, extra: Mapping[str, str] | None = None) -> str:
    """The whole picture, named for those who can't see it."""
    attributes: Attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {WIDTH:g} {height:.0f}",
        "role": "img",
        "aria-label": name,
        "font-size": SIZE,
    }
    return tag("svg", attributes | dict(extra or {}), *children)


@dataclass(frozen=True)
class Frame:
    """The rulers of a chart."""

    across: Ruler
    upward: Ruler

    def point(self, x: float | int, y: float | int) -> Point:
        """Where a pair of values falls."""
        return self.across.place(x), self.upward.place(y)


def path(points: Iterable[Point]) -> str:
    """Points as `<polyline>` and `<polygon>` take them."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def axes(frame: Frame, across: str, upward: str) -> str:
    """Grid, ticks and labels; the label of the upright axis lies flat above it."""
    left, right = frame.across.begin, frame.across.end
    bottom, top = frame.upward.begin, frame.upward.end
    parts = [words(shortened(upward, 56), 2, top - 10, fill=MUTED)]
    for value in frame.upward.ticks:
        y = frame.upward.place(value)
        parts.append(line((left, y), (right, y)))
        parts.append(words(tick(value), left - 6, y + 3.8, anchor="end", fill=MUTED))
    for value in frame.across.ticks:
        x = frame.across.place(value)
        parts.append(line((x, bottom), (x, bottom + 4), stroke=MUTED))
        parts.append(words(tick(value), x, bottom + 16, anchor="middle", fill=MUTED))
    parts.append(line((left, bottom), (right, bottom), stroke=MUTED))
    parts.append(words(shortened(across, 48), (left + right) / 2, bottom + 31, anchor="middle", fill=MUTED))
    return "".join(parts)


def legend(entries: list[tuple[str, str]], left: float | int, top: float | int) -> tuple[str, float]:
    """Marks with their names, in rows that fit; returns them and how high they are."""
    parts: list[str] = []
    x, y = left, top + SIZE
    for mark, name in ((mark, shortened(name, 50)) for mark, name in entries):
        needed = 24 + width_of(name) + 14
        if x > left and x + needed > WIDTH:
            x, y = left, y + SIZE + 5
        parts.append(tag("g", {"transform": f"translate({x:.1f} {y - 4:.1f})"}, mark))
        parts.append(words(name, x + 24, y))
        x += needed
    return "".join(parts), (y - top + 6 if entries else 0.0)
