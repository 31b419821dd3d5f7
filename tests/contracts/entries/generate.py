"""How the contract suite calls every public name of `chainrule.generate`."""

import torch
from torch import nn

from chainrule.generate import text, top_k, top_p
from contracts.entry import Function


def drawn() -> list[int]:
    model = nn.Embedding(5, 5)
    return list(text(model, torch.tensor([2]), 20, top_k=4, top_p=0.9, seed=3))


ENTRIES = {
    "text": Function(example=drawn),
    "top_k": Function(example=lambda: top_k(torch.randn(3, 5), 2)),
    "top_p": Function(example=lambda: top_p(torch.randn(3, 5), 0.5)),
}
