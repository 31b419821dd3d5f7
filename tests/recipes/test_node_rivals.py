"""What a graph network has to beat. Oracle: scikit-learn's label spreading and its linear model."""

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

from chainrule.data import IGNORED, SparseGraph, karate
from chainrule.recipes.node_rivals import node_rivals


def club() -> SparseGraph:
    graph = karate().train[0]
    nodes = torch.arange(34)
    return SparseGraph(torch.ones(34), nodes, nodes, graph.edge_index, graph.labels)


def test_labels_spread_to_the_fixed_point() -> None:
    """Zhou et al., 2004: the limit is a linear system."""
    graph = club()
    adjacency = np.eye(34)
    adjacency[graph.edge_index[1], graph.edge_index[0]] = 1
    root = adjacency.sum(1) ** -0.5
    own = np.zeros((34, 2))
    known = graph.labels != IGNORED
    own[known, graph.labels[known]] = 1
    limit = 0.1 * np.linalg.solve(np.eye(34) - 0.9 * root[:, None] * adjacency * root, own)
    found = node_rivals(graph, 34, 2)["label propagation"].numpy()
    np.testing.assert_allclose(found, limit / limit.sum(1, keepdims=True), atol=1e-3)


def test_a_node_that_no_label_reaches_has_the_commonest_class() -> None:
    nodes = torch.arange(4)
    labels = torch.tensor([1, 1, 0, IGNORED])
    graph = SparseGraph(torch.ones(4), nodes, nodes, torch.tensor([[0, 1], [1, 0]]), labels)
    found = node_rivals(graph, 4, 2)
    assert found["label propagation"][3].argmax() == 1
    torch.testing.assert_close(found["commonest class"][0], torch.tensor([1 / 3, 2 / 3]).double())


def test_the_linear_model_is_scikit_learns() -> None:
    features = torch.rand(60, 5)
    labels = (features[:, 0] > 0.5).long()
    shown = torch.where(torch.arange(60) < 40, labels, IGNORED)
    offsets = torch.arange(60) * 5
    columns = torch.arange(5).repeat(60)
    graph = SparseGraph(features.flatten(), columns, offsets, torch.tensor([[0, 1], [1, 0]]), shown)
    rows = features.double().numpy() / features.double().abs().numpy()[:40].max(0)
    expected = LogisticRegression(max_iter=300).fit(rows[:40], labels[:40].numpy()).predict_proba(rows)
    np.testing.assert_allclose(node_rivals(graph, 5, 2)["logistic regression"].numpy(), expected, atol=1e-4)
