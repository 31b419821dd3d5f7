"""How the contract suite builds every public name of `chainrule.functional`."""

import torch

from chainrule.functional import (
    causal_attention,
    coverage,
    frechet_distance,
    level_and_scale,
    pinball,
    precision_recall,
    propagate,
    symmetric,
    weighted_quantile_loss,
)
from contracts.entry import Function


def _path() -> torch.Tensor:
    return torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


ENTRIES = {
    "coverage": Function(example=lambda: coverage(torch.randn(4, 2), torch.randn(4))),
    "level_and_scale": Function(example=lambda: level_and_scale(torch.randn(3, 5), torch.ones(3, 5))),
    "pinball": Function(example=lambda: pinball(torch.randn(4, 2), torch.randn(4), (0.2, 0.7))),
    "weighted_quantile_loss": Function(
        example=lambda: weighted_quantile_loss(torch.randn(4, 2), torch.randn(4), (0.2, 0.7))
    ),
    "causal_attention": Function(example=lambda: causal_attention(*torch.randn(3, 2, 2, 5, 4))),
    "frechet_distance": Function(example=lambda: frechet_distance(torch.randn(6, 3), torch.randn(7, 3))),
    "precision_recall": Function(example=lambda: precision_recall(torch.randn(6, 3), torch.randn(7, 3))),
    "propagate": Function(example=lambda: propagate(torch.randn(3, 2), _path(), torch.rand(4))),
    "symmetric": Function(example=lambda: symmetric(_path(), 3)),
}
