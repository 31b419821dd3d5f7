"""Classes of the nodes of somebody's graph, told from few labels, features and neighbours."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from chainrule.data import IGNORED, Batches, Same, SparseGraph, seeded
from chainrule.errors import InputError
from chainrule.layers import Temperature, best_temperature
from chainrule.learners import Gradient, KeepBest
from chainrule.models import appnp
from chainrule.objectives import Classify
from chainrule.optim import AdamW
from chainrule.recipes.budget import budget
from chainrule.recipes.fitted import Answers, Asked, Fitted, class_answers, unchanged
from chainrule.recipes.node_outcome import node_outcome
from chainrule.recipes.prepared_nodes import PreparedNodes, prepare_nodes
from chainrule.recipes.threads import running_on
from chainrule.report import Outcome
from chainrule.sources import (
    Classes,
    NetworkData,
    NodeColumns,
    describe_columns,
    many,
    node_entries,
    read_network,
    understand_nodes,
)
from chainrule.training import Evaluate, Hook, evaluating

_ENOUGH = 300  # steps, each of which sees the whole graph
_TRYING = 0.2  # share of the minutes that goes into choosing
_TRIED = 150  # steps of a training that only helps to choose
_LEAST_TRIED = 20
_MOST_NAMES = 20_000  # nodes that can be features
_LOOKS = 15  # measurements that are written down
_DOUBT = 10  # mistakes, until which a temperature is half believed


@dataclass(frozen=True, kw_only=True)
class FitNodes(Fitted):
    """Settings of a graph network that `chainrule fit` made.

    Args:
        steps: how long to train.
        seed: where every random number of the run begins.
        threads: of the CPU.
        data: where the graph lies.
        digest: of its content.
        asked: what the person said.
        notes: what was decided and repaired.
        target: what is told of a node, and its classes.
        columns: what each column of the node table is, and how it becomes numbers.
        hidden: numbers per node in the hidden layer.
        rounds: of spreading along the edges.
        restart: share of a node's own scores in every round.
        dropout: share of numbers set to zero before each layer while training.
        every: steps between two looks at the validation nodes, of which the best is kept.
        optimizer: how a gradient becomes an update.
    """

    target: Classes
    columns: NodeColumns
    hidden: int = 64
    rounds: int = 10
    restart: float = 0.1
    dropout: float = 0.8
    every: int = 5
    optimizer: AdamW = AdamW(lr=0.01, weight_decay=0.1)

    @property
    def title(self) -> str:
        """What it is."""
        return f"Tells `{self.target.name}` of the nodes of {Path(self.data).name} from them and their neighbours."

    def prepared(self) -> PreparedNodes:
        """The graph and its split, read again; an error if it is not the one that the run began with."""
        found = prepare_nodes(self.data, target=self.asked.target, seed=self.asked.seed)
        said = "the graph is not the one that this run began with"
        unchanged(self.data, found.network.digest, self.digest, said)
        return found

    def part(self, name: Literal["train", "validation", "test"]) -> Same[SparseGraph]:
        """The whole graph with the labels of the nodes to learn from, to choose by or to judge with."""
        return _parts(self)[name]

    def learner(self) -> KeepBest:
        """A graph network by gradient descent, of which the moment that was best on the validation nodes is kept."""
        model = appnp(
            self.columns.width, self.hidden, len(self.target.names),
            rounds=self.rounds, restart=self.restart, dropout=self.dropout,
        )  # fmt: skip
        learner = Gradient(model, Classify(), self.optimizer.over(self.steps))
        return KeepBest(learner, Classify(), lambda: self.part("validation"), every=self.every)

    def batches(self) -> Batches[SparseGraph]:
        """The whole graph, every step."""
        return self.part("train")

    def hooks(self) -> Sequence[Hook]:
        """The validation nodes, some fifteen times."""
        return [Evaluate(Classify(), self.part("validation"), every=max(1, self.steps // _LOOKS))]

    def finish(self, model: nn.Module) -> bool:
        """Calibrates the probabilities on the validation nodes."""
        layer = next(module for module in model.modules() if isinstance(module, Temperature))
        graph = self.part("validation").batch
        known = graph.labels != IGNORED
        layer.set_to(1.0)
        scores = _scores(model, graph)[known]
        wrong = int((scores.argmax(1) != graph.labels[known]).sum())  # from a few mistakes little can be learnt
        layer.set_to(best_temperature(scores, graph.labels[known]) ** (wrong / (wrong + _DOUBT)))
        return True

    def outcome(self, model: nn.Module) -> Outcome:
        """Numbers on the nodes to judge with, beside the commonest class, label propagation and a linear model."""
        graph = self.part("train").batch
        return node_outcome(_scores(model, graph), self.prepared(), graph, self.columns.width)

    def encoded(self, inputs: Any) -> Any:
        """A graph as the network takes it, from a folder like the one it learnt from.

        Returns a `SparseGraph` whose nodes that are to be answered have a made-up label: those without one in the
        node table, or all where every node has one.
        """
        return self._asked(self._read(inputs))

    def read(self, paths: Sequence[Path]) -> Iterator[tuple[list[str], Any]]:
        """The nodes of graphs that have no label, by their names, and each graph as the network takes it."""
        for path in paths:
            network = self._read(path)
            graph = self._asked(network)
            yield [network.names[place] for place in _wanted(graph).tolist()], graph

    def predict(self, model: nn.Module, inputs: Any) -> Answers:
        """The class of every node that has no label, by its name."""
        network = self._read(inputs)
        graph = self._asked(network)
        names = [network.names[place] for place in _wanted(graph).tolist()]
        return {"node": names, **self.answered(model, graph)}

    def answered(self, model: nn.Module, rows: Any) -> Answers:
        """Answers to the nodes of a graph that were asked for."""
        return self.answers(_scores(model, rows)[_wanted(rows)])

    def answers(self, outputs: Tensor) -> Answers:
        """The class of every node with its probability."""
        return class_answers(self.target.name, self.target.names, outputs)

    def _read(self, inputs: Any) -> NetworkData:
        if not isinstance(inputs, str | Path):
            raise InputError("a graph comes as a folder with tables of nodes and edges",
                             advice="give its path", got=type(inputs).__name__)  # fmt: skip
        return read_network(inputs, target=self.target.name, kinds=self.columns.kinds, every_node=True)

    def _asked(self, network: NetworkData) -> SparseGraph:
        asked = torch.zeros(len(network.names), dtype=torch.int64)
        if network.answers is not None and network.answers.null_count():
            asked[torch.tensor(network.answers.is_not_null().to_list())] = IGNORED
        return _graph(network, self.columns, asked)


def plan_nodes(data: str, asked: Asked) -> FitNodes:
    """Looks at a graph and decides how to learn the classes of its nodes.

    Args:
        data: a folder with a table of nodes and one of edges, or files of a Planetoid set.
        asked: what the person says about it.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ring = "".join(f"{node},{(node + 1) % 20}\\n" for node in range(20))
        ...     _ = (Path(folder) / "edges.csv").write_text("from,to\\n" + ring)
        ...     nodes = "".join(f"{node},{'low' if node < 10 else 'high'}\\n" for node in range(20))
        ...     _ = (Path(folder) / "nodes.csv").write_text("id,label\\n" + nodes)
        ...     recipe = plan_nodes(folder, Asked(minutes=0.01, threads=1))
        >>> recipe.target.names, recipe.columns.width
        (('high', 'low'), 20)
    """
    if asked.task not in (None, "classify", "nodes"):
        raise InputError("nodes of a graph can be told as classes", advice="leave --task out", task=asked.task)
    if asked.metric not in (None, "accuracy"):
        raise InputError("nodes of a graph are judged by accuracy", advice="leave --metric out", metric=asked.metric)
    found = prepare_nodes(data, target=asked.target, seed=asked.seed)
    network = found.network
    columns = understand_nodes(network.frame, found.seen, network.answers, network.names, dict(network.formats))
    recipe = FitNodes(
        steps=1, seed=asked.seed, threads=asked.threads, data=data, digest=network.digest, asked=asked,
        target=found.target, columns=columns, dropout=0.8 if columns.words else 0.5,
    )  # fmt: skip
    recipe, why = _named(recipe, network.names)
    spent = budget(
        recipe.learner().learner, recipe.batches(), (1 - _TRYING) * asked.minutes, threads=asked.threads, enough=_ENOUGH
    )
    steps = recipe.every * max(1, spent.steps // recipe.every)
    notes = [
        *found.notes,
        *_described(columns),
        *why,
        f"Each node's own scores ({recipe.hidden} hidden numbers) are spread along the edges {recipe.rounds} times.",
        f"{spent.told()} What is kept is the moment that was best on the nodes to choose by.",
    ]
    return replace(recipe, steps=steps, notes=tuple(notes))


def _named(recipe: FitNodes, names: tuple[str, ...]) -> tuple[FitNodes, list[str]]:
    """Whether each node is a feature of its own beside what is known of it: as a short training of each tells."""
    if recipe.columns.names or len(names) > _MOST_NAMES:
        return recipe, []
    asked = recipe.asked
    other = replace(recipe, columns=replace(recipe.columns, names=names))
    share = _TRYING * asked.minutes
    spent = budget(other.learner().learner, other.batches(), share / 2, threads=asked.threads, enough=_TRIED)
    if spent.steps < _LEAST_TRIED:
        return recipe, []
    losses = [_tried(each, spent.steps) for each in (recipe, other)]
    said = f"the loss on nodes to choose by is {losses[1]:.3f} with that and {losses[0]:.3f} without"
    if losses[1] < losses[0]:
        return other, [f"Who a node is counts, too, so that neighbours of known nodes are told by these: {said}."]
    return recipe, [f"Who a node is does not count, only what is known of it: {said}."]


def _tried(recipe: FitNodes, steps: int) -> float:
    """The least validation loss of a short training."""
    with running_on(recipe.threads), seeded(recipe.seed):
        learner, batches = recipe.learner(), recipe.batches()
        for k in range(recipe.every * max(1, steps // recipe.every)):
            learner.step(batches[k])
    return learner.least


@lru_cache(maxsize=4)
def _parts(recipe: FitNodes) -> dict[str, Same[SparseGraph]]:
    found = recipe.prepared()
    graph = _graph(found.network, recipe.columns, found.labels)
    nodes = {"train": found.train, "validation": found.validation, "test": found.test}
    return {name: Same(replace(graph, labels=found.shown(part))) for name, part in nodes.items()}


def _described(columns: NodeColumns) -> list[str]:
    """What each column became, in sentences."""
    said = list(describe_columns(columns.columns)) if columns.columns else []
    if columns.words:
        said.append(f"{many(len(columns.words), 'column')} count something rare, as words: as shares of their sum.")
    if columns.names:
        said.append("Nothing is known of a node but its neighbours: a node that joins later is told by these alone.")
    return said


def _graph(network: NetworkData, columns: NodeColumns, labels: Tensor) -> SparseGraph:
    values, places, offsets = node_entries(columns, network.frame, network.names)
    return SparseGraph(values, places, offsets, network.edges, labels, network.weights)


def _wanted(graph: SparseGraph) -> Tensor:
    return (graph.labels != IGNORED).nonzero().flatten()


@torch.no_grad()
def _scores(model: nn.Module, graph: SparseGraph) -> Tensor:
    with evaluating(model):
        return model(*graph.inputs).float()
