"""What a network for tables has to beat: the commonest answer, a linear model, and boosted trees."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from chainrule.data import Table
from chainrule.sources import Category, Column, Moment, Number, category_sizes, number_edges

_MOST_CODES = 254  # categories that boosted trees can tell apart
_MOST_LINEAR = 50_000  # rows that the linear model learns from, so that it takes seconds


def rivals(seen: Sequence[Table], test: Table, columns: Sequence[Column], classes: int) -> dict[str, Tensor]:
    """What rivals without tuning say of the test rows: shares of the classes, or amounts.

    Args:
        seen: the rows that they learn from: all that the network learnt from or chose by.
        test: the rows that they answer.
        columns: what each column is.
        classes: how many; 0 for amounts.

    Example:
        >>> rows = Table(torch.arange(40.0)[:, None], torch.arange(40) // 20)
        >>> found = rivals([rows], rows, [Number("x", (0.0, 40.0), 20.0)], classes=2)
        >>> list(found), found["commonest class"].shape
        (['commonest class', 'logistic regression', 'gradient boosting'], torch.Size([40, 2]))
    """
    inputs, outputs = (torch.cat([getattr(rows, name) for rows in seen]) for name in ("features", "outcome"))
    straight, asked = (_straight(part, columns) for part in (inputs, test.features))
    middle, scale = straight.mean(0), straight.std(0) + 1e-9
    straight, asked = (straight - middle) / scale, (asked - middle) / scale
    gapped, asked_gapped = (_with_gaps(part, columns) for part in (inputs, test.features))
    trees, linear, trivial = (_classifiers if classes else _regressors)(_categories(columns) or None)
    rows = slice(None, None, max(1, -(-len(straight) // _MOST_LINEAR)))
    right: Any = outputs.numpy()
    trivial.fit(straight[:, :1], right)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a linear model that has not quite converged is a rival all the same
        linear.fit(straight[rows], right[rows])
    trees.fit(gapped, right)
    names = ("commonest class", "logistic regression") if classes else ("mean", "ridge regression")
    found = zip((*names, "gradient boosting"), (trivial, linear, trees), (asked[:, :1], asked, asked_gapped),
                strict=True)  # fmt: skip
    return {name: _answer(model, rows, classes) for name, model, rows in found}


def _answer(model: Any, rows: np.ndarray, classes: int) -> Tensor:
    if not classes:
        return torch.from_numpy(np.asarray(model.predict(rows), dtype=np.float64))
    shares = np.zeros((len(rows), classes))
    shares[:, model.classes_] = model.predict_proba(rows)  # a class may be missing from what it learnt from
    return torch.from_numpy(shares)


def _classifiers(categories: Any) -> tuple[Any, Any, Any]:
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    trees = HistGradientBoostingClassifier(categorical_features=categories, random_state=0)
    return trees, LogisticRegression(max_iter=300), DummyClassifier(strategy="prior")


def _regressors(categories: Any) -> tuple[Any, Any, Any]:
    from sklearn.dummy import DummyRegressor
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.linear_model import Ridge

    trees = HistGradientBoostingRegressor(categorical_features=categories, random_state=0)
    return trees, Ridge(), DummyRegressor()


def _categories(columns: Sequence[Column]) -> list[int]:
    """Where the codes of categories stand behind the numbers that `_with_gaps` gives."""
    numbers = len(number_edges(columns)) - len(_flags(columns))
    return [numbers + place for place in range(sum(isinstance(column, Category) for column in columns))]


def _flags(columns: Sequence[Column]) -> dict[int, int]:
    """The features that mark gaps, and of which feature."""
    found: dict[int, int] = {}
    place = 0
    for column in columns:
        for part in (column,) if isinstance(column, Number) else column.parts if isinstance(column, Moment) else ():
            place += 1
            if part.gaps:
                found[place] = place - 1
                place += 1
        if not isinstance(column, Number | Moment):
            place += len(number_edges([column]))
    return found


def _with_gaps(features: Tensor, columns: Sequence[Column]) -> np.ndarray:
    """Features as trees take them: gaps are gaps, codes are codes, few enough."""
    flags, numbers = _flags(columns), len(number_edges(columns))
    array = features.numpy().astype(np.float64)
    for flag, number in flags.items():
        array[array[:, flag] > 0, number] = np.nan
    codes = array[:, numbers:]
    kept = [place for place in range(numbers) if place not in flags]
    return np.column_stack([array[:, kept], np.where(codes > _MOST_CODES, 0, codes)])


def _straight(features: Tensor, columns: Sequence[Column]) -> np.ndarray:
    """Features as a linear model takes them: numbers, marks of gaps, and one column for every code."""
    numbers, sizes = len(number_edges(columns)), category_sizes(columns)
    parts = [features[:, :numbers].double().clamp(-1e12, 1e12)]
    for place, size in enumerate(sizes):
        codes = features[:, numbers + place].long()
        kept = min(size, _MOST_CODES)
        parts.append(torch.nn.functional.one_hot(torch.where(codes < kept, codes, 0), kept).double())
    return torch.cat(parts, 1).numpy()
