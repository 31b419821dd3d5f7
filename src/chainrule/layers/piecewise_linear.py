"""Numbers as places between quantiles: what lets a network bend sharply, as trees do."""

import itertools
import math

import torch
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.shapes import Float


class PiecewiseLinear(nn.Module):
    r"""Turns each number of a row into a vector, by a function of its own that is linear between given edges.

    $$e_t(x) = \min\!\Big(1, \max\!\Big(0, \frac{x - b_{t-1}}{b_t - b_{t-1}}\Big)\Big), \qquad
      z_j = \sum_{t=1}^{T_j} e_t(x_j)\, W_{jt} + c_j$$

    With quantiles as edges, an outlier is no further away than the outermost edge. Before training each number's
    vector grows in a straight line with its rank.

    Args:
        edges: $b_0 < b_1 < \dots < b_T$ of each number, which may have as many as they like, two at least.
        width: of each number's vector.

    Shape:
        numbers: (batch, number); returns (batch, number, width).

    Example:
        >>> layer = PiecewiseLinear([(0.0, 1.0, 10.0), (5.0, 6.0)], width=4)
        >>> layer(torch.tensor([[0.5, 5.0], [99.0, 7.0]])).shape
        torch.Size([2, 2, 4])

    Reference:
        Gorishniy, Rubachev and Babenko, On Embeddings for Numerical Features in Tabular Deep Learning, 2022.
        https://arxiv.org/abs/2203.05556

    Differs:
        Beyond its first and last edge a number stays where they are; in the paper it goes on in a straight line.
    """

    low: Tensor
    slope: Tensor

    def __init__(self, edges: list[tuple[float, ...]] | tuple[tuple[float, ...], ...], width: int) -> None:
        super().__init__()
        for place, of_number in enumerate(edges):
            if len(of_number) < 2 or any(not low < high for low, high in itertools.pairwise(of_number)):
                raise InputError(
                    "`edges` needs two ascending edges or more for every number",
                    advice="take the distinct quantiles of the training rows",
                    number=place, edges=of_number[:8],
                )  # fmt: skip
        if not edges or width < 1:
            raise InputError("`edges` and `width` must not be empty", advice="try 16", numbers=len(edges), width=width)
        bins = max(len(of_number) for of_number in edges) - 1
        low, slope = torch.zeros(len(edges), bins), torch.zeros(len(edges), bins)
        rise = torch.zeros(len(edges), bins, 1)
        for place, of_number in enumerate(edges):
            count = len(of_number) - 1
            low[place, :count] = torch.tensor(of_number[:-1])
            slope[place, :count] = 1 / torch.tensor([high - low for low, high in itertools.pairwise(of_number)])
            rise[place, :count] = 2 * math.sqrt(3) / count  # so that ranks have mean zero and deviation one
        self.register_buffer("low", low)
        self.register_buffer("slope", slope)
        direction = torch.randn(len(edges), 1, width)
        self.weight = nn.Parameter(direction * rise)
        self.bias = nn.Parameter(-math.sqrt(3) * direction[:, 0])

    def forward(self, numbers: Float[Tensor, "batch number"]) -> Float[Tensor, "batch number width"]:
        """A vector for every number."""
        places = ((numbers[..., None] - self.low) * self.slope).clamp(0, 1)  # (batch, number, bin)
        return (places.transpose(0, 1) @ self.weight).transpose(0, 1) + self.bias

    def extra_repr(self) -> str:
        """Sizes, for `print(model)`."""
        numbers, bins, width = self.weight.shape
        return f"numbers={numbers}, bins={bins}, width={width}"
