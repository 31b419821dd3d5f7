"""Who is joined to whom: an edge table read, and every repair of it counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.sources.column_values import as_numbers, as_text
from chainrule.sources.tables import read_table
from chainrule.sources.typed import many

_ENDS = (
    *(("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"), ("citing", "cited"), ("head", "tail")),
    *(("node1", "node2"), ("node_1", "node_2"), ("id1", "id2"), ("id_1", "id_2"), ("start", "end")),
)
_WEIGHTS = ("weight", "weights", "w", "strength")
_DIRECTED = ("directed", "oneway", "one_way")
_YES = frozenset({"1", "true", "yes", "y", "directed", "t"})
_STRANGE = 0.5  # share of edges to nobody known beyond which the two tables do not belong together


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """Edges by the names of their ends.

    Args:
        ends: names of one end and of the other.
        weights: how strong each is; `None` if the table does not say.
        one_way: which go from the first end to the second only.
        digest: of the file.
        notes: what was decided and mended, in sentences.

    Example:
        >>> EdgeTable(ends=(("a",), ("b",)), weights=None, one_way=torch.tensor([False]), digest="").ends[0]
        ('a',)
    """

    ends: tuple[tuple[str, ...], tuple[str, ...]]
    weights: Tensor | None
    one_way: Tensor
    digest: str
    notes: tuple[str, ...] = ()


def read_edges(path: Path | str) -> EdgeTable:
    """Reads a table of edges: two columns of names, and perhaps how strong each edge is, and whether it goes one way.

    Args:
        path: of the table.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder) / "edges.csv"
        ...     _ = file.write_text("from,to\\nann,bob\\nbob,cid\\n")
        ...     read_edges(file).ends
        (('ann', 'bob'), ('bob', 'cid'))
    """
    names = _titles(path)
    if len(names) < 2:
        raise InputError(
            "an edge table needs two columns: the names of both ends",
            advice="look at the delimiter", path=str(path), columns=names,
        )  # fmt: skip
    first, second = _ends(names)
    table = read_table(path, names=names, kinds={first: "text", second: "text"})
    frame, notes = table.frame, [f"An edge joins `{first}` to `{second}`."]
    whole = frame.filter(frame[first].is_not_null() & frame[second].is_not_null())
    if len(whole) < len(frame):
        notes.append(f"{many(len(frame) - len(whole), 'edge')} lacked an end and were left out.")
    if not len(whole):
        raise InputError("an edge table needs edges", advice="give a row per edge", path=str(path), rows=len(frame))
    weights, whole = _weights(whole, notes, (first, second), path)
    one_way = _one_way(whole, notes)
    known = (first, second, *_WEIGHTS, *_DIRECTED)
    unused = [f"`{name}`" for name in names if name != first and name.lower() not in known and name != second]
    if unused:
        notes.append(f"Of edges {', '.join(unused[:5])} {'is' if len(unused) == 1 else 'are'} not used.")
    ends = tuple(as_text(whole[first]).str.strip_chars()), tuple(as_text(whole[second]).str.strip_chars())
    return EdgeTable(ends, weights, one_way, table.digest, tuple(notes))


def joined(table: EdgeTable, names: Sequence[str], *, path: str = "") -> tuple[Tensor, Tensor | None, tuple[str, ...]]:
    """Edges as pairs of node numbers, in both directions, each once; their weights; and what was mended.

    Args:
        table: the edges by names.
        names: of the nodes, in the order of their numbers.
        path: of the data, for messages.

    Shape:
        returns (2, edge) and (edge).

    Example:
        >>> table = EdgeTable((("a", "b", "a"), ("b", "a", "a")), None, torch.zeros(3).bool(), "")
        >>> edges, _, notes = joined(table, ["a", "b"])
        >>> edges.tolist(), notes[0]
        ([[0, 1], [1, 0]], '1 edge joins a node to itself and was left out.')
    """
    number = {name: place for place, name in enumerate(names)}
    source, target = (np.array([number.get(name, -1) for name in end], dtype=np.int64) for end in table.ends)
    weights = np.ones(len(source), np.float32) if table.weights is None else table.weights.numpy()
    notes: list[str] = []
    known = (source >= 0) & (target >= 0)
    strange = int((~known).sum())
    if strange > _STRANGE * len(known):
        raise InputError(
            "most edges go to nodes that the node table does not have",
            advice="check that both tables name nodes alike", path=path, edges=len(known), to_unknown_nodes=strange,
        )  # fmt: skip
    if strange:
        said = "goes to a node" if strange == 1 else "go to nodes"
        notes.append(f"{many(strange, 'edge')} {said} that the node table does not have: left out.")
    loops = known & (source == target)
    if loops.any():
        said = "joins a node to itself and was" if loops.sum() == 1 else "join a node to itself and were"
        notes.append(f"{many(int(loops.sum()), 'edge')} {said} left out.")
    kept = known & ~loops
    if not kept.any():
        raise InputError("no edge joins two nodes of the node table", advice="check the names", path=path)
    arcs, strengths = _arcs(source[kept], target[kept], weights[kept], table.one_way.numpy()[kept], notes, len(names))
    edges = torch.from_numpy(np.stack((arcs // len(names), arcs % len(names))))
    return edges, None if table.weights is None else torch.from_numpy(strengths), tuple(notes)


def _arcs(
    source: np.ndarray, target: np.ndarray, weights: np.ndarray, one_way: np.ndarray, notes: list[str], nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Both directions of every edge, one of those that go one way, each once with the greatest of its weights."""
    plain = ~one_way
    said = np.where(plain, np.minimum(source, target) * nodes + np.maximum(source, target), source * nodes + target)
    doubled = len(said) - len(np.unique(said[plain])) - len(np.unique(said[one_way]))
    if doubled:
        notes.append(f"{many(doubled, 'edge')} {'was' if doubled == 1 else 'were'} said before and count once.")
    both = np.concatenate((source * nodes + target, (target * nodes + source)[plain]))
    arcs, places = np.unique(both, return_inverse=True)
    strengths = np.zeros(len(arcs), np.float32)
    np.maximum.at(strengths, places, np.concatenate((weights, weights[plain])))
    return arcs, strengths


