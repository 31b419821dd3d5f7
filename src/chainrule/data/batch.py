"""A batch: a small frozen dataclass per kind of data, holding tensors.

Every kind answers the same two questions, so that an objective need not know which kind it is given: what goes
into the network (`batch.inputs`, a tuple: `model(*batch.inputs)`), and what should come out (`batch.targets`).
A target of `IGNORED` takes no part in a loss.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self, TypeVar

import torch
from torch import Tensor

from chainrule.data.axes import Axes, demand
from chainrule.errors import InputError
from chainrule.shapes import Float, Int, Num, Shaped

IGNORED = -100


class Batch(ABC):
    """What `batches[k]` gives: tensors of one kind of data, moved between devices as one.

    A kind may say in `axes` what its tensors must look like: whoever makes a wrong batch is told at once.
    """

    axes: ClassVar[Mapping[str, Axes]] = {}

    def __post_init__(self) -> None:
        """Every tensor looks as `axes` says."""
        demand(type(self).__name__, self.tensors(), self.axes)

    @property
    @abstractmethod
    def inputs(self) -> tuple[Tensor, ...]:
        """What the network takes: `model(*batch.inputs)`."""

    @property
    @abstractmethod
    def targets(self) -> Tensor:
        """What the network's answer is compared with."""

    def to(self, device: torch.device | str) -> Self:
        """The same batch on another device."""
        return self.each(lambda tensor: tensor.to(device, non_blocking=True))

    def tensors(self) -> dict[str, Tensor]:
        """The tensors by field name; a field that is `None` is left out."""
        return {name: value for name, value in vars(self).items() if isinstance(value, Tensor)}

    def each(self, change: Callable[[Tensor], Tensor]) -> Self:
        """The same batch with `change` done to every tensor."""
        return type(self)(**{name: change(tensor) for name, tensor in self.tensors().items()})


class Rows(Batch):
    """A batch whose tensors share their first axis: one row per example."""

    def __post_init__(self) -> None:
        """Every tensor looks as `axes` says and has a row for every example."""
        super().__post_init__()
        lengths = {name: len(tensor) for name, tensor in self.tensors().items()}
        if len(set(lengths.values())) > 1:
            raise InputError(
                f"the tensors of {type(self).__name__} must have one row per example",
                advice="give them the same first axis",
                **lengths,
            )

    def __len__(self) -> int:
        """How many examples."""
        return len(next(iter(self.tensors().values())))

    def select(self, rows: Tensor | slice) -> Self:
        """The examples at `rows`: whole numbers, or a slice (then a view, nothing is copied)."""
        chosen = object.__new__(type(self))
        vars(chosen).update(vars(self))  # rows of a good batch need no second look, which would be 5 us of each step
        for name, tensor in self.tensors().items():  # index_select copies whole rows: 20 x faster than tensor[rows]
            vars(chosen)[name] = tensor[rows] if isinstance(rows, slice) else tensor.index_select(0, rows)
        return chosen


@dataclass(frozen=True)
class Images(Rows):
    """Pictures and their labels; bytes stay bytes until the network's first layer turns them into numbers.

    Args:
        pixels: brightness, one channel (grey) or three (red, green, blue).
        labels: class of each picture.

    Shape:
        pixels: (batch, channel, height, width); labels: (batch).

    Example:
        >>> batch = Images(torch.zeros(2, 1, 8, 8, dtype=torch.uint8), torch.tensor([3, 7]))
        >>> len(batch), batch.targets.tolist()
        (2, [3, 7])
    """

    axes: ClassVar[Mapping[str, Axes]] = {
        "pixels": Axes(("batch channel height width",)),
        "labels": Axes(("batch",), "whole"),
    }

    pixels: Num[Tensor, "batch channel height width"]
    labels: Int[Tensor, " batch"]

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The pixels."""
        return (self.pixels,)

    @property
    def targets(self) -> Tensor:
        """The labels."""
        return self.labels


@dataclass(frozen=True)
class Tokens(Rows):
    """Sequences of token numbers and, at each place, the token that should be predicted there.

    Args:
        ids: token numbers.
        following: for a language model, `ids` shifted by one; `IGNORED` where nothing is to be learnt.

    Shape:
        ids: (batch, time); following: (batch, time).

    Example:
        >>> Tokens(torch.tensor([[1, 2]]), torch.tensor([[2, 3]])).targets.tolist()
        [[2, 3]]
    """

    axes: ClassVar[Mapping[str, Axes]] = {
        "ids": Axes(("batch time",), "whole"),
        "following": Axes(("batch time",), "whole"),
    }

    ids: Int[Tensor, "batch time"]
    following: Int[Tensor, "batch time"]

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The token numbers."""
        return (self.ids,)

    @property
    def targets(self) -> Tensor:
        """The token that follows each place."""
        return self.following


