"""Checkpoints read back: every size and checksum is held against the manifest before anything is believed."""

import logging
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from torch import Tensor

from chainrule.errors import CheckpointError
from chainrule.training.checkpoint import MANIFEST, TENSORS, steps_in
from chainrule.training.state import unpack
from chainrule.training.tensors import (
    HEADER_LIMIT,
    damaged,
    open_regular,
    parse_json,
    read_exactly,
    read_header,
    read_tensors,
)

log = logging.getLogger(__name__)
T = TypeVar("T")
_HEAD = len(b'{"crc32":"00000000",')
_COUNTS = ("format", "step", "seed", "threads", "world", "bytes", "header")


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that was read whole.

    Args:
        step: how many steps were done.
        seed: of the run.
        threads: with how many it was computed; another number gives other last bits.
        world: on how many processes.
        state: what `state_dict` had given.
    """

    step: int
    seed: int
    threads: int
    world: int
    state: dict[str, Any]


def load(path: Path) -> tuple[int, dict[str, Any]]:
    """Reads one checkpoint: its step and its state, every tensor on the CPU.

    Nothing is believed that the manifest's checksums do not confirm, no name in it chooses a file or any code, and a
    `CheckpointError` names the file and what is wrong with it.

    Args:
        path: the checkpoint's folder, `.../step-N`.

    Example:
        >>> import tempfile, torch
        >>> from chainrule.training import save
        >>> load(save(Path(tempfile.mkdtemp()), 42, {"w": torch.ones(2), "betas": (0.9, 0.99)}))
        (42, {'w': tensor([1., 1.]), 'betas': (0.9, 0.99)})
    """
    checkpoint = read(path)
    return checkpoint.step, checkpoint.state


def read(path: Path) -> Checkpoint:
    """As `load`, with everything that the manifest tells.

    Args:
        path: the checkpoint's folder.

    Example:
        >>> import tempfile
        >>> from chainrule.training import save
        >>> read(save(Path(tempfile.mkdtemp()), 42, {}, seed=7)).seed
        7
    """
    manifest = read_manifest(path)
    tensors = _tensors(path, manifest)
    try:
        state = unpack(manifest.get("state"), tensors)
    except CheckpointError as error:
        raise damaged(path / MANIFEST, str(error).split(";", maxsplit=1)[0]) from error
    if not isinstance(state, dict):
        raise damaged(path / MANIFEST, "its state is no dict")
    numbers = {name: manifest[name] for name in ("step", "seed", "threads", "world")}
    return Checkpoint(**numbers, state=state)


def newest(folder: Path) -> tuple[Path | None, list[str]]:
    """The newest checkpoint that is whole, and why each newer one was refused.

    Args:
        folder: where a run keeps its checkpoints.

    Example:
        >>> import tempfile
        >>> from chainrule.training import save
        >>> folder = Path(tempfile.mkdtemp())
        >>> for step in (1, 2):
        ...     _ = save(folder, step, {})
        >>> (folder / "step-00000002" / "manifest.json").unlink()
        >>> path, refused = newest(folder)
        >>> path.name, refused
        ('step-00000001', ['`step-00000002/manifest.json` cannot be used: no such file or directory'])
    """
    path, _, refused = newest_by(folder, read)
    return path, refused


def newest_by(folder: Path, attempt: Callable[[Path], T]) -> tuple[Path | None, T | None, list[str]]:
    """The newest checkpoint with which `attempt` succeeds, what it gave, and why each newer one was refused.

    Says so in one line of the log: a warning where any was refused.

    Args:
        folder: where a run keeps its checkpoints.
        attempt: raises `CheckpointError` or `OSError` for one that will not do.

    Example:
        >>> newest_by(Path("no/such/folder"), read)
        (None, None, [])
    """
    refused: list[str] = []
    for _, path in steps_in(folder):
        try:
            given = attempt(path)
        except (CheckpointError, OSError) as error:
            refused.append(str(error).split("; take an older", maxsplit=1)[0])
            continue
        log.log(logging.WARNING if refused else logging.INFO, "took %s", "; refused ".join([path.name, *refused]))
        return path, given, refused
    if refused:
        log.warning("no checkpoint in %s is whole; refused %s", folder, "; refused ".join(refused))
    return None, None, refused


def read_manifest(path: Path) -> dict[str, Any]:
    """A checkpoint's manifest, once its checksum and the kinds of its fields are right.

    Args:
        path: the checkpoint's folder.

    Example:
        >>> import tempfile
        >>> from chainrule.training import save
        >>> read_manifest(save(Path(tempfile.mkdtemp()), 42, {}))["step"]
        42
    """
    file_path = path / MANIFEST
    if path.is_symlink():
        raise damaged(file_path, "its folder is a symbolic link")
    with open_regular(file_path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        if not _HEAD < size <= HEADER_LIMIT:
            raise damaged(file_path, f"its size of {size:,} bytes is not a manifest's")
        raw = read_exactly(file, size, file_path)
    if raw[:_HEAD] != b'{"crc32":"%08x",' % zlib.crc32(raw[_HEAD:]):
        raise damaged(file_path, "it differs from its checksum")
    manifest = parse_json(raw, file_path)
    if not isinstance(manifest, dict) or any(type(manifest.get(name)) is not int for name in _COUNTS):
        raise damaged(file_path, "it lacks a field")
    if manifest["format"] != 1:
        raise damaged(file_path, f"it is of format {manifest['format']}, which a newer Chainrule wrote")
    checksums = manifest.get("tensors")
    if not isinstance(checksums, dict) or any(type(value) is not int for value in checksums.values()):
        raise damaged(file_path, "its checksums are no whole numbers")
    if path.absolute().name != f"step-{manifest['step']:08d}":
        raise damaged(file_path, f"it is that of step {manifest['step']}")
    return manifest


def _tensors(path: Path, manifest: dict[str, Any]) -> dict[str, Tensor]:
    file_path = path / TENSORS
    with open_regular(file_path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        if size != manifest["bytes"]:
            raise damaged(file_path, f"it has {size:,} bytes instead of {manifest['bytes']:,}")
        header = read_header(file, file_path)
        if zlib.crc32(header.raw) != manifest["header"]:
            raise damaged(file_path, "its header differs from its checksum")
        return dict(read_tensors(file, header, manifest["tensors"], file_path))
