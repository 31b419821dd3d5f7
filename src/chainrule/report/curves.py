"""Line charts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chainrule.errors import InputError
from chainrule.report.axis import Axis, Ruler, ruler
from chainrule.report.markup import Attributes, tag
from chainrule.report.numbers import number, tick
from chainrule.report.outcome import Figure
from chainrule.report.svg import DASHES, WIDTH, Frame, axes, colour, drawing, legend, path, width_of

_HEIGHT = 190.0
_MARKED = 12  # a line through so few points shows them


@dataclass(frozen=True)
class Curve:
    """What one line of a chart goes through.

    Args:
        x: from left to right.
        y: as many values; one that is not finite breaks the line.
        low: lower edge of a band around it, or nothing.
        high: upper edge of the band.
        points: whether to draw dots without a line.
        style: number of its colour and dashes; its place among the lines if `None`.

    Example:
        >>> Curve((0, 1, 2), (1.0, 0.5, 0.25)).points
        False
    """

    x: Sequence[float | int]
    y: Sequence[float | int]
    low: Sequence[float | int] = ()
    high: Sequence[float | int] = ()
    points: bool = False
    style: int | None = None

    def __post_init__(self) -> None:
        """Columns of one length."""
        lengths = {"x": len(self.x), "y": len(self.y), "low": len(self.low), "high": len(self.high)}
        if lengths["x"] != lengths["y"] or not {lengths["low"], lengths["high"]} <= {0, lengths["x"]}:
            raise InputError("the columns of a curve must be equally long", advice="pair the values", **lengths)


def curves(
    series: Mapping[str, Curve | tuple[Sequence[float | int], Sequence[float | int]]],
    *,
    title: str,
    caption: str,
    x: Axis = Axis("step"),  # noqa: B008 (a frozen value)
    y: Axis = Axis("loss"),  # noqa: B008
) -> Figure:
    """Draws lines over a common axis; each differs from the others in colour and in dashes.

    Args:
        series: `Curve`, or a pair of x and y, by name.
        title: what it shows.
        caption: how to read it.
        x: the axis along the bottom.
        y: the upright axis.

    Example:
        >>> figure = curves({"training": ([0, 1, 2], [1.0, 0.1, 0.01])}, title="A", caption="", y=Axis("loss", "log"))
        >>> figure.svg.count("data-values")
        1
    """
    drawn = {name: curve if isinstance(curve, Curve) else Curve(*curve) for name, curve in series.items()}
    styled = [(index if curve.style is None else curve.style, name, curve)
              for index, (name, curve) in enumerate(drawn.items())]  # fmt: skip
    marks, taken = legend([(_mark(index, curve), name) for index, name, curve in styled], 2, 0)
    frame = _frame(drawn, x, y, taken + 26)
    parts = [axes(frame, x.label, y.label), marks]
    parts += [_band(frame, curve, index) for index, _, curve in styled]
    parts += [_line(frame, name, curve, index) for index, name, curve in styled]
    height = frame.upward.begin + 38
    plot = f"{frame.across.begin:.1f} {frame.upward.end:.1f} {frame.across.end:.1f} {frame.upward.begin:.1f}"
    picture = drawing(
        height, f"{title}: {y.label} over {x.label}", *parts, extra={"data-plot": plot, "data-x": x.label}
    )
    return Figure(title, caption, picture)


def _frame(drawn: Mapping[str, Curve], x: Axis, y: Axis, top: float) -> Frame:
    values = [value for curve in drawn.values() for value in (*curve.y, *curve.low, *curve.high)]
    upward = ruler(y, [float(value) for value in values], top + _HEIGHT - 26, top)
    left = 12 + max(width_of(tick(value)) for value in upward.ticks)
    places = [float(value) for curve in drawn.values() for value in curve.x]
    across = ruler(x, places, left, WIDTH - 12, tight=True)
    half = max((width_of(tick(value)) / 2 for value in across.ticks), default=0.0)
    return Frame(replace(across, end=WIDTH - max(10.0, half)), upward)


def _runs(frame: Frame, curve: Curve) -> list[list[int]]:
    """The indices of each unbroken stretch."""
    stretches: list[list[int]] = [[]]
    for index, (x, y) in enumerate(zip(curve.x, curve.y, strict=True)):
        if frame.across.shows(x) and frame.upward.shows(y):
            stretches[-1].append(index)
        elif stretches[-1]:
            stretches.append([])
    return [stretch for stretch in stretches if stretch]


def _line(frame: Frame, name: str, curve: Curve, index: int) -> str:
    parts: list[str] = []
    for stretch in _runs(frame, curve):
        chosen = [(float(curve.x[place]), float(curve.y[place])) for place in stretch]
        points = [frame.point(*pair) for pair in chosen]
        if not curve.points:
            read = {"data-name": name, "data-at": "|".join(tick(x) for x, _ in chosen)}
            read["data-values"] = "|".join(number(value) for _, value in chosen)
            parts.append(tag("polyline", {"points": path(points)} | _stroke(index) | read))
        if curve.points or len(chosen) <= _MARKED:
            parts += [_dot(*point, index, alone=curve.points) for point in points]
    return "".join(parts)


def _stroke(index: int) -> Attributes:
    stroke: Attributes = {"fill": "none", "stroke": colour(index), "stroke-width": 1.6}
    dash = DASHES[index % len(DASHES)]
    return stroke | ({"stroke-dasharray": dash} if dash else {"stroke-linejoin": "round"})


def _dot(x: float | int, y: float | int, index: int, *, alone: bool = False) -> str:
    """A dot; where it has no line it must be seen upon those of others."""
    shape: Attributes = {"r": 4.2, "stroke": "var(--paper)", "stroke-width": 1.2} if alone else {"r": 2.6}
    return tag("circle", {"cx": x, "cy": y, **shape, "fill": colour(index)})


def _mark(index: int, curve: Curve) -> str:
    """A line's sample in the legend."""
    return _dot(10, 0, index, alone=True) if curve.points else tag("polyline", {"points": "0,0 20,0"} | _stroke(index))


def _band(frame: Frame, curve: Curve, index: int) -> str:
    up = frame.upward
    parts: list[str] = []
    for stretch in _runs(frame, curve) if curve.low else []:
        above = [frame.point(curve.x[place], _held(curve.high[place], up)) for place in stretch]
        below = [frame.point(curve.x[place], _held(curve.low[place], up)) for place in reversed(stretch)]
        attributes: Attributes = {"points": path(above + below), "fill": colour(index)}
        parts.append(tag("polygon", attributes | {"fill-opacity": 0.18}))
    return "".join(parts)


def _held(value: float | int, up: Ruler) -> float:
    """A band's edge, kept inside the frame."""
    return float(min(max(value, up.low), up.high)) if up.shows(value) else float(up.low)
