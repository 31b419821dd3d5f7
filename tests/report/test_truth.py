"""Dots lie where the axes say; what does not fit lies on the edge."""

import re

import numpy as np
import pytest

from chainrule import InputError
from chainrule.report import truth_figure


def dots(svg: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', svg)]


def test_equal_amounts_lie_on_the_diagonal_line():
    figure = truth_figure([0.0, 5.0, 10.0], [0.0, 5.0, 10.0], title="t")
    places = sorted(dots(figure.svg))
    across, upward = (np.diff([place[axis] for place in places]) for axis in (0, 1))
    np.testing.assert_allclose(across, -upward, atol=0.02)


def test_many_dots_are_thinned_and_outliers_held_at_the_edge():
    values = np.append(np.linspace(0, 1, 5000), 1e9)
    figure = truth_figure(values, values, title="t")
    assert len(dots(figure.svg)) == 1000
    assert "1,000 of 5,001" in figure.caption
    assert max(x for x, _ in dots(figure.svg)) <= 360


@pytest.mark.parametrize(("truth", "answers"), [([], []), ([1.0], [1.0, 2.0])])
def test_both_must_pair_up(truth, answers):
    with pytest.raises(InputError, match="must pair up"):
        truth_figure(truth, answers, title="t")
