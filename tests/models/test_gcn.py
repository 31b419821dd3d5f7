"""Oracle: the paper's two-layer formula with dense matrices; structure by invariants."""

import pytest
import torch

from chainrule.data import karate
from chainrule.errors import InputError
from chainrule.models import GraphEncoder, gcn


def test_it_is_the_papers_formula() -> None:
    torch.manual_seed(0)
    club = karate().train[0]
    model = gcn((34, 16, 2), dropout=0.5).double().eval()
    adjacency = torch.eye(34, dtype=torch.float64)
    adjacency[club.edge_index[1], club.edge_index[0]] = 1
    root = adjacency.sum(1).rsqrt()
    smooth = root[:, None] * adjacency * root[None, :]
    first, last = model.encoder.convolutions[0].project, model.head
    features = club.features.double()
    hidden = (smooth @ features @ first.weight.T + first.bias).relu()
    expected = smooth @ hidden @ last.weight.T + last.bias
    torch.testing.assert_close(model(features, club.edge_index), expected, atol=1e-6, rtol=1e-6)


def test_a_node_hears_exactly_as_far_as_there_are_layers() -> None:
    path = torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]])
    features = torch.randn(5, 3, requires_grad=True)
    gcn((3, 8, 2), dropout=0.0)(features, path)[4].sum().backward()
    assert features.grad is not None
    assert (features.grad.abs().sum(1) > 0).tolist() == [False, False, True, True, True]


def test_dropout_acts_only_in_training() -> None:
    club = karate().train[0]
    model = gcn((34, 16, 2), dropout=0.5)
    assert not torch.equal(model(*club.inputs), model(*club.inputs))
    model.eval()
    assert torch.equal(model(*club.inputs), model(*club.inputs))


@pytest.mark.parametrize("build", [lambda: gcn((34, 2)), lambda: GraphEncoder((34,)), lambda: GraphEncoder((34, 0))])
def test_too_few_sizes_are_refused(build: object) -> None:
    with pytest.raises(InputError, match="`sizes` needs"):
        build()  # type: ignore[operator]
