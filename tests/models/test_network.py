"""Invariants: the split into encoder and head changes nothing, and freezing freezes one side only."""

import torch
from torch import Tensor, nn

from chainrule.data import generator
from chainrule.models import Network

X = torch.randn(5, 3, generator=generator(1))


def test_the_answer_is_the_heads_on_the_embedding() -> None:
    encoder, head = nn.Sequential(nn.Linear(3, 4), nn.Tanh()), nn.Linear(4, 2)
    network = Network(encoder, head)
    assert torch.equal(network.embed(X), encoder(X))
    assert torch.equal(network(X), head(encoder(X)))
    assert torch.equal(network(X), nn.Sequential(encoder, head)(X))


def test_an_encoder_may_take_several_inputs() -> None:
    class Both(nn.Module):
        def forward(self, one: Tensor, other: Tensor) -> Tensor:
            return one + other

    network = Network(Both(), nn.Identity())
    assert torch.equal(network(X, X), 2 * X)
    assert torch.equal(network.embed(X, X), 2 * X)


def test_a_frozen_encoder_gets_no_gradient_and_the_head_does() -> None:
    network = Network(nn.Linear(3, 4), nn.Linear(4, 2))
    assert network.freeze_encoder() is network
    network(X).sum().backward()
    assert [weight.grad is None for weight in network.encoder.parameters()] == [True, True]
    assert [weight.grad is None for weight in network.head.parameters()] == [False, False]


def test_a_frozen_encoder_keeps_its_running_statistics_until_it_is_thawed() -> None:
    network = Network(nn.Sequential(nn.BatchNorm1d(3), nn.Dropout()), nn.Sequential(nn.Dropout())).freeze_encoder()
    for training in (True, False, True):
        assert network.train(training) is network
        assert [module.training for module in network.modules()] == [training, False, False, False, training, training]
    network(X)
    assert torch.equal(network.encoder[0].running_mean, torch.zeros(3))
    network.encoder.requires_grad_(True)
    assert all(module.training for module in network.train().modules())


def test_an_encoder_without_weights_is_not_a_frozen_one() -> None:
    network = Network(nn.Dropout(), nn.Linear(3, 2)).train()
    assert network.encoder.training


def test_the_head_can_be_swapped() -> None:
    network = Network(nn.Linear(3, 4), nn.Linear(4, 2))
    before = network.embed(X)
    network.head = nn.Linear(4, 7)
    assert torch.equal(network.embed(X), before)
    assert network(X).shape == (5, 7)
