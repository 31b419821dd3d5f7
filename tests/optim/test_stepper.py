"""Oracle: torch's own optimiser step, bit for bit on the fused path and closely where torch has to loop."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from chainrule.data import generator
from chainrule.errors import InputError
from chainrule.optim import AdamW, Rule, Sgd, Stepper

RULES = [
    AdamW(lr=0.05, weight_decay=0.2),
    Sgd(lr=0.05, momentum=0.0),
    Sgd(lr=0.05, momentum=0.9, weight_decay=0.1),
    Sgd(lr=0.05, momentum=0.9, nesterov=True),
]


class Branches(nn.Module):
    """Two layers, of which a step may use one alone: parameters with a gradient at some steps only."""

    def __init__(self, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(1)
            self.layers = nn.ModuleList([nn.Linear(3, 2), nn.Linear(3, 2)]).to(dtype)

    def forward(self, features: Tensor, used: str) -> Tensor:
        return sum((self.layers[int(name)](features) for name in used), start=torch.zeros(()))


def slope(model: nn.Module, step: int, used: str) -> None:
    features = torch.randn(4, 3, generator=generator(2, step))
    model(features, used).square().sum().backward()


def rate(step: int) -> float:
    return 0.05 / (1 + step)


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_equals_torchs_fused_step_bit_for_bit(rule: Rule) -> None:
    ours, theirs = Branches(), Branches()
    stepper, optimizer = Stepper(rule, ours), rule.build(theirs)
    for step in range(8):
        stepper.clear()
        optimizer.zero_grad()
        slope(ours, step, "01")
        slope(theirs, step, "01")
        stepper.step(rate(step))
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        optimizer.step()
        assert all(torch.equal(a, b) for a, b in zip(ours.parameters(), theirs.parameters(), strict=True))


def plain(rule: Rule, model: nn.Module) -> torch.optim.Optimizer:
    groups = [
        {"params": [w for w in model.parameters() if w.ndim > 1], "weight_decay": rule.weight_decay},
        {"params": [w for w in model.parameters() if w.ndim == 1], "weight_decay": 0.0},
    ]
    if isinstance(rule, AdamW):
        return torch.optim.AdamW(groups, lr=rule.lr, betas=rule.betas, eps=rule.eps, foreach=False)
    return torch.optim.SGD(groups, lr=rule.lr, momentum=rule.momentum, nesterov=rule.nesterov, foreach=False)


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("uses", ["0 01 01 1 01 0", "01 0 01 01", "0 1 0 1 01", "0 0 0 01"])
def test_parameters_may_have_a_gradient_at_some_steps_only(rule: Rule, uses: str) -> None:
    ours, theirs = Branches(), Branches()
    stepper, twin = Stepper(rule, ours), plain(rule, theirs)
    for step, used in enumerate(uses.split()):
        stepper.clear()
        twin.zero_grad()
        slope(ours, step, used)
        slope(theirs, step, used)
        stepper.step(rule.lr)
        twin.step()
        for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("stop", [0, 1, 3])
def test_goes_on_from_its_state_bit_for_bit(rule: Rule, stop: int) -> None:
    def steps(stepper: Stepper, model: nn.Module, first: int, last: int) -> None:
        for step in range(first, last):
            stepper.clear()
            slope(model, step, "01")
            stepper.step(rate(step))

    straight = Branches()
    steps(Stepper(rule, straight), straight, 0, 6)
    before = Branches()
    stepper = Stepper(rule, before)
    steps(stepper, before, 0, stop)
    after = Branches()
    after.load_state_dict(before.state_dict())
    resumed = Stepper(rule, after)
    resumed.load_state_dict(copy.deepcopy(stepper.state_dict()))
    steps(resumed, after, stop, 6)
    assert all(torch.equal(a, b) for a, b in zip(after.parameters(), straight.parameters(), strict=True))


def mixed_kinds(model: Branches) -> None:
    model.layers[1].double()


def one_kind(model: Branches) -> None:
    model.double()


@pytest.mark.parametrize("change", [mixed_kinds, one_kind])
@pytest.mark.parametrize("rule", RULES, ids=str)
def test_kinds_of_numbers_may_be_mixed(rule: Rule, change: Callable[[Branches], None]) -> None:
    def gradients(model: Branches, step: int) -> None:
        for parameter in model.parameters():
            parameter.grad = torch.randn(parameter.shape, generator=generator(4, step)).to(parameter.dtype)

    ours, theirs = Branches(), Branches()
    change(ours)
    change(theirs)
    stepper, twin = Stepper(rule, ours), plain(rule, theirs)
    for step in range(4):
        gradients(ours, step)
        gradients(theirs, step)
        stepper.step(rule.lr)
        twin.step()
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-7)


def test_clear_forgets_the_gradients() -> None:
    model = Branches()
    stepper = Stepper(AdamW(), model)
    slope(model, 0, "01")
    stepper.clear()
    assert [parameter.grad for parameter in model.parameters()] == [None] * 4


def test_frozen_parameters_are_not_among_its_own() -> None:
    model = Branches()
    model.layers[0].requires_grad_(False)
    names: Any = {id(parameter) for parameter in Stepper(Sgd(), model).parameters}
    assert names == {id(parameter) for parameter in model.layers[1].parameters()}


@pytest.mark.parametrize(
    ("rule", "name"), [(AdamW(), "exp_avg"), (AdamW(), "exp_avg_sq"), (AdamW(), "step"), (Sgd(), "momentum_buffer")]
)
@pytest.mark.parametrize("shape", [(1,), (7, 11), (10_000,)])
def test_averages_of_another_shape_are_refused(rule: Rule, name: str, shape: tuple[int, ...]) -> None:
    """Or torch's kernel would write past their end: a checkpoint could do that."""
    model = Branches()
    stepper = Stepper(rule, model)
    slope(model, 0, "01")
    stepper.step(rule.lr)
    state = copy.deepcopy(stepper.state_dict())
    state[0][name] = torch.zeros(shape)
    with pytest.raises(InputError, match="the shapes of their weights"):
        stepper.load_state_dict(state)
