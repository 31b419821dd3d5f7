import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule.data import IGNORED, karate
from chainrule.errors import InputError
from chainrule.report import graph_figure, layout
from report.reading import SVG, parse


@st.composite
def graphs(draw):
    nodes = draw(st.integers(1, 12))
    pairs = draw(st.lists(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)), max_size=20))
    return np.array(pairs, dtype=int).reshape(-1, 2).T, nodes


@settings(deadline=None)
@given(graphs())
def test_a_layout_is_finite_inside_and_always_the_same(graph):
    edges, nodes = graph
    places = layout(edges, nodes, rounds=20)
    assert places.shape == (nodes, 2)
    assert np.isfinite(places).all()
    assert places.min() >= -1e-9
    assert places.max() <= 1 + 1e-9
    np.testing.assert_array_equal(places, layout(edges, nodes, rounds=20))


def test_a_path_is_laid_out_straight_and_evenly():
    places = layout([list(range(6)), list(range(1, 7))], 7)
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert np.linalg.norm(places[-1] - places[0]) == pytest.approx(steps.sum(), rel=1e-3)
    assert steps.max() == pytest.approx(steps.min(), rel=0.01)


def test_stress_falls():
    edges = karate().test[0].edge_index.numpy()
    adjacency = np.full((34, 34), np.inf)
    adjacency[edges[0], edges[1]] = 1
    np.fill_diagonal(adjacency, 0)
    for middle in range(34):  # Floyd and Warshall, the slow way
        adjacency = np.minimum(adjacency, adjacency[:, middle, None] + adjacency[None, middle])

    def stress(places):
        apart = np.linalg.norm(places[:, None] - places[None], axis=-1)
        upper = np.triu_indices(34, 1)
        d, x = adjacency[upper], apart[upper]
        scale = (x / d).sum() / (x**2 / d**2).sum()
        return (((scale * x - d) / d) ** 2).sum()

    before, after = stress(layout(edges, 34, rounds=0)), stress(layout(edges, 34))
    assert after < 0.8 * before


def test_nodes_do_not_overlap():
    club = karate().test[0]
    figure = graph_figure(club.edge_index, club.labels, np.zeros(34, dtype=int), title="club")
    shapes = [node for node in parse(figure.svg).iter(f"{SVG}circle") if node.get("r") == "8.5"]
    spots = np.array([[float(node.get("cx", 0)), float(node.get("cy", 0))] for node in shapes])
    apart = np.linalg.norm(spots[:, None] - spots[None], axis=-1) + 1e3 * np.eye(34)
    assert apart.min() > 17


def test_wrong_nodes_have_a_ring_and_hidden_labels_none():
    figure = graph_figure([[0, 1], [1, 2]], [0, 1, IGNORED], [1, 1, 1], title="t", classes=["a", "b"])
    root = parse(figure.svg)
    assert sum(node.get("r") == "12" for node in root.iter(f"{SVG}circle")) == 1


@pytest.mark.parametrize("edges", [[[0], [5]], [[0, 1]], [[-1], [0]]])
def test_edges_that_lead_nowhere_are_refused(edges):
    with pytest.raises(InputError, match="`edges` must be"):
        layout(edges, 3)


def test_too_large_a_graph_is_refused():
    with pytest.raises(InputError, match="must have 1 to 600 nodes"):
        layout([[0], [1]], 601)
