"""Oracles: the paper's table of sizes and parameters, and the layers applied one by one with torch's functions."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import nn

from chainrule.data import generator
from chainrule.errors import InputError
from chainrule.layers import Pixels
from chainrule.models import lenet5

PICTURES = torch.rand(2, 1, 32, 32, generator=generator(1))


def test_every_layer_has_the_papers_size() -> None:
    shapes = []
    network = lenet5()
    for layer in network.encoder:
        layer.register_forward_hook(lambda _module, _inputs, output: shapes.append(tuple(output.shape[1:])))
    network(PICTURES)
    assert list(dict.fromkeys(shapes)) == [
        (1, 32, 32), (6, 28, 28), (6, 14, 14), (16, 10, 10), (16, 5, 5), (400,), (120,), (84,),
    ]  # fmt: skip


def test_parameters_layer_by_layer() -> None:
    """Closed form: kernels times channels, plus biases."""
    counts = [
        sum(parameter.numel() for parameter in module.parameters())
        for module in lenet5().modules()
        if isinstance(module, nn.Conv2d | nn.Linear)
    ]
    assert counts == [6 * (25 + 1), 16 * (6 * 25 + 1), 120 * (400 + 1), 84 * (120 + 1), 10 * (84 + 1)]


def test_equals_its_layers_one_by_one() -> None:
    network = lenet5().double()
    weights = [parameter.double() for parameter in network.parameters()]
    values = F.avg_pool2d(torch.tanh(F.conv2d(PICTURES.double(), weights[0], weights[1])), 2)
    values = F.avg_pool2d(torch.tanh(F.conv2d(values, weights[2], weights[3])), 2).flatten(1)
    values = torch.tanh(F.linear(values, weights[4], weights[5]))
    embedding = torch.tanh(F.linear(values, weights[6], weights[7]))
    torch.testing.assert_close(network.embed(PICTURES), embedding)
    torch.testing.assert_close(network(PICTURES), F.linear(embedding, weights[8], weights[9]))


def test_takes_the_pixels_it_is_told() -> None:
    network = lenet5(classes=4, channels=3, pixels=Pixels((1.0, 2.0, 3.0), (1.0, 1.0, 1.0), side=32))
    assert network(torch.zeros(2, 3, 8, 8, dtype=torch.uint8)).shape == (2, 4)


@pytest.mark.parametrize("settings", [{"classes": 0}, {"classes": -1}, {"channels": 0}])
def test_settings_that_cannot_work_are_refused(settings: dict[str, int]) -> None:
    with pytest.raises(InputError, match="`classes` and `channels`"):
        lenet5(**settings)
