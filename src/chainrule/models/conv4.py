"""The four-block convolutional network of few-shot learning."""

from torch import nn

from chainrule.errors import InputError
from chainrule.layers import TaskNorm
from chainrule.models.network import Network


def conv4(ways: int = 5, *, channels: int = 1, width: int = 64, side: int = 28, stride: int = 1) -> Network:
    r"""Four blocks of convolution, batch normalisation and ReLU, each of which halves the picture.

    $$z_\ell = \phi\Big(\text{pool}\big(\gamma_\ell \odot \frac{u_\ell - \text{mean}(u_\ell)}{\text{deviation}(u_\ell)}
      + \beta_\ell\big)\Big), \qquad u_\ell = W_\ell * z_{\ell-1} + b_\ell, \qquad \ell = 1 \dots 4$$

    Mean and deviation are always those of the batch at hand (`TaskNorm`), also in evaluation: in few-shot learning the
    batch is one task.

    Args:
        ways: columns of the answer, one per class of a task.
        channels: of the picture, 1 for grey.
        width: features per block.
        side: height and width of the picture.
        stride: of the convolutions; 1 halves by max pooling, 2 by itself, with what is left averaged at the end.

    Shape:
        pixels: (batch, channels, side, side), floating point; returns (batch, ways).

    Example:
        >>> import torch
        >>> conv4(ways=5)(torch.zeros(10, 1, 28, 28)).shape
        torch.Size([10, 5])
        >>> sum(parameter.numel() for parameter in conv4(ways=5).parameters())
        112261

    Reference:
        Vinyals et al., Matching Networks for One Shot Learning, 2016, section 4.1. https://arxiv.org/abs/1606.04080

    Differs:
        The largest of four is taken before ReLU, not after: the same number for a quarter of the work. `stride=2` is
        the network that MAML (Finn et al., 2017, section 5.2) uses on Omniglot, and `channels=3, width=32, side=84` the
        one that it uses on miniImageNet.
    """
    if stride not in (1, 2) or side < 16 or min(ways, channels, width) < 1:
        raise InputError(
            "conv4 halves a picture of at least 16 x 16 pixels four times, with `stride` 1 or 2",
            advice="try side=28, stride=1",
            side=side,
            stride=stride,
            ways=ways,
            channels=channels,
            width=width,
        )
    encoder = nn.Sequential()
    for block in range(4):
        encoder.append(nn.Conv2d(channels if block == 0 else width, width, 3, stride, padding=1))
        encoder.append(TaskNorm(width))
        if stride == 1:
            encoder.append(nn.MaxPool2d(2))
        encoder.append(nn.ReLU())
    if stride == 2:
        encoder.append(nn.AdaptiveAvgPool2d(1))
    encoder.append(nn.Flatten())
    left = side // 16 if stride == 1 else 1
    return Network(encoder, nn.Linear(width * left * left, ways))
