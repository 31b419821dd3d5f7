"""GPT: a transformer that predicts each next token from those before it."""

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.functional import causal_attention
from chainrule.models.network import Network
from chainrule.shapes import Float, Int


class Rotary(nn.Module):
    r"""Turns queries and keys by an angle that grows with their place, so that they see distances, not places.

    $$\begin{pmatrix} x'_i \\ x'_{i+d/2} \end{pmatrix} = \begin{pmatrix} \cos t\theta_i & -\sin t\theta_i \\
      \sin t\theta_i & \cos t\theta_i \end{pmatrix} \begin{pmatrix} x_i \\ x_{i+d/2} \end{pmatrix}, \qquad
      \theta_i = b^{-2i/d}$$

    Args:
        size: d, numbers per query; even.
        context: how many places there are.
        base: b, the slowest angle turns once in about 2 pi b places.

    Shape:
        vectors: (batch, heads, time, size); returns (batch, heads, time, size).

    Example:
        >>> rotary = Rotary(size=4, context=8)
        >>> turned = rotary(torch.ones(1, 1, 8, 4))[0, 0]
        >>> near, far = turned[1] @ turned[2], turned[6] @ turned[7]
        >>> torch.allclose(near, far), torch.equal(turned[0], torch.ones(4))
        (True, True)

    Reference:
        Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021.
        https://arxiv.org/abs/2104.09864

    Differs:
        Pairs number i with number i + d/2, as GPT-NeoX and LLaMA do; the paper pairs neighbours. The angles are
        fixed, so this only renames the numbers.
    """

    cosine: Tensor
    sine: Tensor

    def __init__(self, size: int, context: int, base: float = 10_000.0) -> None:
        super().__init__()
        if size < 2 or size % 2:
            raise InputError(
                "`size` must be even, numbers are turned in pairs", advice="change dim or heads", size=size
            )
        angles = torch.arange(context)[:, None] * base ** (-torch.arange(0, size, 2) / size)  # (time, pair)
        self.register_buffer("cosine", angles.cos(), persistent=False)
        self.register_buffer("sine", angles.sin(), persistent=False)

    def forward(self, vectors: Float[Tensor, "batch heads time size"]) -> Float[Tensor, "batch heads time size"]:
        """The turned vectors."""
        time = vectors.shape[-2]
        cosine, sine = self.cosine[:time].to(vectors.dtype), self.sine[:time].to(vectors.dtype)
        first, second = vectors.chunk(2, dim=-1)
        return torch.cat((first * cosine - second * sine, first * sine + second * cosine), dim=-1)


