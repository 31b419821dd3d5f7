"""Piecewise-linear embeddings equal the paper's definition, bin by bin."""

import itertools
import math

import pytest
import torch

from chainrule import InputError
from chainrule.layers import PiecewiseLinear

EDGES = ((0.0, 1.0, 10.0), (-5.0, 5.0), (1.0, 2.0, 3.0, 4.0))


def encoded(x: float, edges: tuple[float, ...]) -> list[float]:
    """Equation 1 of the paper for one number, but held at the outermost edges."""
    found = []
    for low, high in itertools.pairwise(edges):
        if x < low:
            found.append(0.0)
        elif x >= high:
            found.append(1.0)
        else:
            found.append((x - low) / (high - low))
    return found


def test_it_is_the_definition():
    torch.manual_seed(0)
    layer = PiecewiseLinear(EDGES, width=3).double()
    numbers = torch.tensor([[0.25, 0.0, 2.5], [-9.0, 99.0, 4.0], [1.0, -5.0, 1.0]], dtype=torch.float64)
    for row, answer in zip(numbers.tolist(), layer(numbers), strict=True):
        for place, (x, edges) in enumerate(zip(row, EDGES, strict=True)):
            code = torch.tensor(encoded(x, edges), dtype=torch.float64)
            expected = code @ layer.weight[place, : len(code)] + layer.bias[place]
            torch.testing.assert_close(answer[place], expected)


def test_at_first_it_is_the_rank_in_a_straight_line():
    """Numbers at their own quantiles have a vector of mean zero and deviation one, times one direction."""
    torch.manual_seed(0)
    edges = tuple(float(place) ** 3 for place in range(101))
    layer = PiecewiseLinear([edges], width=4)
    ranks = torch.tensor(edges)[:, None]
    vectors = layer(ranks)[:, 0]
    direction = vectors[-1] / math.sqrt(3)
    torch.testing.assert_close(
        vectors, torch.linspace(-1, 1, 101)[:, None] * math.sqrt(3) * direction, atol=1e-4, rtol=0
    )


def test_bins_that_a_number_does_not_have_get_no_gradient():
    layer = PiecewiseLinear(EDGES, width=2)
    layer(torch.rand(50, 3) * 4).sum().backward()
    assert layer.weight.grad is not None
    assert bool((layer.weight.grad[1, 1:] == 0).all())


@pytest.mark.parametrize("edges", [(), ((1.0,),), ((1.0, 1.0),), ((2.0, 1.0),), ((0.0, math.nan),)])
def test_edges_must_ascend(edges):
    with pytest.raises(InputError, match="edges"):
        PiecewiseLinear(edges, width=2)
