import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainrule.report.numbers import column, decimals, duration, memory, number, tick

_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(text: str) -> float:
    """The number that a person reads."""
    text = text.replace(",", "").replace("−", "-").replace("∞", "inf").replace(" ", "")
    mantissa, power, exponent = text.partition("×10")
    if not power and text.lstrip("-").startswith("10") and not text.isascii():
        mantissa, exponent = text.replace("10", "1", 1)[: 2 if text[0] == "-" else 1], text.partition("10")[2]
    return float(f"{mantissa}e{exponent.translate(_RAISED)}" if exponent else mantissa)


@given(st.floats(allow_nan=False, min_value=-1e200, max_value=1e200))
def test_four_digits_are_kept(value: float):
    size = abs(value)
    assert math.isclose(read(number(value)), value, rel_tol=6e-4) or size < 1e-300


@given(st.integers(-(10**30), 10**30))
def test_whole_numbers_are_exact(value: int):
    assert int(number(value).replace(",", "").replace("−", "-")) == value


@given(st.integers(-999, 999), st.integers(-12, 12))
def test_a_tick_is_exact(digits: int, power: int):
    value = float(f"{digits}e{power}")
    assert math.isclose(read(tick(value)), value, rel_tol=1e-9, abs_tol=1e-300)


def test_a_number_that_is_none():
    assert (number(math.nan), number(math.inf), number(-math.inf)) == ("not a number", "∞", "−∞")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 µs"),
        (0.9994, "999 ms"),
        (59.94, "59.9 s"),
        (59.96, "1 min 00 s"),
        (3599.6, "1 h 00 min"),
        (86399.0, "1 d 00 h"),
    ],
)
def test_durations_never_say_sixty(seconds: float, text: str):
    assert duration(seconds) == text


@given(st.floats(0, 1e9))
def test_durations_can_be_read_back(seconds: float):
    units = {"µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400}
    words = duration(seconds).split()
    told = sum(float(count) * units[unit] for count, unit in zip(words[::2], words[1::2], strict=True))
    assert math.isclose(told, seconds, rel_tol=0.03, abs_tol=1e-6)


@pytest.mark.parametrize(("size", "text"), [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (2**40, "1024.0 GiB")])
def test_memory(size: int, text: str):
    assert memory(size) == text


@given(st.lists(st.floats(-1e8, 1e8), min_size=1, max_size=6))
def test_a_column_shows_each_number(values: list[float]):
    largest = max(abs(value) for value in values)
    for value, text in zip(values, column(values), strict=True):
        assert math.isclose(read(text), value, rel_tol=0.06, abs_tol=max(1e-3 * largest, 1e-300))


def test_a_column_has_equal_decimals_where_that_shows_all():
    assert column([0.98666, 0.1133, 1.0]) == ["0.987", "0.113", "1.000"]
    assert column([1000.0, 1e-9]) == ["1,000", "1 × 10⁻⁹"]
    assert decimals([1, 2]) is None


def test_a_signed_column():
    assert column([0.5, -0.25, 0.0], signed=True, places=2) == ["+0.50", "−0.25", "0.00"]
