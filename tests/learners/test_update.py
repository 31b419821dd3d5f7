"""Oracle: torch's own `clip_grad_norm_` and optimiser."""

import copy

import torch
from torch import nn

from chainrule.learners.update import follow, length
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
    torch.testing.assert_close(length(list(model.parameters())), flat.norm())


def test_follow_clips_and_sets_the_rate_as_torch_does():
    model = _with_gradients(1)
    twin = copy.deepcopy(model)
    for parameter, other in zip(model.parameters(), twin.parameters(), strict=True):
        other.grad = parameter.grad.clone()
    rule = AdamW(lr=0.1, weight_decay=0.0, clip=0.5, schedule=WarmupCosine(10, warmup=4))
    follow(Stepper(rule, model), length(list(model.parameters())), 1)
    torch.nn.utils.clip_grad_norm_(twin.parameters(), 0.5)
    torch.optim.AdamW(twin.parameters(), lr=0.1 * 2 / 4, weight_decay=0.0).step()
    for one, other in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(one, other)


def test_a_short_gradient_is_left_as_it_is():
    model = _with_gradients(2)
    before = [parameter.grad.clone() for parameter in model.parameters()]
    follow(Stepper(Sgd(lr=0.1, clip=1e6), model), length(list(model.parameters())), 0)
    for parameter, kept in zip(model.parameters(), before, strict=True):
        assert torch.equal(parameter.grad, kept)