@dataclass(frozen=True)
class Series(Rows):
    """Stretches of time series: the observed past and the future to be forecast.

    Args:
        past: observed values.
        future: values to forecast.

    Shape:
        past: (batch, time, channel); future: (batch, horizon, channel).

    Example:
        >>> batch = Series(torch.zeros(4, 24, 1), torch.zeros(4, 6, 1))
        >>> len(batch), batch.targets.shape
        (4, torch.Size([4, 6, 1]))
    """

    axes: ClassVar[Mapping[str, Axes]] = {
        "past": Axes(("batch time channel",), "floating"),
        "future": Axes(("batch horizon channel",), "floating"),
    }

    past: Float[Tensor, "batch time channel"]
    future: Float[Tensor, "batch horizon channel"]

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The observed past."""
        return (self.past,)

    @property
    def targets(self) -> Tensor:
        """The future to forecast."""
        return self.future


@dataclass(frozen=True)
class Table(Rows):
    """Rows of a table: numbers in, a number or a class out.

    Args:
        features: numeric columns.
        outcome: one class or number per row, or several numbers.

    Shape:
        features: (batch, feature); outcome: (batch) or (batch, output).

    Example:
        >>> batch = Table(torch.zeros(5, 3), torch.tensor([0, 1, 0, 1, 1]))
        >>> batch.select(slice(1, 3)).targets.tolist()
        [1, 0]
    """

    axes: ClassVar[Mapping[str, Axes]] = {
        "features": Axes(("batch feature",), "floating"),
        "outcome": Axes(("batch", "batch output")),
    }

    features: Float[Tensor, "batch feature"]
    outcome: Shaped[Tensor, " batch"] | Shaped[Tensor, "batch output"]

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The numeric columns."""
        return (self.features,)

    @property
    def targets(self) -> Tensor:
        """The class or number to predict."""
        return self.outcome


@dataclass(frozen=True)
class Graph(Batch):
    """One graph, whole: nodes with features, edges between them, a label for the nodes that have one.

    Args:
        features: numbers per node.
        edge_index: source above target; an undirected edge stands in both directions.
        labels: class per node, `IGNORED` where it is hidden.
        edge_weight: strength per edge; `None` means one everywhere.

    Shape:
        features: (node, feature); edge_index: (2, edge); labels: (node); edge_weight: (edge).

    Example:
        >>> pair = Graph(torch.eye(2), torch.tensor([[0, 1], [1, 0]]), torch.tensor([0, IGNORED]))
        >>> [part.shape for part in pair.inputs]
        [torch.Size([2, 2]), torch.Size([2, 2])]
    """

    axes: ClassVar[Mapping[str, Axes]] = {
        "features": Axes(("node feature",), "floating"),
        "edge_index": Axes(("2 edge",), "whole"),
        "labels": Axes(("node",), "whole"),
        "edge_weight": Axes(("edge",), "floating"),
    }

    features: Float[Tensor, "node feature"]
    edge_index: Int[Tensor, "2 edge"]
    labels: Int[Tensor, " node"]
    edge_weight: Float[Tensor, " edge"] | None = None

    def __post_init__(self) -> None:
        """Edges join nodes that exist, and there is a label per node and a weight per edge."""
        super().__post_init__()
        nodes, edges = len(self.features), self.edge_index.shape[-1]
        lengths = {"labels": len(self.labels) == nodes, "edge_index": len(self.edge_index) == 2}
        lengths["edge_weight"] = self.edge_weight is None or len(self.edge_weight) == edges
        for name, right in lengths.items():
            if not right:
                raise InputError(
                    f"`{name}` of Graph must have one entry per node (labels) or edge (edge_weight), or two rows "
                    "(edge_index: source above target)",
                    advice="check how the graph was read",
                    shape=tuple(self.tensors()[name].shape),
                    nodes=nodes,
                    edges=edges,
                )
        if edges and self.edge_index.device.type == "cpu":  # elsewhere a look at the values would wait for the device
            self._check_ends(nodes)

    def _check_ends(self, nodes: int) -> None:
        lowest, highest = int(self.edge_index.min()), int(self.edge_index.max())
        if lowest < 0 or highest >= nodes:
            raise InputError(
                "`edge_index` must hold node numbers from 0 to the number of nodes less one",
                advice="number the nodes from 0",
                lowest=lowest,
                highest=highest,
                nodes=nodes,
            )

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """Features and edges, and the edges' weights where there are any."""
        plain = (self.features, self.edge_index)
        return plain if self.edge_weight is None else (*plain, self.edge_weight)

    @property
    def targets(self) -> Tensor:
        """The nodes' labels."""
        return self.labels


BatchT = TypeVar("BatchT", bound=Batch)
RowsT = TypeVar("RowsT", bound=Rows)
