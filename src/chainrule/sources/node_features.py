"""How what is known of a node becomes the few numbers of it that are not zero."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.sources.column_values import table_features
from chainrule.sources.columns import Column, Unused, category_sizes, column_kinds, number_edges
from chainrule.sources.understood import understand_columns

_RARE = 0.6  # share of zeros from which on a column counts something rare, such as a word
_LEAST_WORDS = 10  # fewer such columns are numbers like any other
_FAR = 5.0  # deviations beyond which a number is cut
_MOST_NAMES = 200_000


@dataclass(frozen=True)
class NodeColumns:
    """What each column of a node table is.

    Args:
        words: columns that count something rare; a node's counts are divided by their sum.
        columns: the others, and how each becomes numbers.
        scales: mean and deviation of the numbers of those others.
        names: of the nodes, where nothing else is known of them: each is a feature of its own.

    Example:
        >>> NodeColumns(words=("rose", "thorn")).width
        2
    """

    words: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    scales: tuple[tuple[float, float], ...] = ()
    names: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """How many features a node can have."""
        return len(self.words) + len(self.scales) + sum(category_sizes(self.columns)) + len(self.names)

    @property
    def kinds(self) -> dict[str, str]:
        """What `read_network` must know to read another node table in the same way."""
        return {**dict.fromkeys(self.words, "number"), **column_kinds(self.columns)}


def understand_nodes(
    frame: Any, seen: Tensor, answers: Any, names: tuple[str, ...], written: dict[str, str]
) -> NodeColumns:
    """What each column of a node table is, from nodes that take no part in choosing and judging.

    Args:
        frame: a polars frame of text, numbers and dates, a row per node.
        seen: positions of those nodes.
        answers: a polars column with the class of every node, or null.
        names: of the nodes.
        written: how columns of dates are written.

    Shape:
        seen: (row).

    Example:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"age": [20.0, 30.0, 40.0]})
        >>> understand_nodes(frame, torch.arange(3), pl.Series(["x", "y", "x"]), ("a", "b", "c"), {}).width
        1
    """
    words, rest = _rare(frame, seen)
    columns = understand_columns(rest, seen, answers, written) if rest.width else ()
    if words or not all(isinstance(column, Unused) for column in columns):
        return NodeColumns(words, columns, _scales(columns, rest, seen))
    if len(names) > _MOST_NAMES:
        raise InputError(
            "nodes of a large graph need features", advice="add columns to the node table", nodes=len(names)
        )
    return NodeColumns(columns=columns, names=names)


def node_entries(columns: NodeColumns, frame: Any, names: tuple[str, ...]) -> tuple[Tensor, Tensor, Tensor]:
    """The features of nodes that are not zero: their values, which they are, and where each node's begin.

    Args:
        columns: as `understand_nodes` gave them.
        frame: a polars frame that has them.
        names: of the nodes.

    Shape:
        returns (entry), (entry) and (node).

    Example:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"rose": [1.0, 0.0], "thorn": [3.0, 0.0]})
        >>> [part.tolist() for part in node_entries(NodeColumns(words=("rose", "thorn")), frame, ("a", "b"))]
        [[0.25, 0.75], [0, 1], [0, 2]]
    """
    parts = [_words(columns.words, frame), *_others(columns, frame)]
    if columns.names:
        number = {name: place for place, name in enumerate(columns.names)}
        known = [(row, number[name]) for row, name in enumerate(names) if name in number]
        pairs = np.array(known, dtype=np.int64).reshape(-1, 2)
        parts.append((pairs[:, 0], pairs[:, 1], np.ones(len(pairs))))
    rows, places, values = (np.concatenate([part[each] for part in parts]) for each in range(3))
    order = np.lexsort((places, rows))
    counts = np.bincount(rows, minlength=len(names))
    offsets = np.concatenate((np.zeros(1, np.int64), counts.cumsum()[:-1]))
    return (
        torch.from_numpy(values[order].astype(np.float32)),
        torch.from_numpy(places[order].astype(np.int64)),
        torch.from_numpy(offsets),
    )


def _rare(frame: Any, seen: Tensor) -> tuple[tuple[str, ...], Any]:
    """Columns that count something rare, and a frame of all others; a count that seen nodes lack is neither."""
    rows = seen.tolist()
    found: list[str] = []
    empty: list[str] = []
    for column in frame:
        if not column.dtype.is_numeric():
            continue
        values = column[rows].fill_null(0.0)
        rare = values.min() is not None and values.min() >= 0 and (values == 0).sum() >= _RARE * len(values)
        if rare or ((values == 0) | (values == 1)).all():
            (found if values.max() > 0 else empty).append(column.name)
    if len(found) < _LEAST_WORDS:
        return (), frame
    return tuple(found), frame.drop(found + empty)


def _words(words: tuple[str, ...], frame: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    missing = [name for name in words if name not in frame.columns]
    if missing:
        raise InputError("the node table must have the columns that the model learnt from", advice="add them",
                         missing=missing[:20], how_many=len(missing))  # fmt: skip
    counts = np.zeros((len(frame), 0))
    if words:
        counts = np.maximum(frame.select(words).fill_null(0.0).to_numpy().astype(np.float64), 0.0)
    counts = counts / np.maximum(counts.sum(1, keepdims=True), 1e-12)
    rows, places = counts.nonzero()
    return rows, places, counts[rows, places]


def _others(columns: NodeColumns, frame: Any) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Numbers in deviations from their mean, and a one at the place of each category."""
    if all(isinstance(column, Unused) for column in columns.columns):
        return []
    features = table_features(columns.columns, frame).double().numpy()
    count = len(columns.scales)
    scales = np.array(columns.scales).reshape(-1, 2)
    numbers = np.clip((features[:, :count] - scales[:, 0]) / scales[:, 1], -_FAR, _FAR)
    rows, places = numbers.nonzero()
    found = [(rows, places + len(columns.words), numbers[rows, places])]
    start = len(columns.words) + count
    for code, size in enumerate(category_sizes(columns.columns)):
        found.append((np.arange(len(features)), features[:, count + code].astype(np.int64) + start, _ones(features)))
        start += size
    return found


def _ones(features: np.ndarray) -> np.ndarray:
    return np.ones(len(features))


def _scales(columns: tuple[Column, ...], frame: Any, seen: Tensor) -> tuple[tuple[float, float], ...]:
    count = len(number_edges(columns))
    if not count:
        return ()
    numbers = table_features(columns, frame)[seen][:, :count].double()
    deviation = numbers.std(0, correction=0)
    deviation = torch.where(deviation > 0, deviation, 1.0)
    return tuple(zip(numbers.mean(0).tolist(), deviation.tolist(), strict=True))
