"""Oracles: scikit-learn's ridge, series whose future is known, and the residuals' own quantiles."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge

from chainrule.data import OutlookWindows, Panel, generator
from chainrule.functional import coverage, level_and_scale, weighted_quantile_loss
from chainrule.recipes.series_rivals import mase, naive, rivals, seasonal_changes

QUANTILES = (0.1, 0.5, 0.9)


def windows(values: torch.Tensor, first: int, last: int, *, past: int = 8, stride: int = 1) -> OutlookWindows:
    count, length = values.shape
    panel = Panel(
        values=values.flatten(), observed=torch.ones(count * length).bool(), calendar=torch.zeros(count * length, 1),
        starts=torch.arange(count) * length, lengths=torch.full((count,), length), which=torch.arange(count) + 1,
        moments=torch.zeros(count, dtype=torch.int64),
    )  # fmt: skip
    ends = torch.full((count,), first), torch.full((count,), last)
    return OutlookWindows(panel, past, 3, *ends, stride=stride)


def wave(noise: float = 0.0) -> torch.Tensor:
    time = torch.arange(400.0)
    rows = torch.stack([torch.sin(time * np.pi / 2) + 3, 100 * torch.cos(time * np.pi / 2)])
    return rows + noise * rows.std(1, keepdim=True) * torch.randn(rows.shape, generator=generator(0))


def test_naive_forecasts_repeat_the_past() -> None:
    past = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    assert naive(past, 3, 1).tolist() == [[4.0, 4.0, 4.0]]
    assert naive(past, 5, 2).tolist() == [[3.0, 4.0, 3.0, 4.0, 3.0]]
    assert naive(past, 2, 4).tolist() == [[1.0, 2.0]]


def test_of_a_pure_season_the_seasonal_naive_forecast_is_right_and_sure() -> None:
    values = wave()
    said = rivals(windows(values, 8, 300), windows(values, 350, 390, stride=3), QUANTILES, season=4)
    assert set(said) == {"last value", "seasonal naive", "ridge on lags"}
    test = windows(values, 350, 390, stride=3)
    targets = test.at(torch.arange(test.size)).future
    losses = {name: float(weighted_quantile_loss(answers, targets, QUANTILES)) for name, answers in said.items()}
    assert losses["seasonal naive"] < 1e-4
    assert losses["ridge on lags"] < 0.02
    assert losses["last value"] > 0.2
    assert "seasonal naive" not in rivals(windows(values, 8, 300), test, QUANTILES, season=1)


def test_bands_hold_what_they_promise() -> None:
    values = wave(noise=0.3)
    test = windows(values, 320, 390)
    targets = test.at(torch.arange(test.size)).future
    for answers in rivals(windows(values, 8, 300), test, QUANTILES, season=4).values():
        torch.testing.assert_close(coverage(answers, targets), torch.tensor(QUANTILES), atol=0.08, rtol=0)


def test_ridge_is_that_of_scikit_learn() -> None:
    values = wave(noise=0.3)
    train, test = windows(values, 8, 300), windows(values, 350, 390)
    known, asked = train.at(torch.arange(train.size)), test.at(torch.arange(test.size))

    def numbers(batch: object) -> tuple[np.ndarray, torch.Tensor]:
        scale = level_and_scale(batch.past, batch.observed)[1]
        moved = (batch.past - batch.past[:, -1:]) / scale
        return torch.cat([moved, batch.calendar[:, 0], torch.ones(len(batch), 1)], 1).double().numpy(), scale

    inputs, scale = numbers(known)
    penalty = 1e-3 * np.diag(inputs.T @ inputs).mean()
    answers = ((known.future - known.past[:, -1:]) / scale).double().numpy()
    peer = Ridge(alpha=penalty, fit_intercept=False).fit(inputs, answers)
    own, own_scale = numbers(asked)
    expected = asked.past[:, -1:] + own_scale * torch.from_numpy(peer.predict(own)).float()
    said = rivals(train, test, (0.5,), season=1)["ridge on lags"][..., 0]
    mistakes = (known.future - (known.past[:, -1:] + scale * torch.from_numpy(peer.predict(inputs)).float())) / scale
    rows = train.series(torch.arange(train.size))
    middle = torch.stack([mistakes[rows == number].median(0).values for number in test.series(torch.arange(test.size))])
    torch.testing.assert_close(said, expected + own_scale * middle, atol=0.05, rtol=0.02)


def test_seasonal_changes_and_mase_by_hand() -> None:
    values = torch.stack([torch.arange(30.0), 10 * torch.arange(30.0)])
    changes = seasonal_changes(windows(values, 8, 20), lag=4)
    assert changes.tolist() == [4.0, 40.0]
    answers = torch.tensor([[[0.0, 1.0]], [[0.0, 1.0]]])
    targets = torch.tensor([[5.0], [torch.nan]])
    assert mase(answers, targets, changes, 1).item() == pytest.approx(1.0)
