"""How far somebody's series are forecast, how far back is looked, and what of the calendar matters."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from chainrule.data import OutlookWindows
from chainrule.errors import InputError
from chainrule.functional import level_and_scale
from chainrule.recipes.series_rivals import naive
from chainrule.sources import (
    Cycle,
    SeriesTable,
    Step,
    calendar_features,
    cycles_of,
    panel_of,
    read_table,
    season_of,
    split_ahead,
)

_DECIDED_BY = 0.7  # share of each series that decisions may look at
_ROUNDS = 7  # seasons that are looked back, where a season is short
_FAR = 168  # moments that many short seasons may fill
_COMPARED = 2000  # windows that decide between the naive forecasts


@dataclass(frozen=True)
class SeriesShape:
    """The clock of series, and how many of its steps are looked back and ahead.

    Args:
        step: between two moments.
        way: how times are written, in the language of `strftime`.
        horizon: moments to forecast.
        context: moments seen.
        season: after how many moments series repeat themselves; 1 for never.
        lag: the naive forecast that the network begins as: the season, or 1 for the last value.
        cycles: of the calendar that it is told.
        least: moments that lie before the first forecast it learns from.
        windows: most horizons of a series for test.
    """

    step: Step
    way: str
    horizon: int
    context: int
    season: int
    lag: int
    cycles: tuple[Cycle, ...]
    least: int
    windows: int = 20

    @property
    def features(self) -> int:
        """Numbers known of every moment."""
        return calendar_features(self.step, np.zeros(1, dtype=np.int64), self.cycles, self.season).shape[1]


def series_shape(table: SeriesTable, asked: int | None) -> tuple[SeriesShape, list[str]]:
    """Decides horizon, season and context, and says why; looks at no value of the last part of a series.

    Args:
        table: the series.
        asked: the horizon, where the person named one.
    """
    lengths = np.array([len(values) for values in table.values])
    longest, typical = int(lengths.max()), int(np.median(lengths))
    still = sum(bool(np.nanmax(values) == np.nanmin(values)) for values in _decided_by(table))
    if still == len(lengths):
        raise InputError("a series must change", advice="choose another column with `--target`", series=table.names[:5])
    season = _season(table, typical)
    horizon, notes = _horizon(table.step, season, longest, asked)
    train = max(1, typical - 2 * horizon * max(1, min(20, int(0.1 * typical / horizon))))
    context = max(3 * horizon, 2 * season, min(_ROUNDS * season, _FAR))
    context = max(2, season, min(context, train // 2))
    least = context if train > 4 * context else max(2, min(context, season if season > 1 else horizon))
    least = min(least, max(2, longest - 3 * horizon))
    short = int((lengths < 3 * horizon + least).sum())
    if short == len(lengths):
        raise InputError(
            "a series must be at least three times as long as the horizon, and some steps more",
            advice=f"try --horizon {max(1, (longest - 2) // 5)}", longest=longest, horizon=horizon,
        )  # fmt: skip
    if still:
        notes.append(f"{still:,} of {len(lengths):,} series never changed in the part to learn from.")
    if short:
        notes.append(f"{short:,} of {len(lengths):,} series are shorter than {3 * horizon + least} steps: left out.")
    cycles = cycles_of(table.step, train, season)
    shape = SeriesShape(table.step, table.way, horizon, context, season, 1, cycles, least)
    lag = _lag(table, shape)
    shape = SeriesShape(table.step, table.way, horizon, context, season, lag, cycles, least)
    repeats = f"Series repeat themselves every {season} steps" if season > 1 else "No season was found"
    begun = "as one season ago" if lag > 1 else "as the last value"
    notes.append(f"{repeats}; it looks back {context} steps and starts from the forecast {begun}.")
    if cycles:
        notes.append(f"It is told where in the {', the '.join(cycles)} each moment lies.")
    return shape, notes


def time_column(source: Any) -> str:
    """The one column of dates, where nobody said which column says when.

    Args:
        source: a table, as `read_table` takes it.

    Example:
        >>> import polars as pl
        >>> time_column(pl.DataFrame({"day": ["2024-01-01", "2024-01-02"], "x": [1.0, 2.0]}))
        'day'
    """
    import polars as pl

    frame = read_table(source).frame
    dates = [name for name in frame.columns if frame[name].dtype == pl.Datetime]
    if len(dates) != 1:
        raise InputError(
            "a forecast needs a column that says when", advice="name it with `--time`", columns=frame.columns[:20]
        )
    return dates[0]


def _season(table: SeriesTable, typical: int) -> int:
    """The calendar's season, where it is seen twice; else what the past itself says."""
    seen = int(_DECIDED_BY * typical)
    if 1 < table.step.season <= seen // 3:
        return table.step.season
    if table.step.season > 1 or table.step.unit != "number":
        return 1
    return season_of(_decided_by(table))


def _decided_by(table: SeriesTable) -> list[np.ndarray]:
    """The part of each series that decisions may look at."""
    return [values[: max(1, int(_DECIDED_BY * len(values)))] for values in table.values]


def _horizon(step: Step, season: int, longest: int, asked: int | None) -> tuple[int, list[str]]:
    if asked is not None:
        if asked < 1:
            raise InputError("`--horizon` must be at least 1", advice="leave it out", horizon=asked)
        return asked, []
    usual = step.horizon if step.unit != "number" else max(season, 10)
    horizon = max(1, min(usual, longest // 6))
    why = f"as is usual for a step of one {step.name}" if horizon == usual else "as the series are short"
    return horizon, [f"{horizon} {step.name}s are forecast, {why}; `--horizon` changes that."]


def _lag(table: SeriesTable, shape: SeriesShape) -> int:
    """The season or 1: whichever naive forecast was nearer in the training part."""
    if shape.season == 1:
        return 1
    panel = panel_of(table, shape.horizon)
    first, last = split_ahead(panel.lengths, shape.horizon, least=shape.least, windows=shape.windows).train
    windows = OutlookWindows(panel, shape.context, shape.horizon, first, last)
    batch = windows.at(torch.arange(0, windows.size, max(1, windows.size // _COMPARED)))
    scale = level_and_scale(batch.past, batch.observed)[1]
    missed = {
        lag: float(((batch.future - naive(batch.past, shape.horizon, lag)).abs() / scale).clamp(max=30.0).nanmean())
        for lag in (1, shape.season)
    }
    return min(missed, key=lambda lag: missed[lag])
