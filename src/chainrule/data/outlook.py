"""Windows of many related series: the past of one, what the calendar says of the future, and the future."""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from chainrule.data.axes import Axes
from chainrule.data.batch import Rows
from chainrule.data.batches import Batches, at_least_one, part_of_rank
from chainrule.data.order import random_starts
from chainrule.errors import InputError, SampleError
from chainrule.shapes import Bool, Float, Int


@dataclass(frozen=True)
class Outlook(Rows):
    """What is known when a forecast is made, and the future to be forecast.

    Args:
        past: values up to now; where none was observed, a guess.
        observed: one where a value was observed, zero in a gap and before a series began.
        calendar: what is known of each moment to be forecast: the hour, the weekday.
        which: the number of the series, 0 for one that the network does not know.
        future: values to forecast, not a number in a gap.
        moment: when the future begins, in steps of the series' clock.

    Shape:
        past, observed: (batch, time); calendar: (batch, horizon, feature); which, moment: (batch);
        future: (batch, horizon).

    Example:
        >>> batch = Outlook(
        ...     torch.zeros(4, 24), torch.ones(4, 24), torch.zeros(4, 6, 2), torch.arange(4), torch.zeros(4, 6),
        ...     torch.arange(4),
        ... )
        >>> len(batch), len(batch.inputs), batch.targets.shape
        (4, 4, torch.Size([4, 6]))
    """

    axes: ClassVar[Mapping[str, Axes]] = {
        "past": Axes(("batch time",), "floating"),
        "observed": Axes(("batch time",), "floating"),
        "calendar": Axes(("batch horizon feature",), "floating"),
        "which": Axes(("batch",), "whole"),
        "future": Axes(("batch horizon",), "floating"),
        "moment": Axes(("batch",), "whole"),
    }

    past: Float[Tensor, "batch time"]
    observed: Float[Tensor, "batch time"]
    calendar: Float[Tensor, "batch horizon feature"]
    which: Int[Tensor, " batch"]
    future: Float[Tensor, "batch horizon"]
    moment: Int[Tensor, " batch"]

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """All but the future."""
        return (self.past, self.observed, self.calendar, self.which)

    @property
    def targets(self) -> Tensor:
        """The future to forecast."""
        return self.future


@dataclass(frozen=True)
class Panel:
    """Many series of one clock, end to end, each followed by empty places for its future.

    Args:
        values: of every place; in a gap a guess, in the future anything finite.
        observed: whether there is a value.
        calendar: what is known of every place, in the future too.
        starts: where each series begins.
        lengths: how many places of each belong to its past.
        which: each series' number for the network, 0 for one that it does not know.
        moments: when each series begins, in steps of the clock.

    Shape:
        values, observed: (place); calendar: (place, feature); starts, lengths, which, moments: (series).

    Example:
        >>> panel = Panel(
        ...     torch.arange(8.0), torch.ones(8).bool(), torch.zeros(8, 1), torch.tensor([0]), torch.tensor([6]),
        ...     torch.tensor([1]), torch.tensor([0]),
        ... )
        >>> len(panel.values)
        8
    """

    values: Float[Tensor, " place"]
    observed: Bool[Tensor, " place"]
    calendar: Float[Tensor, "place feature"]
    starts: Int[Tensor, " series"]
    lengths: Int[Tensor, " series"]
    which: Int[Tensor, " series"]
    moments: Int[Tensor, " series"]

    def __post_init__(self) -> None:
        """Values are finite: gaps are marked in `observed`."""
        if not bool(torch.isfinite(self.values).all()):
            raise SampleError(
                "`values` must be finite",
                advice="fill the gaps, and mark them in `observed`",
                not_finite=int((~torch.isfinite(self.values)).sum()),
            )


