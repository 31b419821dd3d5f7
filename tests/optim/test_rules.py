"""Oracle: torch.optim (not fused) step by step; the textbook's formulas written out; a parabola's minimum."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from chainrule.data import generator
from chainrule.errors import InputError
from chainrule.optim import AdamW, Rule, Sgd, WarmupCosine


def network() -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2)).double()


def slope(model: nn.Module, step: int) -> None:
    model.zero_grad()
    model(torch.randn(6, 3, dtype=torch.float64, generator=generator(3, step))).square().sum().backward()


RULES = [
    AdamW(),
    AdamW(lr=0.05, betas=(0.5, 0.9), eps=1e-4, weight_decay=0.2),
    AdamW(weight_decay=0.0),
    Sgd(lr=0.01),
    Sgd(lr=0.01, momentum=0.0),
    Sgd(lr=0.01, momentum=0.7, nesterov=True, weight_decay=0.1),
]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_equals_torch_step_by_step(rule: Rule) -> None:
    ours, theirs = network(), network()
    matrices = [weight for weight in theirs.parameters() if weight.ndim > 1]
    vectors = [weight for weight in theirs.parameters() if weight.ndim == 1]
    groups = [{"params": matrices, "weight_decay": rule.weight_decay}, {"params": vectors, "weight_decay": 0.0}]
    if isinstance(rule, AdamW):
        twin = torch.optim.AdamW(groups, lr=rule.lr, betas=rule.betas, eps=rule.eps, foreach=False)
    else:
        twin = torch.optim.SGD(groups, lr=rule.lr, momentum=rule.momentum, nesterov=rule.nesterov, foreach=False)
    optimizer = rule.build(ours)
    for step in range(10):
        slope(ours, step)
        slope(theirs, step)
        optimizer.step()
        twin.step()
        for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-13)


@settings(max_examples=40, deadline=None)
@given(
    start=st.floats(-3, 3),
    slopes=st.lists(st.floats(-2, 2).filter(lambda g: g == 0 or abs(g) > 1e-6), min_size=1, max_size=6),
    decay=st.sampled_from([0.0, 0.1]),
)
def test_adamw_is_the_docstrings_formula(start: float, slopes: list[float], decay: float) -> None:
    rule = AdamW(lr=0.1, betas=(0.8, 0.9), eps=1e-6, weight_decay=decay)
    layer = nn.Linear(1, 1, bias=False).double()
    with torch.no_grad():
        layer.weight.fill_(start)
    optimizer = rule.build(layer)
    weight = start
    first = second = 0.0
    for step, gradient in enumerate(slopes, 1):
        layer.weight.grad = torch.full((1, 1), gradient, dtype=torch.float64)
        optimizer.step()
        first = 0.8 * first + 0.2 * gradient
        second = 0.9 * second + 0.1 * gradient**2
        quotient = (first / (1 - 0.8**step)) / (math.sqrt(second / (1 - 0.9**step)) + 1e-6)
        weight -= 0.1 * (quotient + decay * weight)
    assert layer.weight.item() == pytest.approx(weight, rel=1e-9, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    start=st.floats(-3, 3),
    slopes=st.lists(st.floats(-2, 2), min_size=1, max_size=6),
    momentum=st.sampled_from([0.0, 0.5, 0.9]),
    decay=st.sampled_from([0.0, 0.1]),
)
def test_sgd_is_the_docstrings_formula(start: float, slopes: list[float], momentum: float, decay: float) -> None:
    layer = nn.Linear(1, 1, bias=False).double()
    with torch.no_grad():
        layer.weight.fill_(start)
    optimizer = Sgd(lr=0.1, momentum=momentum, weight_decay=decay).build(layer)
    weight, velocity = start, 0.0
    for gradient in slopes:
        layer.weight.grad = torch.full((1, 1), gradient, dtype=torch.float64)
        optimizer.step()
        velocity = momentum * velocity + gradient + decay * weight
        weight -= 0.1 * velocity
    assert layer.weight.item() == pytest.approx(weight, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("rule", [AdamW(lr=0.1, weight_decay=0.0), Sgd(lr=0.05)], ids=str)
def test_finds_the_bottom_of_a_parabola(rule: Rule) -> None:
    layer = nn.Linear(2, 1, bias=False).double()
    optimizer = rule.build(layer)
    target = torch.tensor([[1.5, -2.0]], dtype=torch.float64)
    for _ in range(400):
        layer.weight.grad = 2 * torch.tensor([[1.0, 5.0]]) * (layer.weight.detach() - target)
        optimizer.step()
    torch.testing.assert_close(layer.weight.detach(), target, atol=1e-4, rtol=0)


def test_only_matrices_decay_and_only_what_is_trainable_moves() -> None:
    model = network()
    model[0].requires_grad_(False)
    groups = AdamW(weight_decay=0.3).build(model).param_groups
    assert [(len(group["params"]), group["weight_decay"]) for group in groups] == [(1, 0.3), (3, 0.0)]


def test_no_empty_group() -> None:
    assert len(Sgd().build(nn.Linear(2, 2, bias=False)).param_groups) == 1


def test_a_model_without_trainable_parameters_is_refused() -> None:
    with pytest.raises(InputError, match=r"at least one trainable parameter. Got model='Linear'"):
        AdamW().build(nn.Linear(2, 2).requires_grad_(False))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: AdamW(lr=0.0), "`lr`"),
        (lambda: AdamW(lr=-1e-3), "`lr`"),
        (lambda: Sgd(lr=float("nan")), "`lr`"),
        (lambda: Sgd(lr=float("inf")), "`lr`"),
        (lambda: AdamW(betas=(0.9, 1.0)), "`betas`"),
        (lambda: AdamW(betas=(-0.1, 0.9)), "`betas`"),
        (lambda: AdamW(eps=-1e-8), "`eps`"),
        (lambda: AdamW(weight_decay=-0.1), "`weight_decay`"),
        (lambda: Sgd(weight_decay=float("nan")), "`weight_decay`"),
        (lambda: AdamW(clip=0.0), "`clip`"),
        (lambda: Sgd(clip=-1.0), "`clip`"),
        (lambda: Sgd(momentum=1.0), "`momentum`"),
        (lambda: Sgd(momentum=-0.1), "`momentum`"),
        (lambda: Sgd(momentum=0.0, nesterov=True), "`nesterov`"),
    ],
)
def test_settings_that_cannot_work_are_refused(build: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build()  # type: ignore[operator]


@pytest.mark.parametrize(
    "rule", [AdamW(lr=0.1, schedule=WarmupCosine()), Sgd(lr=0.1, schedule=WarmupCosine())], ids=str
)
def test_a_rule_is_stretched_with_its_schedule(rule: Rule) -> None:
    assert rule.over(30) == type(rule)(lr=0.1, schedule=WarmupCosine(30))
