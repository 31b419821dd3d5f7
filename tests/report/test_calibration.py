"""Calibration: intervals that hold what they promise (exact binomial sums), and gaps counted by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainrule import InputError
from chainrule.report import calibration, calibration_error, wilson


@pytest.mark.parametrize(("count", "share"), [(30, 0.5), (100, 0.9), (400, 0.97)])
def test_the_interval_holds_the_true_share_19_times_in_20(count, share):
    """Over all outcomes, with their exact binomial probabilities."""
    held = 0.0
    for right in range(count + 1):
        low, high = wilson(right, count)
        if low <= share <= high:
            held += math.comb(count, right) * share**right * (1 - share) ** (count - right)
    assert held == pytest.approx(0.95, abs=0.025)


@given(st.integers(1, 10_000).flatmap(lambda count: st.tuples(st.integers(0, count), st.just(count))))
def test_its_edges_solve_the_equation_of_the_score_test(pair):
    right, count = pair
    for edge in wilson(right, count):
        assert 0.0 <= edge <= 1.0
        if 1e-9 < edge < 1 - 1e-9:
            deviation = math.sqrt(edge * (1 - edge) / count)
            assert abs(right / count - edge) / deviation == pytest.approx(1.959964, rel=1e-4)


def test_the_error_is_the_mean_gap():
    sure = [0.95] * 10 + [0.55] * 10
    right = [True] * 9 + [False] + [True] * 3 + [False] * 7
    assert calibration_error(sure, right) == pytest.approx((abs(9.5 - 9) + abs(5.5 - 3)) / 20)


def test_answers_drawn_from_their_own_probabilities_are_calibrated():
    drawn = np.random.default_rng(0)
    sure = drawn.random(50_000)
    assert calibration_error(sure, drawn.random(50_000) < sure) < 0.01


def test_the_figure_shows_every_bin_that_has_answers():
    figure = calibration([0.05, 0.55, 0.95, 1.0], [False, True, True, True])
    assert "4 answers" in figure.caption
    values = figure.svg.split('data-values="')[1].split('"')[0].split("|")
    assert [float(value) for value in values] == [0, 100, 100]


@pytest.mark.parametrize(("sure", "right"), [([], []), ([0.5], [True, False]), ([1.5], [True])])
def test_what_does_not_pair_up(sure, right):
    with pytest.raises(InputError, match="must pair up"):
        calibration(sure, right)


def test_a_part_is_no_more_than_the_whole():
    with pytest.raises(InputError, match="must be a part"):
        wilson(2, 1)
