"""Stretches of one long array from random places, batch after batch: what windows of text and of series share."""

import numpy as np
import torch
from torch import Tensor

from chainrule.data.batches import not_negative
from chainrule.data.order import random_starts

_BLOCK_BYTES = 1 << 18  # what stays in a core's cache


class Stretches:
    r"""The stretches of batch k: `length` entries each, from places that are a function of (seed, k).

    $$y_{b,t} = x_{s_b + t}, \qquad s_b \sim U\{0, \dots, N - L\} \text{ from } (seed, k)$$

    On the CPU every stretch is one item of raw bytes in a view of the array, so that choosing items copies whole
    stretches at once, from memory or from a memory-mapped file. A block of batches is gathered together; which
    block is in store never changes what `batch(k)` is.

    Args:
        values: a long tensor or array (the first axis is cut) on any device.
        length: $L$, entries per stretch.
        batch_size: stretches per batch.
        seed: which stream.
        dtype: the numbers' type in a batch.

    Shape:
        values: (time, ...); batch(k): (batch, length, ...).

    Example:
        >>> Stretches(torch.arange(100), 5, batch_size=2, seed=0, dtype=torch.int64).batch(0).diff().unique().tolist()
        [1]
    """

    def __init__(
        self, values: Tensor | np.ndarray, length: int, batch_size: int, seed: int, *, dtype: torch.dtype
    ) -> None:
        self.places = len(values) - length + 1
        self._values = values
        self._length = length
        self._batch_size = batch_size
        self._seed = seed
        self._dtype = dtype
        on_cpu = isinstance(values, np.ndarray) or (values.device.type == "cpu" and values.dtype != torch.bfloat16)
        self._array = np.ascontiguousarray(values) if on_cpu else None
        stretch_bytes = length * int(np.prod(values.shape[1:])) * dtype.itemsize
        self._block = max(1, min(256, _BLOCK_BYTES // (stretch_bytes * batch_size)))
        self._stored = -1
        self._store = torch.empty(0)

    def batch(self, k: int) -> Tensor:
        """The stretches of batch k."""
        block, place = divmod(not_negative(k), self._block)
        if block != self._stored:
            first = block * self._block
            draws = [
                random_starts(self.places - 1, self._batch_size, self._seed, first + i) for i in range(self._block)
            ]
            self._store = self.at(torch.cat(draws))
            self._stored = block
        return self._store[place * self._batch_size : (place + 1) * self._batch_size]

    def at(self, starts: Tensor) -> Tensor:
        """The stretches that start at these places."""
        if self._array is None:
            places = starts[:, None] + torch.arange(self._length)  # (batch, length)
            values = torch.as_tensor(self._values)
            return values[places.to(values.device)].to(self._dtype)
        item = np.dtype((np.void, self._length * self._array.strides[0]))
        stretches = np.ndarray((self.places,), item, self._array, strides=self._array.strides[:1])
        chosen = stretches[starts.numpy()].view(self._array.dtype)
        shaped = chosen.reshape(len(starts), self._length, *self._array.shape[1:])
        return torch.from_numpy(shaped.astype(_PLAIN.get(self._dtype, shaped.dtype), copy=False)).to(self._dtype)


_PLAIN = {torch.int64: np.dtype(np.int64)}  # torch has no unsigned 16-bit arithmetic: convert before the hand-over
