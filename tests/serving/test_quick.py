"""Rows the short way. Oracle: the recipe's own way through a whole table."""

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule.recipes import Asked, FitTable
from chainrule.serving.quick import quick_features
from chainrule.sources import Amount, Category, Number, Unused
from serving.runs import COLUMNS

PLAIN = (
    Number("age", (17.0, 30.0, 90.0), usual=38.0, gaps=True),
    Unused("id", "identifier"),
    Category("town", ("Ulm", "Kiel", "1")),
    Number("year", (0.0, 1.0), usual=0.5, origin=2e9),
)
RECIPE = FitTable(
    steps=1, seed=0, threads=1, data="", digest="", asked=Asked(), columns=PLAIN, target=Amount("y", 0.0, 1.0)
)
NUMBERS = st.none() | st.integers(-(2**53), 2**53) | st.floats(-1e29, 1e29)
ROWS = st.fixed_dictionaries(
    {"age": NUMBERS, "town": st.sampled_from([None, "Ulm", "Kiel", "1"]), "year": NUMBERS}, optional={"more": st.text()}
)


@settings(max_examples=60)
@given(st.lists(ROWS, min_size=1, max_size=4))
def test_ordinary_rows_become_the_same_numbers(rows: list[dict[str, object]]) -> None:
    quick = quick_features(PLAIN, rows)
    assert quick is not None
    columns = {name: [row[name] for row in rows] for name in ("age", "town", "year")}
    assert torch.equal(quick, RECIPE.encoded(columns).features)


@pytest.mark.parametrize(
    "odd",
    [
        {"age": "30"}, {"age": True}, {"age": float("nan")}, {"age": float("inf")}, {"age": 1e31}, {"town": "Rome"},
        {"town": " Ulm"}, {"town": 1}, {"town": "?"}, {"town": ["Ulm"]},
    ],
)  # fmt: skip
def test_what_is_out_of_the_ordinary_goes_the_long_way(odd: dict[str, object]) -> None:
    row = {"age": 30, "town": "Ulm", "year": 1}
    assert quick_features(PLAIN, [row, row | odd]) is None
    assert quick_features(PLAIN, [row, {name: row[name] for name in row if name not in odd}]) is None


def test_dates_and_texts_go_the_long_way(tmp_path: Path) -> None:
    assert quick_features(COLUMNS, [{"age": 3, "town": "Ulm", "seen": "01.01.2010", "said": "good"}]) is None
    assert quick_features((Unused("id", "identifier"),), [{}]) is None
