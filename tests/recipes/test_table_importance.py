"""What an answer hangs on: planted answers, whose rise has a closed form."""

import pytest
import torch

from chainrule.data import Table
from chainrule.recipes.table_importance import importance, importance_figure, places_of
from chainrule.sources import Category, Moment, Number, Unused, Words

X = Number("x", (-1.0, 1.0), 0.0)
SECOND, IDLE, LENGTH, YEAR = (Number(name, (0.0, 1.0), 0.5) for name in ("z", "idle", "length", "year"))


def squared(told: torch.Tensor, right: torch.Tensor) -> float:
    return float(((told - right) ** 2).mean())


def test_the_rise_of_a_straight_line_is_twice_its_variance():
    """Of f = a x + b z that is always right, a shuffle of x costs 2 a² Var(x), to the noise of one shuffle."""
    features = torch.randn(2000, 3, generator=torch.Generator().manual_seed(0))
    rows = Table(features, 3 * features[:, 0] + features[:, 1])
    found = importance(lambda x: 3 * x[:, 0] + x[:, 1], rows, (X, SECOND, IDLE), squared)
    assert list(found) == ["x", "z", "idle"]
    assert found["x"] == pytest.approx(18.0, rel=0.1)
    assert found["z"] == pytest.approx(2.0, rel=0.1)
    assert found["idle"] == 0.0


def test_a_column_of_several_features_is_shuffled_as_one():
    columns = (Words("w", ("a", "b"), LENGTH), Category("c", ("u",)), Unused("i", "constant"), Moment("d", "", (YEAR,)))
    assert places_of(columns) == {"w": [0, 1, 2], "d": [3], "c": [4]}


def test_only_the_most_important_columns_are_drawn():
    figure = importance_figure({f"c{place}": float(20 - place) for place in range(20)}, "log loss")
    assert figure.svg.count("<rect") == 15
    assert "5 columns matter less" in figure.caption
