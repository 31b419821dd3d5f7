"""Oracle: Python's own reading of dates."""

import datetime

import polars as pl
import pytest

from chainrule.errors import InputError
from chainrule.sources.times import seconds_or_numbers

EPOCH = datetime.datetime(1970, 1, 1)
MOMENT = datetime.datetime(2016, 7, 1, 13, 5)


def after(moment: datetime.datetime) -> int:
    return int((moment - EPOCH).total_seconds())


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2016/7/1 13:05", MOMENT),
        ("2016/07/01 13:05:00", MOMENT),
        ("2016-07-01T13:05:00.25Z", MOMENT),
        ("2016-07-01 13", MOMENT.replace(minute=0)),
        ("2016070113", MOMENT.replace(minute=0)),
        ("01-07-2016", datetime.datetime(2016, 7, 1)),
        ("Jul-16", datetime.datetime(2016, 7, 1)),
        ("2016-07-01 15:05:00+02:00", MOMENT),
    ],
)
def test_ways_to_write_a_time(text: str, moment: datetime.datetime) -> None:
    numbers, dates, _ = seconds_or_numbers(pl.Series("t", [text, text, None]))
    assert numbers.to_list() == [after(moment), after(moment), None]
    assert dates


def test_dates_and_numbers_that_are_read_already() -> None:
    assert seconds_or_numbers(pl.Series("t", [MOMENT]), "%d.%m.%Y")[0].to_list() == [after(MOMENT)]
    years, dates, _ = seconds_or_numbers(pl.Series("t", [1999.0, 2000.0, None]))
    assert (years.to_list(), dates) == ([1999, 2000, None], False)
    packed, dates, way = seconds_or_numbers(pl.Series("t", [20160701.0]))
    assert (packed.to_list(), dates, way) == ([after(datetime.datetime(2016, 7, 1))], True, "%Y%m%d")


def test_a_column_without_times_is_refused() -> None:
    with pytest.raises(InputError, match="dates or whole numbers"):
        seconds_or_numbers(pl.Series("shop", ["Ulm", "Kiel"]))
    with pytest.raises(InputError, match="whole ones"):
        seconds_or_numbers(pl.Series("t", [0.5, 1.0]))