class OutlookWindows(Batches[Outlook]):
    r"""Windows of random series at random moments, every moment of every series as likely as any other.

    $$\text{past} = x_{o-P}, \dots, x_{o-1}, \qquad \text{future} = x_o, \dots, x_{o+H-1}, \qquad
      o \in \{f, f + d, f + 2d, \dots\},\ o \le l$$

    Where the past reaches to before the series' beginning, nothing was observed.

    Args:
        panel: the series.
        past: $P$, moments seen.
        horizon: $H$, moments to forecast.
        first: $f$, the first moment of each series at which a forecast may begin.
        last: $l$, the last one; a series whose last lies before its first takes no part.
        stride: $d$, moments between two forecasts.
        batch_size: windows per batch, over all ranks.
        seed: which stream.

    Shape:
        first, last: (series); past: (batch, time); future: (batch, horizon).

    Example:
        >>> panel = Panel(
        ...     torch.arange(10.0), torch.ones(10).bool(), torch.zeros(10, 1), torch.tensor([0]), torch.tensor([10]),
        ...     torch.tensor([1]), torch.tensor([0]),
        ... )
        >>> windows = OutlookWindows(panel, 3, 2, torch.tensor([4]), torch.tensor([8]), stride=2, batch_size=2)
        >>> windows.size, [batch.future.tolist() for batch in windows.once(2)]
        (3, [[[4.0, 5.0], [6.0, 7.0]], [[8.0, 9.0]]])
    """

    def __init__(
        self,
        panel: Panel,
        past: int,
        horizon: int,
        first: Int[Tensor, " series"],
        last: Int[Tensor, " series"],
        *,
        stride: int = 1,
        batch_size: int = 64,
        seed: int = 0,
    ) -> None:
        at_least_one(past=past, horizon=horizon, stride=stride, batch_size=batch_size)
        counts = ((last - first) // stride + 1).clamp(min=0)
        self.panel = panel
        self.past = past
        self.horizon = horizon
        self.stride = stride
        self.batch_size = batch_size
        self.seed = seed
        self.size = int(counts.sum())
        self.part = (0, batch_size)
        self.first = first
        self.last = last
        self._ends = counts.cumsum(0)
        self._reach = torch.arange(-past, horizon)
        if self.size < 1:
            raise InputError(
                "a series must be long enough for one window", advice="shorten `past` or `horizon`",
                past=past, horizon=horizon, longest=int(panel.lengths.max()) if len(panel.lengths) else 0,
            )  # fmt: skip

    def __getitem__(self, k: int) -> Outlook:
        """Batch k of the endless stream, a function of (seed, k)."""
        return self.at(random_starts(self.size - 1, self.batch_size, self.seed, k)[slice(*self.part)])

    def once(self, batch_size: int | None = None) -> Iterator[Outlook]:
        """Every window once, series after series, in order of time."""
        step = self.batch_size if batch_size is None else batch_size
        at_least_one(batch_size=step)
        for numbers in torch.arange(self.size).split(step):
            yield self.at(numbers)

    def shard(self, rank: int, world: int) -> "OutlookWindows":
        """Rank `rank`'s equal part of every batch."""
        own = copy.copy(self)
        own.part = part_of_rank(self.batch_size, rank, world)
        return own

    def series(self, numbers: Int[Tensor, " window"]) -> Int[Tensor, " window"]:
        """Which series of the panel each window is of."""
        return torch.searchsorted(self._ends, numbers, right=True)

    def at(self, numbers: Int[Tensor, " window"]) -> Outlook:
        """The windows of these numbers."""
        panel, rows = self.panel, self.series(numbers)
        before = torch.where(rows > 0, self._ends[rows - 1], 0)
        origin = self.first[rows] + (numbers - before) * self.stride
        places = origin[:, None] + self._reach  # (window, past and horizon)
        inside = (places >= 0) & (places < panel.lengths[rows, None])
        places = (places.clamp(min=0) + panel.starts[rows, None]).clamp(max=len(panel.values) - 1)
        values, known = panel.values[places], panel.observed[places] & inside
        future = torch.where(known[:, self.past :], values[:, self.past :], torch.nan)
        return Outlook(
            past=values[:, : self.past],
            observed=known[:, : self.past].to(values.dtype),
            calendar=panel.calendar[places[:, self.past :]],
            which=panel.which[rows],
            future=future,
            moment=panel.moments[rows] + origin,
        )
