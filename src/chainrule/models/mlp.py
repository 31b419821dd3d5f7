"""The multi-layer perceptron."""

import itertools
from collections.abc import Callable

from torch import nn

from chainrule.errors import InputError
from chainrule.models.network import Network


def mlp(sizes: tuple[int, ...], *, activation: Callable[[], nn.Module] = nn.ReLU) -> Network:
    r"""A multi-layer perceptron: linear layers with an activation between them.

    $$z_0 = x, \qquad z_\ell = \phi(W_\ell z_{\ell-1} + b_\ell), \qquad \hat y = W_L z_{L-1} + b_L$$

    Args:
        sizes: numbers per layer, from input to output: `(784, 128, 10)` has one hidden layer.
        activation: $\phi$, made anew for every hidden layer.

    Shape:
        features: (batch, ...) of sizes[0] numbers after flattening; returns (batch, sizes[-1]).

    Example:
        >>> import torch
        >>> mlp((784, 128, 10))(torch.zeros(2, 1, 28, 28)).shape
        torch.Size([2, 10])

    Reference:
        Rosenblatt, Principles of Neurodynamics, 1961; Rumelhart, Hinton and Williams, 1986.

    Differs:
        Nothing.
    """
    if len(sizes) < 2 or min(sizes) < 1:
        raise InputError(
            "`sizes` needs an input and an output size, all positive",
            advice="try (784, 128, 10)",
            sizes=sizes,
        )
    encoder = nn.Sequential(nn.Flatten())
    for before, after in itertools.pairwise(sizes[:-1]):
        encoder.extend([nn.Linear(before, after), activation()])
    return Network(encoder, nn.Linear(sizes[-2], sizes[-1]))
