"""What forecasts are scaled by and judged with."""

import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.shapes import Float

_LEAST = 1e-6  # of the level: the scale of a window in which nothing moves


def level_and_scale(
    past: Float[Tensor, "batch time"], observed: Float[Tensor, "batch time"]
) -> tuple[Float[Tensor, "batch one"], Float[Tensor, "batch one"]]:
    r"""The mean of the observed past, and the mean distance from it: what a window of a series is measured in.

    $$\ell = \frac{\sum_t o_t x_t}{\sum_t o_t}, \qquad
      s = \frac{\sum_t o_t |x_t - \ell|}{\sum_t o_t} + \epsilon |\ell|$$

    Series of any size look alike after it, and nothing but the window's own past goes in.

    Args:
        past: values, any number where there is none.
        observed: one where there is a value, zero where there is none.

    Shape:
        past: (batch, time); observed: (batch, time); returns (batch, one) twice.

    Example:
        >>> level, scale = level_and_scale(torch.tensor([[9.0, 1.0, 3.0]]), torch.tensor([[0.0, 1.0, 1.0]]))
        >>> level.item(), round(scale.item(), 3)
        (2.0, 1.0)

    Reference:
        Salinas et al., DeepAR: Probabilistic Forecasting with Autoregressive Recurrent Networks, 2020.
        https://arxiv.org/abs/1704.04110

    Differs:
        DeepAR divides by one plus the mean absolute value; here the level is taken off, which suits temperatures too.
    """
    count = observed.sum(1, keepdim=True).clamp(min=1)
    level = (past * observed).sum(1, keepdim=True) / count
    scale = ((past - level).abs() * observed).sum(1, keepdim=True) / count
    tiny = torch.finfo(past.dtype).tiny ** 0.5
    return level, scale + _LEAST * level.abs() + tiny


def pinball(
    answers: Float[Tensor, "*target quantile"], targets: Float[Tensor, "*target"], quantiles: tuple[float, ...]
) -> Float[Tensor, "*target quantile"]:
    r"""The loss that a quantile minimises: what lies above costs its share, what lies below the rest.

    $$\rho_q(y, \hat y) = \max\big(q\,(y - \hat y),\ (q - 1)(y - \hat y)\big)$$

    Args:
        answers: one number per quantile.
        targets: what came.
        quantiles: the shares $q$, each between 0 and 1.

    Shape:
        answers: (*target, quantile); targets: (*target); returns (*target, quantile).

    Example:
        >>> [round(cost, 2) for cost in pinball(torch.full((1, 2), 2.0), torch.tensor([3.0]), (0.1, 0.9))[0].tolist()]
        [0.1, 0.9]

    Reference:
        Koenker and Bassett, Regression Quantiles, 1978.

    Differs:
        Nothing.
    """
    _check(answers, targets, quantiles)
    shares = torch.tensor(quantiles, dtype=answers.dtype, device=answers.device)
    missed = targets[..., None] - answers
    return torch.maximum(shares * missed, (shares - 1) * missed)


def weighted_quantile_loss(
    answers: Float[Tensor, "*target quantile"], targets: Float[Tensor, "*target"], quantiles: tuple[float, ...]
) -> Tensor:
    r"""Twice the pinball losses over the sum of absolute values, a mean over quantiles; hidden targets are left out.

    $$\text{wQL} = \frac1Q \sum_q \frac{2 \sum_i \rho_q(y_i, \hat y_{iq})}{\sum_i |y_i|}$$

    Args:
        answers: one number per quantile.
        targets: what came; not a number where nobody knows.
        quantiles: the shares, each between 0 and 1.

    Shape:
        answers: (*target, quantile); targets: (*target); returns a scalar.

    Example:
        >>> weighted_quantile_loss(torch.tensor([[2.0]]), torch.tensor([4.0]), (0.5,)).item()
        0.5

    Reference:
        Alexandrov et al., GluonTS: Probabilistic and Neural Time Series Modeling in Python, 2020 (mean_wQuantileLoss).
        https://www.jmlr.org/papers/v21/19-820.html

    Differs:
        Nothing.
    """
    known = ~targets.isnan()
    costs = pinball(answers[known], targets[known], quantiles)
    return 2 * costs.mean(-1).sum() / targets[known].abs().sum()


def coverage(
    answers: Float[Tensor, "*target quantile"], targets: Float[Tensor, "*target"]
) -> Float[Tensor, " quantile"]:
    r"""The share of targets at or below each quantile: of a calibrated forecast, the quantile itself.

    $$c_q = \frac1n \sum_i [y_i \le \hat y_{iq}]$$

    Args:
        answers: one number per quantile.
        targets: what came; not a number where nobody knows.

    Shape:
        answers: (*target, quantile); targets: (*target); returns (quantile).

    Example:
        >>> coverage(torch.tensor([[0.0, 2.0], [0.0, 2.0]]), torch.tensor([1.0, 3.0])).tolist()
        [0.0, 0.5]

    Reference:
        Gneiting, Balabdaoui and Raftery, Probabilistic Forecasts, Calibration and Sharpness, 2007.

    Differs:
        Nothing.
    """
    known = ~targets.isnan()
    return (targets[known][:, None] <= answers[known]).to(answers.dtype).mean(0)


def _check(answers: Tensor, targets: Tensor, quantiles: tuple[float, ...]) -> None:
    if answers.shape != (*targets.shape, len(quantiles)):
        raise InputError(
            "`answers` must have one number per target and quantile",
            advice="give the answers one more axis than the targets, as long as there are quantiles",
            answers=tuple(answers.shape),
            targets=tuple(targets.shape),
            quantiles=len(quantiles),
        )
