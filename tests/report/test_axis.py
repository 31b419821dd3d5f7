import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainrule.report.axis import Axis, linear_ticks, log_ticks, ruler, widened

anything = st.floats(-1e299, 1e299)
positive = st.floats(1e-250, 1e250)


def rising(values) -> bool:
    return all(a < b for a, b in pairwise(values))


@given(anything, anything)
def test_linear_ticks_rise_and_cover(a: float, b: float):
    low, high = widened(min(a, b), max(a, b))
    ticks = linear_ticks(low, high)
    assert rising(ticks)
    assert ticks[0] <= low < high <= ticks[-1]
    assert 2 <= len(ticks) <= 8


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9))
def test_linear_ticks_are_equally_far_and_round(low: float, length: float):
    ticks = linear_ticks(*widened(low, low + length))
    steps = [b - a for a, b in pairwise(ticks)]
    assert max(steps) == pytest.approx(min(steps), rel=1e-2)
    leading = float(f"{steps[0]:e}".split("e")[0])
    assert min(abs(leading - round_one) for round_one in (1, 2, 5, 10)) < 1e-2


@given(positive, positive)
def test_log_ticks_rise_and_cover(a: float, b: float):
    low, high = widened(min(a, b), max(a, b), "log")
    ticks = log_ticks(low, high)
    assert rising(ticks)
    assert ticks[0] <= low < high <= ticks[-1]
    assert len(ticks) <= 8


def test_ticks_of_familiar_ranges():
    assert linear_ticks(0, 1) == (0, 0.2, 0.4, 0.6, 0.8, 1)
    assert linear_ticks(0.13, 4.7) == (0, 1, 2, 3, 4, 5)
    assert log_ticks(0.03, 2.3) == (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
    assert log_ticks(1e-4, 1) == (1e-4, 1e-3, 1e-2, 1e-1, 1)


@given(st.lists(st.floats(), max_size=8), st.sampled_from(["linear", "log"]), st.booleans())
def test_every_value_that_can_be_shown_falls_inside(values: list[float], scale, tight: bool):
    laid = ruler(Axis("a", scale), values, 20.0, 340.0, tight=tight)
    for value in values:
        if laid.shows(value):
            assert 20 - 1e-6 <= laid.place(value) <= 340 + 1e-6
    assert all(20 - 1e-6 <= laid.place(mark) <= 340 + 1e-6 for mark in laid.ticks)


@given(st.floats(0.1, 10), st.floats(0.1, 10))
def test_a_log_axis_shows_ratios_as_distances(value: float, factor: float):
    laid = ruler(Axis("a", "log"), [1e-3, 1e3], 0.0, 1.0)
    moved = laid.place(value * factor) - laid.place(value)
    assert moved == pytest.approx(math.log10(factor) / 6, abs=1e-9)


def test_bounds_are_kept():
    laid = ruler(Axis("accuracy", low=0.0, high=1.0), [0.4, 0.6], 0.0, 1.0)
    assert (laid.low, laid.high) == (0, 1)
