"""Residual networks: deep stacks of convolutions in which every block adds to what it was given."""

from collections.abc import Callable, Sequence

import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.layers import Pixels
from chainrule.models.network import Network
from chainrule.shapes import Float


class ResidualBlock(nn.Module):
    r"""Adds to a picture what two convolutions make of it, so that doing nothing is easy to learn.

    $$y = \text{ReLU}\big(s(x) + f(x)\big), \qquad
      f(x) = \text{norm}\big(W_2 * \text{ReLU}(\text{norm}(W_1 * x))\big)$$

    The shortcut $s$ is $x$ itself where $f$ keeps its size, and else a 1 x 1 convolution with a norm. Behind a ReLU no
    number is negative: there, a block whose $f$ is zero changes nothing.

    Args:
        before: features coming in.
        after: features going out.
        stride: of the first convolution and of the shortcut; 2 halves the picture.

    Shape:
        pictures: (batch, before, height, width); returns (batch, after, rows, columns).

    Example:
        >>> import torch
        >>> ResidualBlock(4, 8, stride=2)(torch.zeros(1, 4, 6, 6)).shape
        torch.Size([1, 8, 3, 3])

    Reference:
        He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition, 2016, sections 3.1 to 3.3.
        https://arxiv.org/abs/1512.03385

    Differs:
        Where the size changes, the shortcut is the paper's B (a projection) alone, not A (zeros for what is missing).
    """

    def __init__(self, before: int, after: int, stride: int = 1) -> None:
        super().__init__()
        if min(before, after, stride) < 1:
            raise InputError(
                "a residual block's sizes must all be at least 1",
                advice="try before=64, after=64, stride=1",
                before=before,
                after=after,
                stride=stride,
            )
        same = before == after and stride == 1
        self.shortcut = nn.Identity() if same else nn.Sequential(*_normed(before, after, 1, stride))
        self.branch = nn.Sequential(*_normed(before, after, 3, stride), nn.ReLU(), *_normed(after, after, 3))

    def forward(
        self, pictures: Float[Tensor, "batch before height width"]
    ) -> Float[Tensor, "batch after rows columns"]:
        """The pictures, and what was made of them."""
        # In place only on the sum, which nobody else sees: what a module gave stays as it was for whoever watches it.
        return F.relu_(self.shortcut(pictures) + self.branch(pictures))


def photograph_stem(channels: int, width: int) -> nn.Sequential:
    r"""The first layers for photographs: they leave a quarter of the height and of the width.

    $$\text{stem}(x) = \text{pool}_{3 \times 3}\big(\text{ReLU}(\text{norm}(W_{7 \times 7} * x))\big)$$

    Args:
        channels: of the picture.
        width: features going out.

    Shape:
        pictures: (batch, channels, height, width); returns (batch, features, height / 4, width / 4).

    Example:
        >>> import torch
        >>> photograph_stem(3, 64)(torch.zeros(1, 3, 224, 224)).shape
        torch.Size([1, 64, 56, 56])

    Reference:
        He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition, 2016, table 1.
        https://arxiv.org/abs/1512.03385

    Differs:
        Nothing.
    """
    return nn.Sequential(*_normed(channels, width, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, padding=1))


def thumbnail_stem(channels: int, width: int) -> nn.Sequential:
    r"""The first layers for pictures of some 32 x 32 pixels, which have nothing to give away: they keep the size.

    $$\text{stem}(x) = \text{ReLU}(\text{norm}(W_{3 \times 3} * x))$$

    Args:
        channels: of the picture.
        width: features going out.

    Shape:
        pictures: (batch, channels, height, width); returns (batch, features, height, width).

    Example:
        >>> import torch
        >>> thumbnail_stem(3, 64)(torch.zeros(1, 3, 32, 32)).shape
        torch.Size([1, 64, 32, 32])

    Reference:
        He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition, 2016, section 4.2.
        https://arxiv.org/abs/1512.03385

    Differs:
        Nothing.
    """
    return nn.Sequential(*_normed(channels, width, 3), nn.ReLU())


