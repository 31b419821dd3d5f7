"""A graph made ready: which nodes learn, choose and judge, before anything is fitted."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from chainrule.data import IGNORED
from chainrule.errors import InputError
from chainrule.sources import (
    SHARES,
    Classes,
    NetworkData,
    choose_task,
    classes_of,
    honest_split,
    many,
    outcomes,
    read_network,
)

_TIED = 0.5  # share of nodes that are like another beyond which likeness is no accident
_FEW = 5


@dataclass(frozen=True, eq=False)
class PreparedNodes:
    """A graph and who takes part in what.

    Args:
        network: as it was read.
        target: the column that is told, and its classes.
        labels: class of every node, `IGNORED` where nobody knows it.
        train: positions of the nodes to learn from.
        validation: of those to choose by.
        test: of those to judge with.
        notes: what was decided and mended, in sentences.

    Shape:
        labels: (node); train, validation, test: (position).
    """

    network: NetworkData
    target: Classes
    labels: Tensor
    train: Tensor
    validation: Tensor
    test: Tensor
    notes: tuple[str, ...]

    @property
    def seen(self) -> Tensor:
        """Positions of all nodes but those to choose by and to judge with."""
        free = torch.ones(len(self.labels), dtype=torch.bool)
        free[self.validation] = free[self.test] = False
        return free.nonzero().flatten()

    def shown(self, part: Tensor) -> Tensor:
        """The labels, hidden but for those of some nodes."""
        labels = torch.full_like(self.labels, IGNORED)
        labels[part] = self.labels[part]
        return labels


def prepare_nodes(data: str, *, target: str | None, seed: int) -> PreparedNodes:
    """Reads a graph and decides which of its labelled nodes learn, choose and judge.

    Args:
        data: a folder with tables of nodes and edges, or files of a Planetoid set.
        target: the column to tell; `None` chooses.
        seed: of the split, where the node table does not say it.
    """
    return _prepared(data, target, seed, _stamp(Path(data)))


def _stamp(path: Path) -> tuple[tuple[str, int, int], ...]:
    """When each file was written and how long it is: another graph is not taken from memory."""
    files = sorted(path.iterdir()) if path.is_dir() else sorted(path.parent.glob("ind.*"))
    return tuple((file.name, (found := file.stat()).st_mtime_ns, found.st_size) for file in files)


@lru_cache(maxsize=2)
def _prepared(data: str, target: str | None, seed: int, _stamps: object) -> PreparedNodes:
    network = read_network(data, target=target)
    notes = list(network.notes)
    answers = network.answers
    known = answers.is_not_null()
    labelled = torch.tensor(known.to_list()).nonzero().flatten()
    if len(labelled) < _FEW:
        raise InputError(
            f"a graph needs {_FEW} nodes with a label", advice="label more, or choose another --target",
            target=answers.name, nodes=len(answers), labelled=len(labelled),
        )  # fmt: skip
    choose_task(answers.filter(known), "classify")
    without = len(answers) - len(labelled)
    if without:
        notes.append(f"{many(without, 'node')} without `{answers.name}` {'is' if without == 1 else 'are'} to be told.")
    parts = _split(network, labelled, seed, notes)
    classes = classes_of(answers[parts[0].tolist()])
    if len(classes.names) < 2:
        raise InputError("nodes to learn from must be of two classes at least", advice="label some of another",
                         target=answers.name, classes=classes.names)  # fmt: skip
    labels = outcomes(classes, answers)
    kept = [part[labels[part] != IGNORED] for part in parts]
    strange = sum(map(len, parts)) - sum(map(len, kept))
    if strange:
        notes.append(f"{many(strange, 'node')} to choose by or to judge with of a class that none to learn from has.")
    _enough(kept)
    counts = torch.bincount(labels[kept[0]], minlength=len(classes.names)).tolist()
    few = [f"`{name}`" for name, count in zip(classes.names, counts, strict=True) if count < _FEW]
    if few:
        notes.append(f"Of {', '.join(few[:5])} there are fewer than {_FEW} nodes to learn from.")
    notes.append(f"{len(kept[0]):,} nodes to learn from, {len(kept[1]):,} to choose by, {len(kept[2]):,} to judge "
                 f"with; the features and edges of all {len(answers):,} are seen.")  # fmt: skip
    return PreparedNodes(network, classes, labels, kept[0], kept[1], kept[2], tuple(notes))


def _split(network: NetworkData, labelled: Tensor, seed: int, notes: list[str]) -> tuple[Tensor, Tensor, Tensor]:
    """The split that the data names, as far as it does; what it lacks is cut from the nodes to learn from."""
    if network.parts is None:
        notes.append("No column says who learns and who judges: labelled nodes are split at random, class by class.")
        return _cut(network, labelled, SHARES, seed, notes)
    given = [labelled[network.parts[labelled] == part] for part in range(3)]
    idle = len(labelled) - sum(map(len, given))
    notes.append("The data says which nodes learn and which judge.")
    if idle:
        notes.append(f"{many(idle, 'label')} outside of that split {'is' if idle == 1 else 'are'} not used.")
    lacking = [share if not len(part) else 0.0 for share, part in zip(SHARES, given, strict=True)]
    if not any(lacking[1:]):
        return given[0], given[1], given[2]
    shares = (1 - lacking[1] - lacking[2], lacking[1], lacking[2])
    cut = _cut(network, given[0], shares, seed, notes)
    notes.append("It names none to " + " and none to ".join(
        word for word, part in (("choose by", given[1]), ("judge with", given[2])) if not len(part)
    ) + ": these were drawn from those to learn from.")  # fmt: skip
    return cut[0], given[1] if len(given[1]) else cut[1], given[2] if len(given[2]) else cut[2]


def _cut(
    network: NetworkData, nodes: Tensor, shares: tuple[float, float, float], seed: int, notes: list[str]
) -> tuple[Tensor, Tensor, Tensor]:
    """Some nodes split at random, class by class; nodes whose features are the same stay together."""
    units = torch.arange(len(nodes))
    rows = nodes.tolist()
    if network.frame.width and rows:
        copies = network.frame[rows].hash_rows(seed=0).to_numpy()
        _, places = np.unique(copies, return_inverse=True)
        twins = len(rows) - int(places.max()) - 1
        if 0 < twins <= _TIED * len(rows):
            units = torch.from_numpy(places.astype(np.int64))
            notes.append(f"Nodes with the features of another ({twins:,}) stay on its side of the split.")
    _, strata = np.unique(np.array(network.answers[rows].to_list(), dtype=str), return_inverse=True)
    found = honest_split(units, torch.from_numpy(strata.astype(np.int64)), shares=shares, seed=seed)
    return nodes[found[0]], nodes[found[1]], nodes[found[2]]


def _enough(parts: list[Tensor]) -> None:
    train, validation, test = map(len, parts)
    if not min(train, validation, test):
        raise InputError(
            "there must be labelled nodes to learn from, to choose by and to judge with", advice="label more nodes",
            train=train, validation=validation, test=test,
        )  # fmt: skip
