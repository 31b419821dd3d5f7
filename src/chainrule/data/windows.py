"""Windows of one long text: language-model batches from token numbers in memory or in a file."""

import copy
from collections.abc import Iterator

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor

from chainrule.data.batch import IGNORED, Tokens
from chainrule.data.batches import Batches, at_least_one, part_of_rank
from chainrule.data.stretches import Stretches
from chainrule.errors import InputError


class Windows(Batches[Tokens]):
    r"""Stretches of `context` tokens from random places of one long array, each with the tokens that follow.

    $$\text{ids}_t = x_{s+t}, \qquad \text{following}_t = x_{s+t+1}, \qquad s \sim U\{0, \dots, N - 1 - C\}
      \text{ from } (seed, k)$$

    The array may be larger than memory: from a memory-mapped file only the windows asked for are read.

    Args:
        tokens: token numbers in one dimension: a tensor on any device, an array, or what `open_tokens` gives.
        context: $C$, tokens per window.
        batch_size: windows per batch, over all ranks.
        seed: which stream.

    Shape:
        ids: (batch, time); following: (batch, time).

    Example:
        >>> batches = Windows(torch.arange(100), context=5, batch_size=2)
        >>> batch = batches[0]
        >>> batch.ids.shape, bool((batch.following == batch.ids + 1).all())
        (torch.Size([2, 5]), True)
        >>> [part.following.tolist() for part in Windows(torch.arange(6), context=3, batch_size=1).once()]
        [[[1, 2, 3]], [[4, 5, -100]]]
    """

    def __init__(self, tokens: Tensor | np.ndarray, context: int, batch_size: int, seed: int = 0) -> None:
        at_least_one(context=context, batch_size=batch_size)
        _check_tokens(tokens, context)
        self.tokens = tokens
        self.context = context
        self.batch_size = batch_size
        self.seed = seed
        self.size = -(-(len(tokens) - 1) // context)
        self.part = (0, batch_size)
        self._stretches = Stretches(tokens, context + 1, batch_size, seed, dtype=torch.int64)

    def __getitem__(self, k: int) -> Tokens:
        """Batch k of the endless stream, a function of (seed, k)."""
        window = self._stretches.batch(k)[slice(*self.part)]
        return Tokens(window[:, :-1], window[:, 1:])

    def once(self, batch_size: int | None = None) -> Iterator[Tokens]:
        """Consecutive windows; every token after the first is predicted once, and the last window is filled up."""
        step = self.batch_size if batch_size is None else batch_size
        at_least_one(batch_size=step)
        for first in range(0, self.size, step):
            count = min(step, self.size - first)
            piece = self.tokens[first * self.context : (first + count) * self.context + 1]
            stretch = piece.long() if isinstance(piece, Tensor) else torch.from_numpy(piece.astype(np.int64))
            missing = count * self.context + 1 - len(stretch)
            ids = F.pad(stretch[:-1], (0, missing))
            following = F.pad(stretch[1:], (0, missing), value=IGNORED)
            yield Tokens(ids.view(count, self.context), following.view(count, self.context))

    def shard(self, rank: int, world: int) -> "Windows":
        """Rank `rank`'s equal part of every batch."""
        own = copy.copy(self)
        own.part = part_of_rank(self.batch_size, rank, world)
        return own


def _check_tokens(tokens: Tensor | np.ndarray, context: int) -> None:
    whole = isinstance(tokens, np.ndarray) and tokens.dtype.kind in "iu"
    whole |= isinstance(tokens, Tensor) and not tokens.is_floating_point() and tokens.dtype != torch.bool
    if tokens.ndim != 1 or not whole:
        raise InputError(
            "`tokens` must be whole numbers in one dimension",
            advice="encode the text with a tokenizer first",
            shape=tuple(tokens.shape),
            dtype=str(tokens.dtype),
        )
    in_memory = not isinstance(tokens, np.memmap)  # a file is not read through to look for the lowest
    if in_memory and len(tokens) and not str(tokens.dtype).removeprefix("torch.").startswith("uint"):
        lowest = int(tokens.min())
        if lowest < 0:
            raise InputError("`tokens` must be 0 or more", advice="encode the text with a tokenizer", lowest=lowest)
    if len(tokens) < context + 1:
        raise InputError(
            "`tokens` must be longer than `context`, by the token that follows the last",
            advice="take a longer text or a shorter context",
            tokens=len(tokens),
            context=context,
        )
