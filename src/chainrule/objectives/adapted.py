"""The loss after learning a little: what MAML minimises, and what any start of learning can be judged by."""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.modules.batchnorm import _NormBase

from chainrule.data import Rows, Tasks, by_task
from chainrule.errors import InputError, expect
from chainrule.objectives.objective import Loss, Model, Objective


class Adapted(Objective[Tasks[Any]]):
    r"""The loss on each task's query after a few steps of gradient descent on its support.

    $$L(\theta) = \frac1T \sum_{t=1}^{T} L_t^{\text{query}}\big(\theta_t^{(K)}\big), \qquad
      \theta_t^{(0)} = \theta, \quad
      \theta_t^{(k+1)} = \theta_t^{(k)} - \alpha \nabla L_t^{\text{support}}\big(\theta_t^{(k)}\big)$$

    All tasks are computed at once (`torch.vmap`), each with its own weights. The gradient goes through the steps,
    so that it holds second derivatives. Frozen parameters are not adapted. Where somebody watches the network's
    modules (forward hooks), the tasks are computed one by one, so that he sees ordinary tensors.

    Args:
        objective: the loss of one task, of its support as of its query.
        steps: $K$, how often the weights are moved; 0 is the loss of the unadapted network.
        rate: $\alpha$, how far.
        first_order: whether $\nabla L_t^{\text{support}}$ counts as a constant when the gradient is taken.

    Shape:
        batch: `Tasks`; the network sees the rows of one task at a time, (rows, ...).

    Example:
        >>> from chainrule.data import Table
        >>> from chainrule.objectives import Regress
        >>> line = nn.Linear(1, 1, bias=False)
        >>> _ = nn.init.ones_(line.weight)
        >>> point = Table(torch.ones(1, 1), torch.zeros(1, 1))
        >>> halfway = Adapted(Regress(), steps=1, rate=0.25)    # the gradient there is 2: from 1 to 0.5
        >>> halfway(line, Tasks(point, point, count=1)).value.item()
        0.25

    Reference:
        Finn, Abbeel and Levine, Model-Agnostic Meta-Learning, 2017, equation 1 and section 5.2 (first order).
        https://arxiv.org/abs/1703.03400

    Differs:
        Nothing.
    """

    def __init__(
        self, objective: Objective[Any], steps: int = 1, rate: float = 0.01, *, first_order: bool = False
    ) -> None:
        if steps < 0 or not math.isfinite(rate):
            raise InputError(
                "`steps` cannot be negative, and `rate` must be finite",
                advice="try steps=1, rate=0.01",
                steps=steps,
                rate=rate,
            )
        self.objective = objective
        self.steps = steps
        self.rate = rate
        self.first_order = first_order

    def __call__(self, model: Model, batch: Tasks[Any]) -> Loss:
        """The query's loss and metrics after the steps, and the support's loss before them."""
        module = _module(model)
        weights, before = self.adapt(module, batch.support, batch.count)
        after = self.losses(module, weights, batch.query, batch.count)
        metrics = {name: value.mean() for name, value in after.metrics.items()}
        value = after.value.mean()
        return Loss(value, metrics | {"loss": value.detach(), "support_loss": before.detach().mean()})

    def adapt(
        self, model: nn.Module, support: Rows, count: int, weights: dict[str, Tensor] | None = None
    ) -> tuple[dict[str, Tensor], Tensor]:
        """Every task's own weights after the steps, by name, (count, ...), and its support's loss before them.

        The steps start from `weights`, as an earlier call gave them, or else from the model's own.
        """
        exact = torch.is_grad_enabled() and not self.first_order
        with torch.enable_grad():
            weights = weights or {
                name: parameter.expand(count, *parameter.shape)
                for name, parameter in model.named_parameters()
                if parameter.requires_grad
            }
            losses: list[Tensor] = []
            for _ in range(self.steps):
                losses.append(self.losses(model, weights, support, count).value)
                # No task's loss depends on another task's weights: the gradient of the sum holds each one's own.
                gradients = torch.autograd.grad(
                    losses[-1].sum(), list(weights.values()), create_graph=exact, materialize_grads=True
                )
                moved = torch._foreach_add(list(weights.values()), gradients, alpha=-self.rate)
                weights = dict(zip(weights, moved, strict=True))
        if not losses:
            with torch.no_grad():
                losses.append(self.losses(model, weights, support, count).value)
        return weights, losses[0]

    def losses(self, model: nn.Module, weights: dict[str, Tensor], rows: Rows, count: int) -> Loss:
        """Value and metrics of every task on its own, (count), each with its own weights."""

        def one(weights: dict[str, Tensor], tensors: dict[str, Tensor]) -> Loss:
            return self.objective(lambda *inputs: functional_call(model, weights, inputs), type(rows)(**tensors))

        tensors = {name: by_task(tensor, count) for name, tensor in rows.tensors().items()}
        if not any(module._forward_hooks for module in model.modules()):
            return torch.vmap(one, randomness="different")(weights, tensors)
        each = [one(_task(weights, task), _task(tensors, task)) for task in range(count)]
        values = torch.stack([loss.value for loss in each])
        return Loss(values, {name: torch.stack([loss.metrics[name] for loss in each]) for name in each[0].metrics})

    def check(self, model: Model, batch: Tasks[Any]) -> None:
        """The network must have no memory of other batches, and its first task must suit the objective."""
        module = _module(model)
        expect("batch", batch, Tasks, advice="make tasks, each with a support and a query")
        for name, part in module.named_modules():
            if isinstance(part, _NormBase) and part.running_mean is not None:
                raise InputError(
                    "a network that adapts to each task must normalise by that task's examples alone",
                    advice="use TaskNorm, or track_running_stats=False",
                    layer=name,
                    kind=type(part).__name__,
                )
        first = batch.select(slice(0, 1))
        self.objective.check(module, first.support)
        self.objective.check(module, first.query)


def _module(model: Model) -> nn.Module:
    if not isinstance(model, nn.Module):
        raise InputError("only a module has weights to adapt", advice="pass the network itself", model=type(model))
    return model


def _task(tensors: dict[str, Tensor], task: int) -> dict[str, Tensor]:
    return {name: tensor[task] for name, tensor in tensors.items()}
