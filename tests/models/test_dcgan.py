"""Oracles: layer arithmetic by hand, and the critic's indifference to who else is in the batch."""

import pytest
import torch
from torch import nn

from chainrule.errors import InputError
from chainrule.layers import Pixels
from chainrule.models import dcgan


@pytest.mark.parametrize(("side", "channels"), [(4, 1), (8, 1), (16, 3), (64, 3)])
def test_shapes(side, channels):
    players = dcgan(side, channels=channels, noise=5, width=2)
    pictures = players.sample(3)
    assert pictures.shape == (3, channels, side, side)
    assert players(pictures).shape == (3,)
    assert players(pictures.to(torch.uint8)).shape == (3,)


def test_parameters_by_hand():
    """side 8, width w: the generator's z -> 2w 4^2, 4 x 4 up to w 8^2, 3 x 3 to 1; the critic the other way."""
    noise, w = 64, 32
    generator = (noise + 1) * 2 * w * 16 + 2 * w * w * 16 + w + w * 9 + 1
    critic = 9 * w + w + w * 2 * w * 16 + 2 * w + 2 * w * 16 + 1
    players = dcgan(8, noise=noise, width=w)
    assert sum(weight.numel() for weight in players.generator.parameters()) == generator
    assert sum(weight.numel() for weight in players.critic.parameters()) == critic


def test_samples_are_in_stored_units():
    players = dcgan(8, width=4, pixels=Pixels((8.0,), (8.0,)))
    with torch.no_grad():
        players.generator[-2].bias.fill_(50.0)  # tanh at its end
        assert players.sample(2).unique().tolist() == [16.0]
        players.generator[-2].bias.fill_(-50.0)
        assert players.sample(2).unique().tolist() == [0.0]
    assert dcgan(8, width=4, channels=3).pixels.mean.flatten().tolist() == [127.5] * 3


def test_every_example_is_scored_and_made_alone():
    """No batch norm: neither a score nor a sample depends on its neighbours, in training mode either."""
    players = dcgan(8, width=4).train().double()
    assert not any(isinstance(module, nn.modules.batchnorm._BatchNorm) for module in players.modules())
    pictures = (255 * torch.rand(6, 1, 8, 8)).double()
    torch.testing.assert_close(players(pictures)[2:3], players(pictures[2:3]))
    noise = torch.randn(6, 64, dtype=torch.float64)
    torch.testing.assert_close(players.generator(noise)[2:3], players.generator(noise[2:3]))


@pytest.mark.parametrize("side", [0, 2, 12, 28])
def test_a_side_that_cannot_be_halved_to_four_is_refused(side):
    with pytest.raises(InputError, match=f"4 doubled any number of times.*side={side}"):
        dcgan(side)
