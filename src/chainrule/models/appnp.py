"""Networks for the nodes of a graph that look at a node first and at its neighbourhood afterwards."""

import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.functional import propagate, symmetric
from chainrule.layers import Temperature
from chainrule.models.network import Network
from chainrule.shapes import Float, Int


class AppnpEncoder(nn.Module):
    r"""Scores of every node from its own few features, then spread along the edges, a part of each kept where it began.

    $$H = \text{ReLU}(X W_1 + b_1) W_2 + b_2, \qquad Z_0 = H, \qquad
      Z_{k+1} = (1 - \alpha) \tilde A Z_k + \alpha H, \qquad \tilde A = \hat D^{-1/2} \hat A \hat D^{-1/2}$$

    A node hears from `rounds` edges away, and no weights but those of the two layers are learnt: few labels suffice.

    Args:
        features: how many a node can have.
        hidden: numbers per node in the hidden layer.
        classes: scores per node.
        rounds: of spreading.
        restart: $\alpha$, share of a node's own scores in every round.
        dropout: share of numbers set to zero before each of the two layers, while training.

    Shape:
        values: (entry), of the features that are not zero; columns: (entry), which these are; offsets: (node), where
        each node's begin; edge_index: (2, edge); edge_weight: (edge); returns (node, class).

    Example:
        >>> import torch
        >>> encoder = AppnpEncoder(9, 8, 2)
        >>> pair = torch.tensor([[0, 1], [1, 0]])
        >>> encoder(torch.ones(2), torch.tensor([3, 7]), torch.tensor([0, 2]), pair).shape
        torch.Size([2, 2])

    Reference:
        Gasteiger, Bojchevski and Günnemann, Predict then Propagate: Graph Neural Networks meet Personalized PageRank,
        2019. https://arxiv.org/abs/1810.05997

    Differs:
        No dropout of edges.
    """

    def __init__(
        self, features: int, hidden: int, classes: int, *, rounds: int = 10, restart: float = 0.1, dropout: float = 0.5
    ) -> None:
        super().__init__()
        if min(features, hidden, classes) < 1 or rounds < 0 or not 0 <= restart <= 1:
            raise InputError(
                "sizes must be at least 1, `rounds` at least 0, and `restart` a share",
                advice="try rounds=10, restart=0.1",
                features=features, hidden=hidden, classes=classes, rounds=rounds, restart=restart,
            )  # fmt: skip
        self.words = nn.EmbeddingBag(features, hidden, mode="sum")
        self.bias = nn.Parameter(self.words.weight.new_zeros(hidden))
        self.project = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(dropout)
        self.rounds = rounds
        self.restart = restart
        nn.init.xavier_uniform_(self.words.weight)
        nn.init.xavier_uniform_(self.project.weight)
        nn.init.zeros_(self.project.bias)

    def forward(
        self,
        values: Float[Tensor, " entry"],
        columns: Int[Tensor, " entry"],
        offsets: Int[Tensor, " node"],
        edge_index: Int[Tensor, "2 edge"],
        edge_weight: Float[Tensor, " edge"] | None = None,
    ) -> Float[Tensor, "node class"]:
        """The spread scores of every node."""
        hidden = F.relu(self.words(columns, offsets, per_sample_weights=self.dropout(values)) + self.bias)
        own = self.project(self.dropout(hidden))
        edges, coefficients = symmetric(edge_index, len(offsets), edge_weight)
        coefficients = (1 - self.restart) * coefficients.to(own.dtype)
        spread = own
        for _ in range(self.rounds):
            spread = propagate(spread, edges, coefficients) + self.restart * own
        return spread


def appnp(
    features: int, hidden: int, classes: int, *, rounds: int = 10, restart: float = 0.1, dropout: float = 0.5
) -> Network:
    r"""A network that classifies the nodes of a graph from few labels; its scores can be calibrated.

    $$\hat Y = \text{softmax}(Z_K / T)$$

    Args:
        features: how many a node can have.
        hidden: numbers per node in the hidden layer.
        classes: how many.
        rounds: of spreading along the edges.
        restart: share of a node's own scores in every round.
        dropout: share of numbers set to zero before each layer, while training.

    Shape:
        values: (entry); columns: (entry); offsets: (node); edge_index: (2, edge); edge_weight: (edge);
        returns (node, class).

    Example:
        >>> sum(weights.numel() for weights in appnp(1433, 64, 7).parameters())    # Cora
        92231

    Reference:
        Gasteiger, Bojchevski and Günnemann, Predict then Propagate, 2019. https://arxiv.org/abs/1810.05997

    Differs:
        No dropout of edges; the embedding is the spread scores themselves, the head only a temperature.
    """
    encoder = AppnpEncoder(features, hidden, classes, rounds=rounds, restart=restart, dropout=dropout)
    return Network(encoder, Temperature())
