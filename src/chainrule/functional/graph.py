"""Operators on graphs given as edge lists: normalise once, then sum over neighbours."""

import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.shapes import Float, Int


def symmetric(
    edge_index: Int[Tensor, "2 edge"], nodes: int, edge_weight: Float[Tensor, " edge"] | None = None
) -> tuple[Int[Tensor, "2 looped"], Float[Tensor, " looped"]]:
    r"""The edges of the symmetrically normalised adjacency with self-loops, and their coefficients.

    $$\hat A = A + I, \qquad c_{ij} = \frac{\hat a_{ij}}{\sqrt{\hat d_i \hat d_j}}, \qquad
      \hat d_i = \sum_j \hat a_{ji}$$

    Args:
        edge_index: source above target; an undirected edge stands in both directions.
        nodes: how many nodes there are.
        edge_weight: $a_{ij}$; one everywhere if `None`.

    Shape:
        edge_index: (2, edge); edge_weight: (edge); returns (2, looped) and (looped), a loop per node added.

    Example:
        >>> edges, coefficients = symmetric(torch.tensor([[0, 1], [1, 0]]), nodes=2)
        >>> edges.tolist(), coefficients.round(decimals=3).tolist()
        ([[0, 1, 0, 1], [1, 0, 0, 1]], [0.5, 0.5, 0.5, 0.5])

    Reference:
        Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, 2017.
        https://arxiv.org/abs/1609.02907

    Differs:
        A self-loop that is in the list already stays and is counted beside the added one.
    """
    if (
        not torch.compiler.is_compiling() and not edge_index.is_meta
    ):  # where values cannot be read, they are not checked
        _check(edge_index, nodes)
    loops = torch.arange(nodes, device=edge_index.device)
    looped = torch.cat([edge_index, loops.expand(2, nodes)], dim=1)
    weight = torch.ones(edge_index.shape[1], device=edge_index.device) if edge_weight is None else edge_weight
    weight = torch.cat([weight, weight.new_ones(nodes)])
    degree = weight.new_zeros(nodes).index_add_(0, looped[1], weight)
    root = degree.rsqrt()
    return looped, root[looped[0]] * weight * root[looped[1]]


def propagate(
    features: Float[Tensor, "node feature"], edge_index: Int[Tensor, "2 edge"], coefficients: Float[Tensor, " edge"]
) -> Float[Tensor, "node feature"]:
    r"""Every node's weighted sum over its incoming edges.

    $$x'_j = \sum_{(i,j)} c_{ij}\, x_i, \qquad X' = C^\top X$$

    Args:
        features: one row per node.
        edge_index: source above target.
        coefficients: $c$, one per edge.

    Shape:
        features: (node, feature); edge_index: (2, edge); coefficients: (edge); returns (node, feature).

    Example:
        >>> propagate(torch.tensor([[1.0], [2.0]]), torch.tensor([[0], [1]]), torch.tensor([3.0])).tolist()
        [[0.0], [3.0]]

    Reference:
        Gilmer et al., Neural Message Passing for Quantum Chemistry, 2017. https://arxiv.org/abs/1704.01212

    Differs:
        Nothing.
    """
    source, target = edge_index
    messages = features[source] * coefficients[:, None]
    return torch.zeros_like(features).index_add_(0, target, messages)


def _check(edge_index: Tensor, nodes: int) -> None:
    if edge_index.numel() and not 0 <= int(edge_index.min()) <= int(edge_index.max()) < nodes:
        raise InputError(
            "`edge_index` must name nodes that exist",
            advice="number the nodes from 0",
            lowest=int(edge_index.min()),
            highest=int(edge_index.max()),
            nodes=nodes,
        )
