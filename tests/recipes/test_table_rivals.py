"""Rivals beside scikit-learn called by hand."""

import numpy as np
import pytest
import torch
from sklearn.ensemble import HistGradientBoostingRegressor

from chainrule.data import Table
from chainrule.recipes.table_rivals import rivals
from chainrule.sources import Category, Number

COLUMNS = (Number("n", (0.0, 1.0), 0.5, gaps=True), Number("m", (0.0, 1.0), 0.5), Category("c", ("a", "b")))


def rows(count: int, *, classes: bool) -> Table:
    random = torch.Generator().manual_seed(count)
    gap = (torch.rand(count, generator=random) < 0.2).float()
    numbers = torch.rand(count, 2, generator=random)
    codes = torch.randint(1, 4, (count,), generator=random)
    first = torch.where(gap > 0, 0.5, numbers[:, 0])
    features = torch.column_stack([first, gap, numbers[:, 1], codes.float()])
    answers = 3 * first + (codes == 2) - 2 * gap
    return Table(features, (answers > 2).long() if classes else answers)


def test_boosting_is_scikit_learns_with_gaps_and_categories():
    seen, test = rows(300, classes=False), rows(100, classes=False)
    found = rivals([seen], test, COLUMNS, 0)["gradient boosting"]

    def by_hand(part: Table) -> np.ndarray:
        array = part.features.double().numpy()
        array[array[:, 1] > 0, 0] = np.nan
        return array[:, [0, 2, 3]]

    model = HistGradientBoostingRegressor(categorical_features=[2], random_state=0)
    expected = model.fit(by_hand(seen), seen.outcome.numpy()).predict(by_hand(test))
    np.testing.assert_allclose(found.numpy(), expected)


def test_the_trivial_rival_says_the_mean_and_the_linear_one_finds_a_straight_line():
    seen, test = rows(300, classes=False), rows(100, classes=False)
    found = rivals([seen], test, COLUMNS, 0)
    assert found["mean"].unique().item() == pytest.approx(seen.outcome.mean().item(), rel=1e-5)
    assert float((found["ridge regression"] - test.outcome).abs().max()) < 0.1  # the planted truth is linear in these


def test_shares_of_a_class_that_was_never_seen_are_zero():
    seen, test = rows(300, classes=True), rows(100, classes=True)
    for shares in rivals([seen], test, COLUMNS, 3).values():
        assert shares.shape == (100, 3)
        torch.testing.assert_close(shares.sum(1), torch.ones(100, dtype=torch.float64))
        assert bool((shares[:, 2] == 0).all())
