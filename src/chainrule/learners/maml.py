"""Learning to learn: a start from which a few steps of gradient descent solve a new task."""

import copy
from typing import Any

import torch
from torch import Tensor, nn

from chainrule.data import Rows, Tasks
from chainrule.learners.compute import Compute
from chainrule.learners.gradient import Gradient
from chainrule.learners.update import NonFinite
from chainrule.objectives import Adapted, Objective
from chainrule.optim import AdamW, Rule


class Maml:
    r"""MAML: follows the gradient, with respect to the start, of the loss after adaptation.

    $$\theta \leftarrow \text{rule}\Big(\theta,\; \nabla_\theta \frac1T \sum_t
      L_t^{\text{query}}\big(\theta - \alpha \nabla_\theta L_t^{\text{support}}(\theta)\big)\Big)$$

    It is `Gradient` on the objective `Adapted`: whatever wraps objectives or looks at them works here too. A layer
    that normalises by the batch sees the examples of one task; one that keeps running statistics is refused.

    Args:
        model: the network whose start is learnt.
        objective: the loss of one task.
        optimizer: how the gradient of the start becomes an update; plain Adam unless said otherwise.
        inner_steps: steps of gradient descent on the support.
        inner_rate: $\alpha$, their rate.
        first_order: whether second derivatives are left out: cheaper, and often as good.
        nonfinite: what to do when loss or gradient is infinite or NaN: `raise` before anything is changed,
            or `skip` this batch and count it.
        compute: in which precision, and how: one operation at a time, or captured as a CUDA graph.

    Example:
        >>> from chainrule import data, models, objectives
        >>> waves = data.Sinusoids(tasks=4)
        >>> learner = Maml(models.mlp((1, 40, 40, 1)), objectives.Regress())
        >>> sorted(learner.step(waves[0]))
        ['loss', 'support_loss']
        >>> task = waves[1].select(slice(0, 1))
        >>> learner.adapt(task.support, steps=5)(*task.inputs).shape    # a network for this task
        torch.Size([10, 1])

    Reference:
        Finn, Abbeel and Levine, Model-Agnostic Meta-Learning, 2017. https://arxiv.org/abs/1703.03400

    Differs:
        Nothing. (The paper sums over tasks, its code averages; so does this.)
    """

    def __init__(
        self,
        model: nn.Module,
        objective: Objective[Any],
        optimizer: Rule = AdamW(weight_decay=0.0),  # noqa: B008 (a frozen value)
        *,
        inner_steps: int = 1,
        inner_rate: float = 0.01,
        first_order: bool = False,
        nonfinite: NonFinite = "raise",
        compute: Compute = Compute(),  # noqa: B008 (a frozen value)
    ) -> None:
        self.objective = Adapted(objective, inner_steps, inner_rate, first_order=first_order)
        self._gradient = Gradient(model, self.objective, optimizer, nonfinite=nonfinite, compute=compute)

    @property
    def model(self) -> nn.Module:
        """The network at its learnt start."""
        return self._gradient.model

    @property
    def skipped(self) -> int:
        """How many batches were not finite and left out."""
        return self._gradient.skipped

    def step(self, batch: Tasks[Any]) -> dict[str, Tensor]:
        """One update of the start: the query's loss after adaptation, and the support's loss before it."""
        return self._gradient.step(batch)

    def adapt(self, support: Rows, steps: int | None = None) -> nn.Module:
        """A copy of the network, adapted to one task by `steps` steps (those it was trained for if `None`)."""
        count = self.objective.steps if steps is None else steps
        adapted = Adapted(self.objective.objective, count, self.objective.rate)
        with torch.no_grad():
            weights, _ = adapted.adapt(self.model, support, 1)
            network = copy.deepcopy(self.model)
            for name, weight in weights.items():
                network.get_parameter(name).copy_(weight.squeeze(0))
        return network

    def state_dict(self) -> dict[str, Any]:
        """Weights, optimiser and counters."""
        return self._gradient.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up where `state_dict` left off."""
        self._gradient.load_state_dict(state)
