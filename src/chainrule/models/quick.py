"""A small residual network that learns as much as it can in minutes on a processor."""

import torch
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.layers import Pixels, Temperature
from chainrule.models.network import Network
from chainrule.models.resnet import ResidualBlock
from chainrule.shapes import Float

_SMALLEST = 8  # pixels: where the last stage ends
_HALVED = (20, 56)  # pixels: pictures of so many are halved in the stem, once and twice
_WIDEST = 4  # times the first width


class ChannelsLast(nn.Module):
    r"""Lays pictures out in memory with the channels of a pixel side by side; the numbers stay the same.

    $$y = x$$

    A processor's convolutions run up to twice as fast on pictures that lie so, and what they give lies so, too.

    Args:
        (none).

    Shape:
        pictures: (batch, channel, height, width); returns (batch, channel, height, width).

    Example:
        >>> ChannelsLast()(torch.zeros(1, 2, 3, 3)).stride()
        (18, 1, 6, 2)

    Reference:
        PyTorch, Channels Last Memory Format in PyTorch.
        https://docs.pytorch.org/tutorials/intermediate/memory_format_tutorial.html

    Differs:
        Nothing.
    """

    def forward(
        self, pictures: Float[Tensor, "batch channel height width"]
    ) -> Float[Tensor, "batch channel height width"]:
        """The same pictures, laid out anew."""
        return pictures.contiguous(memory_format=torch.channels_last)


def quick_stem(channels: int, width: int, *, halvings: int = 1) -> nn.Sequential:
    r"""The first layers: cheap where the picture is large, at full width where it has been halved.

    $$\text{stem}(x) = \text{ReLU}\big(\text{norm}(W_2 * \text{ReLU}(\text{norm}(\text{pool}_2(W_1 * x))))\big)$$

    Args:
        channels: of the picture.
        width: features going out; half as many between the two convolutions.
        halvings: how often height and width are halved: 0, 1 by pooling, 2 by a stride of the first convolution, too.

    Shape:
        pictures: (batch, channels, height, width); returns (batch, width, height / 2, width / 2).

    Example:
        >>> quick_stem(1, 64)(torch.zeros(1, 1, 28, 28)).shape
        torch.Size([1, 64, 14, 14])

    Reference:
        Coleman et al., DAWNBench, 2017, whose fastest networks on a small budget all begin so.

    Differs:
        Pooling comes before the norm, which then has a quarter of the numbers to go through.
    """
    if halvings not in (0, 1, 2):
        raise InputError("a stem halves the picture up to twice", advice="try 1", halvings=halvings)
    between = max(1, width // 2)
    first = nn.Conv2d(channels, between, 3, stride=2 if halvings == 2 else 1, padding=1, bias=False)
    second = nn.Conv2d(between, width, 3, padding=1, bias=False)
    for convolution in (first, second):
        nn.init.kaiming_normal_(convolution.weight, mode="fan_out", nonlinearity="relu")
    stem = nn.Sequential(first, ChannelsLast())
    if halvings:
        stem.append(nn.MaxPool2d(2))
    return stem.extend([nn.BatchNorm2d(between), nn.ReLU(), second, nn.BatchNorm2d(width), nn.ReLU()])


def quick_net(
    classes: int, size: tuple[int, int], *, channels: int = 3, width: int = 64, pixels: Pixels | None = None
) -> Network:
    r"""A stem, one residual block per halving of the picture, the mean over it, one linear layer.

    $$z_0 = \text{stem}(x), \quad z_\ell = \text{block}_\ell(z_{\ell-1}), \quad
      \hat y = \big(W\, \text{mean}(z_L) + b\big) / T$$

    Blocks are added until the picture has no more than 8 x 8 pixels; each but the first halves it and doubles the
    features, up to four times the width. For 28 x 28 grey pixels that is six convolutions and a projection. The head
    ends in a `Temperature`, for calibration after training.

    Args:
        classes: columns of the answer.
        size: height and width of the pictures.
        channels: of the picture, 3 for colours.
        width: features behind the stem.
        pixels: how stored pixels become numbers; taken as they are if `None`.

    Shape:
        pixels: (batch, channels, height, width), any number type; returns (batch, classes).

    Example:
        >>> model = quick_net(10, (28, 28), channels=1)
        >>> model(torch.zeros(2, 1, 28, 28, dtype=torch.uint8)).shape
        torch.Size([2, 10])
        >>> sum(parameter.numel() for parameter in model.parameters())
        324330

    Reference:
        He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition, 2016. https://arxiv.org/abs/1512.03385

    Differs:
        One block per stage, a stem that pools, and a stop to the doubling of features.
    """
    if min(classes, channels, width, *size) < 1:
        raise InputError(
            "a network's sizes must all be at least 1",
            advice="try width=64",
            classes=classes,
            size=size,
            channels=channels,
            width=width,
        )
    halvings = sum(max(size) >= least for least in _HALVED)
    stem = quick_stem(channels, width, halvings=halvings)
    encoder = nn.Sequential(pixels or Pixels(), stem, ResidualBlock(width, width))
    side, features = max(size) >> halvings, width
    while side > _SMALLEST or features == width:
        after = min(2 * features, _WIDEST * width)
        encoder.append(ResidualBlock(features, after, stride=2))
        side, features = -(-side // 2), after
    encoder.extend([nn.AdaptiveAvgPool2d(1), nn.Flatten()])
    return Network(encoder, nn.Sequential(nn.Linear(features, classes), Temperature()))
