"""An objective of your own: any function of (model, batch) that gives a mean loss; objectives wrap objectives.

`Sparse` adds the size of the weights to another objective, so that most of them go to zero. It knows neither
optimiser nor loop, and works with every learner.

    python examples/own_objective.py
"""

from typing import Any

import torch
from torch import nn

import chainrule as cr
from chainrule.objectives import Loss, Objective


class Sparse(Objective[Any]):
    r"""Another objective plus the mean absolute weight: $L + \lambda \overline{|w|}$ (the lasso's penalty)."""

    def __init__(self, objective: Objective[Any], weight: float) -> None:
        self.objective = objective
        self.weight = weight

    def __call__(self, model: nn.Module, batch: cr.data.Batch) -> Loss:
        """The wrapped loss, its metrics, and the penalty."""
        loss = self.objective(model, batch)
        weights = torch.cat([value.flatten() for value in model.parameters() if value.ndim > 1])
        penalty = weights.abs().mean()
        return Loss(loss.value + self.weight * penalty, {**loss.metrics, "mean_weight": penalty.detach()})

    def check(self, model: nn.Module, batch: cr.data.Batch) -> None:
        """Whatever the wrapped objective refuses."""
        self.objective.check(model, batch)


def train(objective: Objective[Any]) -> tuple[float, float]:
    """Test accuracy of a linear model, and how many of its weights are (nearly) zero."""
    digits = cr.data.digits(batch_size=128)
    with cr.data.seeded(0):
        pixels = cr.layers.Pixels(mean=(4.9,), deviation=(6.0,))
        model = cr.models.Network(nn.Sequential(pixels, nn.Flatten()), nn.Linear(64, 10))
    learner = cr.learners.Gradient(model, objective, cr.optim.AdamW(lr=1e-2, weight_decay=0.0))
    cr.fit(learner, digits.train, steps=300)
    measured = cr.training.evaluate(model, cr.objectives.Classify(), digits.test)
    return measured["accuracy"], float((model.head.weight.abs() < 0.02).float().mean())


for name, objective in {
    "plain": cr.objectives.Classify(),
    "sparse": Sparse(cr.objectives.Classify(), weight=10.0),
}.items():
    accuracy, zeros = train(objective)
    print(f"{name:<6} accuracy {accuracy:.1%}, weights near zero {zeros:.0%}")
