"""From somebody's data to the recipe that fits it."""

import difflib
import itertools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from chainrule.data import read_bytes
from chainrule.errors import InputError
from chainrule.recipes.fit_nodes import plan_nodes
from chainrule.recipes.fit_phrases import plan_phrases
from chainrule.recipes.fit_pictures import plan_pictures
from chainrule.recipes.fit_series import plan_series
from chainrule.recipes.fit_table import plan_table
from chainrule.recipes.fit_text import plan_text
from chainrule.recipes.fitted import Asked, Fitted
from chainrule.sources import SHIPPED, is_network, is_phrases

Kind = Literal["nodes", "phrases", "pictures", "series", "table", "text"]

_PACKED = frozenset({".gz", ".xz"})
_TABLES = frozenset({".csv", ".tsv", ".parquet"})
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".npz", ".npy"})
_DIGITS = "digits"
_LOOKED_AT = 2_000  # files of a folder, until it is clear what it holds
_HEAD = 1 << 13  # bytes of a file that are looked at

_PLANS: dict[Kind, Callable[[str, Asked], Fitted]] = {
    "nodes": plan_nodes,
    "phrases": plan_phrases,
    "pictures": plan_pictures,
    "series": plan_series,
    "table": plan_table,
    "text": plan_text,
}


def understand(data: str, asked: Asked) -> Fitted:
    """Looks at somebody's data and decides everything: what it is, what to learn, with what and for how long.

    Args:
        data: a file, a folder, or the name of a set that ships with scikit-learn.
        asked: what the person says about it.

    Example:
        >>> understand("no/such/file.txt", Asked())
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: the data must exist. Got data='no/such/file.txt'; give a file or a folder, ...
    """
    return _PLANS[kind_of(data, asked)](data, asked)


def kind_of(data: str, asked: Asked) -> Kind:
    """What kind of data this is, by its name, its ending and what lies in it.

    Args:
        data: a file, a folder, or the name of a set that ships with scikit-learn.
        asked: what the person says about it.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (Path(folder) / "poem.txt").write_text("Roses")
        ...     kind_of(folder, Asked()), kind_of("digits", Asked())
        ('text', 'pictures')
    """
    path = Path(data)
    if not path.exists():
        return _of_name(data)
    if asked.task == "language":
        return "text"
    if asked.task == "nodes" or is_network(path):
        return "nodes"
    return _of_folder(path, asked) if path.is_dir() else _of_file(path, asked)


def ending(path: Path) -> str:
    """A file's ending in small letters, that of what is packed in it: `.csv` of `Sales.CSV.gz`.

    Args:
        path: the file.

    Example:
        >>> ending(Path("Sales.CSV.gz"))
        '.csv'
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _of_name(data: str) -> Kind:
    names = [_DIGITS, *SHIPPED]
    if data in names:
        return "pictures" if data == _DIGITS else "table"
    near = difflib.get_close_matches(data, names, n=1)
    advice = f"did you mean {near[0]!r}" if near else f"give a file or a folder, or one of {', '.join(names)}"
    raise InputError("the data must exist", advice=advice, data=data)


def _of_file(path: Path, asked: Asked) -> Kind:
    kind = ending(path)
    if kind in _TABLES:
        if asked.time is not None or asked.task == "forecast":
            return "series"
        if _names_pictures(path):
            return "pictures"
        return "phrases" if _told_by_text(path, asked) else "table"
    if kind in _PICTURES or _is_idx(path):
        return "pictures"
    if b"\0" in read_bytes(path, limit=_HEAD):
        raise InputError(
            "this file is none of the kinds that Chainrule reads",
            advice="give a .csv, .tsv or .parquet table, a text, a .npz, or a folder of pictures or texts",
            path=str(path),
        )
    return "text"


def _of_folder(folder: Path, asked: Asked) -> Kind:
    looked_at = list(itertools.islice(_files(folder), _LOOKED_AT))
    if any(ending(path) in _PICTURES or _is_idx(path) for path in looked_at):
        return "pictures"
    tables = [path for path in looked_at if ending(path) in _TABLES]
    if tables and len(tables) == len(looked_at):
        raise InputError(
            "a folder of tables is not one table", advice=f"give one of them, as {tables[0]}", tables=len(tables)
        )
    if not looked_at:
        raise InputError("the folder is empty", advice="give one that holds pictures or texts", path=str(folder))
    return "phrases" if _told_by_text(folder, asked) else "text"


def _told_by_text(path: Path, asked: Asked) -> bool:
    """Whether a class is to be told from one column of free text, or from files of text in a folder per class."""
    grouped = asked.group is not None or asked.series is not None
    return asked.task in {None, "classify"} and not grouped and is_phrases(path, asked.target)


def _files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):  # links are not followed: no way leads round in a circle
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent) / name for name in sorted(names) if not name.startswith("."))


def _is_idx(path: Path) -> bool:
    """Whether it is named like a file of the MNIST family."""
    return re.search(r"idx[13]-ubyte", path.name) is not None


def _names_pictures(path: Path) -> bool:
    """Whether a table's first rows name pictures that lie beside it."""
    if ending(path) == ".parquet":
        return False
    endings = "|".join(re.escape(kind) for kind in sorted(_PICTURES))
    head = read_bytes(path, limit=_HEAD).decode("utf-8", "replace")
    return any((path.parent / name).is_file() for name in re.findall(rf"[^\s,;\"']+(?:{endings})", head))
