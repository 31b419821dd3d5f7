"""What a network for the nodes of a graph has to beat: each looks at a half of what it looks at."""

import warnings

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor

from chainrule.data import IGNORED, SparseGraph
from chainrule.functional import propagate, symmetric

_ROUNDS = 100
_RESTART = 0.1
_PRIOR = 1e-6


def node_rivals(graph: SparseGraph, features: int, classes: int) -> dict[str, Tensor]:
    r"""The commonest class, the labels spread along the edges, and a linear model of the features alone.

    $$F_{k+1} = (1 - \alpha) \tilde A F_k + \alpha Y$$

    Args:
        graph: whose labels are those to learn from.
        features: how many a node can have.
        classes: how many.

    Shape:
        returns (node, class) each: the shares of the classes.

    Example:
        >>> ends = torch.tensor([[0, 1, 2, 3], [1, 0, 3, 2]])
        >>> labels = torch.tensor([0, IGNORED, 1, IGNORED])
        >>> nodes = torch.arange(4)
        >>> found = node_rivals(SparseGraph(torch.ones(4), nodes, nodes, ends, labels), 4, 2)
        >>> found["label propagation"].argmax(1).tolist()
        [0, 0, 1, 1]
    """
    known = graph.labels != IGNORED
    prior = torch.bincount(graph.labels[known], minlength=classes).double()
    prior = prior / prior.sum()
    return {
        "commonest class": prior.expand(len(graph.labels), -1),
        "label propagation": _spread(graph, known, prior),
        "logistic regression": _linear(graph, known, features, classes),
    }


def _spread(graph: SparseGraph, known: Tensor, prior: Tensor) -> Tensor:
    edges, coefficients = symmetric(graph.edge_index, len(graph.labels), graph.edge_weight)
    own = F.one_hot(graph.labels.clamp(min=0), len(prior)).double() * known[:, None]
    belief = own
    for _ in range(_ROUNDS):
        belief = (1 - _RESTART) * propagate(belief, edges, coefficients.double()) + _RESTART * own
    belief = belief + _PRIOR * prior  # whom no label reaches has the commonest
    return belief / belief.sum(1, keepdim=True)


def _linear(graph: SparseGraph, known: Tensor, features: int, classes: int) -> Tensor:
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler

    ends = np.append(graph.offsets.numpy(), len(graph.values))
    rows = csr_matrix((graph.values.numpy().astype(np.float64), graph.columns.numpy(), ends),
                      shape=(len(graph.labels), features))  # fmt: skip
    model = make_pipeline(MaxAbsScaler(), LogisticRegression(max_iter=300))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a linear model that has not quite converged is a rival all the same
        model.fit(rows[known.numpy()], graph.labels[known].numpy())
    shares = torch.zeros(len(graph.labels), classes, dtype=torch.float64)
    shares[:, torch.from_numpy(model.classes_)] = torch.from_numpy(model.predict_proba(rows))
    return shares
