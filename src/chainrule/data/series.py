"""Windows of long time series: the observed past, and the future to be forecast."""

import copy
from collections.abc import Iterator

import torch
from torch import Tensor

from chainrule.data.batch import Series
from chainrule.data.batches import Batches, at_least_one, part_of_rank
from chainrule.data.stretches import Stretches
from chainrule.errors import InputError, SampleError
from chainrule.shapes import Float


class SeriesWindows(Batches[Series]):
    r"""Stretches from random moments of one series of several channels, each cut into past and future.

    $$\text{past} = x_{s}, \dots, x_{s+P-1}, \qquad \text{future} = x_{s+P}, \dots, x_{s+P+H-1},
      \qquad s \sim U\{0, \dots, N - P - H\} \text{ from } (seed, k)$$

    Args:
        values: the whole series, on the device that it should live on.
        past: $P$, moments observed.
        horizon: $H$, moments to forecast.
        batch_size: windows per batch, over all ranks.
        seed: which stream.

    Shape:
        values: (time, channel); past: (batch, past, channel); future: (batch, horizon, channel).

    Example:
        >>> batches = SeriesWindows(torch.arange(20.0)[:, None], past=4, horizon=2, batch_size=3)
        >>> batch = batches[0]
        >>> batch.past.shape, bool((batch.future[:, 0] == batch.past[:, -1] + 1).all())
        (torch.Size([3, 4, 1]), True)
    """

    def __init__(
        self, values: Float[Tensor, "time channel"], past: int, horizon: int, batch_size: int, seed: int = 0
    ) -> None:
        at_least_one(past=past, horizon=horizon, batch_size=batch_size)
        _check_values(values, past + horizon)
        self.values = values
        self.past = past
        self.horizon = horizon
        self.batch_size = batch_size
        self.seed = seed
        self.size = (len(values) - past) // horizon
        self.part = (0, batch_size)
        self._stretches = Stretches(values, past + horizon, batch_size, seed, dtype=values.dtype)

    def __getitem__(self, k: int) -> Series:
        """Batch k of the endless stream, a function of (seed, k)."""
        return self._cut(self._stretches.batch(k)[slice(*self.part)])

    def once(self, batch_size: int | None = None) -> Iterator[Series]:
        """Windows whose futures lie end to end up to the last moment: each of them is forecast once.

        Moments at the start that would make less than a whole horizon are only ever past.
        """
        step = self.batch_size if batch_size is None else batch_size
        at_least_one(batch_size=step)
        starts = torch.arange((len(self.values) - self.past) % self.horizon, self._stretches.places, self.horizon)
        for some in starts.split(step):
            yield self._cut(self._stretches.at(some))

    def shard(self, rank: int, world: int) -> "SeriesWindows":
        """Rank `rank`'s equal part of every batch."""
        own = copy.copy(self)
        own.part = part_of_rank(self.batch_size, rank, world)
        return own

    def _cut(self, window: Tensor) -> Series:
        return Series(window[:, : self.past], window[:, self.past :])


def _check_values(values: Tensor, length: int) -> None:
    if values.ndim != 2 or not values.is_floating_point():
        raise InputError(
            "`values` must be floating-point numbers of axes (time, channel)",
            advice="add an axis to a single series with [:, None]",
            shape=tuple(values.shape),
            dtype=str(values.dtype),
        )
    if len(values) < length or not values.shape[1]:
        raise InputError(
            "`values` must have at least one channel and as many moments as past and horizon together",
            advice="take a longer series, or a shorter past or horizon",
            shape=tuple(values.shape),
            past_and_horizon=length,
        )
    wrong = ~torch.isfinite(values)
    if wrong.any():
        time, channel = wrong.nonzero()[0].tolist()
        raise SampleError(
            "`values` must be finite",
            advice="fill the gaps before cutting windows",
            time=time,
            channel=channel,
            not_finite=int(wrong.sum()),
        )
