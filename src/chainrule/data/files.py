"""Where real data sets lie, and how their files are read: whole, plain or compressed."""

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chainrule.errors import InputError


def data_directory() -> Path:
    """The folder of real data sets: `$CHAINRULE_DATA`, else `../shared/data` beside the project or where you are.

    Args:
        (none).

    Example:
        >>> try:
        ...     found = data_directory().is_dir()
        ... except InputError:    # there is none on this machine
        ...     found = True
        >>> found
        True
    """
    named = os.environ.get("CHAINRULE_DATA")
    project = Path(__file__).resolve().parents[3]
    beside = [folder.parent / "shared" / "data" for folder in (Path.cwd(), project)]
    for folder in [Path(named)] if named else beside:
        if folder.is_dir():
            return folder
    raise InputError(
        "there must be a folder of data sets",
        advice="set CHAINRULE_DATA to the folder that holds mnist/, cifar10/ and so on",
        CHAINRULE_DATA=named,
        looked_in=[str(folder) for folder in beside] if not named else [named],
    )


def read_bytes(path: Path, limit: int | None = None) -> bytes:
    """The bytes of a file; `.xz` and `.gz` are unpacked on the way.

    Args:
        path: the file.
        limit: how many unpacked bytes are read at most; `None` reads all.

    Example:
        >>> read_bytes(Path(__file__), limit=3)
        b'\"\"\"'
    """
    opened, damaged = _opener(path)
    try:
        with opened(path, "rb") as file:
            return file.read(-1 if limit is None else limit)
    except FileNotFoundError as error:
        raise InputError("the file must exist", advice="check the name and the folder", path=str(path)) from error
    except (OSError, EOFError, zlib.error, damaged) as error:
        raise InputError(
            f"{path} must be a readable file ({type(error).__name__}: {error})", advice="fetch or write it again"
        ) from error


def existing(path: Path) -> Path:
    """The file as it is named, or packed: `path`, `path.xz` or `path.gz`.

    Args:
        path: the file's plain name.

    Example:
        >>> existing(Path(__file__)).name
        'files.py'
    """
    for suffix in ("", ".xz", ".gz"):
        found = path.with_name(path.name + suffix)
        if found.is_file():
            return found
    raise InputError(
        "the data set's file must exist, plain, as .xz or as .gz",
        advice="put the data set there, or set CHAINRULE_DATA to its parent folder",
        path=str(path),
    )


def _opener(path: Path) -> tuple[Callable[..., Any], type[Exception]]:
    """How a file is opened, by its ending, and the error that says that its packing is damaged."""
    if path.suffix == ".gz":
        import gzip

        return gzip.open, gzip.BadGzipFile
    if path.suffix == ".xz":
        try:
            import lzma
        except ModuleNotFoundError as error:  # Python can be built without it
            raise InputError(
                "this Python cannot read .xz files", advice="unpack it with: xz -d FILE", path=str(path)
            ) from error
        return lzma.open, lzma.LZMAError
    return open, OSError
