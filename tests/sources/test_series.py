"""Oracle: the rows that were written, shuffled, doubled, torn and written in other ways."""

import datetime
import math
import random
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from chainrule.errors import InputError
from chainrule.sources import SeriesTable, Step, read_series

DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=day) for day in range(30)]
SOLD = [float(day % 7 + day / 10) for day in range(30)]


def long_frame(shops: tuple[str, ...] = ("Ulm", "Kiel")) -> pl.DataFrame:
    rows = [(day, shop, sold + place) for place, shop in enumerate(shops) for day, sold in zip(DAYS, SOLD, strict=True)]
    return pl.DataFrame(rows, schema=["day", "shop", "sold"], orient="row")


def read_long(frame: pl.DataFrame) -> SeriesTable:
    return read_series(frame, time="day", series="shop")


def same(one: SeriesTable, other: SeriesTable) -> bool:
    pairs = zip(one.values, other.values, strict=True)
    return (one.names, one.starts) == (other.names, other.starts) and all(
        np.array_equal(a, b, equal_nan=True) for a, b in pairs
    )


def test_long_and_wide_tables_hold_the_same_series() -> None:
    long = read_long(long_frame())
    wide = read_series(
        pl.DataFrame({"day": DAYS, "Kiel": [sold + 1 for sold in SOLD], "Ulm": SOLD, "note": ["x"] * 30}), time="day"
    )
    assert long.names == ("Kiel", "Ulm")
    assert long.step == Step("second", 86_400)
    np.testing.assert_allclose(long.values[1], SOLD)
    assert same(long, wide)


def test_rows_out_of_order_are_sorted_and_told() -> None:
    frame = long_frame()
    order = list(range(len(frame)))
    random.Random(0).shuffle(order)
    found = read_long(frame[order])
    assert same(found, read_long(frame))
    assert any("rows were sorted by `day`" in note for note in found.notes)


def test_doubled_times_are_averaged_and_told() -> None:
    frame = long_frame(("Ulm",))
    extra = pl.DataFrame([(DAYS[3], "Ulm", SOLD[3] + 2)], schema=frame.schema, orient="row")
    found = read_long(pl.concat([frame, extra]))
    assert found.values[0][3] == pytest.approx(SOLD[3] + 1)
    assert any(note.startswith("1 value had the series and the time of another one") for note in found.notes)


def test_gaps_are_marked_and_told() -> None:
    frame = long_frame(("Ulm",)).filter(~pl.col("day").is_in([DAYS[5], DAYS[6]]))
    frame = frame.with_columns(pl.when(pl.col("day") == DAYS[9]).then(None).otherwise(pl.col("sold")).alias("sold"))
    found = read_long(frame)
    assert [place for place, value in enumerate(found.values[0]) if math.isnan(value)] == [5, 6, 9]
    assert any(note.startswith("3 of 30 moments have no value (gaps)") for note in found.notes)


def test_a_wide_series_may_begin_late_and_end_early() -> None:
    torn = [None] * 4 + SOLD[4:20] + [None] * 10
    found = read_series(pl.DataFrame({"day": DAYS, "a": SOLD, "b": torn}), time="day")
    assert found.starts[1] == found.starts[0] + 4
    np.testing.assert_allclose(found.values[1], SOLD[4:20])
    assert not any("gaps" in note for note in found.notes)


def test_infinities_and_unreadable_times_are_counted(tmp_path: Path) -> None:
    lines = [f"{day:%Y/%-m/%-d} 0:00,{sold}" for day, sold in zip(DAYS, SOLD, strict=True)]
    lines[4] = lines[4].rpartition(",")[0] + ",inf"
    lines[8] = "someday," + lines[8].rpartition(",")[2]
    (tmp_path / "sold.csv").write_text("day,sold\n" + "\n".join(lines))
    found = read_series(tmp_path / "sold.csv", time="day")
    assert [place for place, value in enumerate(found.values[0]) if math.isnan(value)] == [4, 8]
    notes = " ".join(found.notes)
    assert "1 infinite value of `sold`" in notes
    assert "1 of 30 rows had no readable `day`" in notes
    assert found.step.written(found.starts[0], found.way) == "2024/01/01 00:00"


def test_numbered_series_keep_their_numbers() -> None:
    frame = pl.DataFrame({"t": [0, 1, 2] * 2, "shop": [7, 7, 7, 8, 8, 8], "sold": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]})
    assert read_series(frame, time="t", series="shop").names == ("7", "8")
    both = frame.with_columns(pl.col("sold").alias("paid"))
    assert read_series(both, time="t", series="shop").names == ("7 paid", "7 sold", "8 paid", "8 sold")


def test_times_off_the_steps_are_moved_and_too_many_are_refused() -> None:
    times = [datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=hour) for hour in range(40)]
    times[7] += datetime.timedelta(minutes=2)
    frame = pl.DataFrame({"t": times, "x": [float(hour) for hour in range(40)]})
    found = read_series(frame, time="t")
    np.testing.assert_allclose(found.values[0], np.arange(40.0))
    assert any("1 of 40 values lay off the even steps" in note for note in found.notes)
    chaos = pl.DataFrame({"t": np.cumsum(np.random.default_rng(0).integers(1, 99, 60)), "x": np.arange(60.0)})
    with pytest.raises(InputError):
        read_series(chaos, time="t")


def test_a_wrong_date_far_away_is_refused() -> None:
    frame = pl.DataFrame({"day": [*DAYS[:-1], datetime.date(2924, 1, 1)], "x": SOLD})
    with pytest.raises(InputError, match="a value at most of its moments"):
        read_series(frame, time="day")


@pytest.mark.parametrize(
    ("time", "series", "targets", "message"),
    [
        ("daz", None, (), "did you mean 'day'"),
        ("day", "store", (), "`--series` must be in the table"),
        ("day", "shop", ("price",), "`--target` must be in the table"),
        ("day", None, ("shop",), "a column of numbers"),
        ("shop", None, (), "dates or whole numbers"),
    ],
)
def test_columns_that_cannot_be_are_named(
    time: str, series: str | None, targets: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_series(long_frame(), time=time, series=series, targets=targets)


def test_a_table_without_values_is_refused() -> None:
    frame = pl.DataFrame({"day": DAYS, "x": [None] * 30}, schema_overrides={"x": pl.Float64})
    with pytest.raises(InputError, match="a column of numbers"):
        read_series(frame, time="day")


def test_new_data_must_have_the_old_clock() -> None:
    numbers = pl.DataFrame({"day": [1, 2, 3], "sold": [1.0, 2.0, 3.0]})
    with pytest.raises(InputError, match="the kind that the model was trained with"):
        read_series(numbers, time="day", step=Step("second", 86_400))
