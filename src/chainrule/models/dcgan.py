"""The deep convolutional GAN."""

import itertools

from torch import nn

from chainrule.errors import InputError
from chainrule.layers import Pixels
from chainrule.models.players import Players

_SMALLEST = 4


def dcgan(side: int, *, channels: int = 1, noise: int = 64, width: int = 32, pixels: Pixels | None = None) -> Players:
    r"""A convolutional generator and its mirror image, the critic; unconditional.

    $$\text{generator}: z \to w_k @ 4^2 \xrightarrow{\text{up}} w_{k-1} @ 8^2 \xrightarrow{\text{up}} \dots
      \xrightarrow{\text{up}} w_0 @ side^2 \xrightarrow{3\times3, \tanh} \text{picture}, \qquad w_i = 2^i\,width$$
    $$\text{critic}: \text{picture} \xrightarrow{3\times3} w_0 @ side^2 \xrightarrow{\text{down}} \dots
      \xrightarrow{\text{down}} w_k @ 4^2 \to s, \qquad side = 4 \cdot 2^k$$

    There is no normalisation. Under batch norm a score would depend on the whole batch, so that the gradient penalty
    (one gradient per example) would no longer mean what it says; a sample would depend on those drawn beside it; and
    averaged weights would meet running statistics of other weights. The penalty keeps the game stable instead.

    Args:
        side: height and width of the pictures: 4 doubled any number of times (8, 16, 32, ...).
        channels: 1 for grey, 3 for colours.
        noise: how many random numbers a picture is made of.
        width: $width$, feature maps at full size; they double with every halving of the side.
        pixels: turns stored pixels into numbers from -1 to 1; if `None`, as fits bytes from 0 to 255.

    Shape:
        examples: (batch, channels, side, side); returns the critic's scores: (batch).

    Example:
        >>> import torch
        >>> players = dcgan(32, width=4)
        >>> players.sample(2).shape, players(torch.zeros(2, 1, 32, 32, dtype=torch.uint8)).shape
        (torch.Size([2, 1, 32, 32]), torch.Size([2]))

    Reference:
        Radford, Metz and Chintala, Unsupervised Representation Learning with Deep Convolutional GANs, 2016.
        https://arxiv.org/abs/1511.06434

    Differs:
        No batch norm (above); leaky ReLU in the generator too; one more 3 x 3 convolution at full size in both;
        torch's own initial weights instead of N(0, 0.02), which without normalisation would be too small to start.
    """
    doublings = (side // _SMALLEST).bit_length() - 1
    if side < _SMALLEST or side != _SMALLEST << doublings or min(channels, width) < 1:
        raise InputError(
            "`side` must be 4 doubled any number of times, `channels` and `width` at least 1",
            advice="try side=32",
            side=side,
            channels=channels,
            width=width,
        )
    widths = [width << doubling for doubling in range(doublings + 1)]
    pixels = pixels or Pixels((127.5,) * channels, (127.5,) * channels)
    return Players(_generator(noise, widths, channels), _critic(widths, channels), noise=noise, pixels=pixels)


def _generator(noise: int, widths: list[int], channels: int) -> nn.Sequential:
    layers = nn.Sequential(
        nn.Linear(noise, widths[-1] * _SMALLEST**2),
        nn.Unflatten(1, (widths[-1], _SMALLEST, _SMALLEST)),
        nn.LeakyReLU(0.2),
    )
    for coarse, fine in itertools.pairwise(reversed(widths)):
        layers.extend([nn.ConvTranspose2d(coarse, fine, 4, stride=2, padding=1), nn.LeakyReLU(0.2)])
    return layers.extend([nn.Conv2d(widths[0], channels, 3, padding=1), nn.Tanh()])


def _critic(widths: list[int], channels: int) -> nn.Sequential:
    layers = nn.Sequential(nn.Conv2d(channels, widths[0], 3, padding=1), nn.LeakyReLU(0.2))
    for fine, coarse in itertools.pairwise(widths):
        layers.extend([nn.Conv2d(fine, coarse, 4, stride=2, padding=1), nn.LeakyReLU(0.2)])
    return layers.extend([nn.Flatten(), nn.Linear(widths[-1] * _SMALLEST**2, 1)])
