"""Temperatures: softmax of divided scores, and a least cross-entropy that a slow search over a grid confirms."""

import math

import pytest
import torch
from torch import nn

from chainrule import InputError
from chainrule.layers import Temperature, best_temperature


def cross_entropy(scores: torch.Tensor, labels: torch.Tensor, temperature: float) -> float:
    return float(nn.functional.cross_entropy(scores.double() / temperature, labels))


@pytest.mark.parametrize("sharpened", [0.3, 1.0, 4.0])
def test_the_best_temperature_undoes_what_sharpened_the_scores(sharpened):
    torch.manual_seed(0)
    true = torch.randn(20_000, 5) * 2
    labels = torch.distributions.Categorical(logits=true).sample()
    found = best_temperature(true * sharpened, labels)
    assert found == pytest.approx(sharpened, rel=0.03)  # of the labels' own chance
    grid = [math.exp(step / 50) for step in range(-100, 120)]
    least = min(grid, key=lambda each: cross_entropy(true * sharpened, labels, each))
    assert found == pytest.approx(least, rel=0.025)  # the grid's own step


def test_two_classes_have_a_closed_form():
    scores = torch.tensor([[3.0, 0.0]] * 10)  # right in 8 of 10: 3 / T = log 4
    labels = torch.tensor([0] * 8 + [1] * 2)
    assert best_temperature(scores, labels) == pytest.approx(3 / math.log(4), rel=1e-6)


def test_answers_stay_and_a_state_dict_carries_it():
    layer, other, scores = Temperature(), Temperature(), torch.randn(7, 3)
    layer.set_to(2.5)
    torch.testing.assert_close(layer(scores), scores / 2.5)
    other.load_state_dict(layer.state_dict())
    assert torch.equal(other(scores), layer(scores))
    assert torch.equal(layer(scores).argmax(1), scores.argmax(1))
    assert "2.5" in repr(layer)


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.inf, math.nan])
def test_a_temperature_is_positive(wrong):
    with pytest.raises(InputError, match="a temperature must be positive"):
        Temperature().set_to(wrong)


def test_nothing_cannot_be_calibrated():
    with pytest.raises(InputError, match="must pair up"):
        best_temperature(torch.zeros(0, 2), torch.zeros(0, dtype=torch.int64))
