"""What follows from columns for a network: as many edges and sizes as there are features."""

import datetime

import numpy as np
import polars as pl
import torch

from chainrule.sources import (
    Category,
    Moment,
    Number,
    Unused,
    Words,
    category_sizes,
    column_kinds,
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
