"""What every update rule promises: it converges, equals torch step by step, and is a frozen value."""

import copy
import dataclasses

import pytest
import torch
from torch import nn

from chainrule.optim import Stepper
from contracts.entry import Rule
from contracts.roster import Subject, each
from contracts.sameness import made


class _Parabola(nn.Module):
    """A bowl three times as steep one way as the other."""

    def __init__(self) -> None:
        super().__init__()
        self.place = nn.Parameter(torch.tensor([[3.0, -2.0]]))
        self.register_buffer("steepness", torch.tensor([[1.0, 3.0]]))

    def forward(self) -> torch.Tensor:
        return (self.steepness * (self.place - 1.0).square()).sum()


@each("parabola", Rule)
def test_parabola(subject: Subject):
    rule = dataclasses.replace(made(subject.entry.build), weight_decay=0.0)
    bowl = _Parabola()
    optimizer = rule.build(bowl)
    start = bowl().item()
    for _ in range(500):
        optimizer.zero_grad()
        bowl().backward()
        optimizer.step()
    assert bowl().item() < 1e-4 * start


@each("twin", Rule)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_twin(subject: Subject, dtype: torch.dtype):
    """Ten steps on random gradients: torch's own optimiser, ours, and ours called directly."""
    rule = made(subject.entry.build)
    model = made(lambda: nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))).to(dtype)
    twin, ours, direct = model, copy.deepcopy(model), copy.deepcopy(model)
    expected, built, stepper = subject.entry.twin(twin), rule.build(ours), Stepper(rule, direct)
    for step in range(10):
        torch.manual_seed(step)
        gradients = [torch.randn_like(parameter) for parameter in model.parameters()]
        for network in (twin, ours, direct):
            for parameter, gradient in zip(network.parameters(), gradients, strict=True):
                parameter.grad = gradient.clone()
        expected.step()
        built.step()
        stepper.step(rule.lr)
        for one, two, three in zip(twin.parameters(), ours.parameters(), direct.parameters(), strict=True):
            torch.testing.assert_close(two, one)
            assert torch.equal(two, three)


@each("frozen_rule", Rule)
def test_frozen_rule(subject: Subject):
    rule = made(subject.entry.build)
    assert hash(rule) == hash(made(subject.entry.build))
    assert rule == made(subject.entry.build)
    with pytest.raises(dataclasses.FrozenInstanceError):
        rule.lr = 1.0
