"""Oracles: the formula as a slow loop, and the quantile of the data, which minimises it."""

import math

import pytest
import torch
from torch import nn

from chainrule.data import Outlook, Table, generator
from chainrule.errors import InputError
from chainrule.objectives import Quantile

SHARES = (0.1, 0.5, 0.9)


def outlook(rows: int = 4, *, hidden: tuple[int, int] | None = None) -> Outlook:
    future = torch.randn(rows, 3, dtype=torch.float64, generator=generator(1))
    if hidden:
        future[hidden] = torch.nan
    past = 5 * torch.randn(rows, 6, dtype=torch.float64, generator=generator(2))
    observed = torch.ones(rows, 6, dtype=torch.float64)
    observed[0, :3] = 0
    empty = torch.zeros(rows, 3, 1, dtype=torch.float64)
    return Outlook(past, observed, empty, torch.zeros(rows).long(), future, torch.arange(rows))


def slow_loss(answers: torch.Tensor, batch: Outlook) -> float:
    """The docstring's formula, target by target."""
    total, count = 0.0, 0
    for row in range(len(batch)):
        seen = [float(x) for x, there in zip(batch.past[row], batch.observed[row], strict=True) if there]
        level = sum(seen) / len(seen)
        scale = sum(abs(x - level) for x in seen) / len(seen)
        for step, target in enumerate(batch.future[row].tolist()):
            if math.isnan(target):
                continue
            missed = [target - float(answer) for answer in answers[row, step]]
            costs = [max(q * miss, (q - 1) * miss) for q, miss in zip(SHARES, missed, strict=True)]
            total += min(30.0, sum(costs) / len(SHARES) / scale)
            count += 1
    return total / count


@pytest.mark.parametrize("hidden", [None, (1, 2)])
def test_is_the_formula(hidden: tuple[int, int] | None) -> None:
    batch = outlook(hidden=hidden)
    answers = torch.randn(4, 3, 3, dtype=torch.float64, generator=generator(3)).sort(-1).values
    loss = Quantile(SHARES)(lambda *_inputs: answers, batch)
    assert loss.value.item() == pytest.approx(slow_loss(answers, batch), rel=1e-5)
    known = ~batch.future.isnan()
    inside = (answers[..., 0] <= batch.future) & (batch.future <= answers[..., 2])
    assert loss.metrics["within"].item() == pytest.approx(float(inside[known].double().mean()))


def test_a_hidden_target_has_no_gradient() -> None:
    batch = outlook(hidden=(1, 2))
    answers = torch.zeros(4, 3, 3, dtype=torch.float64, requires_grad=True)
    Quantile(SHARES)(lambda *_inputs: answers, batch).value.backward()
    assert answers.grad is not None
    assert torch.isfinite(answers.grad).all()
    assert not answers.grad[1, 2].any()
    assert answers.grad[1, 1].any()


def test_it_is_least_at_the_quantiles_of_the_data() -> None:
    """Windows of one past and many futures: descent ends at the futures' own quantiles."""
    rows = 999
    future = torch.randn(rows, 1, generator=generator(5))
    batch = Outlook(
        torch.tensor([[-1.0, 1.0]]).repeat(rows, 1), torch.ones(rows, 2), torch.zeros(rows, 1, 1),
        torch.zeros(rows).long(), future, torch.arange(rows),
    )  # fmt: skip
    answer = nn.Parameter(torch.zeros(3))
    optimizer = torch.optim.Adam([answer], lr=0.02)
    for _ in range(400):
        optimizer.zero_grad()
        Quantile(SHARES)(lambda *_inputs: answer.expand(rows, 1, 3), batch).value.backward()
        optimizer.step()
    torch.testing.assert_close(answer.detach(), future[:, 0].quantile(torch.tensor(SHARES)), atol=0.1, rtol=0)


def test_a_past_that_never_moved_does_not_drown_the_rest() -> None:
    batch = outlook()
    still = batch.each(torch.clone)
    still.past[1] = 0.0
    assert Quantile(SHARES)(lambda *_inputs: torch.zeros(4, 3, 3, dtype=torch.float64), still).value < 10


@pytest.mark.parametrize("quantiles", [(), (0.5, 0.5), (0.9, 0.1), (0.0, 0.5), (0.5, 1.0)])
def test_quantiles_rise_between_zero_and_one(quantiles: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match="`quantiles` must rise"):
        Quantile(quantiles)


@pytest.mark.usefixtures("unchecked")
def test_check_says_what_does_not_fit() -> None:
    batch = outlook()
    with pytest.raises(InputError, match="windows of series"):
        Quantile(SHARES).check(nn.Linear(2, 1), Table(torch.zeros(2, 2), torch.zeros(2)))
    with pytest.raises(InputError, match="one number per target and quantile"):
        Quantile(SHARES).check(lambda *_inputs: torch.zeros(4, 3), batch)
    nothing = batch.each(torch.clone)
    nothing.future.fill_(torch.nan)
    with pytest.raises(InputError, match="at least one known target"):
        Quantile(SHARES).check(lambda *_inputs: torch.zeros(4, 3, 3), nothing)
