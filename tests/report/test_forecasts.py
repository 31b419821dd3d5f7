"""Oracles: what is written into the drawing for readers by touch, and the number of shapes."""

import numpy as np
import pytest

from chainrule.errors import InputError
from chainrule.report import coverage_figure, forecast_figure

QUANTILES = (0.1, 0.5, 0.9)


def test_a_forecast_shows_the_past_what_came_and_the_band() -> None:
    answers = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])
    figure = forecast_figure([5.0, 6.0, 7.0], [2.5, 3.5], answers, QUANTILES, title="Shop <7>", unit="day")
    assert "5.000|6.000|7.000|2.500|3.500" in figure.svg
    assert "2.000|3.000" in figure.svg
    assert "forecast, 80 %" in figure.svg
    assert "days from now" in figure.svg
    assert "80 % of what came" in figure.caption
    assert figure.svg.count("<polygon") == 1
    assert "<7>" not in figure.svg


def test_gaps_in_what_was_seen_break_the_line() -> None:
    figure = forecast_figure([5.0, np.nan, 7.0], [2.5], [[1.0, 2.0, 3.0]], QUANTILES, title="t", caption="c")
    assert figure.svg.count("data-values") == 3
    assert figure.caption == "c"


def test_coverage_is_drawn_against_the_diagonal() -> None:
    figure = coverage_figure(QUANTILES, [0.2, 0.5, 0.7])
    assert "0.2000|0.5000|0.7000" in figure.svg


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="one row per value that came"):
        forecast_figure([1.0], [2.0, 3.0], [[1.0, 2.0, 3.0]], QUANTILES, title="t")
    with pytest.raises(InputError, match="one per quantile"):
        coverage_figure(QUANTILES, [0.5])
