"""How good a model is on data that it did not learn from."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from chainrule.data import IGNORED, Batch, Batches
from chainrule.errors import InputError, expect
from chainrule.objectives import Objective
from chainrule.training.hook import Hook
from chainrule.training.run import Run


@torch.no_grad()
def evaluate(
    model: nn.Module, objective: Objective[Any], batches: Batches[Any], *, batch_size: int | None = None
) -> dict[str, float]:
    r"""Every metric of the objective over every example once, the model in evaluation mode.

    $$\bar m = \frac{\sum_b n_b m_b}{\sum_b n_b}, \qquad n_b = \text{targets of batch } b \text{ that are not ignored}$$

    Args:
        model: the network; its mode is given back afterwards.
        objective: whose metrics.
        batches: which examples.
        batch_size: how many at once; the batches' own if `None`.

    Example:
        >>> import chainrule as cr
        >>> digits = cr.data.digits()
        >>> measured = evaluate(cr.models.lenet5(), cr.objectives.Classify(), digits.test)
        >>> sorted(measured)
        ['accuracy', 'loss']
    """
    expect("batches", batches, Batches, advice="wrap the tensors, for instance InMemory(Table(x, y), batch_size=64)")
    sums: dict[str, Tensor] = {}
    total = torch.zeros((), dtype=torch.int64)
    with evaluating(model):
        for batch in batches.once(batch_size):
            count = counted(batch)
            total = total.to(count.device) + count
            for name, value in objective(model, batch).metrics.items():
                share = torch.where(count > 0, value * count, 0.0)  # the mean of no targets is 0 / 0
                sums[name] = sums.get(name, torch.zeros_like(value)) + share
    if not total:
        raise InputError("`batches` needs at least one target that is not hidden", advice="unmask some", targets=0)
    return {name: float(value / total) for name, value in sums.items()}


@contextmanager
def evaluating(model: nn.Module) -> Generator[None]:
    """Inside, every module is in evaluation mode; afterwards each is in the mode that it was in.

    Args:
        model: the network; a part of it that was frozen in evaluation mode stays so.

    Example:
        >>> network = nn.Sequential(nn.Dropout(), nn.Dropout().eval())
        >>> with evaluating(network):
        ...     network.training
        False
        >>> [module.training for module in network]
        [True, False]
    """
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode


def counted(batch: Batch) -> Tensor:
    """How many targets of a batch take part in a mean.

    Args:
        batch: any batch.

    Example:
        >>> from chainrule.data import Table
        >>> counted(Table(torch.zeros(2, 1), torch.tensor([1, IGNORED]))).item()
        1
    """
    targets = batch.targets
    if targets.is_floating_point():  # a measured -100.0 is a number like any other
        return torch.tensor(targets.numel(), device=targets.device)
    return (targets != IGNORED).sum()


class Evaluate(Hook):
    """Measures on held-out data every so many steps and at the end, and records it.

    Args:
        objective: whose metrics.
        batches: which examples.
        every: steps between two measurements.
        name: what the numbers are recorded under: `validation_loss`, ...

    Example:
        >>> import chainrule as cr
        >>> digits = cr.data.digits()
        >>> learner = cr.learners.Gradient(cr.models.lenet5(), cr.objectives.Classify())
        >>> hook = Evaluate(cr.objectives.Classify(), digits.validation, every=2)
        >>> run = cr.fit(learner, digits.train, steps=4, hooks=[hook])
        >>> run.curve("validation_accuracy")[0]
        [2, 4]
    """

    def __init__(
        self, objective: Objective[Any], batches: Batches[Any], *, every: int = 100, name: str = "validation"
    ) -> None:
        if every < 1:
            raise InputError("`every` must be at least 1 step", advice="try 100", every=every)
        self.objective = objective
        self.batches = batches
        self.every = every
        self.name = name

    def on_step(self, run: Run, metrics: dict[str, Tensor]) -> None:
        """Measures when it is time."""
        if run.step % self.every == 0 or run.step == run.steps:
            measured = evaluate(run.learner.model, self.objective, self.batches)
            run.record(**{f"{self.name}_{name}": value for name, value in measured.items()})
