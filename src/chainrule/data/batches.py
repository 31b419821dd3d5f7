"""Batches by random access: `batches[k]` is a pure function of (seed, k), for every source.

From this one rule follow exact resume from any step, the same data on one rank or many, no loader state to save,
and a bug report that names the batch.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Generic

import torch
from torch import Tensor

from chainrule.data.bad import OnBad, not_finite, skipping
from chainrule.data.batch import BatchT, RowsT
from chainrule.data.crew import Check, Crew
from chainrule.data.order import Order
from chainrule.data.seeds import generator
from chainrule.errors import InputError, SampleError


class Augment(ABC, Generic[RowsT]):
    """A random change of examples, in two halves: draw the numbers, apply them.

    The numbers are drawn for the whole batch and each rank applies its own rows of them, so that an augmented
    batch, too, is a function of (seed, k), for any number of ranks. An example's change depends on its own row of the
    numbers alone, never on its neighbours.
    """

    @abstractmethod
    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """The random numbers for `count` examples, one row each."""

    @abstractmethod
    def apply(self, rows: RowsT, numbers: Tensor) -> RowsT:
        """The changed examples; a pure function of its arguments."""

    def prepare(self, rows: RowsT, room: int) -> Callable[[Tensor, Tensor], RowsT]:
        """A function of (order, numbers) that is `apply(rows.select(order), numbers)`, on the rows' device.

        What can be done once for the whole data set is done here, if what it stores fits into `room` bytes. Without
        a method of its own an augmentation prepares nothing.
        """
        return partial(_chosen_and_changed, self, rows)


def _chosen_and_changed(augment: Augment[RowsT], rows: RowsT, order: Tensor, numbers: Tensor) -> RowsT:
    return augment.apply(rows.select(order), numbers)


_BLOCK = 1 << 18, 1 << 24  # bytes: what stays in a core's cache; what fills a device
_CHANGED_BLOCK = 1 << 22, 1 << 26  # the same where rows are augmented: some twenty small operations serve one block
_ROOM = 1 << 30  # bytes that an augmentation may store beside the data in the machine's memory
_AUGMENTATION = 1  # keeps the numbers of augmentation apart from those of the order
_Draws = tuple[Tensor, Tensor | None]


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
        classes: the names of the classes, where they have any.

    Example:
        >>> from chainrule.data import digits
        >>> parts = digits()
        >>> parts.train.size, parts.validation.size, parts.test.size
        (1197, 300, 300)
    """

    train: Batches[BatchT]
    validation: Batches[BatchT]
    test: Batches[BatchT]
    classes: tuple[str, ...] = ()


def at_least_one(**sizes: int) -> None:
    """Raises an `InputError` that names the first size below one.

    Args:
        sizes: whole numbers, by the argument's name.

    Example:
        >>> at_least_one(batch_size=64)
    """
    for name, size in sizes.items():
        if size < 1:
            raise InputError(f"`{name}` must be at least 1", advice="try a positive whole number", **{name: size})


def not_negative(k: int) -> int:
    """The number of a batch, which counts from 0: a stream has no last batch to count back from.

    Args:
        k: which batch.

    Example:
        >>> not_negative(3)
        3
    """
    if k < 0:
        raise InputError("batches are numbered from 0 and have no last one", advice="ask for k >= 0", k=k)
    return k


def onto(numbers: Tensor, device: torch.device) -> Tensor:
    """Numbers made on the CPU, on the device that needs them; nobody waits for the copy.

    Args:
        numbers: indices or random numbers.
        device: where they are used.

    Example:
        >>> onto(torch.arange(3), torch.device("cpu"))
        tensor([0, 1, 2])
    """
    if device.type == "cuda" and numbers.device.type == "cpu":
        numbers = numbers.pin_memory()  # a copy from other memory would hold up the caller
    return numbers.to(device, non_blocking=True)


def drawn(whole: "Batches[RowsT]", augment: Augment[RowsT], k: int, part: tuple[int, int]) -> Tensor:
    """A rank's rows of the numbers that are drawn for the whole of batch k.

    Args:
        whole: whose batch it is: gives seed and size of the whole batch.
        augment: the change.
        k: which batch.
        part: where the rank's rows start and stop in the whole batch.

    Example:
        >>> from chainrule.data import digits, Flip
        >>> drawn(digits().train, Flip(), 0, (16, 32)).shape
        torch.Size([16, 1])
    """
    return augment.draw(whole.batch_size, generator(whole.seed, k, _AUGMENTATION))[part[0] : part[1]]


