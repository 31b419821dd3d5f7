"""Values of columns as numbers, beside scikit-learn's own encoders."""

import numpy as np
import polars as pl
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OrdinalEncoder

from chainrule import InputError
from chainrule.layers import PiecewiseLinear
from chainrule.sources import (
    Category,
    Number,
    as_text,
    number_edges,
    table_features,
    understand_columns,
)

ROWS = 60
RANDOM = np.random.default_rng(0)
ANSWERS = pl.Series("answer", RANDOM.normal(size=ROWS))


def described(values, answers=ANSWERS):
    frame = pl.DataFrame({"x": values})
    return understand_columns(frame, torch.arange(len(frame)), answers, {})[0]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.one_of(st.none(), st.sampled_from(["a", "b", "c", " d"])), min_size=8, max_size=40))
def test_codes_are_an_ordinal_encoding(values):
    """Equal names have equal codes and others others, as scikit-learn's encoder has it."""
    if len({value for value in values if value is not None}) < 2:
        return
    names = tuple(sorted({value.strip() for value in values if value is not None}))
    codes = table_features([Category("x", names)], pl.DataFrame({"x": values}))[:, 0].numpy()
    clean = np.array([[value.strip() if value is not None else np.nan] for value in values], dtype=object)
    encoder = OrdinalEncoder(categories=[[*names, np.nan]], encoded_missing_value=-1)
    assert (codes - 2 == encoder.fit_transform(clean)[:, 0]).all()


def test_new_names_and_gaps_have_codes_of_their_own():
    codes = table_features([Category("x", ("a", "b"))], pl.DataFrame({"x": ["b", "new", None]}))
    assert codes[:, 0].tolist() == [3.0, 0.0, 1.0]


def test_gaps_are_filled_with_the_median_and_marked():
    values = [*RANDOM.normal(size=ROWS - 2), None, None]
    found = described(values)
    filled = SimpleImputer(strategy="median", add_indicator=True).fit_transform(np.array([values], dtype=float).T)
    features = table_features([found], pl.DataFrame({"x": values}))
    np.testing.assert_allclose(features.numpy(), filled, rtol=1e-6)


def test_numbers_far_from_zero_keep_their_differences():
    """32 bits cannot tell 1.7e9 from 1.7e9 + 1; the features can."""
    values = [1.7e9 + place % 7 for place in range(ROWS)]
    features = table_features([described(values)], pl.DataFrame({"x": values}))
    assert features[:, 0].unique().numel() == 7
    PiecewiseLinear(number_edges([described(values)]), 2)


def test_a_frame_that_lacks_a_column():
    with pytest.raises(InputError, match="must have the columns"):
        table_features([Number("x", (0.0, 1.0), 0.5)], pl.DataFrame({"y": [1.0]}))


@pytest.mark.parametrize("value", ["12", "-3.5e300", "", "x", "inf"])
def test_anything_as_text_in_a_column_of_numbers_is_finite(value):
    features = table_features([Number("x", (0.0, 1.0), 0.5)], pl.DataFrame({"x": [value]}))
    assert bool(torch.isfinite(features).all())


def test_whole_numbers_and_their_text_are_one_name():
    assert as_text(pl.Series([1.0, 2.0])).to_list() == as_text(pl.Series(["1", "2"])).to_list()
