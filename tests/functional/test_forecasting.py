"""Oracles: the formulas as loops, and the quantile itself, which no other number beats."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chainrule.data import generator
from chainrule.errors import InputError
from chainrule.functional import coverage, level_and_scale, pinball, weighted_quantile_loss

QUANTILES = (0.1, 0.5, 0.9)


def slow_pinball(answer: float, target: float, share: float) -> float:
    return share * (target - answer) if target > answer else (1 - share) * (answer - target)


def drawn(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    return (
        torch.randn(3, 4, 3, dtype=torch.float64, generator=generator(seed)),
        torch.randn(3, 4, dtype=torch.float64, generator=generator(seed, 1)),
    )


@given(st.integers(0, 1000))
def test_pinball_is_the_formula(seed: int) -> None:
    answers, targets = drawn(seed)
    costs = pinball(answers, targets, QUANTILES)
    for place, share in enumerate(QUANTILES):
        for row in range(3):
            for step in range(4):
                expected = slow_pinball(float(answers[row, step, place]), float(targets[row, step]), share)
                assert float(costs[row, step, place]) == pytest.approx(expected, abs=1e-12)


def test_no_number_costs_less_than_the_quantile() -> None:
    values = torch.randn(501, generator=generator(2))
    for share in (0.1, 0.5, 0.8):
        tried = torch.linspace(-3, 3, 601)
        costs = torch.stack([pinball(one.expand(501, 1), values, (share,)).mean() for one in tried])
        assert float(tried[costs.argmin()]) == pytest.approx(float(values.quantile(share)), abs=0.02)


@given(st.integers(0, 1000))
def test_weighted_quantile_loss_is_the_formula_and_leaves_out_what_nobody_knows(seed: int) -> None:
    answers, targets = drawn(seed)
    targets[0, 0] = torch.nan
    pairs = [(row, step) for row in range(3) for step in range(4) if (row, step) != (0, 0)]
    size = sum(abs(float(targets[pair])) for pair in pairs)
    each = [
        2 * sum(slow_pinball(float(answers[pair][place]), float(targets[pair]), share) for pair in pairs) / size
        for place, share in enumerate(QUANTILES)
    ]
    assert float(weighted_quantile_loss(answers, targets, QUANTILES)) == pytest.approx(sum(each) / 3)


def test_of_the_true_quantiles_as_many_lie_below_as_they_say() -> None:
    """A normal distribution's own quantiles."""
    targets = torch.randn(20_000, generator=generator(3))
    true = torch.distributions.Normal(0.0, 1.0).icdf(torch.tensor(QUANTILES))
    torch.testing.assert_close(coverage(true.expand(20_000, 3), targets), torch.tensor(QUANTILES), atol=0.01, rtol=0)


def test_level_and_scale_see_only_what_was_observed() -> None:
    past = torch.tensor([[99.0, 1.0, 3.0, -50.0], [5.0, 5.0, 5.0, 5.0]])
    observed = torch.tensor([[0.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
    level, scale = level_and_scale(past, observed)
    torch.testing.assert_close(level, torch.tensor([[2.0], [5.0]]))
    torch.testing.assert_close(scale, torch.tensor([[1.0 + 2e-6], [5e-6]]))


@given(st.floats(0.1, 1e4), st.floats(-1e3, 1e3))
def test_level_and_scale_move_with_the_units(factor: float, shift: float) -> None:
    past = torch.randn(2, 9, dtype=torch.float64, generator=generator(4))
    observed = torch.ones_like(past)
    level, scale = level_and_scale(past, observed)
    moved_level, moved_scale = level_and_scale(factor * past + shift, observed)
    torch.testing.assert_close(moved_level, factor * level + shift, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(moved_scale, factor * scale, rtol=1e-2, atol=2e-6 * (abs(shift) + factor))


@pytest.mark.usefixtures("unchecked")
def test_answers_of_a_wrong_shape_are_refused() -> None:
    with pytest.raises(InputError, match="one number per target and quantile"):
        pinball(torch.zeros(3, 2), torch.zeros(3), QUANTILES)
