"""Examples that are decoded when they are wanted: from files, in worker threads, ahead of their turn."""

import copy
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from chainrule.data.bad import OnBad, skipping
from chainrule.data.batch import RowsT
from chainrule.data.batches import Augment, Batches, at_least_one, augmented, not_negative, part_of_rank
from chainrule.data.crew import Check, Crew
from chainrule.data.examples import Examples
from chainrule.data.order import Order
from chainrule.errors import InputError

_Made = tuple[list[RowsT], dict[int, str]]  # the batch, or none where every example of it is bad; and the bad ones


class Decoded(Batches[RowsT]):
    r"""Batches whose examples are decoded one by one: pictures from files, for example.

    A bad example is one whose decoding raises, gives another shape than the others, or a number that is not
    finite. It is named in a `SampleError`; or, with `on_bad="skip"`, example $j$ at place $s$ of batch $k$ is replaced,

    $$j \to \text{first good one of } d_1, d_2, \dots, \qquad d_i = \text{derive}(seed, k, s, i) \bmod N$$

    which depends on nothing else: not on workers, ranks or what came before. `bad` holds every bad example in the
    batches handed out so far, with the cause; its length is their number.

    Workers are threads. Decoders (Pillow, zlib, NumPy) let go of Python's lock while they work, so threads reach the
    speed of processes without copying batches between them, and there is nothing to shut down: a worker ends when
    no batch is left to decode ahead. Measured in `bench/decode.py` beside `DataLoader` with worker processes. A
    decoder in pure Python gains nothing from workers.

    Args:
        items: what to decode, one entry per example: paths, pairs of path and label, ...
        decode: turns one item into a batch of one example.
        batch_size: examples per batch, over all ranks.
        seed: which stream.
        workers: threads that decode ahead; with 0 a batch is decoded when it is asked for.
        prefetch: batches that are decoded ahead, at least one per worker.
        on_bad: what to do with bad examples: "raise", "skip" or `Skip(max_fraction)`.
        augment: a random change of every training batch.

    Example:
        >>> import torch
        >>> from chainrule.data import Table
        >>> squares = Decoded(range(9), lambda n: Table(torch.tensor([[n * n * 1.0]]), torch.tensor([n])), batch_size=3)
        >>> batch = squares[0]
        >>> bool((batch.features[:, 0] == batch.outcome ** 2).all())
        True
    """

    def __init__(
        self,
        items: Sequence[Any],
        decode: Callable[[Any], RowsT],
        batch_size: int,
        seed: int = 0,
        *,
        workers: int = 0,
        prefetch: int = 2,
        on_bad: OnBad = "raise",
        augment: Augment[RowsT] | None = None,
    ) -> None:
        at_least_one(batch_size=batch_size)
        if workers < 0 or prefetch < 0:
            raise InputError(
                "`workers` and `prefetch` must be 0 or more", advice="try 2", workers=workers, prefetch=prefetch
            )
        self.size = len(items)
        self.batch_size = batch_size
        self.seed = seed
        self.augment = augment
        self.part = (0, batch_size)
        self.bad: dict[int, str] = {}
        self._workers = workers
        self._ahead = max(prefetch, workers)
        self._order = Order(self.size, seed)
        self._examples = Examples(items, decode, skipping(on_bad), seed)
        self._crew: Crew[_Made[RowsT]] | None = None

    def __getitem__(self, k: int) -> RowsT:
        """Batch k of the endless stream, a function of (seed, k)."""
        not_negative(k)
        if self._crew is None or self._crew.process != os.getpid():
            self._crew = Crew(self._batch, workers=self._workers, ahead=self._ahead)
        examples, bad = self._crew.take(k)
        self._count(bad)
        return examples[0]

    def once(self, batch_size: int | None = None) -> Iterator[RowsT]:
        """Every good example once, in its own order, unaugmented; with "skip", bad ones are left out and counted."""
        step = self.batch_size if batch_size is None else batch_size
        at_least_one(batch_size=step)
        count = -(-self.size // step)
        crew = Crew(partial(self._stretch, step), workers=self._workers, ahead=self._ahead, stop=count)
        for k in range(count):
            examples, bad = crew.take(k)
            self._count(bad)
            yield from examples

    def shard(self, rank: int, world: int) -> "Decoded[RowsT]":
        """Rank `rank`'s equal part of every batch; `bad` holds what this rank met."""
        own = copy.copy(self)
        own.part = part_of_rank(self.batch_size, rank, world)
        own.bad, own._crew = {}, None
        return own

    def _batch(self, k: int, check: Check) -> _Made[RowsT]:
        first, (start, stop) = k * self.batch_size, self.part
        bad: dict[int, str] = {}
        examples: list[RowsT] = []
        for place, position in enumerate(self._order.positions(first + start, first + stop).tolist(), start):
            check()
            examples.append(self._examples.fill(position, (k, place), bad))
        rows = self._examples.stack(examples)
        return [augmented(self, self.augment, rows, k, self.part) if self.augment else rows], bad

    def _stretch(self, step: int, k: int, check: Check) -> _Made[RowsT]:
        bad: dict[int, str] = {}
        examples: list[RowsT] = []
        for position in range(k * step, min((k + 1) * step, self.size)):
            check()
            examples += self._examples.keep(position, bad)
        return [self._examples.stack(examples)] if examples else [], bad

    def _count(self, bad: dict[int, str]) -> None:
        self.bad.update(bad)
        if self.bad and self._examples.skip:
            self._examples.skip.check(self.bad, self.size)
