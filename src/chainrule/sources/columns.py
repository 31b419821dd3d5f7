"""What a column of a table can be, as values, and what follows from that for a network."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Why = Literal["constant", "identifier", "gaps", "leak", "group"]


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
