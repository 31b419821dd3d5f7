"""One example at a time: decode it, see whether it is good, replace it where it is not."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Generic

import numpy as np
import torch
from torch import Tensor

from chainrule.data.bad import Skip, not_finite
from chainrule.data.batch import Rows, RowsT
from chainrule.data.seeds import derive
from chainrule.errors import SampleError

_REPLACEMENT = 2  # keeps the draws of replacements apart from those of order and augmentation
_TRIES = 1_000

Look = dict[str, tuple[torch.Size, torch.dtype]]


class Examples(Generic[RowsT]):
    """Items, and how each becomes an example; several threads may use it at once.

    Args:
        items: what to decode, one entry per example.
        decode: turns one item into a batch of one example.
        skip: how many bad examples may be skipped; `None` makes every one an error.
        seed: where the draws of replacements begin.

    Example:
        >>> from chainrule.data import Table
        >>> roots = Examples([4.0, 9.0], lambda n: Table(torch.tensor([[n ** 0.5]]), torch.zeros(1)), None, seed=0)
        >>> roots.at(1).features.item()
        3.0
    """

    def __init__(self, items: Sequence[Any], decode: Callable[[Any], RowsT], skip: Skip | None, seed: int) -> None:
        self.items = items
        self.skip = skip
        self._decode = decode
        self._seed = seed
        self._bad: dict[int, str] = {}  # known to be bad: not decoded again

    def at(self, position: int) -> RowsT:
        """The example at a position; a bad one is a `SampleError` that names it and the cause."""
        if position not in self._bad:
            try:
                return self._good(position)
            except MemoryError:
                raise
            except Exception as error:
                cause = str(error) if isinstance(error, _UnusableError) else f"{type(error).__name__}: {error}"
                self._bad[position] = f"example {position} ({_name(self.items[position])}): {cause}"
                raise _bad(self._bad[position]) from error
        raise _bad(self._bad[position])

    def fill(self, position: int, counters: tuple[int, ...], bad: dict[int, str]) -> RowsT:
        """The example at a position, or the first good one drawn from the counters; bad ones are written down."""
        for attempt in range(_TRIES):
            at = position if not attempt else derive(self._seed, _REPLACEMENT, *counters, attempt) % len(self.items)
            try:
                return self.at(at)
            except SampleError:
                if self.skip is None:
                    raise
                bad[at] = self._bad[at]
        raise _bad(f"no good example found in {_TRIES} draws to take the place of {bad[position]}")

    def keep(self, position: int, bad: dict[int, str]) -> list[RowsT]:
        """The example at a position, or nothing where it is bad, which is written down."""
        try:
            return [self.at(position)]
        except SampleError:
            if self.skip is None:
                raise
            bad[position] = self._bad[position]
            return []

    def stack(self, examples: list[RowsT]) -> RowsT:
        """One batch of all of them."""
        tensors = [example.tensors() for example in examples]
        return type(examples[0])(**{name: _stack([row[name] for row in tensors]) for name in tensors[0]})

    def _good(self, position: int) -> RowsT:
        example = self._decode(self.items[position])
        if fault := self._fault(example):
            raise _UnusableError(fault)
        return example

    def _fault(self, example: object) -> str | None:
        if not isinstance(example, Rows) or len(example) != 1:
            got = len(example) if isinstance(example, Rows) else type(example).__name__
            return f"`decode` must return a batch of one example, not {got}"
        look = _look(example)
        if look != self._usual:
            return f"{_told(look)} where the first example has {_told(self._usual)}"
        wrong = not_finite(example)
        return wrong[0].removeprefix("row 0: ") if wrong else None

    @cached_property
    def _usual(self) -> Look:
        """How an example should look: as the first one does that can be decoded."""
        last: Exception | None = None
        for item in self.items[:_TRIES]:
            try:
                return _look(self._decode(item))
            except MemoryError:
                raise
            except Exception as error:  # noqa: BLE001 (it is reported when its turn comes)
                last = error
        raise _bad(f"none of the first {_TRIES} examples can be decoded; the last one: {last}")


class _UnusableError(Exception):
    """An example that can be decoded but not used."""


def _look(example: Rows) -> Look:
    return {name: (tensor.shape[1:], tensor.dtype) for name, tensor in example.tensors().items()}


def _told(look: Look) -> str:
    return ", ".join(f"`{name}` {tuple(shape)} {dtype}".replace("torch.", "") for name, (shape, dtype) in look.items())


def _stack(tensors: list[Tensor]) -> Tensor:
    # NumPy's copy stays in this thread, where torch's would start a team of threads for each of ours.
    if tensors[0].dtype == torch.bfloat16 or tensors[0].device.type != "cpu":
        return torch.cat(tensors)
    return torch.from_numpy(np.concatenate([tensor.numpy() for tensor in tensors]))


def _name(item: object) -> str:
    first = item[0] if isinstance(item, tuple) and item else item
    return str(first) if isinstance(first, str | Path) else repr(item)[:200]


def _bad(fault: str) -> SampleError:
    return SampleError(f"an example cannot be used: {fault}", advice='mend or remove it, or train with on_bad="skip"')