def augmented(whole: "Batches[RowsT]", augment: Augment[RowsT], rows: RowsT, k: int, part: tuple[int, int]) -> RowsT:
    """A rank's rows of batch k, changed by its rows of the numbers that are drawn for the whole batch.

    Args:
        whole: whose batch it is.
        augment: the change.
        rows: the rank's rows.
        k: which batch.
        part: where the rank's rows start and stop in the whole batch.

    Example:
        >>> from chainrule.data import digits, Flip
        >>> plain = digits().train
        >>> augmented(plain, Flip(), plain[0], 0, (0, 64)).pixels.shape
        torch.Size([64, 1, 8, 8])
    """
    return augment.apply(rows, drawn(whole, augment, k, part))


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
    if world < 1 or batch_size % world or not 0 <= rank < world:
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

    A whole block of batches is gathered and augmented at once and handed out in slices, which costs less than doing
    so per batch; which block is in store never changes what `batches[k]` is. On a device nothing waits for it, and a
    thread draws the next block's random numbers while this one is in use.

    Args:
        rows: the whole data set as one batch, on the device that it should live on.
        batch_size: examples per batch, over all ranks.
        seed: which stream.
        shuffle: `False` keeps the examples' own order.
        augment: a random change of every training batch.
        part: where this rank's part of a batch starts and stops; the whole batch unless `shard` says otherwise.
        on_bad: what to do with rows that hold a number that is infinite or NaN: "raise" a `SampleError` that names
            them, or "skip" them (`Skip(max_fraction)`); what was skipped, and why, stands in `bad`, by row.

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
        on_bad: OnBad = "raise",
    ) -> None:
        at_least_one(batch_size=batch_size)
        self.bad = not_finite(rows)
        self.rows = _without(rows, self.bad, on_bad)
        self.size = len(self.rows)
        self.batch_size = batch_size
        self.seed = seed
        self.augment = augment
        self.part = part or (0, batch_size)
        self._order = Order(self.size, seed, shuffle=shuffle)
        self._device = next(iter(rows.tensors().values())).device
        self._changed: Callable[[Tensor, Tensor], RowsT] | None = None
        self._begin()

    def _begin(self) -> None:
        """Nothing is in store, and nothing drawn ahead."""
        self._block = self._block_size()
        self._stored = -1
        self._store: RowsT | None = None
        self._draws: Callable[[int], _Draws] = self._draw
        if self._device.type != "cpu":  # the CPU's cores have a batch to compute meanwhile
            self._draws = Crew(self._draw, workers=1, ahead=1).take

    def __getitem__(self, k: int) -> RowsT:
        """Batch k of the endless stream, a function of (seed, k)."""
        block, place = divmod(not_negative(k), self._block)
        if self._store is None or block != self._stored:
            self._store = self._gather(*self._draws(block))
            self._stored = block
        share = self.part[1] - self.part[0]
        return self._store.select(slice(place * share, (place + 1) * share))

    def _draw(self, block: int, _check: Check | None = None) -> _Draws:
        """Which rows stand in this rank's part of a block of batches, one after another, and how each is changed."""
        ks = range(block * self._block, (block + 1) * self._block)
        whole = self._order.positions(ks.start * self.batch_size, ks.stop * self.batch_size)
        order = whole.view(len(ks), -1)[:, slice(*self.part)].flatten()
        if self.augment is None:
            return order, None
        numbers = [drawn(self, self.augment, k, self.part) for k in ks]
        return order, numbers[0] if len(numbers) == 1 else torch.cat(numbers)

    def _gather(self, order: Tensor, numbers: Tensor | None) -> RowsT:
        """These rows, changed by these numbers."""
        order = onto(order, self._device)
        if self.augment is None or numbers is None:
            return self.rows.select(order)
        if self._changed is None:
            self._changed = self.augment.prepare(self.rows, _room(self._device))
        return self._changed(order, onto(numbers, self._device))

    def _block_size(self) -> int:
        row_bytes = sum(tensor[:1].nbytes for tensor in self.rows.tensors().values())
        sizes = _CHANGED_BLOCK if self.augment else _BLOCK
        block_bytes = sizes[self._device.type != "cpu"]
        return max(1, min(256, block_bytes // max(1, row_bytes * (self.part[1] - self.part[0]))))

    def once(self, batch_size: int | None = None) -> Iterator[RowsT]:
        """Every example once, in its own order, unaugmented: for evaluation."""
        step = self.batch_size if batch_size is None else batch_size
        at_least_one(batch_size=step)
        for start in range(0, self.size, step):
            yield self.rows.select(slice(start, start + step))

    def shard(self, rank: int, world: int) -> "InMemory[RowsT]":
        """Rank `rank`'s equal part of every batch."""
        own = copy.copy(self)
        own.part = part_of_rank(self.batch_size, rank, world)
        own._begin()
        return own


def _room(device: torch.device) -> int:
    """How many bytes an augmentation may store: a quarter of what a device has free, a gigabyte elsewhere."""
    return torch.cuda.mem_get_info(device)[0] // 4 if device.type == "cuda" else _ROOM


def _without(rows: RowsT, bad: dict[int, str], on_bad: OnBad) -> RowsT:
    skip = skipping(on_bad)
    if not bad:
        return rows
    if skip is None:
        raise SampleError(
            f"`rows` must be finite; the first bad one is {next(iter(bad.values()))}",
            advice='mend or remove them, or leave them out with on_bad="skip"',
            bad=len(bad),
            rows=list(bad)[:5],
        )
    skip.check(bad, len(rows))
    device = next(iter(rows.tensors().values())).device
    return rows.select(torch.tensor([row for row in range(len(rows)) if row not in bad], device=device))


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
        for name, tensor in batch.tensors().items():
            if tensor.is_floating_point() and not torch.isfinite(tensor).all():
                raise SampleError(
                    f"`{name}` of {type(batch).__name__} must be finite",
                    advice="mend the infinite or missing numbers where the data is read",
                    not_finite=int((~torch.isfinite(tensor)).sum()),
                )
        self.batch = batch
        self.size = self.batch_size = 1
        self.seed = 0

    def __getitem__(self, k: int) -> BatchT:
        """The one batch."""
        not_negative(k)
        return self.batch

    def once(self, batch_size: int | None = None) -> Iterator[BatchT]:
        """The one batch, once."""
        yield self.batch

    def shard(self, rank: int, world: int) -> "Same[BatchT]":
        """The whole batch: one graph is not cut."""
        part_of_rank(world, rank, world)  # says so if there is no such rank
        return self
