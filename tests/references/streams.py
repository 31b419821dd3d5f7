"""Slow references for the data sources: one example at a time, straight from the definitions."""

import torch
from torch import Tensor

from chainrule.data import derive


def slow_order(size: int, seed: int, start: int, stop: int) -> list[int]:
    """Position p is example p mod N of the permutation that epoch p // N draws from (seed, epoch)."""
    chosen = []
    for position in range(start, stop):
        epoch = position // size
        permutation = torch.randperm(size, generator=torch.Generator().manual_seed(derive(seed, epoch)))
        chosen.append(int(permutation[position % size]))
    return chosen


def slow_starts(places: int, count: int, seed: int, k: int) -> list[int]:
    """Where the windows of batch k start: drawn evenly from (seed, k)."""
    return torch.randint(places, (count,), generator=torch.Generator().manual_seed(derive(seed, k))).tolist()


def slow_shift(pixels: Tensor, down: int, right: int) -> Tensor:
    """One picture (channel, height, width), moved pixel by pixel; what comes in is zero."""
    moved = torch.zeros_like(pixels)
    height, width = pixels.shape[1:]
    for i in range(height):
        for j in range(width):
            if 0 <= i - down < height and 0 <= j - right < width:
                moved[:, i, j] = pixels[:, i - down, j - right]
    return moved
