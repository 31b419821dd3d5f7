"""Axes: where the ticks stand and where a value falls."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Scale = Literal["linear", "log"]
_HUGE = 1e300


@dataclass(frozen=True)
class Axis:
    """One axis of a chart.

    Args:
        label: what is measured, with its unit: "loss (nats)".
        scale: "log" shows equal ratios as equal distances; values that are not positive are then left out.
        low: where the axis must begin at the latest; the data decide if `None`.
        high: where it must end at the earliest; the data decide if `None`.

    Example:
        >>> Axis("accuracy", low=0.0, high=1.0).scale
        'linear'
    """

    label: str
    scale: Scale = "linear"
    low: float | int | None = None
    high: float | int | None = None


@dataclass(frozen=True)
class Ruler:
    """An axis laid along a stretch of the page: values in, coordinates out."""

    low: float | int
    high: float | int
    begin: float | int
    end: float | int
    scale: Scale
    ticks: tuple[float | int, ...]

    def place(self, value: float | int) -> float:
        """The coordinate of a value."""
        low, high = self._length(self.low), self._length(self.high)
        return self.begin + (self._length(value) - low) / (high - low) * (self.end - self.begin)

    def shows(self, value: float | int) -> bool:
        """Whether a value can be drawn at all."""
        return drawable(value, self.scale)

    def _length(self, value: float | int) -> float:
        return math.log10(value) if self.scale == "log" else float(value)


def drawable(value: float | int, scale: Scale) -> bool:
    """Whether an axis can show a value: not infinite, nor so large that a distance would be, nor at or below log 0."""
    return abs(value) < _HUGE if scale == "linear" else 1 / _HUGE < value < _HUGE


def ruler(
    axis: Axis, values: Sequence[float | int], begin: float | int, end: float | int, *, tight: bool = False
) -> Ruler:
    """Lays an axis from `begin` to `end` so that it shows all values; `tight` ends it at the data, not at a tick."""
    shown = [value for value in values if drawable(value, axis.scale)]
    edges = [edge for edge in (axis.low, axis.high) if edge is not None]
    low, high = min(shown + edges, default=1.0), max(shown + edges, default=1.0)
    low, high = widened(low, high, axis.scale)
    ticks = log_ticks(low, high) if axis.scale == "log" else linear_ticks(low, high)
    if not tight:
        low, high = ticks[0], ticks[-1]
    inside = tuple(value for value in ticks if low <= value <= high)
    return Ruler(low, high, begin, end, axis.scale, inside)


def widened(low: float | int, high: float | int, scale: Scale = "linear") -> tuple[float | int, float | int]:
    """The same range, or one around it when it is too narrow to be drawn."""
    if scale == "log":
        return (low, high) if high > low * (1 + 1e-9) else (low / 1.5, high * 1.5)
    if high - low > max(1e-9 * max(abs(low), abs(high)), 1 / _HUGE):
        return low, high
    around = abs(low) / 2 if abs(low) > 1 / _HUGE else 1.0
    return low - around, high + around


def linear_ticks(low: float | int, high: float | int, about: int = 5) -> tuple[float | int, ...]:
    """Round numbers at equal distances of 1, 2 or 5 times a power of ten, from at most `low` to at least `high`."""
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = [float(f"{index * step:.12g}") for index in range(first, last + 1)]
    return (min(ticks[0], low), *ticks[1:-1], max(ticks[-1], high))


def log_ticks(low: float | int, high: float | int, about: int = 6) -> tuple[float | int, ...]:
    """Powers of ten, with twice and five times them where the range is short, from at most `low` to at least `high`."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1, 2, 5) if high <= 100 * low else (1,)
    stride = max(1, math.ceil((last - first) / about))
    marks = [factor * float(f"1e{power}") for power in range(first - 1, last + 2) for factor in factors]
    start = max(index for index, mark in enumerate(marks) if mark <= low * (1 + 1e-9))
    stop = min(index for index, mark in enumerate(marks) if mark >= high * (1 - 1e-9))
    stop = start + math.ceil((stop - start) / stride) * stride
    ticks = [marks[index] if index < len(marks) else marks[-1] * 10.0 ** (index - len(marks) + 1)
             for index in range(start, stop + 1, stride)]  # fmt: skip
    return (min(ticks[0], low), *ticks[1:-1], max(ticks[-1], high))
