"""From series as they were read to what a network learns from, and which moments are whose: past, present, future."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from chainrule.data import Panel
from chainrule.shapes import Int
from chainrule.sources.calendar import Cycle, calendar_features
from chainrule.sources.series import SeriesTable

_SHARE = 0.1  # of a series for test


def panel_of(
    table: SeriesTable, horizon: int, *, cycles: tuple[Cycle, ...] = (), season: int = 1, known: Sequence[str] = ()
) -> Panel:
    """Series end to end, each with room for its future, and the calendar of every moment.

    Args:
        table: the series.
        horizon: moments of future.
        cycles: of the calendar.
        season: the length of the cycle "season".
        known: names of the series that the network knows by number, from 1.

    Example:
        >>> import polars as pl
        >>> from chainrule.sources import read_series
        >>> table = read_series(pl.DataFrame({"t": [0, 1, 3], "x": [1.0, 2.0, 4.0]}), time="t")
        >>> panel = panel_of(table, 2)
        >>> panel.values.tolist(), panel.observed.tolist()
        ([1.0, 2.0, 2.0, 4.0, 4.0, 4.0], [True, True, False, True, False, False])
    """
    numbers = {name: number for number, name in enumerate(known, 1)}
    lengths = [len(values) for values in table.values]
    starts = np.cumsum([0, *(length + horizon for length in lengths[:-1])])
    filled = [_filled(values, horizon) for values in table.values]
    calendar = [
        calendar_features(table.step, np.arange(start, start + length + horizon), cycles, season)
        for start, length in zip(table.starts, lengths, strict=True)
    ]
    return Panel(
        values=torch.from_numpy(np.concatenate([values for values, _ in filled])),
        observed=torch.from_numpy(np.concatenate([there for _, there in filled])),
        calendar=torch.from_numpy(np.concatenate(calendar)),
        starts=torch.from_numpy(starts),
        lengths=torch.tensor(lengths),
        which=torch.tensor([numbers.get(name, 0) for name in table.names]),
        moments=torch.tensor(table.starts),
    )


def _filled(values: np.ndarray, horizon: int) -> tuple[np.ndarray, np.ndarray]:
    """Values, in gaps and in the future the last one before: a line to the next would tell what is yet to come."""
    there = np.concatenate([~np.isnan(values), np.zeros(horizon, dtype=bool)])
    latest = np.maximum.accumulate(np.where(there, np.arange(len(there)), 0))
    return values[latest].astype(np.float32), there


@dataclass(frozen=True)
class Ranges:
    """At which moments forecasts may begin, series by series: for training, for validation and for test.

    Args:
        train: first and last moment of each series.
        validation: likewise.
        test: likewise.

    Example:
        >>> split_ahead(torch.tensor([100]), horizon=5, least=10).test
        (tensor([90]), tensor([95]))
    """

    train: tuple[Tensor, Tensor]
    validation: tuple[Tensor, Tensor]
    test: tuple[Tensor, Tensor]


def split_ahead(lengths: Int[Tensor, " series"], horizon: int, *, least: int, windows: int = 20) -> Ranges:
    r"""The last horizons of every series for test, those before for validation, all before that to learn from.

    $$n = \min\big(\text{windows},\ \max(1, \lfloor 0.1\,T / H \rfloor)\big) \quad \text{horizons for test}$$

    A quarter as many, rounded up, are for validation: what is learnt should not be old. No target of one part is a
    target of another, and none lies before one of an earlier part. A series that is too short for all three takes
    part in none: its last moment lies before its first.

    Args:
        lengths: T, of each series.
        horizon: H, moments to forecast.
        least: moments that must lie before the first forecast.
        windows: most horizons for test.

    Shape:
        lengths: (series).

    Example:
        >>> ranges = split_ahead(torch.tensor([100, 20]), horizon=5, least=2)
        >>> [part[0].tolist() for part in (ranges.train, ranges.validation, ranges.test)]
        [[2, 2], [85, 10], [90, 15]]
    """
    count = (_SHARE * lengths / horizon).long().clamp(min=1, max=windows)
    test = lengths - count * horizon
    validation = test - ((count + 3) // 4) * horizon
    train_last = validation - horizon
    first = torch.full_like(lengths, least)
    long_enough = train_last >= first
    none = torch.full_like(lengths, -1)

    def range_of(begin: Tensor, end: Tensor) -> tuple[Tensor, Tensor]:
        return torch.where(long_enough, begin, 0), torch.where(long_enough, end, none)

    return Ranges(
        train=range_of(first, train_last),
        validation=range_of(validation, test - horizon),
        test=range_of(test, lengths - horizon),
    )
