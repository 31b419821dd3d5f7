"""In which order the examples come: an endless stream that is a function of the seed alone."""

from functools import lru_cache

import torch
from torch import Tensor

from chainrule.data.seeds import generator
from chainrule.errors import InputError
from chainrule.shapes import Int


class Order:
    r"""Position $p$ of an endless stream of examples; every epoch is a fresh permutation.

    $$\text{order}(p) = \pi_{e}(p - e N), \qquad e = \lfloor p / N \rfloor, \qquad
      \pi_e = \text{permutation of } N \text{ from } (seed, e)$$

    Nothing is drawn from a state that must be kept: any position can be asked for at any time, so that a run can
    resume anywhere, and several readers see one order. Batches straddle epochs; no example is dropped.

    Args:
        size: how many examples there are.
        seed: which stream.
        shuffle: `False` keeps the examples in their own order, epoch after epoch.

    Example:
        >>> order = Order(5, seed=0)
        >>> sorted(order.positions(0, 5).tolist()), sorted(order.positions(5, 10).tolist())
        ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4])
    """

    def __init__(self, size: int, seed: int = 0, *, shuffle: bool = True) -> None:
        if size < 1:
            raise InputError("a data set needs at least one example", advice="check what was loaded", size=size)
        self.size = size
        self.seed = seed
        self.shuffle = shuffle
        self._epoch = lru_cache(maxsize=2)(self._permutation)

    def positions(self, start: int, stop: int) -> Int[Tensor, " position"]:
        """The examples at positions `start` to `stop` (not included) of the stream."""
        if not self.shuffle:
            return torch.arange(start, stop) % self.size
        pieces: list[Tensor] = []
        while start < stop:
            epoch, offset = divmod(start, self.size)
            end = min(offset + stop - start, self.size)
            pieces.append(self._epoch(epoch)[offset:end])
            start += end - offset
        return torch.cat(pieces) if pieces else torch.empty(0, dtype=torch.int64)

    def _permutation(self, epoch: int) -> Tensor:
        return torch.randperm(self.size, generator=generator(self.seed, epoch))


def random_starts(highest: int, count: int, seed: int, k: int) -> Int[Tensor, " count"]:
    """Where the windows of batch k start: drawn independently and evenly from 0 to `highest`.

    Args:
        highest: the last place where a window fits.
        count: how many windows.
        seed: which stream.
        k: which batch.

    Example:
        >>> torch.equal(random_starts(9, 4, seed=0, k=3), random_starts(9, 4, seed=0, k=3))
        True
    """
    return torch.randint(highest + 1, (count,), generator=generator(seed, k))
