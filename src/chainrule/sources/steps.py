"""Clocks: from dates to whole numbers of steps and back, the season of a step, and how far one looks ahead by it."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from chainrule.errors import InputError

Unit = Literal["number", "second", "weekday", "month"]

_DAY = 86_400
_MONDAY = 4  # days from the first of January 1970, a Thursday, to a Monday
_UNEVEN = 0.2  # share of rows off the grid beyond which there is no grid
_EPOCH = datetime.datetime(1970, 1, 1)
_NAMES = {
    ("second", 3600): "hour", ("second", _DAY): "day", ("second", 7 * _DAY): "week", ("weekday", 1): "weekday",
    ("month", 1): "month", ("month", 3): "quarter", ("month", 12): "year", ("second", 60): "minute",
}  # fmt: skip
_SEASONS = {"hour": 24, "day": 7, "week": 52, "weekday": 5, "month": 12, "quarter": 4}
_HORIZONS = {"hour": 48, "day": 30, "week": 13, "weekday": 20, "month": 12, "quarter": 4, "year": 5}


@dataclass(frozen=True)
class Step:
    """What lies between two moments of a series, and where its count begins.

    Args:
        unit: what is counted: seconds, months, days of the working week, or the numbers themselves.
        count: how many of them make a step.
        offset: at which of them step 0 lies.
        day: of the month, for months; 31 is the last one.

    Example:
        >>> monthly = Step("month", 1, day=31)
        >>> monthly.name, monthly.season, monthly.at(12 * 2024 + 1).isoformat()
        ('month', 12, '2024-02-29T00:00:00')
    """

    unit: Unit
    count: int
    offset: int = 0
    day: int = 1

    @property
    def name(self) -> str:
        """In a word or two: "hour", "2 days", "step"."""
        found = _NAMES.get((self.unit, self.count))
        if found is not None:
            return found
        if self.unit == "number":
            return "step" if self.count == 1 else f"step of {self.count}"
        if self.unit == "month":
            return f"{self.count} months"
        for size, word in ((_DAY, "days"), (3600, "hours"), (60, "minutes")):
            if self.unit == "second" and self.count % size == 0:
                return f"{self.count // size} {word}"
        return f"{self.count} {self.unit}s"

    @property
    def season(self) -> int:
        """After how many steps a round of the calendar begins anew; 1 where nobody can say."""
        if self.unit == "second" and self.count < _DAY and _DAY % self.count == 0:
            return _DAY // self.count
        return _SEASONS.get(self.name, 1)

    @property
    def horizon(self) -> int:
        """How many steps people look ahead."""
        if self.unit == "second" and self.count < 3600:
            return min(96, max(12, 3600 * 12 // self.count))
        return _HORIZONS.get(self.name, 10)

    def at(self, index: int) -> datetime.datetime:
        """The moment of a step, where steps have dates."""
        tick = index * self.count + self.offset
        if self.unit == "second":
            return _EPOCH + datetime.timedelta(seconds=tick)
        if self.unit == "weekday":
            return _EPOCH + datetime.timedelta(days=_MONDAY + tick // 5 * 7 + tick % 5)
        first = datetime.datetime(tick // 12, tick % 12 + 1, 1)
        after = datetime.datetime((tick + 1) // 12, (tick + 1) % 12 + 1, 1)
        return first.replace(day=min(self.day, (after - first).days))

    def written(self, index: int, way: str = "") -> str:
        """A step as people write it, in the language of `strftime` or as ISO 8601 does."""
        if self.unit == "number":
            return str(index * self.count + self.offset)
        moment = self.at(index)
        if way:
            return moment.strftime(way)
        whole = self.unit != "second" or (self.count % _DAY == 0 and self.offset % _DAY == 0)
        return moment.date().isoformat() if whole else moment.isoformat(sep=" ")

    def index(self, times: np.ndarray) -> tuple[np.ndarray, int]:
        """The nearest step of each time (seconds since 1970, or numbers), and how many lie off the steps."""
        ticks = _ticks(times, self.unit)
        exact = (ticks - self.offset) / self.count
        nearest = np.rint(exact).astype(np.int64)
        return nearest, int((np.abs(exact - nearest) > 1e-9).sum())


def find_step(series: Sequence[np.ndarray], *, dates: bool) -> Step:
    """The step that most neighbours of most series lie apart.

    Args:
        series: the times of each series, rising: seconds since 1970, or plain numbers.
        dates: whether they are seconds.

    Example:
        >>> find_step([np.array([0, 3600, 7200, 14400])], dates=True)
        Step(unit='second', count=3600, offset=0, day=1)
    """
    apart = np.concatenate([np.diff(times) for times in series]) if series else np.empty(0)
    apart = apart[apart > 0]
    if not len(apart):
        raise InputError(
            "a series must have at least two different times",
            advice="check which column says when, and which one tells series apart",
            series=len(series),
        )
    if not dates:
        return Step("number", _commonest(apart), int(series[0][0]) % _commonest(apart))
    every = np.concatenate(series)
    if _monthly(series, apart):
        months = [_ticks(times, "month") for times in series]
        count = _commonest(np.concatenate([np.diff(ticks) for ticks in months]))
        days = [(_EPOCH + datetime.timedelta(seconds=int(time))).day for time in every[:1000]]
        return Step("month", count, int(months[0][0]) % count, day=31 if min(days) >= 28 else min(days))
    count = _commonest(apart)
    weekdays = (every // _DAY - _MONDAY) % 7
    if count == _DAY and len(every) > 10 and int(weekdays.max()) < 5 and not (every % _DAY).any():
        return Step("weekday", 1)
    return Step("second", count, int(series[0][0]) % count)


def uneven(moved: int, rows: int) -> None:
    """Raises where too many rows lie off the steps to be rounded to them."""
    if moved > _UNEVEN * rows:
        raise InputError(
            "the times of a series must lie even steps apart",
            advice="take the mean, the sum or the last value of every hour, day or month first",
            off_the_steps=moved,
            rows=rows,
        )


def season_of(series: Sequence[np.ndarray], most: int = 400) -> int:
    r"""After how many steps series repeat themselves most, found in their own past; 1 where they do not.

    $$\min \{\ell : r_\ell \ge 0.9 \max_{\text{peaks}} r\}, \qquad
      r_\ell = \text{autocorrelation at lag } \ell \text{ without the trend}$$

    A peak is higher than both its neighbours, and by 0.3 higher than the valley before it.

    Args:
        series: values, not a number in a gap.
        most: the longest season that is looked for.

    Example:
        >>> season_of([np.sin(np.arange(200) * 2 * np.pi / 12)])
        12

    Reference:
        Hyndman and Athanasopoulos, Forecasting: Principles and Practice, section 2.8.

    Differs:
        A mean over all series, and a straight trend is taken off first.
    """
    longest = min(most, max((len(values) for values in series), default=0) // 3)
    if longest < 3:
        return 1
    total, weight = np.zeros(longest + 1), np.zeros(longest + 1)
    for values in series[:200]:
        flat = _without_trend(values)
        size = float((flat**2).sum())
        if size <= 1e-12 or len(flat) < 8:
            continue
        lags = np.arange(min(longest, len(flat) // 2) + 1)
        total[lags] += [float((flat[lag:] * flat[: len(flat) - lag]).sum()) / size for lag in lags]
        weight[lags] += 1 - lags / len(flat)
    likeness = total / np.maximum(weight, 1e-9)
    valleys = np.minimum.accumulate(likeness)
    peaks = [
        lag
        for lag in range(2, longest)
        if likeness[lag] > max(likeness[lag - 1], likeness[lag + 1], 0.3, valleys[lag] + 0.3)
    ]
    best = max((likeness[lag] for lag in peaks), default=0.0)
    return next((lag for lag in peaks if likeness[lag] >= 0.9 * best), 1)


def _without_trend(values: np.ndarray) -> np.ndarray:
    there = ~np.isnan(values)
    if there.sum() < 3:
        return np.zeros(0)
    places = np.arange(len(values))
    slope, level = np.polyfit(places[there], values[there].astype(float), 1)
    return np.where(there, values - slope * places - level, 0.0)


def _ticks(times: np.ndarray, unit: Unit) -> np.ndarray:
    if unit in ("number", "second"):
        return times
    if unit == "weekday":
        days = times // _DAY - _MONDAY
        return days // 7 * 5 + np.minimum(days % 7, 4)
    return times.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64) + 1970 * 12


def _commonest(apart: np.ndarray) -> int:
    sizes, counts = np.unique(apart, return_counts=True)
    return int(sizes[counts.argmax()])


def _monthly(series: Sequence[np.ndarray], apart: np.ndarray) -> bool:
    """One row a month at most, some 30 days apart, and not simply every four weeks."""
    if np.median(apart) < 27.5 * _DAY or not (apart % (7 * _DAY)).any():
        return False
    return all(len(np.unique(_ticks(times, "month"))) == len(times) for times in series)
