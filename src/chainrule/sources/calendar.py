"""What the calendar says of a moment: where in the day, the week and the year it lies."""

from typing import Literal

import numpy as np

from chainrule.shapes import Float
from chainrule.sources.steps import Step

Cycle = Literal["day", "week", "month", "year", "season"]

_DAY, _YEAR = 86_400, 31_556_952
_WAVES = {"day": 2, "week": 2, "month": 1, "year": 1, "season": 2}  # each of half the length of the one before
_ROUNDS = 2  # a cycle that the past has not seen so often says nothing


def cycles_of(step: Step, length: int, season: int = 1) -> tuple[Cycle, ...]:
    """Which cycles of the calendar may matter to series of this step: those longer than it, and seen twice.

    Args:
        step: of the series.
        length: how many steps of the past there are to learn from.
        season: after how many steps the series repeat themselves.

    Example:
        >>> cycles_of(Step("second", 3600), 2000), cycles_of(Step("number", 1), 100, season=7)
        (('day', 'week'), ('season',))
    """
    if step.unit == "number":
        return ("season",) if season > 1 else ()
    size = {"second": step.count, "weekday": _DAY, "month": step.count * _YEAR // 12}[step.unit]
    spans: tuple[tuple[Cycle, int], ...] = (("day", _DAY), ("week", 7 * _DAY), ("month", _YEAR // 12), ("year", _YEAR))
    found: list[Cycle] = [cycle for cycle, span in spans if 2 * size <= span and span * _ROUNDS <= length * size]
    if "day" in found:  # within days, where in the month is far away
        found = [cycle for cycle in found if cycle != "month"]
    return tuple(found)


def calendar_features(
    step: Step, indices: np.ndarray, cycles: tuple[Cycle, ...], season: int = 1
) -> Float[np.ndarray, "place feature"]:
    r"""Sines and cosines of where in each cycle a moment lies; a single zero where there is no cycle.

    $$\sin(2\pi k\,\varphi_c(t)), \quad \cos(2\pi k\,\varphi_c(t)), \qquad
      \varphi_c(t) = \text{the share of cycle } c \text{ that is over}$$

    Args:
        step: of the series.
        indices: moments, in steps.
        cycles: which ones.
        season: the length of the cycle "season", in steps.

    Shape:
        indices: (place); returns (place, feature).

    Example:
        >>> calendar_features(Step("second", 3600), np.array([0, 6]), ("day",))[:, :2].round(3).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    columns: list[np.ndarray] = []
    for cycle in cycles:
        over = _phase(step, indices, cycle, season)
        for wave in range(1, _WAVES[cycle] + 1):
            angle = 2 * np.pi * wave * over
            columns += [np.sin(angle), np.cos(angle)]
    return np.stack(columns or [np.zeros(len(indices))], 1).astype(np.float32)


def _phase(step: Step, indices: np.ndarray, cycle: Cycle, season: int) -> np.ndarray:
    """The share of the cycle that is over."""
    ticks = indices.astype(np.int64) * step.count + step.offset
    if cycle == "season":
        return (indices % season) / season
    if step.unit == "month":
        return (ticks % 12) / 12
    if step.unit == "weekday":
        days = 4 + ticks // 5 * 7 + ticks % 5
        return (ticks % 5) / 5 if cycle == "week" else _share(days * _DAY, cycle)
    return _share(ticks, cycle)


def _share(seconds: np.ndarray, cycle: Cycle) -> np.ndarray:
    if cycle == "month":
        days = seconds.astype("datetime64[s]").astype("datetime64[D]")
        return (days - days.astype("datetime64[M]").astype("datetime64[D]")).astype(np.int64) / 31
    if cycle == "week":
        return ((seconds // _DAY + 3) % 7) / 7  # the first of January 1970 was a Thursday
    span = _DAY if cycle == "day" else _YEAR
    return (seconds % span) / span
