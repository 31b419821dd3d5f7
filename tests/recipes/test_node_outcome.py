"""How good a graph network is. Oracle: scores made by hand, whose accuracy is known."""

from pathlib import Path

import pytest
import torch

from chainrule.data import SparseGraph
from chainrule.recipes.node_outcome import node_outcome
from chainrule.recipes.prepared_nodes import PreparedNodes, prepare_nodes


@pytest.fixture
def ring(tmp_path: Path) -> PreparedNodes:
    (tmp_path / "edges.csv").write_text("from,to\n" + "".join(f"n{n},n{(n + 1) % 40}\n" for n in range(40)))
    labels = "".join(f"n{n},{n % 7},{'a' if n < 20 else 'b'}\n" for n in range(40))
    (tmp_path / "nodes.csv").write_text("name,age,label\n" + labels)
    return prepare_nodes(str(tmp_path), target=None, seed=0)


def graph_of(ring: PreparedNodes) -> SparseGraph:
    nodes = torch.arange(40)
    return SparseGraph(torch.ones(40), nodes, nodes, ring.network.edges, ring.shown(ring.train))


def test_right_scores_are_all_right(ring: PreparedNodes) -> None:
    scores = 9.0 * torch.nn.functional.one_hot(ring.labels, 2).float()
    outcome = node_outcome(scores, ring, graph_of(ring), 40)
    assert outcome.metrics["accuracy"] == 1.0
    assert outcome.reached
    assert outcome.baselines["commonest class"]["accuracy"] == 0.5
    assert f"{len(ring.test)} of {len(ring.test)} nodes" in outcome.note


def test_wrong_scores_do_not_reach_the_bar(ring: PreparedNodes) -> None:
    scores = -9.0 * torch.nn.functional.one_hot(ring.labels, 2).float()
    outcome = node_outcome(scores, ring, graph_of(ring), 40)
    assert outcome.metrics["accuracy"] == 0.0
    assert not outcome.reached
    assert "n" in outcome.figures[2].html


def test_only_nodes_to_judge_with_count(ring: PreparedNodes) -> None:
    scores = -9.0 * torch.nn.functional.one_hot(ring.labels, 2).float()
    scores[ring.test] *= -1
    assert node_outcome(scores, ring, graph_of(ring), 40).metrics["accuracy"] == 1.0
