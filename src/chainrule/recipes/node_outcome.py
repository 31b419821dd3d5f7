"""How good a network for the nodes of a graph is: numbers with intervals, rivals, and where it is wrong."""

import torch
from torch import Tensor

from chainrule.data import SparseGraph
from chainrule.recipes.node_rivals import node_rivals
from chainrule.recipes.picture_rivals import scored
from chainrule.recipes.prepared_nodes import PreparedNodes
from chainrule.report import (
    Figure,
    Outcome,
    calibration,
    calibration_error,
    confusion,
    graph_figure,
    table_figure,
    wilson,
)

_DRAWN = 40  # classes that a confusion matrix can show
_SMALL = 150  # nodes of a graph that is drawn
_WORST = 12


def node_outcome(outputs: Tensor, prepared: PreparedNodes, graph: SparseGraph, features: int) -> Outcome:
    """Judges the network's scores of the nodes to judge with beside its rivals, which learn from the same labels.

    Args:
        outputs: scores of every node.
        prepared: the graph and who takes part in what.
        graph: the same as the network takes it; its labels are those to learn from.
        features: how many a node can have.

    Shape:
        outputs: (node, class).
    """
    names, test = prepared.target.names, prepared.test
    right = prepared.labels[test]
    shares = outputs.double().softmax(1)
    beside = {name: scored(answers[test], right) for name, answers in node_rivals(graph, features, len(names)).items()}
    sure, answer = shares[test].max(1)
    measured = scored(shares[test], right) | {"calibration error": calibration_error(sure, answer == right)}
    best = max(beside, key=lambda name: beside[name]["accuracy"])
    wanted = beside[best]["accuracy"]
    figures = [calibration(sure.clamp(0, 1), answer == right, title="Is it right as often as it says?")]
    if len(names) <= _DRAWN:
        figures.insert(0, confusion(right, answer, names, title="Test nodes: truth against answer"))
    figures.append(_mistakes(prepared, shares))
    if len(prepared.labels) <= _SMALL:
        figures.append(_picture(prepared, shares))
    return Outcome(
        metrics=measured,
        baselines=beside,
        bar=f"test accuracy of at least that of the best rival ({best}, {100 * wanted:.2f} %)",
        reached=measured["accuracy"] >= wanted,
        figures=tuple(figures),
        note=_note(int((answer == right).sum()), len(right), len(prepared.train)),
    )


def _note(right: int, count: int, train: int) -> str:
    low, high = wilson(right, count)
    return (
        f"{right:,} of {count:,} nodes to judge with are right: {100 * right / count:.2f} %, and 95 times in 100 the "
        f"true accuracy lies between {100 * low:.2f} and {100 * high:.2f} %. The rivals learnt from the same "
        f"{train:,} labels: label propagation sees the edges alone, logistic regression the features alone."
    )


def _mistakes(prepared: PreparedNodes, shares: Tensor) -> Figure:
    """The nodes to judge with that it is most wrong about."""
    right = prepared.labels[prepared.test]
    found = shares[prepared.test]
    told = found.gather(1, right[:, None])[:, 0]
    wrong = torch.where(found.argmax(1) == right, torch.inf, told)
    places = wrong.argsort(stable=True)[: min(_WORST, int(torch.isfinite(wrong).sum()))].tolist()
    degree = torch.bincount(prepared.network.edges[1], minlength=len(shares))
    rows = [
        {
            "node": prepared.network.names[int(prepared.test[place])][:24],
            "true": prepared.target.names[int(right[place])],
            "answer": prepared.target.names[int(found[place].argmax())],
            "sure (%)": round(100 * float(found[place].max()), 1),
            "neighbours": int(degree[prepared.test[place]]),
        }
        for place in places
    ]
    caption = "The nodes it is most wrong about: some of their labels may be mistaken."
    return table_figure(rows or [{"mistakes": "none"}], title="Worst mistakes", caption=caption)


def _picture(prepared: PreparedNodes, shares: Tensor) -> Figure:
    return graph_figure(
        prepared.network.edges,
        prepared.labels,
        shares.argmax(1),
        title="The graph after training",
        classes=prepared.target.names,
        known=prepared.train.tolist(),
        caption="Nodes and their edges; the colour is the network's answer.",
    )
