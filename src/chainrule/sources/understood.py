"""What each column of a table is, decided on training rows."""

import re
from collections import Counter
from typing import Any

import numpy as np
from torch import Tensor

from chainrule.sources.column_values import FAR, WORD, as_text, part_of
from chainrule.sources.columns import Category, Column, Moment, Number, Unused, Words

_BINS = 128  # per number, where there are few numbers
_MOST_EDGES = 12_000  # over all numbers: they are written into the recipe
_MOST_VALUES = 1000  # of a category that are told apart
_MOST_WORDS = 64
_NEAR = 1e-30  # what 32 bits can divide by
_PARTS = ("year", "month", "day", "weekday", "hour")
_IDENTIFIER = re.compile(r"(^|[_ .])(id|uuid|guid|index|key|row|rownames)$|^unnamed", re.IGNORECASE)


def understand_columns(frame: Any, train: Tensor, answers: Any, written: dict[str, str]) -> tuple[Column, ...]:
    """What each column is, from its training rows alone.

    Args:
        frame: a polars frame of text, numbers and dates: the columns to learn from.
        train: positions of the training rows.
        answers: a polars column with the answer in every row of the frame: a column that says the same is a leak.
        written: how columns of dates are written.

    Shape:
        train: (row).

    Example:
        >>> import polars as pl, torch
        >>> from chainrule.sources import understand_columns
        >>> frame = pl.DataFrame({"age": [20.0, 30.0, 40.0], "town": ["Ulm", "Ulm", None]})
        >>> understand_columns(frame, torch.arange(3), pl.Series([1.0, 2.0, 3.0]), {})[1]
        Category(name='town', values=('Ulm',))
    """
    import polars as pl

    numbers = sum(column.dtype.is_numeric() or column.dtype == pl.Datetime for column in frame)
    rows = train.tolist()
    bins = max(8, min(_BINS, max(32, int(1.5 * len(rows) ** 0.5)), _MOST_EDGES // max(1, numbers)))
    found: list[Column] = []
    for whole in frame:
        column = whole[rows]
        there = column.drop_nulls()
        if len(there) <= 0.005 * len(column):
            found.append(Unused(column.name, "gaps"))
        elif there.n_unique() == 1 and len(there) == len(column):
            found.append(Unused(column.name, "constant"))
        elif _is_identifier(whole):
            found.append(Unused(column.name, "identifier"))
        elif _says(column, answers[rows]):
            found.append(Unused(column.name, "leak"))
        else:
            found.append(_described(column, there, bins, written.get(column.name, "")))
    return tuple(found)


def _described(column: Any, there: Any, bins: int, written: str) -> Column:
    import polars as pl

    if column.dtype == pl.Datetime:
        parts = [_number(pl.Series(name, part_of(column, name)), bins) for name in _PARTS]
        return Moment(column.name, written, tuple(part for part in parts if len(part.edges) > 2 or part.name == "year"))
    if column.dtype.is_numeric() and there.n_unique() > 1:
        return _number(column, bins) if there.max() - there.min() > _NEAR else Unused(column.name, "constant")
    texts = as_text(there)
    if not column.dtype.is_numeric() and _is_prose(texts):
        return _prose(texts, bins)
    counts = texts.value_counts(sort=False).rows()
    least = 1 if len(there) < 200 else 2 if len(there) < 2000 else 5  # rarer names teach what a new one means
    often = sorted((-count, name) for name, count in counts if count >= least)[:_MOST_VALUES]
    if -sum(count for count, _ in often) < 0.05 * len(there):
        return Unused(column.name, "identifier")
    return Category(column.name, tuple(name for _, name in often))


def _number(column: Any, bins: int) -> Number:
    values = np.clip(column.drop_nulls().to_numpy().astype(np.float64), -FAR, FAR)
    usual = float(np.median(values))
    far = 0.0 < float(values.max() - values.min()) < 1e-4 * abs(usual)
    origin = usual if far else 0.0
    different = np.unique((values - origin).astype(np.float32))
    if len(different) > bins:  # half of the edges among rows, half among values: a rare value has a place, too
        places = np.linspace(0, 1, bins // 2 + 1)
        both = [np.quantile(found, places) for found in (values - origin, different)]
        different = np.unique(np.concatenate(both).astype(np.float32))
    if len(different) < 2:
        different = np.array([different[0], np.nextafter(different[0], np.float32(np.inf)) + abs(different[0]) + 1])
    written = tuple(float(f"{edge:.9g}") for edge in different)
    return Number(column.name, written, usual - origin, bool(column.null_count()), origin)


def _is_prose(texts: Any) -> bool:
    long = float(texts.str.count_matches(r"\S+").mean() or 0) >= 4 or float(texts.str.len_chars().mean() or 0) >= 60
    return long and texts.n_unique() > 0.5 * len(texts)


def _prose(texts: Any, bins: int) -> Words:
    found = [WORD.findall(text.lower()) for text in texts.to_list()]
    counts = Counter(word for words in found for word in set(words))
    share = {word: count / len(found) for word, count in counts.items()}
    common = sorted((-count, word) for word, count in counts.items() if 0.01 <= share[word] <= 0.6 and count > 1)
    length = _number(texts.str.count_matches(r"\S+").cast(float).alias("length"), bins)
    return Words(texts.name, tuple(word for _, word in common[:_MOST_WORDS]), length)


def _is_identifier(column: Any) -> bool:
    """Whether a column only numbers the rows: another value in each, and whole, in one run, or named so."""
    import polars as pl

    there = column.drop_nulls()
    if len(there) < 20 or there.n_unique() < len(there) or column.dtype == pl.Datetime:
        return False
    if not column.dtype.is_numeric():
        return not _is_prose(there)
    whole = bool((there == there.round()).all())
    run = there.max() - there.min() == len(there) - 1
    return whole and (run or bool(_IDENTIFIER.search(column.name)))


def _says(column: Any, answers: Any) -> bool:
    """Whether a column says the answer itself: the same number, scaled or not, or another name for every class."""
    import polars as pl

    both = pl.DataFrame([column.alias("column"), answers.alias("answer")]).drop_nulls()
    if len(both) < max(20, 0.5 * len(column)):
        return False
    if column.dtype.is_numeric() and answers.dtype.is_numeric() and both["answer"].n_unique() > 20:
        seen, right = (both[name].to_numpy().clip(-FAR, FAR) for name in ("column", "answer"))
        return bool(seen.std() and right.std() and abs(np.corrcoef(seen, right)[0, 1]) > 1 - 1e-10)
    pairs = both.n_unique()
    named_otherwise = pairs == both["column"].n_unique() == both["answer"].n_unique()
    return named_otherwise and 1 < pairs <= len(both) / 2  # two columns of all different values always pair up
