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
