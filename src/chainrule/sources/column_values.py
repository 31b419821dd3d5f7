"""How the values of columns become numbers."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.sources.columns import Category, Column, Moment, Number, Unused, Words
from chainrule.sources.typed import typed

FAR = 1e30  # what 32 bits can square
WORD = re.compile(r"\w\w+")


def table_features(columns: Sequence[Column], frame: Any) -> Tensor:
    """Rows as numbers: first those that are numbers (see `number_edges`), then codes (see `category_sizes`).

    Args:
        columns: as `understand_columns` gave them.
        frame: a polars frame that has them.

    Shape:
        returns (row, feature).

    Example:
        >>> import polars as pl
        >>> from chainrule.sources import Category, Number, table_features
        >>> columns = Number("age", (0.0, 90.0), usual=30.0, gaps=True), Category("town", ("Ulm",))
        >>> table_features(columns, pl.DataFrame({"town": ["Ulm", "Rome", None], "age": [20.0, None, 40.0]})).tolist()
        [[20.0, 0.0, 2.0], [30.0, 1.0, 0.0], [40.0, 0.0, 1.0]]
    """
    missing = [column.name for column in columns if not isinstance(column, Unused) and column.name not in frame.columns]
    if missing:
        raise InputError(
            "the table must have the columns that the model learnt from",
            advice="add them (an empty column will do), or check the header",
            missing=missing, columns=frame.columns[:20],
        )  # fmt: skip
    numbers: list[np.ndarray] = []
    codes: list[np.ndarray] = []
    for column in columns:
        if isinstance(column, Number):
            numbers += _numbers(column, as_numbers(frame[column.name]))
        elif isinstance(column, Moment):
            numbers += _moments(column, frame[column.name])
        elif isinstance(column, Words):
            numbers += _words(column, frame[column.name])
        elif isinstance(column, Category):
            codes.append(_codes(column, frame[column.name]))
    if not numbers and not codes:
        raise InputError("a table needs a column to learn from", advice="look at why each was left out")
    return torch.from_numpy(np.column_stack([*numbers, *codes]).astype(np.float32))


def as_text(column: Any) -> Any:
    """A polars column as text: whole numbers without a point, so that 1.0 and "1" are one name.

    Args:
        column: of any type.

    Example:
        >>> import polars as pl
        >>> as_text(pl.Series([1.0, 2.5, None])).to_list()
        ['1', '2.5', None]
    """
    import polars as pl

    if column.dtype.is_float():
        whole = pl.when(column == column.round()).then(column.cast(pl.Int64, strict=False).cast(pl.String))
        return pl.select(whole.otherwise(column.cast(pl.String)).alias(column.name)).to_series()
    return column.cast(pl.String)


def as_numbers(column: Any) -> Any:
    """A polars column as finite numbers; a gap where it holds anything else.

    Args:
        column: of any type.

    Example:
        >>> import polars as pl
        >>> as_numbers(pl.Series(["1", "2.5", "?"])).to_list()
        [1.0, 2.5, None]
    """
    import polars as pl

    if column.dtype == pl.String:
        return typed(column.to_frame(), kinds={column.name: "number"}).frame.to_series()
    if not column.dtype.is_numeric() and column.dtype != pl.Boolean:
        return pl.Series(column.name, [None] * len(column), dtype=pl.Float64)
    numbers = column.cast(pl.Float64)
    return pl.select(pl.when(numbers.is_finite()).then(numbers).alias(column.name)).to_series()


def _numbers(column: Number, values: Any) -> list[np.ndarray]:
    gaps = values.is_null().to_numpy()
    filled = np.where(gaps, column.usual, values.fill_null(0.0).to_numpy() - column.origin)
    return [np.clip(filled, -FAR, FAR)] + [gaps.astype(np.float64)] * column.gaps


def _moments(column: Moment, values: Any) -> list[np.ndarray]:
    import polars as pl

    if values.dtype == pl.String:
        known = {values.name: column.written} if column.written else None
        values = typed(values.to_frame(), kinds=known).frame.to_series()
    if values.dtype not in (pl.Datetime, pl.Date):
        values = pl.Series(values.name, [None] * len(values), dtype=pl.Datetime)
    values = values.cast(pl.Datetime("us"))
    return [array for part in column.parts for array in _numbers(part, pl.Series(part_of(values, part.name)))]


def part_of(moments: Any, name: str) -> Any:
    """One number of each moment of a polars column: "year" (with its fraction), "month", "day", "weekday" or "hour".

    Args:
        moments: dates.
        name: of the number.

    Example:
        >>> import datetime, polars as pl
        >>> part_of(pl.Series([datetime.datetime(2020, 3, 1)]), "month").to_list()
        [3.0]
    """
    if name == "year":
        return moments.dt.year() + (moments.dt.ordinal_day() - 1) / 365.25
    found = {
        "month": moments.dt.month,
        "day": moments.dt.day,
        "weekday": moments.dt.weekday,
        "hour": moments.dt.hour,
    }[name]()
    return found.cast(float)


def _words(column: Words, values: Any) -> list[np.ndarray]:
    texts = as_text(values).fill_null("")
    lengths = _numbers(column.length, texts.str.count_matches(r"\S+").cast(float))
    sets = [set(WORD.findall(text.lower())) for text in texts.to_list()]
    return lengths + [np.array([float(word in found) for found in sets]) for word in column.words]


def _codes(column: Category, values: Any) -> np.ndarray:
    import polars as pl

    texts = as_text(values).str.strip_chars()
    codes = texts.replace_strict(list(column.values), list(range(2, len(column.values) + 2)), default=0,
                                 return_dtype=pl.Int64)  # fmt: skip
    return np.where(texts.is_null().to_numpy(), 1, codes.fill_null(1).to_numpy()).astype(np.float64)
