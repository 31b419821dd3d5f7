"""Graph convolutional networks for the nodes of a graph."""

import itertools

from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.functional import propagate, symmetric
from chainrule.layers import GraphConv
from chainrule.models.network import Network
from chainrule.shapes import Float, Int


class GraphEncoder(nn.Module):
    r"""Graph convolutions with a ReLU between them, and one last smoothing over the neighbours.

    $$H_0 = X, \qquad H_\ell = \text{ReLU}(\tilde A H_{\ell-1} W_\ell + b_\ell), \qquad Z = \tilde A H_L,
      \qquad \tilde A = \hat D^{-1/2} \hat A \hat D^{-1/2}$$

    The smoothing $\tilde A$ of the network's last layer stands here, and its projection in the head: embedding and
    answer are split where every other family splits them.

    Args:
        sizes: features per node, from input to embedding: `(1433, 16)` has one convolution.
        dropout: share of numbers set to zero before every projection, while training.

    Shape:
        features: (node, feature); edge_index: (2, edge); edge_weight: (edge); returns (node, embedding).

    Example:
        >>> import torch
        >>> GraphEncoder((3, 16))(torch.ones(5, 3), torch.tensor([[0, 1], [1, 2]])).shape
        torch.Size([5, 16])

    Reference:
        Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, 2017.
        https://arxiv.org/abs/1609.02907

    Differs:
        Nothing.
    """

    def __init__(self, sizes: tuple[int, ...], *, dropout: float = 0.0) -> None:
        super().__init__()
        if len(sizes) < 2 or min(sizes) < 1:
            raise InputError("`sizes` needs at least two positive numbers", advice="try (34, 16)", sizes=sizes)
        self.convolutions = nn.ModuleList(GraphConv(before, after) for before, after in itertools.pairwise(sizes))
        self.dropout = nn.Dropout(dropout)
        self.activation = nn.ReLU()

    def forward(
        self,
        features: Float[Tensor, "node feature"],
        edge_index: Int[Tensor, "2 edge"],
        edge_weight: Float[Tensor, " edge"] | None = None,
    ) -> Float[Tensor, "node embedding"]:
        """The embedding of every node."""
        for convolution in self.convolutions:
            features = self.activation(convolution(self.dropout(features), edge_index, edge_weight))
        edges, coefficients = symmetric(edge_index, len(features), edge_weight)
        return propagate(self.dropout(features), edges, coefficients.to(features.dtype))


def gcn(sizes: tuple[int, ...], *, dropout: float = 0.5) -> Network:
    r"""The graph convolutional network for classifying nodes.

    $$\hat Y = \tilde A\, \text{ReLU}(\tilde A X W_1 + b_1)\, W_2 + b_2$$

    Args:
        sizes: features per node, from input to classes: `(1433, 16, 7)` is the paper's network for Cora.
        dropout: share of numbers set to zero before every projection, while training.

    Shape:
        features: (node, sizes[0]); edge_index: (2, edge); edge_weight: (edge); returns (node, sizes[-1]).

    Example:
        >>> import torch
        >>> gcn((3, 16, 2))(torch.ones(5, 3), torch.tensor([[0, 1], [1, 2]])).shape
        torch.Size([5, 2])

    Reference:
        Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, 2017.
        https://arxiv.org/abs/1609.02907

    Differs:
        Nothing.
    """
    if len(sizes) < 3:
        raise InputError("`sizes` needs an input, a hidden and an output size", advice="try (34, 16, 2)", sizes=sizes)
    head = nn.Linear(sizes[-2], sizes[-1])
    nn.init.xavier_uniform_(head.weight)
    nn.init.zeros_(head.bias)
    return Network(GraphEncoder(sizes[:-1], dropout=dropout), head)
