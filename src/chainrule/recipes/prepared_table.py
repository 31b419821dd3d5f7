"""A table made ready: what is to be told, which rows learn, choose and judge; before anything is fitted."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.sources import SHARES, TableData, choose_target, choose_task, honest_split, read_table
from chainrule.sources import as_text as texts

_FRAMES: dict[str, Any] = {}  # frames that were given in Python, by the name that stands for their file
_LARGE = 20_000  # rows from which on a tenth is enough to choose by and to judge with
_TIED = 0.5  # share of rows that are copies beyond which a copy is no accident


@dataclass(frozen=True)
class PreparedTable:
    """A table whose rows all have an answer, and who takes part in what.

    Args:
        frame: the polars frame of the columns to learn from.
        answers: the polars column to predict.
        task: "classify" or "regress".
        train: positions of the rows to learn from.
        validation: of those to choose by.
        test: of those to judge with.
        digest: of all that was read.
        notes: what was decided and mended, in sentences.
        written: how columns of dates are written.
    """

    frame: Any
    answers: Any
    task: str
    train: Tensor
    validation: Tensor
    test: Tensor
    digest: str
    notes: tuple[str, ...]
    written: Mapping[str, str]


def named(data: Any) -> str:
    """What stands in a recipe for somebody's data: the path as it is, or a name for a frame given in Python."""
    if isinstance(data, str | Path):
        return str(data)
    name = f"a frame ({read_table(data).digest})"
    _FRAMES[name] = data
    return name


def prepare(
    data: str, test: str | None, *, target: str | None, task: str | None, group: str | None, seed: int
) -> PreparedTable:
    """Reads a table, chooses what to tell and splits its rows.

    Args:
        data: a file, or a name that `named` gave.
        test: a second file whose rows, and no others, are to judge with.
        target: the column to predict; `None` chooses.
        task: "classify" or "regress"; `None` looks at the column.
        group: a column whose equal values stay together.
        seed: of the split.
    """
    return _prepare(data, test, target, task, group, seed, (_stamp(data), _stamp(test)))


@lru_cache(maxsize=2)
def _prepare(
    data: str, test: str | None, target: str | None, task: str | None, group: str | None, seed: int, _stamps: object
) -> PreparedTable:
    table = read_table(_source(data))
    notes = list(table.repairs)
    name, why = choose_target(table.frame.columns, target)
    notes.append(why)
    frame, own = _answered(table.frame, name, notes), len(table.frame)
    known, digest = len(frame), table.digest
    if known < 10:
        raise InputError(
            "a table needs 10 rows with an answer", advice="collect more", rows=own, with_answer=known, target=name
        )
    if test is not None:
        more = _second(test, table, frame, notes)
        digest += more.digest
        frame = _stacked(frame, _answered(more.frame, name, notes), name)
    chosen, said = choose_task(frame[name][:known], task)
    notes.append(said)
    answers, columns = frame[name], frame.drop(name)
    units = _units(frame, group, known, notes)
    strata = torch.from_numpy(texts(answers).to_physical().rank("dense").to_numpy().astype(np.int64))
    parts = _split(units, strata if chosen == "classify" else None, known, len(frame), seed=seed, notes=notes)
    return PreparedTable(columns, answers, chosen, *parts, digest, tuple(notes), dict(table.formats))


def _stamp(file: str | None) -> tuple[int, int]:
    """When a file was written and how long it is: another table is not taken from memory."""
    if file is None or not Path(file).exists():
        return 0, 0
    found = Path(file).stat()
    return found.st_mtime_ns, found.st_size


def _source(data: str) -> Any:
    if data.startswith("a frame (") and data not in _FRAMES:
        raise InputError(
            "this run was made from a frame that is not here any more",
            advice="give the same frame to `fit` again, or write it to a file first", data=data,
        )  # fmt: skip
    return _FRAMES.get(data, data)


