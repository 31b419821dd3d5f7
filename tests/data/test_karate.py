"""The karate club."""

import csv

import torch

from chainrule.data import IGNORED, karate


def test_as_in_the_published_tables(shared_data):
    """Oracle: the two CSV files written out of NetworkX."""
    with (shared_data / "karate" / "karate_edges.csv").open() as file:
        friends = {(int(row["u"]), int(row["v"])) for row in csv.DictReader(file)}
    with (shared_data / "karate" / "karate_clubs.csv").open() as file:
        clubs = {int(row["node"]): row["club"] for row in csv.DictReader(file)}
    club = karate()
    graph = club.test[0]
    edges = {tuple(edge) for edge in graph.edge_index.T.tolist()}
    assert edges == friends | {(v, u) for u, v in friends}
    labels = torch.where(graph.labels == IGNORED, club.train[0].labels, graph.labels)
    assert [club.classes[label] for label in labels.tolist()] == [clubs[node] for node in range(34)]


def test_invariants():
    club = karate()
    graph = club.train[0]
    assert graph.edge_index.shape == (2, 156)
    assert graph.edge_index.unique(dim=1).shape == (2, 156)
    assert not (graph.edge_index[0] == graph.edge_index[1]).any()
    assert torch.equal(graph.features, torch.eye(34))
    assert graph.labels.nonzero().flatten().tolist() == [node for node in range(34) if node != 0]
    assert (graph.labels[0], graph.labels[33]) == (0, 1)
    shown = [set((part[0].labels != IGNORED).nonzero().flatten().tolist()) for part in (club.train, club.test)]
    assert shown[0] == {0, 33}
    assert shown[1] == set(range(34)) - {0, 33}
    assert sorted(club.test[0].labels.tolist()).count(0) == 16


def test_everyone_can_be_reached():
    reached, edges = {0}, karate().train[0].edge_index.T.tolist()
    for _ in range(34):
        reached |= {v for u, v in edges if u in reached}
    assert len(reached) == 34
