"""What columns are, by planted tables; features beside scikit-learn's own encoders and NumPy's quantiles."""

import datetime

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
    Moment,
    Number,
    Unused,
    Words,
    as_text,
    category_sizes,
    column_kinds,
    describe_columns,
    number_edges,
    table_features,
    understand_columns,
)

ROWS = 60
RANDOM = np.random.default_rng(0)
ANSWERS = pl.Series("answer", RANDOM.normal(size=ROWS))
EVERY = torch.arange(ROWS)


def described(values, answers=ANSWERS):
    frame = pl.DataFrame({"x": values})
    return understand_columns(frame, torch.arange(len(frame)), answers, {})[0]


def sentence(place: int) -> str:
    return f"number {place} of all these many words is good or bad"


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([1.0] * ROWS, "constant"),
        (["same"] * ROWS, "constant"),
        ([None] * ROWS, "gaps"),
        ([float(place) for place in range(ROWS)], "identifier"),
        ([f"key-{place}" for place in range(ROWS)], "identifier"),
        ((5 * ANSWERS - 3).to_list(), "leak"),
        ((-ANSWERS).to_list(), "leak"),
    ],
)
def test_columns_that_are_left_out(values, why):
    found = described(pl.Series(values, dtype=pl.Float64 if values[0] is None else None))
    assert found == Unused("x", why)
    assert "left out" in describe_columns([found])[0]


def test_a_column_that_names_the_classes_otherwise_is_a_leak():
    answers = pl.Series([place % 3 for place in range(ROWS)]).cast(pl.Float64)
    assert described([("a", "b", "c")[place % 3] for place in range(ROWS)], answers) == Unused("x", "leak")
    close = [("a", "b", "c")[place % 3] for place in range(ROWS - 1)] + ["b"]
    assert isinstance(described(close, answers), Category)


def test_a_number_called_id_is_an_identifier_even_with_jumps():
    frame = pl.DataFrame({"user_id": [float(7 * place) for place in range(ROWS)]})
    assert understand_columns(frame, EVERY, ANSWERS, {})[0] == Unused("user_id", "identifier")
    assert isinstance(described([float(7 * place) for place in range(ROWS)]), Number)


def test_one_value_and_gaps_say_something():
    assert described(["yes" if place % 2 else None for place in range(ROWS)]) == Category("x", ("yes",))
    assert described([1.0 if place % 2 else None for place in range(ROWS)]) == Category("x", ("1",))


def test_free_text_is_words():
    found = described([sentence(place) for place in range(ROWS)])
    assert isinstance(found, Words)
    features = table_features([found], pl.DataFrame({"x": ["so good", "", None]}))
    assert features.shape == (3, len(number_edges([found])))
    assert features[:, 0].tolist() == [2.0, 0.0, 0.0]


def test_nothing_is_taken_from_rows_that_do_not_learn():
    """Other values outside of the training rows change nothing."""
    values = RANDOM.normal(size=ROWS)
    one, other = (pl.DataFrame({"n": [*values[:40], *rest], "c": ["a", "b"] * 20 + names})
                  for rest, names in ((values[40:], ["c"] * 20), (values[40:] + 99, ["d"] * 20)))  # fmt: skip
    first, second = (understand_columns(frame, EVERY[:40], ANSWERS, {}) for frame in (one, other))
    assert first == second
    assert first[1].values == ("a", "b")


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


def test_rare_names_teach_what_a_new_one_means():
    values = ["often"] * 1000 + ["other"] * 900 + ["once"]
    answers = pl.Series(RANDOM.normal(size=len(values)))
    assert described(values, answers).values == ("often", "other")


def test_gaps_are_filled_with_the_median_and_marked():
    values = [*RANDOM.normal(size=ROWS - 2), None, None]
    found = described(values)
    filled = SimpleImputer(strategy="median", add_indicator=True).fit_transform(np.array([values], dtype=float).T)
    features = table_features([found], pl.DataFrame({"x": values}))
    np.testing.assert_allclose(features.numpy(), filled, rtol=1e-6)


def test_edges_are_quantiles_of_rows_and_of_values():
    """Of 900 zeros and 2000 other values, half of the edges lie where rows are, half where values are."""
    values = np.concatenate([np.zeros(9000), np.arange(1.0, 2001.0)])
    found = described(pl.Series(values[RANDOM.permutation(len(values))]), pl.Series(RANDOM.normal(size=len(values))))
    expected = [np.quantile(part, np.linspace(0, 1, 65)) for part in (values, np.unique(values))]
    np.testing.assert_allclose(found.edges, np.unique(np.concatenate(expected).astype(np.float32)), rtol=1e-6)


def test_numbers_far_from_zero_keep_their_differences():
    """32 bits cannot tell 1.7e9 from 1.7e9 + 1; the features can."""
    values = [1.7e9 + place % 7 for place in range(ROWS)]
    features = table_features([described(values)], pl.DataFrame({"x": values}))
    assert features[:, 0].unique().numel() == 7
    PiecewiseLinear(number_edges([described(values)]), 2)


def test_dates_become_their_parts():
    days = [datetime.datetime(2023, 1, 1, 6) + datetime.timedelta(days=9 * place) for place in range(ROWS)]
    found = described(days)
    assert isinstance(found, Moment)
    assert [part.name for part in found.parts] == ["year", "month", "day", "weekday"]  # the hour is always the same
    features = table_features([found], pl.DataFrame({"x": days}))
    assert features[:, 1].tolist() == [day.month for day in days]
    assert features[:, 3].tolist() == [day.isoweekday() for day in days]
    gap = table_features([found], pl.DataFrame({"x": [None]}, schema={"x": pl.Datetime}))
    assert bool(torch.isfinite(gap).all())


def test_a_frame_that_lacks_a_column():
    with pytest.raises(InputError, match="must have the columns"):
        table_features([Number("x", (0.0, 1.0), 0.5)], pl.DataFrame({"y": [1.0]}))


def test_features_edges_and_sizes_agree():
    columns = [
        Number("n", (0.0, 1.0), 0.5, gaps=True),
        Category("c", ("a",)),
        Unused("u", "constant"),
        Words("w", ("good", "bad"), Number("length", (1.0, 2.0), 1.0)),
        Moment("d", "", (Number("year", (2000.0, 2001.0), 2000.0, gaps=True), Number("month", (1.0, 12.0), 6.0))),
    ]
    frame = pl.DataFrame({"n": [None], "c": [None], "w": [None], "d": [None]}).cast(
        {"n": pl.Float64, "c": pl.String, "w": pl.String, "d": pl.Datetime}
    )
    assert table_features(columns, frame).shape[1] == len(number_edges(columns)) + len(category_sizes(columns))
    assert set(column_kinds(columns)) == {"n", "c", "w"}


@pytest.mark.parametrize("value", ["12", "-3.5e300", "", "x", "inf"])
def test_anything_as_text_in_a_column_of_numbers_is_finite(value):
    features = table_features([Number("x", (0.0, 1.0), 0.5)], pl.DataFrame({"x": [value]}))
    assert bool(torch.isfinite(features).all())


def test_whole_numbers_and_their_text_are_one_name():
    assert as_text(pl.Series([1.0, 2.0])).to_list() == as_text(pl.Series(["1", "2"])).to_list()