def _answered(frame: Any, name: str, notes: list[str]) -> Any:
    """The rows that have an answer; the others are counted."""
    kept = frame.filter(frame[name].is_not_null())
    if not len(kept):
        raise InputError(
            "the column to predict is empty in every row",
            advice="choose another with --target", target=name, rows=len(frame),
        )  # fmt: skip
    if len(kept) < len(frame):
        notes.append(f"{len(frame) - len(kept):,} of {len(frame):,} rows had no `{name}` and were left out.")
    return kept


def _second(test: str, table: TableData, frame: Any, notes: list[str]) -> TableData:
    """The file of rows to judge with, its columns read as those of the first."""
    kinds = {
        column.name: table.formats.get(column.name, "number" if column.dtype.is_numeric() else "text")
        for column in frame
    }
    more = read_table(test, names=frame.columns, kinds=kinds)
    missing = [name for name in frame.columns if name not in more.frame.columns]
    if missing:
        raise InputError(
            "the rows to judge with must have the same columns", advice="check its header", missing=missing, test=test
        )
    notes += [f"{Path(test).name}: {said[0].lower()}{said[1:]}" for said in more.repairs]
    return more


def _stacked(frame: Any, more: Any, name: str) -> Any:
    """Both files' rows; answers of the second that only lack or have a full stop at their end are made the same."""
    import polars as pl

    more = more.select([pl.col(column.name).cast(column.dtype, strict=False) for column in frame])
    if frame[name].dtype == pl.String:
        known = frame[name].unique()
        bare = more[name].str.strip_suffix(".")
        strange = ~more[name].is_in(known.implode()) & bare.is_in(known.implode())
        more = more.with_columns(pl.when(strange).then(bare).otherwise(more[name]).alias(name))
    return pl.concat([frame, more])


def _units(frame: Any, group: str | None, known: int, notes: list[str]) -> Tensor:
    """Which rows must stay together: those of one group, and those that are equal."""
    import polars as pl
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    copies = frame.hash_rows(seed=0).rank("dense").cast(pl.Int64).to_numpy() - 1
    twins = len(frame) - len(np.unique(copies))
    tied = 0 < twins <= _TIED * len(frame)
    if tied:
        notes.append(f"Copies of other rows ({twins:,}) stay on one side of the split with them.")
    elif twins:
        notes.append(f"Copies of other rows ({twins:,}) are too many to be an accident: they are split like any row.")
    alone = np.arange(len(frame))
    if group is None:
        return torch.from_numpy(copies if tied else alone)
    if group not in frame.columns:
        raise InputError("the column to group by must be in the table", advice="check --group", group=group)
    groups = texts(frame[group]).fill_null("").rank("dense").cast(pl.Int64).to_numpy() - 1
    notes.append(f"Rows that share `{group}` stay on one side of the split ({len(np.unique(groups)):,} groups).")
    ties = copies if tied else alone
    edges = (np.ones(len(frame)), (groups, ties + groups.max() + 1))
    count = int(groups.max() + ties.max() + 2)
    _, found = connected_components(coo_matrix(edges, shape=(count, count)), directed=False)
    return torch.from_numpy(found[groups].astype(np.int64))


def _split(
    units: Tensor, strata: Tensor | None, known: int, rows: int, *, seed: int, notes: list[str]
) -> tuple[Tensor, Tensor, Tensor]:
    given = torch.arange(known, rows)
    shares = (0.8, 0.1, 0.1) if known >= _LARGE else SHARES
    if len(given):
        inside = int(torch.isin(units[given], units[:known]).sum())
        shares = (1 - shares[1], shares[1], 0.0)
        if inside:
            notes.append(f"{inside:,} of {len(given):,} rows to judge with stand among those to learn from, too.")
    parts = honest_split(units[:known], None if strata is None else strata[:known], shares=shares, seed=seed)
    train, validation, test = parts[0], parts[1], given if len(given) else parts[2]
    if not min(len(train), len(validation), len(test)):
        raise InputError(
            "there must be rows to learn from, to choose by and to judge with",
            advice="collect more rows, or more groups", train=len(train), validation=len(validation), test=len(test),
        )  # fmt: skip
    notes.append(f"{len(train):,} rows to learn from, {len(validation):,} to choose by, {len(test):,} to judge with.")
    return train, validation, test
