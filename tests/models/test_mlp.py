"""Oracles: the formula with plain matrices, and the count of parameters in closed form."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from chainrule.data import generator
from chainrule.errors import InputError
from chainrule.models import mlp

SIZES = st.lists(st.integers(1, 6), min_size=2, max_size=5).map(tuple)


@settings(max_examples=30, deadline=None)
@given(sizes=SIZES, batch=st.integers(1, 4))
def test_is_the_formula(sizes: tuple[int, ...], batch: int) -> None:
    network = mlp(sizes, activation=nn.Tanh).double()
    features = torch.randn(batch, sizes[0], dtype=torch.float64, generator=generator(1))
    layers = [module for module in network.modules() if isinstance(module, nn.Linear)]
    values = features
    for layer in layers[:-1]:
        values = torch.tanh(values @ layer.weight.T + layer.bias)
    torch.testing.assert_close(network.embed(features), values)
    torch.testing.assert_close(network(features), values @ layers[-1].weight.T + layers[-1].bias)


@given(sizes=SIZES)
def test_has_a_matrix_and_a_bias_per_pair_of_layers(sizes: tuple[int, ...]) -> None:
    counted = sum(parameter.numel() for parameter in mlp(sizes).parameters())
    assert counted == sum((before + 1) * after for before, after in itertools.pairwise(sizes))


def test_pictures_are_flattened() -> None:
    network = mlp((12, 5, 2))
    pixels = torch.randn(3, 1, 3, 4, generator=generator(2))
    assert torch.equal(network(pixels), network(pixels.flatten(1)))


def test_a_rectifier_network_is_linear_between_its_kinks() -> None:
    """mannheim:F44: along a line its slope changes at kinks only, at most one per hidden unit."""
    network = mlp((1, 8, 1)).double()
    line = torch.linspace(-4, 4, 4001, dtype=torch.float64)[:, None]
    bends = network(line).flatten().diff().diff().abs() > 1e-9
    kinks = sum(1 for bent, _ in itertools.groupby(bends.tolist()) if bent)
    assert kinks <= 8


def test_without_hidden_layer_it_is_linear() -> None:
    network = mlp((4, 2))
    x, y = torch.randn(2, 3, 4, generator=generator(3))
    torch.testing.assert_close(network(x) + network(y) - network(x + y), network(torch.zeros(3, 4)))


@pytest.mark.parametrize("sizes", [(), (3,), (3, 0), (-1, 2)])
def test_sizes_that_cannot_work_are_refused(sizes: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="`sizes`"):
        mlp(sizes)
