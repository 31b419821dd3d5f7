"""How the contract suite builds every public name of `chainrule.functional`."""

import torch

from chainrule.functional import causal_attention, frechet_distance, precision_recall, propagate, symmetric
from contracts.entry import Function


def _path() -> torch.Tensor:
    return torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


ENTRIES = {
    "causal_attention": Function(example=lambda: causal_attention(*torch.randn(3, 2, 2, 5, 4))),
    "frechet_distance": Function(example=lambda: frechet_distance(torch.randn(6, 3), torch.randn(7, 3))),
    "precision_recall": Function(example=lambda: precision_recall(torch.randn(6, 3), torch.randn(7, 3))),
    "propagate": Function(example=lambda: propagate(torch.randn(3, 2), _path(), torch.rand(4))),
    "symmetric": Function(example=lambda: symmetric(_path(), 3)),
}
