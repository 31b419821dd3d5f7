"""Tensors in one file, in the safetensors format: a JSON header, then every tensor's bytes, and nothing that runs.

Written and read here, not by the safetensors package, because a checkpoint wants three things of it: one pass
that writes to an open file which is then synced, a checksum per tensor, and a reader that trusts no size before it has
compared it with the file's own.
"""

import json
import math
import os
import stat
import struct
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch import Tensor

from chainrule.errors import CheckpointError, InputError

HEADER_LIMIT = 16 << 20
_SIGN_LIMIT = 400_000
_READ = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
_DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "C64": torch.complex64,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U64": torch.uint64,
    "U32": torch.uint32,
    "U16": torch.uint16,
    "U8": torch.uint8,
    "BOOL": torch.bool,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


@dataclass(frozen=True)
class Entry:
    """Where one tensor lies in a file.

    Args:
        dtype: the kind of its numbers.
        shape: its axes.
        start: of its bytes, counted from the end of the header.
        stop: of its bytes.
    """

    dtype: torch.dtype
    shape: tuple[int, ...]
    start: int
    stop: int


@dataclass(frozen=True)
class Header:
    """What a file says of itself, after every number in it was compared with the file's own size.

    Args:
        entries: by name, in the order of their bytes.
        metadata: text by name.
        raw: the header's bytes, its length included.
    """

    entries: dict[str, Entry]
    metadata: dict[str, str]
    raw: bytes


def damaged(path: Path, what: str) -> CheckpointError:
    """The error for a file that is incomplete, damaged or not ours.

    Args:
        path: which file.
        what: is wrong with it.

    Example:
        >>> print(damaged(Path("step-00000001/manifest.json"), "it is empty"))
        `step-00000001/manifest.json` cannot be used: it is empty; take an older checkpoint.
    """
    return CheckpointError(
        f"`{path.parent.name}/{path.name}` cannot be used: {what}", advice="take an older checkpoint"
    )


