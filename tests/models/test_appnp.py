"""Oracle: the paper's formula with dense matrices; torch_geometric's propagation; structure by invariants."""

import pytest
import torch

from chainrule import InputError
from chainrule.models import AppnpEncoder, appnp

EDGES = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
VALUES, COLUMNS = torch.tensor([1.0, 2.0, 0.5, 3.0]), torch.tensor([0, 4, 2, 1])
OFFSETS = torch.tensor([0, 2, 3, 3, 4])  # the third node has no features, the fifth no neighbours either
INPUTS = (VALUES, COLUMNS, OFFSETS, EDGES)


def dense() -> torch.Tensor:
    features = torch.zeros(5, 5)
    features[0, 0], features[0, 4], features[1, 2], features[3, 1] = VALUES.tolist()
    return features


def test_it_is_the_papers_formula() -> None:
    torch.manual_seed(0)
    encoder = AppnpEncoder(5, 8, 3, rounds=4, restart=0.2).double().eval()
    torch.nn.init.normal_(encoder.bias)
    adjacency = torch.eye(5, dtype=torch.float64)
    adjacency[EDGES[1], EDGES[0]] = 1
    root = adjacency.sum(1).rsqrt()
    smooth = root[:, None] * adjacency * root[None, :]
    hidden = (dense().double() @ encoder.words.weight + encoder.bias).relu()
    own = hidden @ encoder.project.weight.T + encoder.project.bias
    expected = own
    for _ in range(4):
        expected = 0.8 * smooth @ expected + 0.2 * own
    found = encoder(VALUES.double(), COLUMNS, OFFSETS, EDGES)
    torch.testing.assert_close(found, expected)


def test_it_is_torch_geometrics() -> None:
    reason = "torch-geometric is not installed (make bench installs peers)"
    peer = pytest.importorskip("torch_geometric.nn", reason=reason)
    encoder = AppnpEncoder(5, 8, 3).eval()
    hidden = (dense() @ encoder.words.weight + encoder.bias).relu()
    expected = peer.APPNP(K=10, alpha=0.1)(encoder.project(hidden), EDGES)
    torch.testing.assert_close(encoder(*INPUTS), expected)


def test_a_node_hears_exactly_as_far_as_there_are_rounds() -> None:
    values = VALUES.clone()
    encoder = AppnpEncoder(5, 8, 3, rounds=2).eval()
    before = encoder(values, *INPUTS[1:])
    values[3] = 9.0  # of node 3
    changed = (encoder(values, *INPUTS[1:]) != before).any(1)
    assert changed.tolist() == [False, True, True, True, False]


def test_an_edge_weight_of_zero_is_no_edge() -> None:
    model = appnp(5, 8, 3).eval()
    weights = torch.ones(6)
    weights[4:] = 0
    torch.testing.assert_close(model(*INPUTS, weights), model(*INPUTS[:3], EDGES[:, :4]))


def test_dropout_acts_only_in_training() -> None:
    model = appnp(5, 64, 3)
    assert not torch.equal(model(*INPUTS), model(*INPUTS))
    model.eval()
    assert torch.equal(model(*INPUTS), model(*INPUTS))


@pytest.mark.parametrize("wrong", [{"features": 0}, {"hidden": 0}, {"restart": 1.5}, {"rounds": -1}])
def test_impossible_sizes_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match="sizes must be at least 1"):
        AppnpEncoder(**({"features": 5, "hidden": 8, "classes": 3} | wrong))  # pyright: ignore[reportArgumentType]