def resnet(
    classes: int,
    depths: Sequence[int],
    *,
    width: int = 64,
    stem: Callable[[int, int], nn.Module] = photograph_stem,
    channels: int = 3,
    pixels: Pixels | None = None,
) -> Network:
    r"""A residual network: a stem, stages of blocks, the mean over the picture, one linear layer.

    $$z_0 = \text{stem}(x), \qquad z_\ell = \text{stage}_\ell(z_{\ell-1}), \qquad
      \hat y = W\, \text{mean}(z_L) + b$$

    Each stage has half the height and width of the one before, and twice its features.

    Args:
        classes: columns of the answer.
        depths: how many blocks each stage has; a block has two layers.
        width: features of the first stage.
        stem: makes the first layers from `channels` and `width`: `photograph_stem`, `thumbnail_stem` or your own.
        channels: of the picture, 3 for colours.
        pixels: how stored pixels become numbers; taken as they are if `None`.

    Shape:
        pixels: (batch, channels, height, width), any number type; returns (batch, classes).

    Example:
        The paper's network for CIFAR-10 with 20 layers; 56 have depths 9, 9, 9 and 110 have 18, 18, 18.

        >>> import torch
        >>> model = resnet(10, (3, 3, 3), width=16, stem=thumbnail_stem)
        >>> model(torch.zeros(2, 3, 32, 32, dtype=torch.uint8)).shape
        torch.Size([2, 10])

    Reference:
        He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition, 2016.
        https://arxiv.org/abs/1512.03385

    Differs:
        Shortcuts are projections where the size changes; the paper's networks for CIFAR-10 pad with zeros there, and
        have 2,752 parameters less at width 16. The last layer starts as torch's, since the paper doesn't say how.
    """
    if not depths or min(classes, channels, width, *depths) < 1:
        raise InputError(
            "a residual network's sizes must all be at least 1, and it needs a stage",
            advice="try depths=(2, 2, 2, 2), width=64",
            classes=classes,
            depths=depths,
            width=width,
            channels=channels,
        )
    encoder = nn.Sequential(pixels or Pixels(), stem(channels, width))
    features = width
    for place, depth in enumerate(depths):
        before, features = features, width << place
        first = ResidualBlock(before, features, stride=1 if place == 0 else 2)
        encoder.append(nn.Sequential(first, *(ResidualBlock(features, features) for _ in range(depth - 1))))
    encoder.extend([nn.AdaptiveAvgPool2d(1), nn.Flatten()])
    return Network(encoder, nn.Linear(features, classes))


def resnet18(
    classes: int = 1000,
    *,
    stem: Callable[[int, int], nn.Module] = photograph_stem,
    channels: int = 3,
    pixels: Pixels | None = None,
) -> Network:
    r"""ResNet-18, with 11,689,512 parameters as published for ImageNet; its weights are drawn anew.

    $$\text{picture} \to 64 \to 2 \times 64 \to 2 \times 128 \to 2 \times 256 \to 2 \times 512 \to \text{classes}$$

    Args:
        classes: columns of the answer.
        stem: makes the first layers: `photograph_stem`, or `thumbnail_stem` for pictures of some 32 x 32 pixels.
        channels: of the picture, 3 for colours.
        pixels: how stored pixels become numbers; taken as they are if `None`.

    Shape:
        pixels: (batch, channels, height, width), any number type; returns (batch, classes).

    Example:
        >>> import torch
        >>> with torch.device("meta"):
        ...     model = resnet18(10, stem=thumbnail_stem)
        >>> sum(parameter.numel() for parameter in model.parameters())
        11173962

    Reference:
        He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition, 2016, table 1.
        https://arxiv.org/abs/1512.03385

    Differs:
        As `resnet`. `thumbnail_stem` at this width is not in the paper, but what everybody takes for 32 x 32 pixels.
    """
    return resnet(classes, (2, 2, 2, 2), stem=stem, channels=channels, pixels=pixels)


def resnet34(
    classes: int = 1000,
    *,
    stem: Callable[[int, int], nn.Module] = photograph_stem,
    channels: int = 3,
    pixels: Pixels | None = None,
) -> Network:
    r"""ResNet-34, with 21,797,672 parameters as published for ImageNet; its weights are drawn anew.

    $$\text{picture} \to 64 \to 3 \times 64 \to 4 \times 128 \to 6 \times 256 \to 3 \times 512 \to \text{classes}$$

    Args:
        classes: columns of the answer.
        stem: makes the first layers: `photograph_stem`, or `thumbnail_stem` for pictures of some 32 x 32 pixels.
        channels: of the picture, 3 for colours.
        pixels: how stored pixels become numbers; taken as they are if `None`.

    Shape:
        pixels: (batch, channels, height, width), any number type; returns (batch, classes).

    Example:
        >>> import torch
        >>> with torch.device("meta"):
        ...     model = resnet34()
        >>> sum(parameter.numel() for parameter in model.parameters())
        21797672

    Reference:
        He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition, 2016, table 1.
        https://arxiv.org/abs/1512.03385

    Differs:
        As `resnet`. `thumbnail_stem` at this width is not in the paper.
    """
    return resnet(classes, (3, 4, 6, 3), stem=stem, channels=channels, pixels=pixels)


def _normed(before: int, after: int, size: int, stride: int = 1) -> tuple[nn.Conv2d, nn.BatchNorm2d]:
    """A convolution that starts with deviation sqrt(2 / fan-out), and its norm, which makes a bias needless."""
    convolution = nn.Conv2d(before, after, size, stride, padding=size // 2, bias=False)
    nn.init.kaiming_normal_(convolution.weight, mode="fan_out", nonlinearity="relu")
    return convolution, nn.BatchNorm2d(after)
