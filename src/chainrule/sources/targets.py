"""What is to be told from a table: which column, and whether its values are classes or amounts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from chainrule.data import IGNORED
from chainrule.errors import InputError
from chainrule.sources.column_values import as_numbers, as_text

_NAMES = ("target", "label", "labels", "class", "y", "outcome")
_MOST_CLASSES = 100  # of a column of names
_LEAST, _MOST = 1e-15, 1e15  # what 32 bits can square and sum up
_MOST_WHOLE = 20  # different whole numbers that still are classes


@dataclass(frozen=True)
class Classes:
    """The answer is one of some names.

    Args:
        name: of the column.
        names: of the classes.

    Example:
        >>> Classes("income", ("high", "low")).names.index("low")
        1
    """

    name: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Amount:
    """The answer is a number.

    Args:
        name: of the column.
        mean: of the training rows.
        deviation: of the training rows.

    Example:
        >>> Amount("price", mean=100.0, deviation=20.0).mean
        100.0
    """

    name: str
    mean: float
    deviation: float


Target = Classes | Amount


def choose_target(names: Sequence[str], wanted: str | None) -> tuple[str, str]:
    """The column to predict, and how it was chosen, in a sentence.

    Args:
        names: of the columns.
        wanted: the one that was asked for; `None` takes one called target, label, class, y or outcome, else the last.

    Example:
        >>> choose_target(["age", "town", "price"], None)
        ('price', '`price` is what is to be told: the last column, as no name says more (--target names another).')
    """
    if len(names) < 2:
        raise InputError(
            "a table needs a column to predict and one to predict it from",
            advice="look at the delimiter, if there should be more", columns=list(names),
        )  # fmt: skip
    if wanted is not None:
        if wanted not in names:
            near = [name for name in names if name.lower() == wanted.lower()] or list(names)
            raise InputError(
                "the column to predict must be in the table",
                advice="try --target " + " or ".join(repr(name) for name in near[:8]), target=wanted,
            )  # fmt: skip
        return wanted, f"`{wanted}` is what is to be told, as was asked."
    for known in _NAMES:
        for name in names:
            if name.lower() == known:
                return name, f"`{name}` is what is to be told, by its name (--target names another)."
    return names[-1], (
        f"`{names[-1]}` is what is to be told: the last column, as no name says more (--target names another)."
    )


def choose_task(column: Any, wanted: str | None) -> tuple[Literal["classify", "regress"], str]:
    """Whether the answers are classes or amounts, and why, in a sentence.

    Args:
        column: the polars column to predict, without gaps.
        wanted: "classify" or "regress", if somebody asked.

    Example:
        >>> import polars as pl
        >>> choose_task(pl.Series("price", [1.5, 2.5, 8.0]), None)[0]
        'regress'
    """
    import polars as pl

    different = column.n_unique()
    if different < 2:
        raise InputError(
            "the column to predict must have two different values at least",
            advice="choose another column with --target", target=column.name, values=column.unique().to_list(),
        )  # fmt: skip
    if column.dtype == pl.Datetime:
        raise InputError("a date cannot be predicted", advice="choose another --target", target=column.name)
    numbers = column.dtype.is_numeric()
    if wanted == "regress" and not numbers:
        wrong = column.filter(as_numbers(column).is_null()).head(3).to_list()
        raise InputError(
            "amounts can only be told of a column of numbers",
            advice="mend these values, or try --task classify", target=column.name, values=wrong,
        )  # fmt: skip
    whole = numbers and bool((column == column.round()).all())
    few = whole and different <= _MOST_WHOLE and different <= max(2, len(column) // 5)
    if wanted == "classify" or (wanted is None and (not numbers or few)):
        if different > _MOST_CLASSES and different > 0.02 * len(column):
            raise InputError(
                f"{different:,} different answers in {len(column):,} rows are too many classes",
                advice="choose another --target" + (", or --task regress" if numbers else ""), target=column.name,
            )  # fmt: skip
        doubt = " (whole numbers; --task regress takes them as amounts)" if numbers and wanted is None else ""
        return "classify", f"It has {different} classes{doubt}."
    why = "as was asked" if wanted else f"{different:,} different numbers; --task classify takes them as classes"
    return "regress", f"It is an amount ({why})."


def classes_of(column: Any) -> Classes:
    """The classes that a polars column holds, in the order of their names, numbers in theirs.

    Args:
        column: without gaps.

    Example:
        >>> import polars as pl
        >>> classes_of(pl.Series("grade", [10.0, 9.0, 10.0]))
        Classes(name='grade', names=('9', '10'))
    """
    values = column.unique().sort()
    return Classes(column.name, tuple(as_text(values).to_list()))


def amount_of(column: Any) -> Amount:
    """Mean and deviation of a polars column of numbers.

    Args:
        column: the training rows, without gaps.

    Example:
        >>> import polars as pl
        >>> amount_of(pl.Series("price", [1.0, 3.0])).mean
        2.0
    """
    mean, deviation = float(column.mean()), float(column.std(ddof=0) or 0.0)
    if not _LEAST < deviation < _MOST or abs(mean) > _MOST:
        raise InputError(
            "amounts must differ, and be neither huge nor tiny",
            advice="write them in another unit", target=column.name, mean=mean, deviation=deviation,
        )  # fmt: skip
    return Amount(column.name, mean, deviation)


def outcomes(target: Target, column: Any) -> Tensor:
    """The answers of rows as the network is taught: class numbers, or amounts.

    A class that was not known is `IGNORED`; class names that only lack a full stop at their end are taken for what
    they are.

    Args:
        target: what to tell.
        column: the polars column.

    Shape:
        returns (row).

    Example:
        >>> import polars as pl
        >>> outcomes(Classes("income", ("high", "low")), pl.Series(["low", "high.", "none"])).tolist()
        [1, 0, -100]
    """
    if isinstance(target, Amount):
        return torch.from_numpy(as_numbers(column).to_numpy().copy()).float()
    number = {name: place for place, name in enumerate(target.names)}
    texts = [("" if text is None else text.strip()) for text in as_text(column).to_list()]
    return torch.tensor([number.get(text, number.get(re.sub(r"\.$", "", text), IGNORED)) for text in texts])
