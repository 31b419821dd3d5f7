"""How the contract suite builds every public name of `chainrule.learners`."""

import torch

from chainrule.data import Table
from chainrule.learners import Gradient, blame
from chainrule.models import mlp
from chainrule.objectives import Classify, Regress
from chainrule.optim import AdamW, Ema
from contracts.entry import Function, Learner


def _spoiled() -> Table:
    features = torch.randn(8, 4)
    features[3, 1] = torch.nan
    return Table(features, torch.arange(8) % 3)


ENTRIES = {
    "Gradient": Learner(
        build=lambda: Gradient(mlp((4, 16, 3)), Classify(), AdamW(lr=0.02), accumulate=2, average=Ema(0.9)),
        batch=lambda: Table(torch.randn(8, 4), torch.arange(8) % 3),
        spoiled=_spoiled,
    ),
    "blame": Function(
        example=lambda: blame(torch.nn.Linear(1, 1), Regress(), Table(torch.tensor([[torch.nan]]), torch.zeros(1, 1)))
    ),
}
