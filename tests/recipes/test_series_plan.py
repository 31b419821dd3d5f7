"""Oracles: series whose season, length and best naive forecast are known."""

import datetime

import numpy as np
import polars as pl
import pytest

from chainrule.errors import InputError
from chainrule.recipes.series_plan import SeriesShape, series_shape, time_column
from chainrule.sources import SeriesTable, read_series


def hourly(count: int, values: np.ndarray | None = None) -> SeriesTable:
    times = [datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=hour) for hour in range(count)]
    wave = np.sin(np.arange(count) * 2 * np.pi / 24) if values is None else values
    return read_series(pl.DataFrame({"t": times, "x": wave}), time="t")


def shape_of(table: SeriesTable, horizon: int | None = None) -> SeriesShape:
    return series_shape(table, horizon)[0]


def test_hours_are_forecast_two_days_ahead_from_a_week() -> None:
    shape = shape_of(hourly(2000))
    assert (shape.horizon, shape.context, shape.season, shape.lag) == (48, 168, 24, 24)
    assert shape.cycles == ("day", "week")
    assert shape.features == 8


def test_the_naive_forecast_that_was_nearer_is_where_it_starts() -> None:
    walk = np.random.default_rng(0).standard_normal(2000).cumsum()
    assert shape_of(hourly(2000, walk)).lag == 1


def test_short_series_are_looked_at_less_far() -> None:
    shape = shape_of(hourly(100))
    assert shape.horizon == 16
    assert shape.context + 3 * shape.horizon <= 100
    assert shape.context >= shape.season


def test_a_season_of_plain_numbers_is_found_in_the_part_to_learn_from() -> None:
    frame = pl.DataFrame({"t": np.arange(200), "x": np.sin(np.arange(200) * 2 * np.pi / 9)})
    shape, notes = series_shape(read_series(frame, time="t"), None)
    assert (shape.season, shape.horizon, shape.cycles) == (9, 10, ("season",))
    assert any("every 9 steps" in note for note in notes)


def test_decisions_do_not_look_at_the_end() -> None:
    """Whatever the last values are, the shape is the same."""
    values = np.sin(np.arange(600) * 2 * np.pi / 24)
    other = values.copy()
    other[-110:] = 50 * np.random.default_rng(0).standard_normal(110)
    assert shape_of(hourly(600, values), 24) == shape_of(hourly(600, other), 24)


def test_series_that_are_too_short_are_left_out_or_refused() -> None:
    frame = pl.DataFrame({"t": [*range(100), *range(12)], "s": ["long"] * 100 + ["short"] * 12, "x": np.arange(112.0)})
    _, notes = series_shape(read_series(frame, time="t", series="s"), 5)
    assert any(note.startswith("1 of 2 series are shorter than") for note in notes)
    with pytest.raises(InputError, match=r"three times as long as the horizon.*--horizon"):
        shape_of(hourly(100), 48)
    with pytest.raises(InputError, match="`--horizon` must be at least 1"):
        shape_of(hourly(100), 0)


def test_the_only_column_of_dates_says_when() -> None:
    day = ["2024-01-01", "2024-01-02"]
    assert time_column(pl.DataFrame({"x": [1.0, 2.0], "day": day})) == "day"
    for frame in (pl.DataFrame({"x": [1.0, 2.0]}), pl.DataFrame({"day": day, "paid": day})):
        with pytest.raises(InputError, match="--time"):
            time_column(frame)


def test_series_that_never_change_are_told_and_refused_where_all_are_so() -> None:
    with pytest.raises(InputError, match="a series must change"):
        shape_of(hourly(200, np.ones(200)))
    frame = pl.DataFrame({"t": np.arange(200), "a": np.ones(200), "b": np.sin(np.arange(200))})
    _, notes = series_shape(read_series(frame, time="t"), 5)
    assert "1 of 2 series never changed in the part to learn from." in notes
