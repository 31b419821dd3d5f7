"""Regression: the mean squared error."""

import math

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)

from chainrule.data import BatchT
from chainrule.errors import InputError
from chainrule.objectives.objective import Loss, Model, Objective, tried


class Regress(Objective[BatchT]):
    r"""Mean squared error, the Gaussian's negative log-likelihood up to scale.

    $$L = \frac1n \sum_i \Big(\frac{\hat y_i - y_i}{s}\Big)^2$$

    Args:
        scale: $s$, what counts as an error of one; with the deviation of the targets, the loss is a share of variance.

    Shape:
        model(*batch.inputs) and batch.targets: the same shape, whatever it is.

    Example:
        >>> from chainrule.data import Table
        >>> batch = Table(torch.ones(2, 1), torch.zeros(2, 1))
        >>> Regress()(lambda features: features, batch).value.item()
        1.0

    Reference:
        Legendre, Nouvelles methodes pour la determination des orbites des cometes, 1805.

    Differs:
        torch broadcasts (n, 1) against (n) into (n, n), and learns nothing; here unequal shapes are an error.
    """

    def __init__(self, scale: float = 1.0) -> None:
        if not 0.0 < scale < math.inf:
            raise InputError("`scale` must be a positive number", advice="1 changes nothing", scale=scale)
        self.scale = scale

    def __call__(self, model: Model, batch: BatchT) -> Loss:
        """Mean squared error over all numbers of the batch."""
        answers, targets = model(*batch.inputs), batch.targets
        if answers.shape != targets.shape:
            raise InputError(
                "Regress compares answers and targets of one shape",
                advice="add or drop an axis of one of them, for instance targets[:, None]",
                answers=tuple(answers.shape),
                targets=tuple(targets.shape),
            )
        if self.scale == 1.0:
            value = F.mse_loss(answers, targets)
        else:
            value = F.mse_loss(answers / self.scale, targets / self.scale)
        return Loss(value, {"loss": value.detach()})

    def check(self, model: Model, batch: BatchT) -> None:
        """Answers and targets must be finite numbers of one shape."""
        answers = tried(model, batch)
        if not batch.targets.is_floating_point():
            raise InputError(
                "targets must be floating point numbers", advice="use .float()", targets=batch.targets.dtype
            )
        self(lambda *_inputs: answers, batch)
        if not bool(torch.isfinite(batch.targets).all()):
            rows = (~torch.isfinite(batch.targets)).reshape(len(batch.targets), -1).any(1).nonzero().flatten()
            raise InputError("targets must be finite", advice="drop or fill these rows", rows=rows[:5].tolist())
