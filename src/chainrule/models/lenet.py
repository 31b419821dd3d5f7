"""LeNet-5, the convolutional network that read cheques."""

from torch import nn

from chainrule.errors import InputError
from chainrule.layers import Pixels
from chainrule.models.network import Network


def lenet5(classes: int = 10, *, channels: int = 1, pixels: Pixels | None = None) -> Network:
    r"""LeNet-5: two convolutions with pooling, then three fully connected layers; tanh throughout.

    $$32^2 \xrightarrow{5\times5} 6\,@\,28^2 \xrightarrow{\text{pool}} 6\,@\,14^2 \xrightarrow{5\times5} 16\,@\,10^2
      \xrightarrow{\text{pool}} 16\,@\,5^2 \to 120 \to 84 \to \text{classes}$$

    Args:
        classes: columns of the answer.
        channels: of the picture, 1 for grey.
        pixels: how stored pixels become the 32 x 32 numbers that LeNet wants; only resized if `None`.

    Shape:
        pixels: (batch, channels, height, width); returns (batch, classes).

    Example:
        >>> import torch
        >>> lenet5()(torch.zeros(2, 1, 8, 8, dtype=torch.uint8)).shape
        torch.Size([2, 10])
        >>> sum(parameter.numel() for parameter in lenet5().parameters())
        61706

    Reference:
        LeCun, Bottou, Bengio and Haffner, Gradient-based learning applied to document recognition, 1998.

    Differs:
        Third layer fully connected to the second (the paper's table leaves some connections out), plain average
        pooling without a learnt gain, a linear last layer for cross-entropy instead of radial basis functions:
        61,706 parameters where the paper counts about 60,000.
    """
    if classes < 1 or channels < 1:
        raise InputError(
            "`classes` and `channels` must be at least 1", advice="try 10 and 1", classes=classes, channels=channels
        )
    encoder = nn.Sequential(
        pixels or Pixels(side=32),
        nn.Conv2d(channels, 6, 5),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Conv2d(6, 16, 5),
        nn.Tanh(),
        nn.AvgPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * 5 * 5, 120),
        nn.Tanh(),
        nn.Linear(120, 84),
        nn.Tanh(),
    )
    return Network(encoder, nn.Linear(84, classes))
