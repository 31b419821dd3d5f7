"""Which tokens may be drawn at all: the tail of a distribution, cut off."""

import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.shapes import Float


def top_k(scores: Float[Tensor, "batch token"], count: int) -> Float[Tensor, "batch token"]:
    r"""Keeps the `count` highest scores; the others can't be drawn any more.

    $$z'_c = z_c \text{ if } z_c \text{ is among the } k \text{ highest, else } -\infty$$

    Args:
        scores: logits, or log-probabilities.
        count: $k$, how many to keep; those that tie with the last are kept too.

    Shape:
        scores: (batch, token); returns (batch, token).

    Example:
        >>> top_k(torch.tensor([[1.0, 3.0, 2.0]]), 2).tolist()
        [[-inf, 3.0, 2.0]]

    Reference:
        Fan, Lewis and Dauphin, Hierarchical Neural Story Generation, 2018. https://arxiv.org/abs/1805.04833
    """
    if count < 1:
        raise InputError("`top_k` must keep at least one token", advice="try 40", top_k=count)
    least = scores.topk(min(count, scores.shape[-1])).values[:, -1:]
    return scores.masked_fill(scores < least, float("-inf"))


def top_p(scores: Float[Tensor, "batch token"], share: float) -> Float[Tensor, "batch token"]:
    r"""Keeps the fewest tokens that together have at least `share` of the probability.

    $$z'_c = z_c \text{ if } \sum_{c' : p_{c'} > p_c} p_{c'} < P, \text{ else } -\infty, \qquad p = \text{softmax}(z)$$

    Args:
        scores: logits, or log-probabilities.
        share: $P$, how much of the probability to keep; the most likely token is always kept.

    Shape:
        scores: (batch, token); returns (batch, token).

    Example:
        >>> top_p(torch.tensor([[0.5, 0.3, 0.2]]).log(), 0.7).exp().round(decimals=1).tolist()
        [[0.5, 0.3..., 0.0]]

    Reference:
        Holtzman et al., The Curious Case of Neural Text Degeneration, 2020. https://arxiv.org/abs/1904.09751
    """
    if not 0.0 < share <= 1.0:
        raise InputError("`top_p` is a share above 0, up to 1", advice="try 0.9", top_p=share)
    ordered, places = scores.sort(dim=-1, descending=True)
    chances = ordered.softmax(-1)
    before = chances.cumsum(-1) - chances
    before[:, 0] = 0.0  # rounding must not cut the most likely one
    unlikely = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, places, before >= share)
    return scores.masked_fill(unlikely, float("-inf"))
