"""The graph convolution of Kipf and Welling."""

from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.functional import propagate, symmetric
from chainrule.shapes import Float, Int


class GraphConv(nn.Module):
    r"""Averages each node's neighbours, symmetrically normalised, then projects.

    $$X' = \hat D^{-1/2} \hat A \hat D^{-1/2} X W + b, \qquad \hat A = A + I$$

    Args:
        in_dim: features per node coming in.
        out_dim: features per node going out.
        bias: whether to add $b$ after the sum.

    Shape:
        features: (node, feature); edge_index: (2, edge), source above target; edge_weight: (edge);
        returns (node, projected).

    Example:
        >>> import torch
        >>> conv = GraphConv(3, 4)
        >>> conv(torch.ones(5, 3), torch.tensor([[0, 1], [1, 2]])).shape
        torch.Size([5, 4])

    Reference:
        Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, 2017.
        https://arxiv.org/abs/1609.02907

    Differs:
        Projects before or after the sum, whichever moves fewer numbers; the result is the same. (A node without
        neighbours keeps itself, through the self-loop.)
    """

    def __init__(self, in_dim: int, out_dim: int, *, bias: bool = True) -> None:
        super().__init__()
        if min(in_dim, out_dim) < 1:
            raise InputError(
                "`in_dim` and `out_dim` must be at least 1", advice="try 16", in_dim=in_dim, out_dim=out_dim
            )
        self.project = nn.Linear(in_dim, out_dim, bias=bias)
        self.biased = bias
        nn.init.xavier_uniform_(self.project.weight)
        if bias:
            nn.init.zeros_(self.project.bias)

    def forward(
        self,
        features: Float[Tensor, "node feature"],
        edge_index: Int[Tensor, "2 edge"],
        edge_weight: Float[Tensor, " edge"] | None = None,
    ) -> Float[Tensor, "node projected"]:
        """The convolved features."""
        edges, coefficients = symmetric(edge_index, len(features), edge_weight)
        coefficients = coefficients.to(features.dtype)
        if self.project.in_features <= self.project.out_features:
            return self.project(propagate(features, edges, coefficients))
        projected = propagate(nn.functional.linear(features, self.project.weight), edges, coefficients)
        return projected + self.project.bias if self.biased else projected
