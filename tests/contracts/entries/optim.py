"""How the contract suite builds every public name of `chainrule.optim`."""

import torch
from torch import nn

from chainrule.optim import AdamW, Constant, Ema, Sgd, Stepper, WarmupCosine
from contracts.entry import Function, Name, Rule, Value


def _groups(model: nn.Module, weight_decay: float) -> list[dict[str, object]]:
    """torch's own way to decay matrices only."""
    matrices = [parameter for parameter in model.parameters() if parameter.ndim > 1]
    vectors = [parameter for parameter in model.parameters() if parameter.ndim <= 1]
    return [{"params": matrices, "weight_decay": weight_decay}, {"params": vectors, "weight_decay": 0.0}]


def _averaged() -> torch.Tensor:
    mean, model = nn.Linear(2, 2), nn.Linear(2, 2)
    Ema(0.9).update(mean, model, 3)
    return mean.weight


def _stepped() -> torch.Tensor:
    layer = nn.Linear(2, 2)
    stepper = Stepper(Sgd(lr=0.5), layer)
    for _ in range(2):
        stepper.clear()
        layer(torch.ones(1, 2)).sum().backward()
        stepper.step(0.1)
    return layer.weight


ENTRIES = {
    "AdamW": Rule(
        build=lambda: AdamW(lr=0.03, weight_decay=0.1),
        twin=lambda model: torch.optim.AdamW(_groups(model, 0.1), lr=0.03),
    ),
    "Sgd": Rule(
        build=lambda: Sgd(lr=0.05, momentum=0.8, nesterov=True, weight_decay=0.01),
        twin=lambda model: torch.optim.SGD(_groups(model, 0.01), lr=0.05, momentum=0.8, nesterov=True),
    ),
    "Ema": Function(example=_averaged),
    "Stepper": Function(example=_stepped),
    "Constant": Value(build=Constant),
    "WarmupCosine": Value(build=lambda: WarmupCosine(steps=100, warmup=10)),
    "Rule": Name("an alias of types: every rule above"),
    "Schedule": Name("an alias of types: every schedule above"),
}
