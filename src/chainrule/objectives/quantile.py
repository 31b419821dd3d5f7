"""Probabilistic forecasts: the pinball loss of several quantiles, in the units of each window."""

import itertools

import torch

from chainrule.data import Outlook
from chainrule.errors import InputError
from chainrule.functional import level_and_scale, pinball
from chainrule.objectives.objective import Loss, Model, Objective, tried

_MOST = 30.0  # scales that one target costs at most: a past in which nothing moved has next to none


class Quantile(Objective[Outlook]):
    r"""Mean pinball loss of several quantiles of the future, divided by how much the window's past moves.

    $$L = \frac{1}{nQ} \sum_{i} \sum_{q} \frac{1}{s_i}
      \max\big(q\,(y_i - \hat y_{iq}),\ (q - 1)(y_i - \hat y_{iq})\big)$$

    $i$ runs over the $n$ targets that are known, $s_i$ is the scale of the past of $i$'s window (`level_and_scale`):
    without it the largest series of a table would be the only one that counts. A target that leaves all that the past
    knew costs no more than 30 scales.

    Args:
        quantiles: the shares $q$, rising, each between 0 and 1.

    Shape:
        model(*batch.inputs): (batch, horizon, quantile); batch.targets: (batch, horizon), not a number where unknown.

    Example:
        >>> batch = Outlook(
        ...     past=torch.tensor([[0.0, 2.0]]), observed=torch.ones(1, 2), calendar=torch.zeros(1, 1, 1),
        ...     which=torch.tensor([0]), future=torch.tensor([[3.0]]), moment=torch.tensor([2]),
        ... )
        >>> round(Quantile((0.5,))(lambda *_inputs: torch.tensor([[[1.0]]]), batch).value.item(), 4)
        1.0

    Reference:
        Koenker and Bassett, Regression Quantiles, 1978; Wen et al., A Multi-Horizon Quantile Recurrent Forecaster,
        2017.
        https://arxiv.org/abs/1711.11053

    Differs:
        Divided by the window's own scale, and bounded.
    """

    def __init__(self, quantiles: tuple[float, ...]) -> None:
        rising = all(low < high for low, high in itertools.pairwise((0.0, *quantiles, 1.0)))
        if not quantiles or not rising:
            raise InputError("`quantiles` must rise between 0 and 1", advice="try (0.1, 0.5, 0.9)", quantiles=quantiles)
        self.quantiles = quantiles

    def __call__(self, model: Model, batch: Outlook) -> Loss:
        """Mean scaled pinball loss, and the share of targets between the lowest and the highest quantile."""
        answers, targets = model(*batch.inputs), batch.targets
        known = ~targets.isnan()
        filled = torch.where(known, targets, 0.0)
        _, scale = level_and_scale(batch.past, batch.observed)
        costs = (pinball(answers, filled, self.quantiles).mean(-1) / scale).clamp(max=_MOST)
        count = known.sum().clamp(min=1)
        value = torch.where(known, costs, 0.0).sum() / count
        within = (answers[..., 0] <= filled) & (filled <= answers[..., -1]) & known
        return Loss(value, {"loss": value.detach(), "within": within.sum() / count})

    def check(self, model: Model, batch: Outlook) -> None:
        """Answers must have an axis of quantiles, and something must be known of the future."""
        if not isinstance(batch, Outlook):  # pyright: ignore[reportUnnecessaryIsInstance] (users have no type checker)
            raise InputError(
                "Quantile learns from windows of series", advice="make batches with OutlookWindows",
                batch=type(batch).__name__,
            )  # fmt: skip
        pinball(tried(model, batch), torch.nan_to_num(batch.targets), self.quantiles)
        if not bool((~batch.targets.isnan()).any()):
            raise InputError(
                "a batch needs at least one known target", advice="leave out windows without one", targets=0
            )
