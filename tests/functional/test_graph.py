"""Oracle: the dense matrices of the formula, in float64."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule.errors import InputError
from chainrule.functional import propagate, symmetric


def dense(edge_index: torch.Tensor, nodes: int, weight: torch.Tensor | None = None) -> torch.Tensor:
    """D^-1/2 (A + I) D^-1/2 with A[target, source], entry by entry."""
    adjacency = torch.eye(nodes, dtype=torch.float64)
    for edge in range(edge_index.shape[1]):
        source, target = edge_index[:, edge].tolist()
        adjacency[target, source] += 1.0 if weight is None else float(weight[edge])
    degree = adjacency.sum(1)
    return adjacency / (degree[:, None] * degree[None, :]).sqrt()


@given(st.integers(1, 7), st.integers(0, 20), st.booleans(), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_propagating_over_the_normalised_edges_is_the_dense_product(
    nodes: int, edges: int, weighted: bool, seed: int
) -> None:
    torch.manual_seed(seed)
    edge_index = torch.randint(0, nodes, (2, edges))
    weight = torch.rand(edges, dtype=torch.float64) + 0.1 if weighted else None
    features = torch.randn(nodes, 3, dtype=torch.float64)
    looped, coefficients = symmetric(edge_index, nodes, weight)
    answer = propagate(features, looped, coefficients.double())
    torch.testing.assert_close(answer, dense(edge_index, nodes, weight) @ features, atol=1e-6, rtol=1e-6)


def test_its_gradient_is_that_of_the_formula() -> None:
    edge_index = torch.tensor([[0, 1, 2, 2], [1, 2, 0, 1]])
    coefficients = torch.rand(4, dtype=torch.float64, requires_grad=True)
    features = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x, c: propagate(x, edge_index, c), (features, coefficients))


def test_the_order_of_the_edges_does_not_matter() -> None:
    edge_index = torch.randint(0, 5, (2, 12), generator=torch.Generator().manual_seed(0))
    features = torch.randn(5, 2, dtype=torch.float64)
    turned = edge_index[:, torch.randperm(12, generator=torch.Generator().manual_seed(1))]
    first, second = (propagate(features, *_double(symmetric(edges, 5))) for edges in (edge_index, turned))
    torch.testing.assert_close(first, second)


def _double(pair: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    return pair[0], pair[1].double()


@pytest.mark.parametrize("edge", [[[0], [3]], [[-1], [0]]])
def test_an_edge_to_nowhere_is_refused_by_name(edge: list[list[int]]) -> None:
    with pytest.raises(InputError, match="`edge_index` must name nodes that exist"):
        symmetric(torch.tensor(edge), nodes=3)
