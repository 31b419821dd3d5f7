"""What a language model is measured beside: models that count, and file compressors."""

import gzip
import lzma
import math
from collections.abc import Iterable, Mapping
from typing import cast

import torch
from torch import Tensor, nn

from chainrule.data import Batches, Text, Tokens, Windows
from chainrule.models import NGram
from chainrule.objectives import NextToken

BITS = "bits per character"
_MOST = 2_000_000  # characters that a rival is shown: it must take seconds, not minutes


def tokens_of(part: Batches[Tokens]) -> Tensor:
    """The token numbers of a part of a text, one after another."""
    return torch.as_tensor(cast("Windows", part).tokens).long()


def counted(parts: Text, orders: Iterable[int]) -> Mapping[str, Mapping[str, float]]:
    """Interpolated n-gram models of the same training text (its end), shown everything before each character."""
    rivals: dict[str, dict[str, float]] = {}
    for order in orders:
        model = NGram(tokens_of(parts.train)[-_MOST:], order, parts.vocabulary)
        rivals[f"{order}-gram"] = {f"{name} {BITS}": _bits(model, tokens_of(part)) for name, part in _held(parts)}
    return rivals


def compressed(parts: Text) -> Mapping[str, Mapping[str, float]]:
    """What the held-out text adds to the compressed size of the training text, in bits per character."""
    texts = [parts.tokenizer.decode(tokens_of(part)) for part in (parts.train, parts.validation, parts.test)]
    rivals: dict[str, dict[str, float]] = {}
    for name, compress in (("gzip", gzip.compress), ("xz", lzma.compress)):
        train = len(compress(texts[0].encode()))
        rivals[name] = {
            f"{part} {BITS}": 8 * (len(compress((texts[0] + held).encode())) - train) / len(held)
            for part, held in (("validation", texts[1]), ("test", texts[2]))
        }
    return rivals


def _held(parts: Text) -> tuple[tuple[str, Batches[Tokens]], ...]:
    return ("validation", parts.validation), ("test", parts.test)


@torch.no_grad()
def _bits(model: nn.Module, tokens: Tensor) -> float:
    batch = Tokens(tokens[None, :-1], tokens[None, 1:])
    return float(NextToken()(model, batch).value) / math.log(2)