def portable(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors on the CPU, contiguous, in the order in which a file holds them (the widest numbers first).

    Args:
        tensors: by name.

    Example:
        >>> list(portable({"a": torch.zeros(1, dtype=torch.int8), "b": torch.zeros(2, 2).T}))
        ['b', 'a']
    """
    for name, tensor in tensors.items():
        if tensor.dtype not in _NAMES or tensor.layout != torch.strided or tensor.is_meta:
            raise InputError(
                "a file holds dense tensors of real numbers (or complex64)",
                advice="turn it into such in `state_dict`",
                tensor=name,
                dtype=tensor.dtype,
                layout=tensor.layout,
                device=str(tensor.device),
            )
    names = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))
    return {name: tensors[name].detach().cpu().resolve_conj().resolve_neg().contiguous() for name in names}


def checksum(tensor: Tensor) -> int:
    """CRC-32 of a contiguous CPU tensor's bytes.

    Args:
        tensor: as `portable` gives it.

    Example:
        >>> checksum(torch.zeros(4, dtype=torch.uint8)) == zlib.crc32(bytes(4))
        True
    """
    return zlib.crc32(_bytes(tensor))


def encode_header(tensors: dict[str, Tensor], metadata: dict[str, str]) -> bytes:
    """A file's first bytes: the header's length and the header.

    Args:
        tensors: as `portable` gives them.
        metadata: text by name.

    Example:
        >>> encode_header({"a": torch.zeros(2)}, {})[8:]
        b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}} '
    """
    entries: dict[str, Any] = {"__metadata__": metadata} if metadata else {}
    stop = 0
    for name, tensor in tensors.items():
        start, stop = stop, stop + tensor.nbytes
        entries[name] = {"dtype": _NAMES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [start, stop]}
    text = json.dumps(entries, separators=(",", ":")).encode()
    check_plain(text)
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def write_tensors(file: BinaryIO, header: bytes, tensors: dict[str, Tensor]) -> None:
    """Writes a whole file.

    Args:
        file: open for writing, at its start.
        header: as `encode_header` made it.
        tensors: the same that the header describes.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryFile() as file:
        ...     write_tensors(file, encode_header({"a": torch.zeros(2)}, {}), {"a": torch.zeros(2)})
    """
    file.write(header)
    for tensor in tensors.values():
        file.write(_bytes(tensor))


def open_regular(path: Path) -> FileIO:
    """Opens a file for reading, but neither through a symbolic link nor if it is a pipe, device or folder.

    Args:
        path: which file.

    Example:
        >>> open_regular(Path("/dev/null"))
        Traceback (most recent call last):
            ...
        chainrule.errors.CheckpointError: `dev/null` cannot be used: it is no ordinary file; take an older checkpoint.
    """
    try:
        descriptor = os.open(path, _READ)
    except OSError as error:
        raise damaged(path, (error.strerror or str(error)).lower()) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise damaged(path, "it is no ordinary file")
    return FileIO(descriptor, "rb")


def read_header(file: FileIO, path: Path) -> Header:
    """Reads a file's header and holds it against the file's size: no byte without a tensor, none with two.

    Args:
        file: as `open_regular` gives it.
        path: its name, for messages.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "a.safetensors"
        >>> with path.open("wb") as file:
        ...     write_tensors(file, encode_header({"a": torch.zeros(2)}, {}), {"a": torch.zeros(2)})
        >>> with open_regular(path) as file:
        ...     read_header(file, path).entries["a"].stop
        8
    """
    size = os.fstat(file.fileno()).st_size
    if size > _memory():
        raise damaged(path, f"its {size:,} bytes are more than this machine's memory")
    first = read_exactly(file, 8, path)
    (length,) = struct.unpack("<Q", first)
    if length > min(size - 8, HEADER_LIMIT):
        raise damaged(path, f"its header claims {length:,} bytes in a file of {size:,}")
    raw = read_exactly(file, length, path)
    described = parse_json(raw, path)
    if not isinstance(described, dict):
        raise damaged(path, "its header is no table of tensors")
    metadata = described.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise damaged(path, "its metadata is not text by name")
    entries = {name: _entry(name, fields, path) for name, fields in described.items()}
    entries = dict(sorted(entries.items(), key=_place))
    place = 0
    for name, entry in entries.items():
        if entry.start != place:
            raise damaged(path, f"tensor `{name}` starts at byte {entry.start:,} instead of {place:,}")
        place = entry.stop
    if place != size - 8 - length:
        raise damaged(path, f"it has {size - 8 - length:,} bytes of tensors where its header tells of {place:,}")
    return Header(entries, metadata, first + raw)


def read_tensors(file: FileIO, header: Header, checksums: dict[str, int], path: Path) -> Iterator[tuple[str, Tensor]]:
    """Reads one tensor after the other, each compared with its checksum before it is given out.

    Args:
        file: right behind the header.
        header: as `read_header` gives it.
        checksums: CRC-32 by name, for exactly the tensors of the header.
        path: the file's name, for messages.

    Example:
        >>> import tempfile
        >>> path, tensors = Path(tempfile.mkdtemp()) / "a.safetensors", {"a": torch.ones(2)}
        >>> with path.open("wb") as file:
        ...     write_tensors(file, encode_header(tensors, {}), tensors)
        >>> with open_regular(path) as file:
        ...     dict(read_tensors(file, read_header(file, path), {"a": checksum(tensors["a"])}, path))
        {'a': tensor([1., 1.])}
    """
    if sorted(checksums) != sorted(header.entries):
        raise damaged(path, "its tensors are not those that were written")
    for name, entry in header.entries.items():
        try:
            tensor = torch.empty(entry.shape, dtype=entry.dtype)
        except (RuntimeError, OverflowError, TypeError) as error:
            raise damaged(path, f"tensor `{name}` cannot have the shape {entry.shape}") from error
        _fill(file, _bytes(tensor), path)
        if checksum(tensor) != checksums[name]:
            raise damaged(path, f"tensor `{name}` differs from its checksum")
        if entry.dtype == torch.bool and tensor.numel() and int(tensor.view(torch.uint8).max()) > 1:
            raise damaged(path, f"tensor `{name}` holds bytes that are neither false nor true")
        yield name, tensor


def read_exactly(file: FileIO, count: int, path: Path) -> bytes:
    """So many bytes, or an error that names the file.

    Args:
        file: open for reading.
        count: how many.
        path: the file's name, for messages.

    Example:
        >>> with open_regular(Path(torch.__file__)) as file:
        ...     len(read_exactly(file, 3, Path(torch.__file__)))
        3
    """
    buffer = bytearray(count)
    _fill(file, memoryview(buffer), path)
    return bytes(buffer)


def parse_json(raw: bytes, path: Path) -> Any:
    """Plain data from JSON, within limits: not too many values, not too deep, no number that JSON does not have.

    Args:
        raw: the text.
        path: the file's name, for messages.

    Example:
        >>> parse_json(b"[1,NaN]", Path("run/a.json"))
        Traceback (most recent call last):
            ...
        chainrule.errors.CheckpointError: `run/a.json` cannot be used: it is no JSON (NaN); take an older checkpoint.
    """
    if _signs(raw) > _SIGN_LIMIT:
        raise damaged(path, "it holds more values than a checkpoint may")
    try:
        return json.loads(raw, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"it is no JSON ({str(error)[:60]})") from error


def check_plain(raw: bytes) -> None:
    """Raises an `InputError` where plain data is more than `parse_json` would read back.

    Args:
        raw: the text.

    Example:
        >>> check_plain(b"[1,2]")
    """
    if len(raw) > HEADER_LIMIT or _signs(raw) > _SIGN_LIMIT:
        raise InputError(
            f"plain data and names may take {HEADER_LIMIT:,} bytes and {_SIGN_LIMIT:,} commas and brackets",
            advice="keep long lists of numbers in one tensor, stack small tensors",
            bytes=len(raw),
            signs=_signs(raw),
        )


def _signs(raw: bytes) -> int:
    return sum(raw.count(sign) for sign in (b",", b"[", b"{"))


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _place(item: tuple[str, Entry]) -> tuple[int, int]:
    return item[1].start, item[1].stop


def _entry(name: str, fields: Any, path: Path) -> Entry:
    if not isinstance(fields, dict) or sorted(fields) != ["data_offsets", "dtype", "shape"]:
        raise damaged(path, f"tensor `{name[:60]}` lacks its dtype, shape or offsets")
    kind, shape, offsets = fields["dtype"], fields["shape"], fields["data_offsets"]
    if not isinstance(kind, str) or kind not in _DTYPES:
        raise damaged(path, f"tensor `{name[:60]}` is of an unknown dtype")
    if not _counts(shape) or len(shape) > 64 or not _counts(offsets) or len(offsets) != 2:
        raise damaged(path, f"tensor `{name[:60]}` has a shape or offsets that are no whole numbers")
    if offsets[1] - offsets[0] != math.prod(shape) * _DTYPES[kind].itemsize:
        raise damaged(path, f"tensor `{name[:60]}` has offsets that do not fit its shape")
    return Entry(_DTYPES[kind], tuple(shape), offsets[0], offsets[1])


def _counts(numbers: Any) -> bool:
    return isinstance(numbers, list) and all(type(number) is int and 0 <= number < 1 << 62 for number in numbers)


def _bytes(tensor: Tensor) -> memoryview:
    return tensor.reshape(-1).view(torch.uint8).numpy().data


def _fill(file: FileIO, room: memoryview, path: Path) -> None:
    place = 0
    while place < len(room):
        try:
            count = file.readinto(room[place : place + (1 << 30)])
        except OSError as error:
            raise damaged(path, f"it cannot be read ({error.strerror})") from error
        if not count:
            raise damaged(path, f"it ends {len(room) - place:,} bytes early")
        place += count


def _memory() -> int:
    if sys.platform == "win32":
        return sys.maxsize
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
