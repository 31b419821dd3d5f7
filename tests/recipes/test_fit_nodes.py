"""From a graph to a model that can be used. Oracles: planted communities, the karate club, the paper's Cora."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from chainrule import InputError
from chainrule.data import data_directory, karate, seeded
from chainrule.recipes import Asked, FitNodes, from_plain, plan_nodes, to_plain
from chainrule.training import fit

ASKED = Asked(minutes=0.3, threads=1)
QUICK = replace(ASKED, minutes=0.01)


def communities(folder: Path, nodes: int = 90, labelled: int = 60, seed: int = 0) -> Path:
    """Three groups that keep to themselves, each fond of one word; a third of the nodes has no label."""
    draw = random.Random(seed)
    group = [node % 3 for node in range(nodes)]
    friends = [
        (one, other)
        for one in range(nodes)
        for other in range(one)
        if draw.random() < (0.15 if group[one] == group[other] else 0.01)
    ]
    (folder / "edges.csv").write_text("from,to\n" + "".join(f"n{one},n{other}\n" for one, other in friends))
    rows = [
        f"n{node},{draw.gauss(group[node], 1.5):.3f},{'xyz'[group[node]] if node < labelled else ''}"
        for node in range(nodes)
    ]
    (folder / "nodes.csv").write_text("name,mood,side\n" + "\n".join(rows) + "\n")
    return folder


def trained(recipe: FitNodes, steps: int = 60) -> tuple[FitNodes, nn.Module]:
    recipe = replace(recipe, steps=steps)
    with seeded(recipe.seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=recipe.steps, hooks=recipe.hooks(), seed=recipe.seed)
    model = learner.model.eval()
    assert recipe.finish(model)
    return recipe, model


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return communities(tmp_path_factory.mktemp("graph"))


@pytest.fixture(scope="module")
def finished(data: Path) -> tuple[FitNodes, nn.Module]:
    return trained(plan_nodes(str(data), ASKED))


def test_a_recipe_is_plain_data_and_back(data: Path) -> None:
    """And builds the same network without the graph."""
    recipe = plan_nodes(str(data), QUICK)
    again = from_plain(FitNodes, json.loads(json.dumps(to_plain(recipe))))
    assert again == recipe
    with seeded(0):
        one = recipe.learner().model.state_dict()
    with seeded(0):
        other = replace(again, data="gone").learner().model.state_dict()
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_who_a_node_is_counts_where_its_features_say_little(finished: tuple[FitNodes, nn.Module]) -> None:
    """The mood tells little of the group, the friends all."""
    recipe, _ = finished
    assert len(recipe.columns.names) == 90
    assert any(note.startswith("Who a node is counts, too") for note in recipe.notes)


def test_it_finds_the_planted_groups(finished: tuple[FitNodes, nn.Module]) -> None:
    recipe, model = finished
    outcome = recipe.outcome(model)
    assert outcome.metrics["accuracy"] >= 0.8 > outcome.baselines["commonest class"]["accuracy"]
    assert {"label propagation", "logistic regression"} < set(outcome.baselines)
    assert len(outcome.figures) == 4  # the graph is small enough to be drawn
    assert "95 times in 100" in outcome.note


def test_nodes_without_a_label_are_answered(finished: tuple[FitNodes, nn.Module], data: Path) -> None:
    recipe, model = finished
    told = recipe.predict(model, data)
    assert told["node"] == [f"n{node}" for node in range(60, 90)]
    right = [side == "xyz"[node % 3] for node, side in enumerate(told["side"], 60)]
    assert sum(right) >= 0.8 * len(right)
    sums = [sum(shares) for shares in zip(*(told[f"p({side})"] for side in "xyz"), strict=True)]
    assert sums == pytest.approx([1.0] * 30)
    names, graph = next(recipe.read([data]))
    assert names == told["node"]
    assert recipe.answered(model, graph)["side"] == told["side"]


def test_another_graph_of_the_same_form_is_answered(finished: tuple[FitNodes, nn.Module], tmp_path: Path) -> None:
    """Without a column of labels every node is asked for."""
    recipe, model = finished
    communities(tmp_path, nodes=30, labelled=0, seed=1)
    table = (tmp_path / "nodes.csv").read_text().splitlines()
    (tmp_path / "nodes.csv").write_text("\n".join(line.rpartition(",")[0] for line in table) + "\n")
    told = recipe.predict(model, str(tmp_path))
    assert len(told["side"]) == 30


def test_a_graph_that_changed_is_refused(tmp_path: Path) -> None:
    recipe = plan_nodes(str(communities(tmp_path)), QUICK)
    communities(tmp_path, seed=3)
    with pytest.raises(InputError, match="not the one that this run began with"):
        replace(recipe, steps=7).batches()


@pytest.mark.parametrize("inputs", [3, [1, 2], None])
def test_what_is_no_graph_is_refused(finished: tuple[FitNodes, nn.Module], inputs: Any) -> None:
    with pytest.raises(InputError, match="a graph comes as a folder"):
        finished[0].encoded(inputs)


def test_amounts_and_other_measures_are_refused(data: Path) -> None:
    with pytest.raises(InputError, match="told as classes"):
        plan_nodes(str(data), replace(ASKED, task="regress"))
    with pytest.raises(InputError, match="judged by accuracy"):
        plan_nodes(str(data), replace(ASKED, metric="RMSE"))


def test_the_karate_club_from_two_tables(tmp_path: Path) -> None:
    """Nothing is known but who met whom: nearly everybody's side is found."""
    club = karate()
    sides = torch.maximum(club.train[0].labels, club.test[0].labels).tolist()
    edges = club.train[0].edge_index
    pairs = edges[:, edges[0] < edges[1]].T.tolist()
    (tmp_path / "edges.csv").write_text("u,v\n" + "".join(f"{one},{other}\n" for one, other in pairs))
    (tmp_path / "nodes.csv").write_text("node,club\n" + "".join(f"{node},{side}\n" for node, side in enumerate(sides)))
    recipe, model = trained(plan_nodes(str(tmp_path), ASKED), steps=100)
    told = recipe.predict(model, tmp_path)
    assert sum(answer == str(side) for answer, side in zip(told["club"], sides, strict=True)) >= 31


def test_cora_from_its_files() -> None:
    """A third of the steps; the bar of 81.5 % is measured over ten seeds by bench/fit_nodes.py."""
    try:
        file = data_directory() / "planetoid" / "ind.cora.graph.xz"
    except InputError as error:
        pytest.skip(str(error))
    if not file.exists():
        pytest.skip("the Planetoid sets are not on this machine")
    recipe, model = trained(plan_nodes(str(file), QUICK), steps=100)
    assert recipe.outcome(model).metrics["accuracy"] >= 0.8
