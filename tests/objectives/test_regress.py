"""Oracles: the formula, its closed-form gradient, and the normal equations."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from chainrule.data import Table, generator
from chainrule.errors import InputError
from chainrule.objectives import Regress


@settings(max_examples=30, deadline=None)
@given(rows=st.integers(1, 6), outputs=st.integers(1, 4), seed=st.integers(0, 99))
def test_is_the_mean_of_the_squares_and_its_gradient(rows: int, outputs: int, seed: int) -> None:
    answers = torch.randn(rows, outputs, dtype=torch.float64, generator=generator(seed, 1)).requires_grad_()
    targets = torch.randn(rows, outputs, dtype=torch.float64, generator=generator(seed, 2))
    loss = Regress()(lambda _features: answers, Table(torch.zeros(rows, 1), targets))
    by_hand = sum((a - t) ** 2 for a, t in zip(answers.flatten().tolist(), targets.flatten().tolist(), strict=True))
    assert loss.value.item() == pytest.approx(by_hand / (rows * outputs), rel=1e-12)
    loss.value.backward()
    torch.testing.assert_close(answers.grad, 2 * (answers.detach() - targets) / (rows * outputs))


def test_at_the_least_squares_solution_the_gradient_vanishes() -> None:
    """Closed form: the normal equations, as torch.linalg.lstsq solves them."""
    features = torch.randn(20, 3, dtype=torch.float64, generator=generator(1))
    targets = torch.randn(20, 2, dtype=torch.float64, generator=generator(2))
    layer = nn.Linear(3, 2, bias=False).double()
    with torch.no_grad():
        layer.weight.copy_(torch.linalg.lstsq(features, targets).solution.T)
    Regress()(layer, Table(features, targets)).value.backward()
    torch.testing.assert_close(layer.weight.grad, torch.zeros_like(layer.weight), atol=1e-12, rtol=0)


def test_unequal_shapes_are_refused_where_torch_would_broadcast() -> None:
    batch = Table(torch.zeros(3, 2), torch.zeros(3))
    with pytest.raises(InputError, match=r"answers=\(3, 1\), targets=\(3,\)"):
        Regress()(nn.Linear(2, 1), batch)
    with pytest.raises(InputError, match=r"answers=\(3, 1\), targets=\(3,\)"):
        Regress().check(nn.Linear(2, 1), batch)


@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf])
def test_targets_that_are_not_finite_are_named_by_their_rows(bad: float) -> None:
    targets = torch.zeros(9, 2)
    targets[[2, 5], [0, 1]] = bad
    with pytest.raises(InputError, match=r"targets must be finite. Got rows=\[2, 5\]"):
        Regress().check(nn.Linear(2, 2), Table(torch.zeros(9, 2), targets))


def test_whole_numbers_are_no_measurements() -> None:
    with pytest.raises(InputError, match="floating point"):
        Regress().check(nn.Linear(2, 1), Table(torch.zeros(3, 2), torch.zeros(3, 1, dtype=torch.int64)))


def test_a_scale_makes_the_loss_a_share_of_the_variance():
    """Answering the mean costs one; the gradient is the plain one divided by the scale squared."""
    targets = 1000 * torch.randn(500, dtype=torch.float64) + 7
    scale = float(targets.std(unbiased=False))
    answers = targets.mean().expand(500).clone().requires_grad_()
    batch = Table(torch.zeros(500, 1), targets)
    scaled = Regress(scale=scale)(lambda _features: answers, batch).value
    assert scaled.item() == pytest.approx(1.0)
    plain = Regress()(lambda _features: answers, batch).value
    one, other = (torch.autograd.grad(value, answers)[0] for value in (scaled, plain))
    torch.testing.assert_close(one, other / scale**2)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), float("nan")])
def test_a_scale_is_positive(scale):
    with pytest.raises(InputError, match="`scale` must be a positive number"):
        Regress(scale=scale)
