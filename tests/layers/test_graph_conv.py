"""Oracle: the dense matrices of the formula; equivariance under renaming of the nodes."""

import pytest
import torch

from chainrule.layers import GraphConv

EDGES = torch.tensor([[0, 1, 1, 2, 3], [1, 0, 2, 3, 3]])


def dense(nodes: int) -> torch.Tensor:
    adjacency = torch.eye(nodes, dtype=torch.float64)
    for source, target in EDGES.T.tolist():
        adjacency[target, source] += 1
    root = adjacency.sum(1).rsqrt()
    return root[:, None] * adjacency * root[None, :]


@pytest.mark.parametrize(("in_dim", "out_dim"), [(3, 5), (5, 3), (4, 4)])
@pytest.mark.parametrize("bias", [True, False])
def test_it_is_the_formula(in_dim: int, out_dim: int, bias: bool) -> None:
    torch.manual_seed(0)
    conv = GraphConv(in_dim, out_dim, bias=bias).double()
    if bias:
        torch.nn.init.normal_(conv.project.bias)
    features = torch.randn(4, in_dim, dtype=torch.float64)
    expected = dense(4) @ features @ conv.project.weight.T + (conv.project.bias if bias else 0.0)
    torch.testing.assert_close(conv(features, EDGES), expected)


def test_renaming_the_nodes_renames_the_answer() -> None:
    torch.manual_seed(0)
    conv, features = GraphConv(3, 2).double(), torch.randn(4, 3, dtype=torch.float64)
    names = torch.tensor([2, 0, 3, 1])  # node i is now called names[i]
    renamed = torch.empty_like(features).index_copy_(0, names, features)
    torch.testing.assert_close(conv(renamed, names[EDGES])[names], conv(features, EDGES))


def test_a_node_without_neighbours_keeps_itself() -> None:
    conv = GraphConv(2, 2, bias=False)
    features = torch.randn(1, 2)
    torch.testing.assert_close(conv(features, torch.empty(2, 0, dtype=torch.int64)), conv.project(features))


def test_it_equals_the_peer_with_copied_weights() -> None:
    peer = pytest.importorskip(
        "torch_geometric.nn", reason="torch-geometric is not installed (make bench installs peers)"
    )
    torch.manual_seed(0)
    theirs, ours = peer.GCNConv(3, 5), GraphConv(3, 5)
    ours.project.load_state_dict({"weight": theirs.lin.weight, "bias": theirs.bias})
    features, edges = torch.randn(4, 3), EDGES[:, :4]  # the peer keeps a loop that is there, we add one
    torch.testing.assert_close(ours(features, edges), theirs(features, edges))