class _Attention(nn.Module):
    """Causal self-attention: one projection for queries, keys and values of all heads, and one out."""

    def __init__(self, dim: int, heads: int, places: nn.Module, *, bias: bool) -> None:
        super().__init__()
        self.heads = heads
        self.places = places
        self.together = nn.Linear(dim, 3 * dim, bias=bias)
        self.out = nn.Linear(dim, dim, bias=bias)

    def forward(self, vectors: Float[Tensor, "batch time dim"]) -> Float[Tensor, "batch time dim"]:
        batch, time, dim = vectors.shape
        split = self.together(vectors).view(batch, time, 3, self.heads, dim // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)  # each (batch, heads, time, size)
        mixed = causal_attention(self.places(query), self.places(key), value)
        return self.out(mixed.transpose(1, 2).reshape(batch, time, dim))


class _Block(nn.Module):
    """Pre-norm: each half adds to the stream what it makes of the stream's normalised copy."""

    def __init__(
        self, attention: _Attention, feedforward: nn.Sequential, dim: int, *, dropout: float, bias: bool
    ) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(dim, bias=bias)
        self.attention = attention
        self.before_feedforward = nn.LayerNorm(dim, bias=bias)
        self.feedforward = feedforward
        self.dropout = nn.Dropout(dropout)

    def forward(self, stream: Float[Tensor, "batch time dim"]) -> Float[Tensor, "batch time dim"]:
        stream = stream + self.dropout(self.attention(self.before_attention(stream)))
        return stream + self.dropout(self.feedforward(self.before_feedforward(stream)))


class GptEncoder(nn.Module):
    r"""Token numbers to one vector per place, which knows the tokens up to that place.

    $$z^0_t = E_{x_t} + P_t, \qquad u = z^\ell + \text{attention}(\text{norm}(z^\ell)), \qquad
      z^{\ell+1} = u + \text{feedforward}(\text{norm}(u))$$

    Args:
        tokens: E, a vector per token.
        places: P, a vector per place; `None` where the attention itself knows the places (`Rotary`).
        blocks: what refines the stream, from first to last.
        context: how many tokens it can see.
        dropout: share of the stream's first numbers set to zero while training.

    Shape:
        ids: (batch, time); returns (batch, time, dim).

    Example:
        >>> encoder = gpt(layers=1, dim=8, heads=2, vocabulary=5, context=4).encoder
        >>> encoder(torch.tensor([[0, 1, 2]])).shape
        torch.Size([1, 3, 8])

    Reference:
        Radford et al., Language Models are Unsupervised Multitask Learners, 2019 (GPT-2).

    Differs:
        The last norm is the head's: the embedding is the stream itself.
    """

    def __init__(
        self,
        tokens: nn.Embedding,
        places: nn.Embedding | None,
        blocks: Sequence[nn.Module],
        context: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.tokens = tokens
        self.places = places
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(blocks)
        self.context = context

    def forward(self, ids: Int[Tensor, "batch time"]) -> Float[Tensor, "batch time dim"]:
        """One vector per place."""
        time = ids.shape[1]
        if time > self.context:
            raise InputError(
                "a text must not be longer than the model's context",
                advice="show it the last tokens alone, or build it with a longer context",
                tokens=time,
                context=self.context,
            )
        stream = self.tokens(ids)
        if self.places is not None:
            stream = stream + self.places.weight[:time]
        stream = self.dropout(stream)
        for block in self.blocks:
            stream = block(stream)
        return stream


def gpt(layers: int, dim: int, heads: int, vocabulary: int, context: int = 256, *, dropout: float = 0.0) -> Network:
    r"""A small modern GPT: pre-norm, rotary positions, GELU, no biases, a head of its own.

    $$\text{parameters} = 2 V d + L\,(12 d^2 + 2 d) + d$$

    Args:
        layers: L, how many blocks.
        dim: d, numbers per place in the stream.
        heads: how many kinds of attention per block; must divide `dim`.
        vocabulary: V, how many tokens there are.
        context: how many tokens it can see.
        dropout: share of numbers set to zero while training, in the embedding and after each half of a block.

    Shape:
        ids: (batch, time); returns (batch, time, vocabulary), the scores of each next token.

    Example:
        >>> model = gpt(layers=2, dim=16, heads=2, vocabulary=50, context=8)
        >>> model(torch.tensor([[3, 1, 4]])).shape
        torch.Size([1, 3, 50])

    Reference:
        Radford et al., Language Models are Unsupervised Multitask Learners, 2019 (GPT-2).

    Differs:
        From GPT-2: positions are rotary, projections and norms have no bias, GELU is exact, the head isn't tied to
        the embedding. `gpt2` is GPT-2 itself.
    """
    _check(layers, dim, heads, vocabulary, context)
    rotary = Rotary(dim // heads, context)
    blocks = [_block(dim, heads, rotary, nn.GELU(), dropout=dropout, bias=False) for _ in range(layers)]
    encoder = GptEncoder(nn.Embedding(vocabulary, dim), None, blocks, context, dropout)
    head = nn.Sequential(nn.LayerNorm(dim, bias=False), nn.Linear(dim, vocabulary, bias=False))
    return _initialised(Network(encoder, head), blocks)


def gpt2(layers: int, dim: int, heads: int, vocabulary: int, context: int, *, dropout: float = 0.0) -> Network:
    r"""GPT-2: learnt positions, biases, tanh GELU, and a head that shares the embedding's weights.

    $$\text{parameters} = V d + C d + L\,(12 d^2 + 13 d) + 2 d$$

    Args:
        layers: L, how many blocks.
        dim: d, numbers per place in the stream.
        heads: how many kinds of attention per block; must divide `dim`.
        vocabulary: V, how many tokens there are.
        context: C, how many tokens it can see.
        dropout: share of numbers set to zero while training, in the embedding and after each half of a block.

    Shape:
        ids: (batch, time); returns (batch, time, vocabulary), the scores of each next token.

    Example:
        >>> model = gpt2(layers=2, dim=16, heads=2, vocabulary=50, context=8)
        >>> sum(parameter.numel() for parameter in model.parameters())
        7520

    Reference:
        Radford et al., Language Models are Unsupervised Multitask Learners, 2019.

    Differs:
        No dropout on attention weights.
    """
    _check(layers, dim, heads, vocabulary, context)
    blocks = [
        _block(dim, heads, nn.Identity(), nn.GELU(approximate="tanh"), dropout=dropout, bias=True)
        for _ in range(layers)
    ]
    encoder = GptEncoder(nn.Embedding(vocabulary, dim), nn.Embedding(context, dim), blocks, context, dropout)
    last = nn.Linear(dim, vocabulary, bias=False)
    last.weight = encoder.tokens.weight
    return _initialised(Network(encoder, nn.Sequential(nn.LayerNorm(dim), last)), blocks)


def gpt2_small() -> Network:
    """GPT-2 as published in its smallest size: 124,439,808 parameters, weights drawn anew.

    Args:
        (none).

    Shape:
        ids: (batch, time), time up to 1,024; returns (batch, time, 50257).

    Example:
        >>> with torch.device("meta"):
        ...     sum(parameter.numel() for parameter in gpt2_small().parameters())
        124439808

    Reference:
        Radford et al., Language Models are Unsupervised Multitask Learners, 2019.

    Differs:
        As `gpt2`.
    """
    return gpt2(layers=12, dim=768, heads=12, vocabulary=50_257, context=1024)


def _block(dim: int, heads: int, places: nn.Module, activation: nn.Module, *, dropout: float, bias: bool) -> _Block:
    feedforward = nn.Sequential(nn.Linear(dim, 4 * dim, bias=bias), activation, nn.Linear(4 * dim, dim, bias=bias))
    return _Block(_Attention(dim, heads, places, bias=bias), feedforward, dim, dropout=dropout, bias=bias)


def _initialised(network: Network, blocks: Sequence[_Block]) -> Network:
    """GPT-2's start: deviation 0.02, less by sqrt(2 L) for what is added to the stream, so that it doesn't grow."""
    for module in network.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
    for name, parameter in network.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(parameter)
    for block in blocks:
        for added in (block.attention.out, block.feedforward[2]):
            nn.init.normal_(cast(Tensor, added.weight), std=0.02 / (2 * len(blocks)) ** 0.5)
    return network


def _check(layers: int, dim: int, heads: int, vocabulary: int, context: int) -> None:
    sizes = {"layers": layers, "dim": dim, "heads": heads, "vocabulary": vocabulary, "context": context}
    if min(sizes.values()) < 1:
        raise InputError("a GPT's sizes must all be at least 1", advice="try layers=4, dim=128, heads=4", **sizes)
    if dim % heads:
        raise InputError(
            "`heads` must divide `dim`", advice=f"try dim={heads * (dim // heads + 1)}", dim=dim, heads=heads
        )
