"""Forecasts that need no network, with bands as wide as their own mistakes in the past."""

import torch
from torch import Tensor

from chainrule.data import Outlook, OutlookWindows
from chainrule.functional import level_and_scale
from chainrule.shapes import Float

_MOST = 20_000  # windows of the past that a rival learns from
_OWN = 30  # windows that a series needs for bands of its own
_RIDGE = 1e-3  # of the mean square of the features


def naive(past: Float[Tensor, "batch time"], horizon: int, lag: int) -> Float[Tensor, "batch horizon"]:
    r"""What was `lag` moments ago comes again: with the season the seasonal naive forecast, with 1 the last value.

    $$\hat y_h = x_{P - \ell + (h \bmod \ell)}$$

    Args:
        past: values up to now.
        horizon: moments to forecast.
        lag: after how many moments it repeats.

    Shape:
        past: (batch, time); returns (batch, horizon).

    Example:
        >>> naive(torch.tensor([[1.0, 2.0, 3.0]]), 3, lag=2).tolist()
        [[2.0, 3.0, 2.0]]
    """
    return past[:, past.shape[1] - lag + torch.arange(horizon) % lag]


def rivals(
    train: OutlookWindows, test: OutlookWindows, quantiles: tuple[float, ...], season: int
) -> dict[str, Float[Tensor, "window horizon quantile"]]:
    """Forecasts of the test windows by rivals that learn from the training windows.

    Args:
        train: windows to learn from.
        test: windows to forecast.
        quantiles: which quantiles.
        season: after how many moments series repeat themselves.
    """
    chosen = torch.arange(0, train.size, max(1, train.size // _MOST))
    known, asked = train.at(chosen), test.at(torch.arange(test.size))
    series = train.series(chosen), test.series(torch.arange(test.size))
    horizon = known.future.shape[1]
    points = {"last value": (naive(known.past, horizon, 1), naive(asked.past, horizon, 1))}
    if season > 1:
        points["seasonal naive"] = naive(known.past, horizon, season), naive(asked.past, horizon, season)
    points["ridge on lags"] = _ridge(known, asked)
    return {
        name: said[..., None] + _bands(known, asked, fitted, series, quantiles)
        for name, (fitted, said) in points.items()
    }


def _bands(
    known: Outlook, asked: Outlook, fitted: Tensor, series: tuple[Tensor, Tensor], quantiles: tuple[float, ...]
) -> Tensor:
    """Quantiles of the mistakes made in the past, in scales of the window, for every moment ahead."""
    shares = torch.tensor(quantiles)
    mistakes = (known.future - fitted) / level_and_scale(known.past, known.observed)[1]  # (window, horizon)
    _, scale = level_and_scale(asked.past, asked.observed)
    common = _quantiles(mistakes, shares)
    bands = common.expand(len(asked), -1, -1).clone()
    for number in series[1].unique().tolist():
        own = mistakes[series[0] == number]
        if len(own) >= _OWN:
            bands[series[1] == number] = _quantiles(own, shares)
    return bands * scale[..., None]


def _quantiles(mistakes: Tensor, shares: Tensor) -> Tensor:
    """Of each moment ahead: (horizon, quantile); zero where nothing is known."""
    return torch.nan_to_num(mistakes.nanquantile(shares, dim=0).T)


def _ridge(known: Outlook, asked: Outlook) -> tuple[Tensor, Tensor]:
    r"""Linear in the past and the calendar, every moment ahead for itself.

    $$\hat w = (X^\top X + \lambda I)^{-1} X^\top Y$$
    """
    rows = ~known.future.isnan().any(1)
    inputs, answers = _features(known), (known.future - known.past[:, -1:]) / _scale(known)
    x, y = inputs[rows].double(), answers[rows].clamp(-30, 30).double()
    square = x.T @ x
    penalty = _RIDGE * square.diagonal().mean() * torch.eye(len(square), dtype=torch.float64)
    weights = torch.linalg.solve(square + penalty, x.T @ y).to(inputs.dtype)
    fitted, said = (batch.past[:, -1:] + _scale(batch) * (_features(batch) @ weights) for batch in (known, asked))
    return fitted, said


def _features(batch: Outlook) -> Tensor:
    moved = ((batch.past - batch.past[:, -1:]) / _scale(batch)).clamp(-30, 30) * batch.observed
    return torch.cat([moved, batch.calendar[:, 0], torch.ones(len(batch), 1)], 1)


def _scale(batch: Outlook) -> Tensor:
    return level_and_scale(batch.past, batch.observed)[1]


def seasonal_changes(train: OutlookWindows, lag: int) -> Float[Tensor, " series"]:
    r"""How far each series moves within a season of its training part: what MASE divides by.

    $$\frac1n \sum_t |x_t - x_{t - \ell}|$$

    Args:
        train: windows whose moments are the training part.
        lag: the season, 1 where there is none.

    Shape:
        returns (series).

    Example:
        >>> from chainrule.data import Panel
        >>> panel = Panel(
        ...     torch.arange(10.0), torch.ones(10).bool(), torch.zeros(10, 1), torch.tensor([0]), torch.tensor([10]),
        ...     torch.tensor([1]), torch.tensor([0]),
        ... )
        >>> seasonal_changes(OutlookWindows(panel, 3, 2, torch.tensor([3]), torch.tensor([6])), lag=2).tolist()
        [2.0]

    Reference:
        Hyndman and Koehler, Another look at measures of forecast accuracy, 2006.

    Differs:
        Nothing.
    """
    panel = train.panel
    found: list[Tensor] = []
    for start, last in zip(panel.starts.tolist(), train.last.tolist(), strict=True):
        places = slice(start, start + max(0, last + train.horizon))
        values, there = panel.values[places], panel.observed[places]
        both = there[lag:] & there[:-lag]
        found.append((values[lag:] - values[:-lag]).abs()[both].mean())
    return torch.stack(found)


def mase(
    answers: Float[Tensor, "window horizon quantile"],
    targets: Float[Tensor, "window horizon"],
    changes: Float[Tensor, " window"],
    middle: int,
) -> Tensor:
    r"""MASE: the middle quantile's mean absolute error, in mean seasonal changes of each window's own series.

    $$\frac1n \sum_i \frac{|y_i - \hat y_i|}{c_i}$$

    Args:
        answers: quantiles.
        targets: what came, not a number where nobody knows.
        changes: $c$, of the series of each window.
        middle: which quantile is the middle one.

    Shape:
        answers: (window, horizon, quantile); targets: (window, horizon); changes: (window); returns a scalar.

    Example:
        >>> mase(torch.tensor([[[1.0]]]), torch.tensor([[4.0]]), torch.tensor([2.0]), 0).item()
        1.5
    """
    shares = (targets - answers[..., middle]).abs() / changes[:, None]
    return shares[torch.isfinite(shares)].mean()
