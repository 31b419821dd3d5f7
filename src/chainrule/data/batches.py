"""Batches by random access: `batches[k]` is a pure function of (seed, k), for every source.

From this one rule follow exact resume from any step, the same data on one rank or many, no loader state to save,
and a bug report that names the batch.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic

import torch
from torch import Tensor

from chainrule.data.batch import BatchT, RowsT
from chainrule.data.order import Order
from chainrule.data.seeds import generator
from chainrule.errors import InputError


class Augment(ABC, Generic[RowsT]):
    """A random change of examples, in two halves: draw the numbers, apply them.

    The numbers are drawn for the whole batch and each rank applies its own rows of them, so that an augmented
    batch, too, is a function of (seed, k), for any number of ranks.
    """

    @abstractmethod
    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """The random numbers for `count` examples, one row each."""

    @abstractmethod
    def apply(self, rows: RowsT, numbers: Tensor) -> RowsT:
        """The changed examples; a pure function of its arguments."""


_BLOCK_BYTES = 1 << 24
_AUGMENTATION = 1  # keeps the numbers of augmentation apart from those of the order


class Batches(ABC, Generic[BatchT]):
    """Batch k of an endless stream, for any k, at any time.

    Args (of every source):
        size: how many examples there are.
        batch_size: examples per batch over all ranks.
        seed: which stream.
    """

    size: int
    batch_size: int
    seed: int

    @abstractmethod
    def __getitem__(self, k: int) -> BatchT:
        """Batch k of the endless stream, a function of (seed, k)."""

    @abstractmethod
    def once(self, batch_size: int | None = None) -> Iterator[BatchT]:
        """Every example once, in its own order, unaugmented: for evaluation."""

    @abstractmethod
    def shard(self, rank: int, world: int) -> "Batches[BatchT]":
        """Rank `rank`'s equal part of every batch; the parts of all ranks make the whole batch, in order."""

    def __iter__(self) -> Iterator[BatchT]:
        """The endless stream from its start."""
        k = 0
        while True:
            yield self[k]
            k += 1

    def epochs(self, steps: int) -> float:
        """How many times `steps` batches go through the data."""
        return steps * self.batch_size / self.size


@dataclass(frozen=True)
class Splits(Generic[BatchT]):
    """The three parts of a data set: to learn from, to choose by, and to judge with, once.

    Args:
        train: what the model learns from.
        validation: what settings are chosen by.
        test: what the finished model is judged with.
    """

    train: Batches[BatchT]
    validation: Batches[BatchT]
    test: Batches[BatchT]


def part_of_rank(batch_size: int, rank: int, world: int) -> tuple[int, int]:
    """Where rank `rank`'s part of a batch starts and stops.

    Args:
        batch_size: examples in the whole batch.
        rank: which part, from 0.
        world: how many parts.

    Example:
        >>> part_of_rank(64, 1, 4)
        (16, 32)
    """
    if batch_size % world or not 0 <= rank < world:
        raise InputError(
            "`world` must divide the batch size, and `rank` lie below `world`",
            advice="choose a batch size that is a multiple of the number of ranks",
            batch_size=batch_size,
            rank=rank,
            world=world,
        )
    share = batch_size // world
    return rank * share, (rank + 1) * share


class InMemory(Batches[RowsT]):
    """Batches from a data set that lies in memory: on the CPU or, where it fits, on the device.

    A whole block of batches is gathered at once and handed out in slices, which costs less than a gather per
    batch; which block is in store never changes what `batches[k]` is.

    Args:
        rows: the whole data set as one batch, on the device that it should live on.
        batch_size: examples per batch, over all ranks.
        seed: which stream.
        shuffle: `False` keeps the examples' own order.
        augment: a random change of every training batch.
        part: where this rank's part of a batch starts and stops; the whole batch unless `shard` says otherwise.

    Example:
        >>> from chainrule.data import Table
        >>> rows = Table(torch.arange(10.0)[:, None], torch.arange(10))
        >>> batches = InMemory(rows, batch_size=4, seed=1)
        >>> torch.equal(batches[2].features, batches[2].features), len(batches[2])
        (True, 4)
    """

    def __init__(
        self,
        rows: RowsT,
        batch_size: int,
        seed: int = 0,
        *,
        shuffle: bool = True,
        augment: Augment[RowsT] | None = None,
        part: tuple[int, int] | None = None,
    ) -> None:
        if batch_size < 1:
            raise InputError("`batch_size` must be at least 1", advice="try 64", batch_size=batch_size)
        self.rows = rows
        self.size = len(rows)
        self.batch_size = batch_size
        self.seed = seed
        self.augment = augment
        self.part = part or (0, batch_size)
        self._order = Order(self.size, seed, shuffle=shuffle)
        row_bytes = sum(tensor[:1].nbytes for tensor in rows.tensors().values())
        self._block = max(1, min(256, _BLOCK_BYTES // max(1, row_bytes * batch_size)))
        self._stored = -1
        self._store: RowsT | None = None

    def __getitem__(self, k: int) -> RowsT:
        """Batch k of the endless stream, a function of (seed, k)."""
        block, place = divmod(k, self._block)
        if self._store is None or block != self._stored:
            first = block * self._block
            order = self._order.positions(first * self.batch_size, (first + self._block) * self.batch_size)
            device = next(iter(self.rows.tensors().values())).device
            self._store = self.rows.select(order.to(device))
            self._stored = block
        start, stop = self.part
        offset = place * self.batch_size
        batch = self._store.select(slice(offset + start, offset + stop))
        if self.augment is None:
            return batch
        numbers = self.augment.draw(self.batch_size, generator(self.seed, k, _AUGMENTATION))
        return self.augment.apply(batch, numbers[start:stop])

    def once(self, batch_size: int | None = None) -> Iterator[RowsT]:
        """Every example once, in its own order, unaugmented: for evaluation."""
        step = batch_size or self.batch_size
        for start in range(0, self.size, step):
            yield self.rows.select(slice(start, start + step))

    def shard(self, rank: int, world: int) -> "InMemory[RowsT]":
        """Rank `rank`'s equal part of every batch."""
        return InMemory(
            self.rows,
            self.batch_size,
            self.seed,
            shuffle=self._order.shuffle,
            augment=self.augment,
            part=part_of_rank(self.batch_size, rank, world),
        )


class Same(Batches[BatchT]):
    """One batch, every time: full-batch training, as on a single graph.

    Args:
        batch: what every k gives.

    Example:
        >>> from chainrule.data import Table
        >>> batches = Same(Table(torch.zeros(3, 2), torch.zeros(3)))
        >>> batches[0] is batches[7]
        True
    """

    def __init__(self, batch: BatchT) -> None:
        self.batch = batch
        self.size = self.batch_size = 1
        self.seed = 0

    def __getitem__(self, k: int) -> BatchT:
        """The one batch."""
        return self.batch

    def once(self, batch_size: int | None = None) -> Iterator[BatchT]:
        """The one batch, once."""
        yield self.batch

    def shard(self, rank: int, world: int) -> "Same[BatchT]":
        """The whole batch: one graph is not cut."""
        part_of_rank(world, rank, world)
        return self