def _titles(path: Path | str) -> list[str]:
    """The names of the columns; a first row of words that name ends is never an edge."""
    frame = read_table(path).frame
    first = [str(value).strip() for value in frame.row(0)] if len(frame) else []
    lower = {value.lower() for value in first}
    return first if any(lower.issuperset(pair) for pair in _ENDS) else frame.columns


def _ends(names: Sequence[str]) -> tuple[str, str]:
    """The columns that hold the two ends: by their names, or the first two."""
    lower = {name.lower(): name for name in reversed(names)}
    for first, second in _ENDS:
        if first in lower and second in lower:
            return lower[first], lower[second]
    return names[0], names[1]


def _weights(frame: Any, notes: list[str], ends: tuple[str, str], path: Path | str) -> tuple[Tensor | None, Any]:
    """How strong edges are, and the edges that have any strength."""
    found = [name for name in frame.columns if name.lower() in _WEIGHTS and name not in ends]
    if not found:
        return None, frame
    numbers = as_numbers(frame[found[0]])
    gaps = numbers.null_count()
    if gaps == len(numbers):
        raise InputError("weights of edges must be numbers", advice="mend or remove the column", path=str(path),
                         column=found[0])  # fmt: skip
    numbers = numbers.fill_null(1.0).cast(float)
    if float(numbers.min()) < 0:
        raise InputError("weights of edges must not be negative", advice="leave those edges out", path=str(path),
                         column=found[0], least=float(numbers.min()))  # fmt: skip
    notes.append(f"`{found[0]}` says how strong an edge is.")
    if gaps:
        notes.append(f"{many(gaps, 'edge')} had no `{found[0]}` and {'counts' if gaps == 1 else 'count'} as 1.")
    kept = numbers > 0
    if not kept.all():
        notes.append(f"{many(len(kept) - int(kept.sum()), 'edge')} of weight 0 left out.")
    return torch.tensor(numbers.filter(kept).to_list()), frame.filter(kept)


def _one_way(frame: Any, notes: list[str]) -> Tensor:
    found = [name for name in frame.columns if name.lower() in _DIRECTED]
    if not found:
        notes.append("Edges go both ways, as no column `directed` says otherwise.")
        return torch.zeros(len(frame)).bool()
    said = [text is not None and text.strip().lower() in _YES for text in as_text(frame[found[0]]).to_list()]
    notes.append(f"{sum(said):,} of {many(len(said), 'edge')} go one way, as `{found[0]}` says.")
    return torch.tensor(said)
