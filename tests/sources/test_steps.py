"""Oracles: Python's own calendar, and waves whose season is known."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainrule.errors import InputError
from chainrule.sources.steps import Step, find_step, season_of, uneven

EPOCH = datetime.datetime(1970, 1, 1)


def seconds(moments: list[datetime.datetime]) -> np.ndarray:
    return np.array([int((moment - EPOCH).total_seconds()) for moment in moments])


def months(count: int, *, apart: int = 1, last_day: bool = False) -> list[datetime.datetime]:
    firsts = [datetime.datetime(2019 + index * apart // 12, index * apart % 12 + 1, 1) for index in range(count)]
    return [(first + datetime.timedelta(days=32)).replace(day=1) - datetime.timedelta(days=1) for first in firsts] \
        if last_day else firsts  # fmt: skip


def days(count: int, apart: int = 1, *, working: bool = False) -> list[datetime.datetime]:
    found = [datetime.datetime(2024, 2, 20) + datetime.timedelta(days=apart * index) for index in range(count)]
    return [day for day in found if not working or day.weekday() < 5]


def hours(count: int, apart: float = 1.0) -> list[datetime.datetime]:
    return [datetime.datetime(2016, 7, 1) + datetime.timedelta(hours=apart * index) for index in range(count)]


@pytest.mark.parametrize(
    ("moments", "name", "season"),
    [
        (hours(50), "hour", 24),
        (hours(50, 0.5), "30 minutes", 48),
        (hours(50, 6), "6 hours", 4),
        (days(50), "day", 7),
        (days(50, working=True), "weekday", 5),
        (days(50, 7), "week", 52),
        (days(50, 28), "28 days", 1),
        (months(30), "month", 12),
        (months(30, last_day=True), "month", 12),
        (months(20, apart=3), "quarter", 4),
        (months(20, apart=12), "year", 1),
    ],
)
def test_a_step_is_found_and_goes_there_and_back(moments: list[datetime.datetime], name: str, season: int) -> None:
    step = find_step([seconds(moments)], dates=True)
    assert (step.name, step.season) == (name, season)
    indices, moved = step.index(seconds(moments))
    assert moved == 0
    assert [step.at(int(index)) for index in indices] == moments
    assert np.array_equal(np.diff(indices), np.ones(len(moments) - 1))
    assert step.horizon >= 4


def test_gaps_do_not_hide_the_step() -> None:
    moments = hours(100)
    kept = [moment for place, moment in enumerate(moments) if place % 7 != 3]
    assert find_step([seconds(kept)], dates=True) == find_step([seconds(moments)], dates=True)


@given(st.integers(-5000, 5000), st.integers(1, 40), st.integers(2, 30))
def test_plain_numbers(start: int, apart: int, count: int) -> None:
    times = np.arange(start, start + apart * count, apart)
    step = find_step([times], dates=False)
    indices, moved = step.index(times)
    assert (step.unit, step.count, moved) == ("number", apart, 0)
    assert [step.written(int(index)) for index in indices] == [str(time) for time in times]


def test_times_are_written_as_they_were() -> None:
    step = find_step([seconds(hours(9))], dates=True)
    index = int(step.index(seconds(hours(9)))[0][3])
    assert step.written(index) == "2016-07-01 03:00:00"
    assert step.written(index, "%d.%m.%Y %H:%M") == "01.07.2016 03:00"
    daily = find_step([seconds(days(9))], dates=True)
    assert daily.written(int(daily.index(seconds(days(1)))[0][0])) == "2024-02-20"


def test_one_moment_is_no_series_and_chaos_has_no_step() -> None:
    with pytest.raises(InputError, match="two different times"):
        find_step([np.array([5, 5])], dates=True)
    uneven(2, 10)
    with pytest.raises(InputError, match="even steps apart"):
        uneven(3, 10)


@pytest.mark.parametrize("season", [4, 7, 12, 24])
def test_the_season_of_a_wave_with_trend_and_noise(season: int) -> None:
    time = np.arange(20 * season)
    noise = 0.2 * np.random.default_rng(0).standard_normal(len(time))
    assert season_of([np.sin(2 * np.pi * time / season) + 0.05 * time + noise]) == season


def test_noise_and_walks_have_no_season() -> None:
    noise = np.random.default_rng(1).standard_normal(500)
    assert season_of([noise]) == 1
    assert [season_of([np.random.default_rng(seed).standard_normal(500).cumsum()]) for seed in range(9)].count(1) >= 8
    assert season_of([np.ones(50)]) == season_of([np.ones(3)]) == season_of([]) == 1


def test_a_step_at_the_end_of_february() -> None:
    assert Step("month", 1, day=31).at(2023 * 12 + 1) == datetime.datetime(2023, 2, 28)
