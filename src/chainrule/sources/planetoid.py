"""Graphs in the files of the Planetoid sets: Cora, Citeseer, Pubmed with the split that papers are compared by."""

import hashlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch

from chainrule.errors import InputError
from chainrule.sources.delimited import unpacked
from chainrule.sources.inert import Inert, inert_array, inert_rows, read_inert
from chainrule.sources.typed import many

_GRAPH = re.compile(r"ind\.([\w-]+)\.graph(\.gz|\.xz)?$")
_VALIDATION = 500  # nodes behind those to learn from
_MOST = 1 << 29  # bytes of a file


def is_planetoid(path: Path) -> bool:
    """Whether it is the graph file of a Planetoid set, or a folder with one.

    Args:
        path: a file or a folder.

    Example:
        >>> is_planetoid(Path("sets/ind.cora.graph.xz"))
        False
    """
    if path.is_dir():
        return any(_GRAPH.match(file.name) for file in path.iterdir())
    return path.is_file() and _GRAPH.match(path.name) is not None


def read_planetoid(path: Path) -> dict[str, Any]:
    """What a `NetworkData` is made of, from the files of a Planetoid set, its public split in `parts`.

    The files are Python-2 pickles. They are read as data (see `read_inert`): nothing in them is run.

    Args:
        path: its `ind.NAME.graph` file, or a folder that holds one such set.

    Example:
        >>> read_planetoid(Path("nowhere"))
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: a Planetoid set has one graph file, ... Got path='nowhere', found=[]; ...
    """
    folder, name = _chosen(path)
    digest = hashlib.sha256()
    stored = {kind: _read(folder, f"ind.{name}.{kind}", digest) for kind in ("y", "tx", "ty", "allx", "ally", "graph")}
    order = _order(_content(folder, f"ind.{name}.test.index", digest), path)
    known, judged = inert_rows(stored["allx"], path=str(path)), inert_rows(stored["tx"], path=str(path))
    sides = [inert_array(stored[kind], path=str(path)) for kind in ("ally", "ty")]
    neighbours = stored["graph"].items if isinstance(stored["graph"], Inert) else stored["graph"]
    nodes = max(len(known), int(order.max()) + 1)
    if known.shape[1] != judged.shape[1] or len(judged) != len(order) or len(known) > int(order.min()):
        raise InputError("the files do not belong to one Planetoid set", advice="get them again", path=str(path),
                         known=known.shape, judged=judged.shape, order=len(order))  # fmt: skip
    features = np.zeros((nodes, known.shape[1]), np.float32)
    features[: len(known)], features[order] = known, judged
    sure = np.zeros((nodes, sides[0].shape[1]), np.float32)
    sure[: len(known)], sure[order] = sides[0], sides[1]
    train = len(inert_array(stored["y"], path=str(path)))
    parts = torch.full((nodes,), -1)
    parts[:train], parts[train : train + _VALIDATION], parts[torch.from_numpy(order)] = 0, 1, 2
    return _told(features, sure, parts, _edges(neighbours, nodes, path), digest.hexdigest()[:16], name)


def _told(
    features: np.ndarray, sure: np.ndarray, parts: torch.Tensor, edges: np.ndarray, digest: str, name: str
) -> dict[str, Any]:
    import polars as pl

    links = edges[:, edges[0] < edges[1]].shape[1]
    answers = [str(row.argmax()) if row.any() else None for row in sure]
    unknown, bare = answers.count(None), int((features.sum(1) == 0).sum())
    notes = [f"The Planetoid set {name}, with its public split: {many(len(features), 'node')}, {many(links, 'edge')}."]
    if unknown:
        notes.append(f"{many(unknown, 'node')} have no class, and {bare:,} no features.")
    return {
        "names": tuple(str(number) for number in range(len(features))),
        "frame": pl.DataFrame(features.astype(np.float64), schema=[f"word {n}" for n in range(features.shape[1])]),
        "answers": pl.Series("class", answers, dtype=pl.String),
        "edges": torch.from_numpy(edges),
        "digest": digest,
        "parts": parts,
        "notes": tuple(notes),
    }


def _chosen(path: Path) -> tuple[Path, str]:
    """The folder of a set and its name."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    found = [match.group(1) for file in files if (match := _GRAPH.match(file.name))]
    if len(found) != 1:
        advice = f"give one of them, as {path}/ind.{found[0]}.graph" if found else "call it ind.NAME.graph"
        raise InputError(
            "a Planetoid set has one graph file, and only one set can be learnt", advice=advice, path=str(path),
            found=found,
        )  # fmt: skip
    return (path if path.is_dir() else path.parent), found[0]


def _content(folder: Path, name: str, digest: Any) -> bytes:
    packed = [folder / f"{name}{ending}" for ending in ("", ".xz", ".gz")]
    file = next((file for file in packed if file.is_file()), packed[0])
    content, cut = unpacked(file, _MOST)
    if cut:
        raise InputError("the file is too large for a Planetoid set", advice="get it again", path=str(file))
    digest.update(content)
    return content


def _read(folder: Path, name: str, digest: Any) -> Any:
    return read_inert(_content(folder, name, digest), path=str(folder / name))


def _order(content: bytes, path: Path) -> np.ndarray:
    """The numbers of the nodes to judge with, in the order of their rows."""
    try:
        found = np.array([int(line) for line in content.split()], dtype=np.int64)
    except ValueError as error:
        raise InputError("test.index must hold node numbers", advice="get it again", path=str(path)) from error
    if not len(found) or found.min() < 0 or len(np.unique(found)) < len(found) or found.max() > _MOST:
        raise InputError("test.index must hold different node numbers", advice="get it again", path=str(path))
    return found


def _edges(neighbours: Any, nodes: int, path: Path) -> np.ndarray:
    """Both directions of every edge, each once, without those that join a node to itself."""
    try:
        pairs = [(one, other) for one, others in neighbours.items() for other in others if one != other]
        edges = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    except (AttributeError, TypeError, ValueError, OverflowError):  # anything but lists of numbers
        edges = np.zeros((2, 0), np.int64)
    if not edges.size or edges.min() < 0 or edges.max() >= nodes:
        raise InputError("the graph must join nodes of the set", advice="get it again", path=str(path), nodes=nodes)
    return np.unique(np.concatenate((edges, edges[::-1]), axis=1), axis=1)
