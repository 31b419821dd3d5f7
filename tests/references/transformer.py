"""A transformer decoder written with loops from its formulas: one batch row, one head, one place at a time."""

import math

import torch
from torch import Tensor


def slow_causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """(batch, heads, time, size), place by place over those before it."""
    answer = torch.zeros_like(value)
    batch, heads, time, size = query.shape
    for row in range(batch):
        for head in range(heads):
            for place in range(time):
                scores = torch.stack([query[row, head, place] @ key[row, head, s] for s in range(place + 1)])
                weights = torch.softmax(scores / math.sqrt(size), 0)
                answer[row, head, place] = sum(weights[s] * value[row, head, s] for s in range(place + 1))
    return answer


class SlowGpt2:
    """GPT-2's forward pass from a `state_dict`, place by place; `heads` is the one number that weights don't tell."""

    def __init__(self, weights: dict[str, Tensor], layers: int, heads: int) -> None:
        self.weights, self.layers, self.heads = weights, layers, heads

    def scores(self, ids: list[int]) -> Tensor:
        """(time, vocabulary) for one text."""
        w = self.weights
        stream = [w["encoder.tokens.weight"][token] + w["encoder.places.weight"][t] for t, token in enumerate(ids)]
        for layer in range(self.layers):
            part = f"encoder.blocks.{layer}."
            normed = [self._norm(z, part + "before_attention") for z in stream]
            stream = [z + added for z, added in zip(stream, self._attention(normed, part + "attention."), strict=True)]
            for t, z in enumerate(stream):
                wide = self._linear(self._norm(z, part + "before_feedforward"), part + "feedforward.0")
                stream[t] = z + self._linear(self._gelu(wide), part + "feedforward.2")
        return torch.stack([w["encoder.tokens.weight"] @ self._norm(z, "head.0") for z in stream])

    def _attention(self, stream: list[Tensor], part: str) -> list[Tensor]:
        dim = len(stream[0])
        size = dim // self.heads
        both = torch.stack([self._linear(z, part + "together") for z in stream])  # (time, 3 * dim)
        query, key, value = (both[:, i * dim : (i + 1) * dim] for i in range(3))
        heads = [slice(h * size, (h + 1) * size) for h in range(self.heads)]
        mixed = [slow_causal_attention(query[None, None, :, h], key[None, None, :, h], value[None, None, :, h])[0, 0]
                 for h in heads]  # fmt: skip
        return [self._linear(z, part + "out") for z in torch.cat(mixed, dim=1)]

    def _linear(self, z: Tensor, part: str) -> Tensor:
        return self.weights[part + ".weight"] @ z + self.weights[part + ".bias"]

    def _norm(self, z: Tensor, part: str) -> Tensor:
        centred = z - z.mean()
        scaled = centred / torch.sqrt((centred**2).mean() + 1e-5)
        return scaled * self.weights[part + ".weight"] + self.weights[part + ".bias"]

    @staticmethod
    def _gelu(z: Tensor) -> Tensor:
        return 0.5 * z * (1 + torch.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3)))


def slow_rotary(vector: Tensor, place: int, base: float = 10_000.0) -> Tensor:
    """One vector turned pair by pair, as complex numbers."""
    half = len(vector) // 2
    turned = [
        complex(vector[i], vector[i + half]) * complex(math.cos(place * base ** (-2 * i / len(vector))),
                                                      math.sin(place * base ** (-2 * i / len(vector))))
        for i in range(half)
    ]  # fmt: skip
    return torch.tensor([z.real for z in turned] + [z.imag for z in turned], dtype=vector.dtype)
