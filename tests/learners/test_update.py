"""Oracle: torch's own `clip_grad_norm_` and optimiser."""

import copy
import math

import pytest
import torch
from torch import nn

from chainrule.learners.update import follow, healthy, length
from chainrule.optim import AdamW, Sgd, Stepper, WarmupCosine


def _with_gradients(seed: int) -> nn.Module:
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    model(torch.randn(5, 3)).square().sum().backward()
    return model


def test_length_is_that_of_all_gradients_together():
    model = _with_gradients(0)
    model.extra = nn.Parameter(torch.ones(2))  # without a gradient it takes no part
    flat = torch.cat([parameter.grad.flatten() for parameter in model.parameters() if parameter.grad is not None])
    torch.testing.assert_close(length(Stepper(Sgd(), model).gradients()), flat.norm())


def test_follow_clips_and_sets_the_rate_as_torch_does():
    model = _with_gradients(1)
    twin = copy.deepcopy(model)
    for parameter, other in zip(model.parameters(), twin.parameters(), strict=True):
        other.grad = parameter.grad.clone()
    rule = AdamW(lr=0.1, weight_decay=0.0, clip=0.5, schedule=WarmupCosine(10, warmup=4))
    stepper = Stepper(rule, model)
    follow(stepper, length(stepper.gradients()), rule.lr * rule.schedule.scale(1))
    torch.nn.utils.clip_grad_norm_(twin.parameters(), 0.5)
    torch.optim.AdamW(twin.parameters(), lr=0.1 * 2 / 4, weight_decay=0.0).step()
    for one, other in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(one, other)


def test_a_short_gradient_is_left_as_it_is():
    model = _with_gradients(2)
    before = [parameter.grad.clone() for parameter in model.parameters()]
    stepper = Stepper(Sgd(lr=0.1, clip=1e6), model)
    follow(stepper, length(stepper.gradients()), 0.1)
    for parameter, kept in zip(model.parameters(), before, strict=True):
        assert torch.equal(parameter.grad, kept)


@pytest.mark.parametrize("loss", [1.0, math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("norm", [1.0, math.inf, math.nan])
@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.bfloat16])
def test_healthy_is_one_where_both_are_finite(norm: float, loss: float, kind: torch.dtype):
    """Oracle: math.isfinite."""
    good = healthy(torch.tensor(norm), torch.tensor(loss, dtype=kind))
    assert good.dtype == torch.float32
    assert good.item() == float(math.isfinite(norm) and math.isfinite(loss))


@pytest.mark.parametrize("rule", [AdamW(lr=0.1), Sgd(lr=0.1, momentum=0.9), Sgd(lr=0.1, momentum=0.0)], ids=str)
def test_a_bad_step_moves_nothing(rule: AdamW | Sgd):
    """Invariant: weights and averages are the same bits; and a good one is that of a step that was not asked."""
    model, twin = _with_gradients(3), _with_gradients(3)
    stepper, plain = Stepper(rule, model), Stepper(rule, twin)
    for stepping in (stepper, plain):
        stepping.step(0.1)
    before = copy.deepcopy([model.state_dict(), stepper.state_dict()])
    stepper.step(torch.tensor(0.1), torch.tensor(1.0))
    assert _same(before, [model.state_dict(), stepper.state_dict()])
    for counter in stepper.counters():
        counter.add_(1)
    stepper.step(torch.tensor(0.1), torch.tensor(0.0))
    plain.step(torch.tensor(0.1))
    assert _same([twin.state_dict(), plain.state_dict()], [model.state_dict(), stepper.state_dict()])


def _same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor):
        return isinstance(other, torch.Tensor) and torch.equal(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return all(map(_same, one, other))
    return False
