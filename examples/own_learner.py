"""A learner of your own: what changes the numbers, in three methods. `fit` runs it, hooks watch it, runs resume it.

Sharpness-aware minimisation takes two gradients per step: one to find the worst place nearby, one there, to leave
it. In a loop that owns the optimiser this needs a closure or a special mode; here it is just what `step` does.

    python examples/own_learner.py
"""

from typing import Any

import torch
from torch import Tensor, nn

import chainrule as cr


class SharpnessAware:
    r"""Descends along the gradient at the worst place within reach.

    $$w \leftarrow \text{rule}\big(w, \nabla L(w + \epsilon)\big), \qquad
      \epsilon = \rho\, \nabla L(w) / \lVert \nabla L(w) \rVert$$

    Foret et al., Sharpness-Aware Minimization, 2021. https://arxiv.org/abs/2010.01412
    """

    def __init__(self, model: nn.Module, objective: Any, rule: cr.optim.Rule, *, reach: float = 0.05) -> None:
        self.model = model
        self.objective = objective
        self.stepper = cr.optim.Stepper(rule, model)
        self.rate = rule.lr
        self.reach = reach

    def step(self, batch: cr.data.Batch) -> dict[str, Tensor]:
        """Up to the worst place, a gradient there, back, and down."""
        weights = self.stepper.parameters
        metrics = self._gradient(batch)
        slopes = [weight.grad for weight in weights if weight.grad is not None]
        length = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(slopes)))
        climb = torch._foreach_mul(slopes, self.reach / (length + 1e-12))
        with torch.no_grad():
            torch._foreach_add_(weights, climb)
        self._gradient(batch)
        with torch.no_grad():
            torch._foreach_sub_(weights, climb)
        self.stepper.step(self.rate)
        self.stepper.clear()
        return metrics

    def _gradient(self, batch: cr.data.Batch) -> dict[str, Tensor]:
        self.stepper.clear()
        loss = self.objective(self.model, batch)
        loss.value.backward()
        return loss.metrics

    def state_dict(self) -> dict[str, Any]:
        """All that the next step depends on."""
        return {"model": self.model.state_dict(), "optimizer": self.stepper.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up where `state_dict` left off."""
        self.model.load_state_dict(state["model"])
        self.stepper.load_state_dict(state["optimizer"])


def fresh() -> SharpnessAware:
    """A small network, the same each time."""
    with cr.data.seeded(0):
        model = cr.models.mlp((64, 32, 10))
    return SharpnessAware(
        nn.Sequential(cr.layers.Pixels(mean=(4.9,), deviation=(6.0,)), model),
        cr.objectives.Classify(),
        cr.optim.AdamW(lr=3e-3),
    )


digits = cr.data.digits(batch_size=64)
learner = fresh()
cr.fit(learner, digits.train, steps=150)
measured = cr.training.evaluate(learner.model, cr.objectives.Classify(), digits.test)
print(f"test accuracy {measured['accuracy']:.1%}")

first, second = fresh(), fresh()
cr.fit(first, digits.train, steps=50)
second.load_state_dict(first.state_dict())
cr.fit(second, digits.train, start=50, steps=150)  # batch k is a function of (seed, k): nothing else to keep
same = all(torch.equal(a, b) for a, b in zip(learner.model.parameters(), second.model.parameters(), strict=True))
print(f"stopped at step 50 and resumed: {'the same weights, bit for bit' if same else 'other weights'}")
