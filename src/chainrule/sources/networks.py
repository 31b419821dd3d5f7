"""Somebody's graph: a node table and an edge table in one folder, or the files of the Planetoid sets."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.sources.column_values import as_text
from chainrule.sources.edges import EdgeTable, joined, read_edges
from chainrule.sources.planetoid import is_planetoid, read_planetoid
from chainrule.sources.tables import TableData, read_table
from chainrule.sources.targets import choose_target
from chainrule.sources.typed import many

_TABLES = re.compile(r"\.(csv|tsv|tab|txt|parquet)(\.gz|\.xz)?$", re.IGNORECASE)
_EDGES = re.compile(r"(^|[^a-z])(edges?|links?|edge_?list|arcs?|ties)([^a-z]|$)")
_NODES = re.compile(r"(^|[^a-z])(nodes?|vertex|vertices)([^a-z]|$)")
_NAMES = ("id", "name", "node", "node_id", "nodeid", "key")
_SPLITS = ("split", "part", "fold", "subset")
_CLASS = "class"
_PARTS = {
    **dict.fromkeys(("train", "training"), 0),
    **dict.fromkeys(("validation", "valid", "val", "dev"), 1),
    **dict.fromkeys(("test", "testing"), 2),
}


@dataclass(frozen=True, eq=False)
class NetworkData:
    """A graph as it was read.

    Args:
        names: of the nodes.
        frame: a polars frame with a row of features per node; it may have no columns.
        answers: a polars column with the class of each node as text, null where it is not known.
        edges: pairs of node numbers, source above target; an edge that goes both ways stands twice.
        digest: of all that was read.
        weights: of the edges; `None` if all are alike.
        parts: 0 for nodes to learn from, 1 to choose by, 2 to judge with, -1 for others; `None` if nobody said.
        notes: what was decided and mended, in sentences.
        formats: how columns of dates are written.

    Shape:
        edges: (2, edge); weights: (edge); parts: (node).

    Example:
        >>> NetworkData(("a", "b"), None, None, torch.tensor([[0, 1], [1, 0]]), "").names
        ('a', 'b')
    """

    names: tuple[str, ...]
    frame: Any
    answers: Any
    edges: Tensor
    digest: str
    weights: Tensor | None = None
    parts: Tensor | None = None
    notes: tuple[str, ...] = ()
    formats: Mapping[str, str] = field(default_factory=dict[str, str])


def is_network(path: Path | str) -> bool:
    """Whether it is a graph: a folder with one table of edges and one of nodes, or files of a Planetoid set.

    Args:
        path: a folder, or the `ind.NAME.graph` file of a Planetoid set.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name in ("edges.csv", "nodes.csv"):
        ...         _ = (Path(folder) / name).write_text("a,b\\n")
        ...     is_network(folder)
        True
    """
    path = Path(path)
    return is_planetoid(path) or (path.is_dir() and _tables(path) is not None)


def read_network(
    path: Path | str, *, target: str | None = None, kinds: Mapping[str, str] | None = None, every_node: bool = False
) -> NetworkData:
    """Reads a graph: its nodes with features and classes, its edges, and who shall learn and judge if a column says it.

    Args:
        path: a folder with one table of edges and one of nodes, or files of a Planetoid set.
        target: the column with the class; `None` takes one called target, label, class, y or outcome, else the last.
        kinds: what columns of the node table are known to be, as `read_table` takes them.
        every_node: whether all that counts are answers to nodes: then there may be no column with the class.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (Path(folder) / "edges.csv").write_text("from,to\\nann,bob\\nbob,cid\\n")
        ...     _ = (Path(folder) / "nodes.csv").write_text("name,age,label\\nann,20,x\\nbob,30,\\ncid,40,y\\n")
        ...     network = read_network(folder)
        >>> network.names, network.frame.columns, network.answers.to_list()
        (('ann', 'bob', 'cid'), ['age'], ['x', None, 'y'])
    """
    path = Path(path)
    if is_planetoid(path):
        if target not in (None, _CLASS):
            raise InputError("a Planetoid set tells the class of its nodes", advice="leave --target out", target=target)
        return NetworkData(**read_planetoid(path))
    found = _tables(path) if path.is_dir() else None
    if found is None:
        raise InputError(
            "a graph is a folder with one table of edges and one of nodes",
            advice="call them edges.csv and nodes.csv", path=str(path),
        )  # fmt: skip
    edges = read_edges(found[0])
    table = read_table(found[1], kinds=kinds)
    name = _name_column(table.frame, edges, found[1])
    table = read_table(found[1], kinds={**(kinds or {}), name: "text"})
    return _network(table, name, edges, target, path, every_node=every_node)


def _network(
    table: TableData, name: str, edges: EdgeTable, target: str | None, path: Path, *, every_node: bool
) -> NetworkData:
    notes = [*table.repairs, f"`{name}` names the nodes.", *edges.notes]
    frame = _named_once(table.frame, name, notes, path)
    names = tuple(as_text(frame[name]).str.strip_chars())
    rest = frame.drop(name)
    split = next((column for column in rest.columns if column.lower() in _SPLITS and _is_split(rest[column])), None)
    parts = None if split is None else _parts(rest[split])
    rest = rest if split is None else rest.drop(split)
    answers: Any = None
    if not every_node or (target is not None and target in rest.columns):
        label, why = choose_target([name, *rest.columns], target)
        if label == name:
            raise InputError("the names of nodes are no classes", advice="choose another --target", target=label)
        notes.append(why)
        answers, rest = as_text(rest[label]), rest.drop(label)
    pairs, weights, mended = joined(edges, names, path=str(path))
    notes += mended
    alone = len(names) - len(pairs.flatten().unique())
    if alone:
        notes.append(f"{many(alone, 'node')} {'has' if alone == 1 else 'have'} no edge: known by features alone.")
    digest = hashlib.sha256(f"{table.digest} {edges.digest}".encode()).hexdigest()[:16]
    return NetworkData(
        names, rest, answers, pairs, digest, weights=weights, parts=parts,
        notes=tuple(notes), formats=dict(table.formats),
    )  # fmt: skip


def _tables(folder: Path) -> tuple[Path, Path] | None:
    """The edge table and the node table of a folder, where it is clear which they are."""
    tables = sorted(file for file in folder.iterdir() if _TABLES.search(file.name) and file.is_file())
    edges = [file for file in tables if _EDGES.search(_TABLES.sub("", file.name).lower())]
    others = [file for file in tables if file not in edges]
    nodes = [file for file in others if _NODES.search(_TABLES.sub("", file.name).lower())] or others
    return (edges[0], nodes[0]) if len(edges) == len(nodes) == 1 else None


def _name_column(frame: Any, edges: EdgeTable, path: Path) -> str:
    """The column that holds the names that edges use: one that is called so, else the one that holds most of them."""
    ends = {*edges.ends[0], *edges.ends[1]}
    said = [column for column in frame.columns if column.lower() in _NAMES]
    found = {name: len(ends.intersection(as_text(frame[name]).drop_nulls().to_list())) for name in said}
    if not any(found.values()):
        found = {name: len(ends.intersection(as_text(frame[name]).drop_nulls().to_list())) for name in frame.columns}
    best = max(found, key=lambda name: (found[name], frame[name].n_unique()))
    if not found[best]:
        raise InputError(
            "no column of the node table holds the names that edges use",
            advice="check that both tables name nodes alike",
            path=str(path), columns=frame.columns[:20], edges=sorted(ends)[:5],
        )  # fmt: skip
    return best


def _named_once(frame: Any, name: str, notes: list[str], path: Path) -> Any:
    """The nodes that have a name, each once."""
    named = frame.filter(frame[name].is_not_null())
    if len(named) < len(frame):
        notes.append(f"{len(frame) - len(named):,} of {many(len(frame), 'node')} had no name and were left out.")
    once = named.unique(maintain_order=True)
    if len(once) < len(named):
        notes.append(f"{len(named) - len(once):,} of {many(len(named), 'node')} were said twice and count once.")
    twice = once.filter(once[name].is_duplicated())
    if len(twice):
        raise InputError(
            "a node must not have two rows that say different things of it",
            advice="keep one of them", path=str(path), nodes=len(twice), names=twice[name].unique().to_list()[:5],
        )  # fmt: skip
    return once


def _is_split(column: Any) -> bool:
    """Whether a column says who learns and who judges."""
    values = {text.strip().lower() for text in as_text(column.drop_nulls()).to_list()}
    return bool(values & {"train", "training"}) and len(values - {*_PARTS, "none", "unlabelled", "unlabeled"}) == 0


def _parts(column: Any) -> Tensor:
    return torch.tensor([_PARTS.get((text or "").strip().lower(), -1) for text in as_text(column).to_list()])
