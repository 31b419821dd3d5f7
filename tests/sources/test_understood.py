"""What columns are, by planted tables; edges beside NumPy's quantiles."""

import numpy as np
import polars as pl
import pytest
import torch

from chainrule.sources import (
    Category,
    Number,
    Unused,
    Words,
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


def test_rare_names_teach_what_a_new_one_means():
    values = ["often"] * 1000 + ["other"] * 900 + ["once"]
    answers = pl.Series(RANDOM.normal(size=len(values)))
    assert described(values, answers).values == ("often", "other")


def test_edges_are_quantiles_of_rows_and_of_values():
    """Of 900 zeros and 2000 other values, half of the edges lie where rows are, half where values are."""
    values = np.concatenate([np.zeros(9000), np.arange(1.0, 2001.0)])
    found = described(pl.Series(values[RANDOM.permutation(len(values))]), pl.Series(RANDOM.normal(size=len(values))))
    expected = [np.quantile(part, np.linspace(0, 1, 65)) for part in (values, np.unique(values))]
    np.testing.assert_allclose(found.edges, np.unique(np.concatenate(expected).astype(np.float32)), rtol=1e-6)
