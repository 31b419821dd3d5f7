"""Text becomes numbers and dates as Python itself would read them; what cannot be is counted."""

import datetime

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule.sources.typed import FORMATS, GAPS, typed


def one(values: list[str], *, decimal_comma: bool = False, kind: str | None = None):
    kinds = None if kind is None else {"x": kind}
    found = typed(pl.DataFrame({"x": values}, schema={"x": pl.String}), decimal_comma=decimal_comma, kinds=kinds)
    return found.frame["x"], " ".join(found.repairs)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_as_python_writes_them(numbers):
    assert one([repr(number) for number in numbers])[0].to_list() == numbers


@pytest.mark.parametrize("gap", GAPS)
def test_gaps_as_people_write_them(gap):
    found, said = one(["1.5", gap.upper(), "2.5"])
    assert found.to_list() == [1.5, None, 2.5]
    assert '" 1 time' in said


@pytest.mark.parametrize(
    ("values", "comma", "numbers"),
    [
        (["1,5", "2", "-0,25"], True, [1.5, 2.0, -0.25]),
        (["1.234,5", "12,0"], True, [1234.5, 12.0]),
        (["1,234", "12,345.5"], False, [1234.0, 12345.5]),
        (["$12.50", "$3"], False, [12.5, 3.0]),
        (["45 %", "3%"], False, [45.0, 3.0]),
        (["1e3", "-2.5E-1"], False, [1000.0, -0.25]),
        ([".5", "5."], False, [0.5, 5.0]),
    ],
)
def test_ways_to_write_a_number(values, comma, numbers):
    assert one(values, decimal_comma=comma)[0].to_list() == numbers


def test_infinities_are_gaps_and_counted():
    found, said = one(["1", "inf", "-Infinity", "1e999", "2"] + ["3"] * 30)
    assert found.null_count() == 3
    assert "2 infinite values of `x` became gaps" in said
    assert "1 value of `x` not written as numbers" in said


def test_few_words_among_numbers_are_gaps_and_counted():
    found, said = one(["1"] * 40 + ["unknown"])
    assert found.dtype == pl.Float64
    assert "1 value of `x` not written as numbers (such as ['unknown'])" in said


def test_many_words_make_it_text():
    assert one(["1", "2", "three", "four"])[0].dtype == pl.String


def test_codes_with_leading_zeros_stay_text():
    assert one(["01067", "80331", "04109"])[0].to_list() == ["01067", "80331", "04109"]


@pytest.mark.parametrize("written", [way for way in FORMATS if "%.f" not in way and not way.endswith("Z")])
def test_dates_as_strftime_writes_them(written):
    moments = [datetime.datetime(2001 + year, 1 + year % 12, 13 + year, 7, 30, 0) for year in range(12)]
    found, _ = one([moment.strftime(written) for moment in moments])
    parsed = [datetime.datetime.strptime(moment.strftime(written), written) for moment in moments]
    assert found.to_list() == parsed


def test_dates_that_only_fit_day_first():
    found, _ = one(["13/02/2020", "01/03/2020"])
    assert [moment.month for moment in found.to_list()] == [2, 3]


def test_a_known_kind_is_kept():
    assert one(["1", "2"], kind="text")[0].to_list() == ["1", "2"]
    assert one(["1", "x", "y"], kind="number")[0].to_list() == [1.0, None, None]
    assert one(["01/02/2020"], kind="%d/%m/%Y")[0].to_list()[0].month == 2
    assert one(["soon"], kind="%d/%m/%Y")[0].to_list() == [None]


def test_a_column_of_gaps_alone():
    assert one(["", "?", "NA"])[0].null_count() == 3
