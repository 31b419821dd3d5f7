"""What each column of a table is, decided on training rows, and how its values become numbers."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.sources.typed import typed

Why = Literal["constant", "identifier", "gaps", "leak", "group"]
_BINS = 128  # per number, where there are few numbers
_MOST_EDGES = 12_000  # over all numbers: they are written into the recipe
_MOST_VALUES = 1000  # of a category that are told apart
_MOST_WORDS = 64
_FAR, _NEAR = 1e30, 1e-30  # what 32 bits can square, and what they can divide by
_PARTS = ("year", "month", "day", "weekday", "hour")
_IDENTIFIER = re.compile(r"(^|[_ .])(id|uuid|guid|index|key|row|rownames)$|^unnamed", re.IGNORECASE)
_WORD = re.compile(r"\w\w+")


@dataclass(frozen=True)
class Number:
    """A column of numbers: they go in as they are.

    Args:
        name: of the column.
        edges: of bins, ascending, at least two: quantiles of training rows and of their distinct values.
        usual: the median, which stands where there is a gap.
        gaps: whether training rows had gaps; then a second number marks them.
        origin: is taken off first, where the numbers are so far from zero that 32 bits would not tell them apart.

    Example:
        >>> Number("age", edges=(17.0, 37.0, 90.0), usual=37.0).gaps
        False
    """

    name: str
    edges: tuple[float, ...]
    usual: float
    gaps: bool = False
    origin: float = 0.0


@dataclass(frozen=True)
class Category:
    """A column of names: they go in as codes, 0 for a name that training rows did not have (often), 1 for a gap.

    Args:
        name: of the column.
        values: the names that have codes of their own, from 2 on, the commonest first.

    Example:
        >>> Category("town", values=("Ulm", "Kiel")).values.index("Kiel") + 2
        3
    """

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Moment:
    """A column of dates: they go in as several numbers, the year with its fraction first.

    Args:
        name: of the column.
        written: how, in the language of `strftime`; empty if they came as dates.
        parts: the numbers: "year", "month", "day", "weekday", "hour", as far as they differ.

    Example:
        >>> from chainrule.sources import Moment, Number
        >>> Moment("day", "%d.%m.%Y", parts=(Number("month", (1.0, 6.0, 12.0), 6.0),)).parts[0].name
        'month'
    """

    name: str
    written: str
    parts: tuple[Number, ...]


@dataclass(frozen=True)
class Words:
    """A column of free text: it goes in as how long it is and which common words it has.

    Args:
        name: of the column.
        words: the words that are looked for.
        length: how many words a text has, as a number.

    Example:
        >>> from chainrule.sources import Number, Words
        >>> Words("review", words=("good",), length=Number("length", (1.0, 50.0), 10.0)).words
        ('good',)
    """

    name: str
    words: tuple[str, ...]
    length: Number


@dataclass(frozen=True)
class Unused:
    """A column that is left out.

    Args:
        name: of the column.
        why: it says nothing ("constant"), is different in every row ("identifier"), is nearly empty ("gaps"), says
            the answer itself ("leak"), or only says which rows belong together ("group").

    Example:
        >>> Unused("id", "identifier").why
        'identifier'
    """

    name: str
    why: Why


Column = Number | Category | Moment | Words | Unused


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
        >>> import polars as pl
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


def number_edges(columns: Sequence[Column]) -> tuple[tuple[float, ...], ...]:
    """The bins of every number that `table_features` gives, in its order.

    Args:
        columns: as `understand_columns` gave them.

    Example:
        >>> from chainrule.sources import Category, Number, number_edges
        >>> number_edges([Number("age", (0.0, 30.0, 90.0), usual=30.0, gaps=True), Category("town", ("Ulm",))])
        ((0.0, 30.0, 90.0), (0.0, 1.0))
    """
    found: list[tuple[float, ...]] = []
    for column in columns:
        for part in (column,) if isinstance(column, Number) else column.parts if isinstance(column, Moment) else ():
            found += [part.edges] + [(0.0, 1.0)] * part.gaps
        if isinstance(column, Words):
            found += [column.length.edges] + [(0.0, 1.0)] * len(column.words)
    return tuple(found)


def category_sizes(columns: Sequence[Column]) -> tuple[int, ...]:
    """How many codes every category that `table_features` gives has, in its order.

    Args:
        columns: as `understand_columns` gave them.

    Example:
        >>> from chainrule.sources import Category, Unused, category_sizes
        >>> category_sizes([Category("town", ("Ulm",)), Unused("id", "identifier")])
        (3,)
    """
    return tuple(len(column.values) + 2 for column in columns if isinstance(column, Category))


def column_kinds(columns: Sequence[Column]) -> dict[str, str]:
    """What `read_table` must know to read another file in the same way.

    Args:
        columns: as `understand_columns` gave them.

    Example:
        >>> from chainrule.sources import Category, Number, column_kinds
        >>> column_kinds([Number("age", (0.0, 90.0), usual=30.0), Category("town", ("Ulm",))])
        {'age': 'number', 'town': 'text'}
    """
    found: dict[str, str] = {}
    for column in columns:
        if isinstance(column, Number):
            found[column.name] = "number"
        elif isinstance(column, Category | Words):
            found[column.name] = "text"
        elif isinstance(column, Moment) and column.written:
            found[column.name] = column.written
    return found


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


def _described(column: Any, there: Any, bins: int, written: str) -> Column:
    import polars as pl

    if column.dtype == pl.Datetime:
        parts = [_number(pl.Series(name, _part(column, name)), bins) for name in _PARTS]
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
    values = np.clip(column.drop_nulls().to_numpy().astype(np.float64), -_FAR, _FAR)
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
    found = [_WORD.findall(text.lower()) for text in texts.to_list()]
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
        seen, right = (both[name].to_numpy().clip(-_FAR, _FAR) for name in ("column", "answer"))
        return bool(seen.std() and right.std() and abs(np.corrcoef(seen, right)[0, 1]) > 1 - 1e-10)
    pairs = both.n_unique()
    named_otherwise = pairs == both["column"].n_unique() == both["answer"].n_unique()
    return named_otherwise and 1 < pairs <= len(both) / 2  # two columns of all different values always pair up


def _numbers(column: Number, values: Any) -> list[np.ndarray]:
    gaps = values.is_null().to_numpy()
    filled = np.where(gaps, column.usual, values.fill_null(0.0).to_numpy() - column.origin)
    return [np.clip(filled, -_FAR, _FAR)] + [gaps.astype(np.float64)] * column.gaps


def _moments(column: Moment, values: Any) -> list[np.ndarray]:
    import polars as pl

    if values.dtype == pl.String:
        known = {values.name: column.written} if column.written else None
        values = typed(values.to_frame(), kinds=known).frame.to_series()
    if values.dtype not in (pl.Datetime, pl.Date):
        values = pl.Series(values.name, [None] * len(values), dtype=pl.Datetime)
    values = values.cast(pl.Datetime("us"))
    return [array for part in column.parts for array in _numbers(part, pl.Series(_part(values, part.name)))]


def _part(moments: Any, name: str) -> Any:
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
    sets = [set(_WORD.findall(text.lower())) for text in texts.to_list()]
    return lengths + [np.array([float(word in found) for found in sets]) for word in column.words]


def _codes(column: Category, values: Any) -> np.ndarray:
    import polars as pl

    texts = as_text(values).str.strip_chars()
    codes = texts.replace_strict(list(column.values), list(range(2, len(column.values) + 2)), default=0,
                                 return_dtype=pl.Int64)  # fmt: skip
    return np.where(texts.is_null().to_numpy(), 1, codes.fill_null(1).to_numpy()).astype(np.float64)


def describe_columns(columns: Sequence[Column]) -> list[str]:
    """What the columns were taken for, in sentences.

    Args:
        columns: as `understand_columns` gave them.

    Example:
        >>> from chainrule.sources import Category, Unused, describe_columns
        >>> describe_columns([Category("town", ("Ulm",)), Unused("id", "identifier")])
        ['1 column is used: 1 category.', '`id` was left out: another value in every row, nothing to learn from.']
    """
    found = Counter(_KIND[type(column)] for column in columns if not isinstance(column, Unused))
    parts = [f"{count} {kind[count > 1]}" for kind, count in found.items()]
    total = sum(found.values())
    said = [f"{total} column{'s are' if total != 1 else ' is'} used: {', '.join(parts)}."] if total else []
    for why, sentence in _WHY.items():
        names = [f"`{column.name}`" for column in columns if isinstance(column, Unused) and column.why == why]
        if names:
            shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
            said.append(f"{shown} {'were' if len(names) > 1 else 'was'} left out: {sentence}.")
    return said


_KIND = {
    Number: ("number", "numbers"),
    Category: ("category", "categories"),
    Moment: ("date", "dates"),
    Words: ("free text", "free texts"),
}
_WHY = {
    "constant": "one value in every row, nothing to learn from",
    "identifier": "another value in every row, nothing to learn from",
    "gaps": "empty in nearly every row",
    "leak": "it says the answer itself (a leak), and whoever asks will not know it",
    "group": "it only says which rows belong together",
}
