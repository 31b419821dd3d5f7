"""Checkpoints: one folder each, complete or not there at all.

A checkpoint is written to `step-N.tmp/`: the tensors, then a manifest with every size and checksum. When the disk has
confirmed both and the folder, the folder is renamed to `step-N` and its parent synced. Whatever interrupts this, power
included, leaves either the whole checkpoint or none, and no older one is touched before a newer one is complete.
"""

import errno
import json
import os
import re
import shutil
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from chainrule.errors import CheckpointError, InputError
from chainrule.training.state import pack
from chainrule.training.tensors import check_plain, checksum, encode_header, portable, write_tensors

TENSORS = "tensors.safetensors"
MANIFEST = "manifest.json"
_NAME = re.compile(r"step-(\d{8,18})")
_MARGIN = 1 << 20


def save(folder: Path, step: int, state: dict[str, Any], *, seed: int = 0) -> Path:
    """Writes one checkpoint, `folder/step-N`, and returns where it lies. An existing one is never overwritten.

    Args:
        folder: where a run keeps its checkpoints; made where it is missing.
        step: N, how many steps were done.
        state: tensors and plain data, nested: what `state_dict` gives.
        seed: of the run, written beside it.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> save(folder, 42, {"w": torch.ones(2), "best": None}).name
        'step-00000042'
    """
    return write_checkpoint(folder, step, *pack(state), seed=seed)


def write_checkpoint(folder: Path, step: int, skeleton: Any, tensors: dict[str, Tensor], *, seed: int) -> Path:
    """As `save`, from a state that was taken apart already.

    Args:
        folder: where a run keeps its checkpoints.
        step: how many steps were done.
        skeleton: of the state.
        tensors: of the state, by path.
        seed: of the run.

    Example:
        >>> import tempfile
        >>> write_checkpoint(Path(tempfile.mkdtemp()), 1, *pack({}), seed=0).name
        'step-00000001'
    """
    final = folder / f"step-{step:08d}"
    if final.exists():
        raise CheckpointError("a checkpoint is never overwritten", advice="choose a new folder", existing=final.name)
    ready = portable(tensors)
    header = encode_header(ready, {"format": "pt"})
    size = len(header) + sum(tensor.nbytes for tensor in ready.values())
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f"{final.name}.tmp"
    try:
        if partial.exists():
            shutil.rmtree(partial)
        check_space(folder, size + 3 * len(header))  # a manifest is about as long as a header
        partial.mkdir()
        with ThreadPoolExecutor(4) as beside:  # the disk confirms one file while the next is made ready
            checksums = beside.submit(_checksums, ready)
            with (partial / TENSORS).open("wb") as file:
                write_tensors(file, header, ready)
            confirmed = [beside.submit(sync, partial / TENSORS)]
            manifest = _manifest(step, seed, skeleton, size, header, checksums.result())
            (partial / MANIFEST).write_bytes(manifest)
            confirmed += [beside.submit(sync, path) for path in (partial / MANIFEST, partial)]
            for each in confirmed:
                each.result()
        partial.rename(final)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    sync(folder)
    return final


def steps_in(folder: Path) -> list[tuple[int, Path]]:
    """The checkpoints in a folder, the newest first, whole or not; unfinished ones (`.tmp`) are none.

    Args:
        folder: where a run keeps its checkpoints.

    Example:
        >>> steps_in(Path("no/such/folder"))
        []
    """
    if not folder.is_dir():
        return []
    matches = [(_NAME.fullmatch(path.name), path) for path in folder.iterdir()]
    return sorted(((int(match[1]), path) for match, path in matches if match), reverse=True)


def prune(folder: Path, keep: int = 2) -> None:
    """Removes all but the newest checkpoints; each is renamed first, so that none is ever half there.

    Args:
        folder: where a run keeps its checkpoints.
        keep: how many stay, at least two: should the newest turn out damaged, there is another.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> for step in (1, 2, 3):
        ...     _ = save(folder, step, {})
        >>> prune(folder)
        >>> [step for step, _ in steps_in(folder)]
        [3, 2]
    """
    if keep < 2:
        raise InputError("`keep` must be at least 2", advice="a single checkpoint has no reserve", keep=keep)
    for _, path in steps_in(folder)[keep:]:
        with suppress(OSError):  # what cannot be removed stays; it harms nobody
            shutil.rmtree(path.rename(path.with_name(f"{path.name}.old.tmp")))


def clean(folder: Path) -> None:
    """Removes what interrupted saves and removals left behind.

    Args:
        folder: where a run keeps its checkpoints; nobody may be saving into it.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> (folder / "step-00000007.tmp").mkdir()
        >>> clean(folder)
        >>> list(folder.iterdir())
        []
    """
    for path in folder.glob("step-*.tmp"):
        shutil.rmtree(path, ignore_errors=True)


def sync(path: Path) -> None:
    """Waits until the disk has confirmed a file's bytes, or a folder's list of names.

    Args:
        path: a file or a folder.

    Example:
        >>> sync(Path())
    """
    folder = path.is_dir()
    if folder and sys.platform == "win32":  # where a folder cannot be opened
        return
    descriptor = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_space(folder: Path, needed: int) -> None:
    """Raises the `OSError` of a full disk before anything is written.

    Args:
        folder: on the disk in question.
        needed: how many bytes are about to be written.

    Example:
        >>> check_space(Path(), 1)
    """
    free = shutil.disk_usage(folder).free
    if free < needed + _MARGIN:
        text = f"{needed / 2**20:,.1f} MiB are needed and {free / 2**20:,.1f} MiB are free"
        raise OSError(errno.ENOSPC, text, str(folder))


def sealed(body: dict[str, Any]) -> bytes:
    """Compact JSON that begins with a checksum of all the rest.

    Args:
        body: plain data.

    Example:
        >>> sealed({"step": 1})
        b'{"crc32":"1a33af26","step":1}'
    """
    rest = json.dumps(body, separators=(",", ":")).encode()[1:]
    raw = b'{"crc32":"%08x",%b' % (zlib.crc32(rest), rest)
    check_plain(raw)
    return raw


def _manifest(step: int, seed: int, skeleton: Any, size: int, header: bytes, checksums: dict[str, int]) -> bytes:
    version = sys.modules["chainrule"].__version__  # a room cannot import the whole house, but it is there
    return sealed(
        {
            "format": 1,
            "step": step,
            "seed": seed,
            "threads": torch.get_num_threads(),
            "world": _world(),
            "versions": {"chainrule": version, "torch": torch.__version__},
            "bytes": size,
            "header": zlib.crc32(header),
            "tensors": checksums,
            "state": skeleton,
        }
    )


def _checksums(tensors: dict[str, Tensor]) -> dict[str, int]:
    return {name: checksum(tensor) for name, tensor in tensors.items()}


def _world() -> int:
    distributed = torch.distributed
    return distributed.get_world_size() if distributed.is_available() and distributed.is_initialized() else 1
