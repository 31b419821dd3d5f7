"""A graph whose nodes have few of very many features: words of a paper, tags of a person."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from chainrule.data.axes import Axes
from chainrule.data.batch import Batch
from chainrule.errors import InputError
from chainrule.shapes import Float, Int


@dataclass(frozen=True)
class SparseGraph(Batch):
    """One graph, whole; of the features of its nodes only those that are not zero are written down.

    Args:
        values: of the features that are not zero, node after node.
        columns: which feature each value is of.
        offsets: where each node's values begin.
        edge_index: source above target; an undirected edge stands in both directions.
        labels: class per node, `IGNORED` where it is hidden.
        edge_weight: strength per edge; `None` means one everywhere.

    Shape:
        values, columns: (entry); offsets, labels: (node); edge_index: (2, edge); edge_weight: (edge).

    Example:
        >>> import torch
        >>> pair = torch.tensor([[0, 1], [1, 0]])     # node 0 has features 3 and 7, node 1 has none
        >>> graph = SparseGraph(torch.ones(2), torch.tensor([3, 7]), torch.tensor([0, 2]), pair, torch.tensor([1, 0]))
        >>> [part.shape[0] for part in graph.inputs]
        [2, 2, 2, 2]
    """

    axes: ClassVar[Mapping[str, Axes]] = {
        "values": Axes(("entry",), "floating"),
        "columns": Axes(("entry",), "whole"),
        "offsets": Axes(("node",), "whole"),
        "edge_index": Axes(("2 edge",), "whole"),
        "labels": Axes(("node",), "whole"),
        "edge_weight": Axes(("edge",), "floating"),
    }

    values: Float[Tensor, " entry"]
    columns: Int[Tensor, " entry"]
    offsets: Int[Tensor, " node"]
    edge_index: Int[Tensor, "2 edge"]
    labels: Int[Tensor, " node"]
    edge_weight: Float[Tensor, " edge"] | None = None

    def __post_init__(self) -> None:
        """Entries, nodes and edges each have equally many numbers in everything that is said of them."""
        super().__post_init__()
        lengths = {
            "columns": (len(self.columns), len(self.values)),
            "labels": (len(self.labels), len(self.offsets)),
            "edge_index": (len(self.edge_index), 2),
        }
        if self.edge_weight is not None:
            lengths["edge_weight"] = (len(self.edge_weight), self.edge_index.shape[-1])
        for name, (found, due) in lengths.items():
            if found != due:
                raise InputError(
                    f"`{name}` of SparseGraph does not fit the rest",
                    advice="give a column per value, a label per offset, two ends and at most one weight per edge",
                    found=found, due=due,
                )  # fmt: skip

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """Features and edges, and the edges' weights where there are any."""
        plain = (self.values, self.columns, self.offsets, self.edge_index)
        return plain if self.edge_weight is None else (*plain, self.edge_weight)

    @property
    def targets(self) -> Tensor:
        """The nodes' labels."""
        return self.labels
