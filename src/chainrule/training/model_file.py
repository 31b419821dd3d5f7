"""A model's weights in one file, written whole or not at all, with a checksum for every bit of it."""

import json
import zlib
from pathlib import Path

from torch import Tensor, nn

from chainrule.errors import CheckpointError
from chainrule.training.checkpoint import check_space, sync
from chainrule.training.state import memory_of
from chainrule.training.tensors import (
    Header,
    checksum,
    damaged,
    encode_header,
    open_regular,
    parse_json,
    portable,
    read_header,
    read_tensors,
    write_tensors,
)

_BLANK = "00000000"


def save_model(path: Path, module: nn.Module) -> None:
    """Writes a model's weights as a safetensors file that takes the old one's place only once it is complete.

    Args:
        path: where, usually `model.safetensors`.
        module: whose parameters and buffers.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "model.safetensors"
        >>> save_model(path, nn.Linear(2, 1))
        >>> path.stat().st_size > 12
        True
    """
    write_model(path, dict(module.state_dict()))


def write_model(path: Path, weights: dict[str, Tensor]) -> None:
    """As `save_model`, from the weights by name; of tied ones, one is written and the other named in the metadata.

    Args:
        path: where.
        weights: a module's `state_dict`.

    Example:
        >>> import tempfile
        >>> write_model(Path(tempfile.mkdtemp()) / "model.safetensors", {})
    """
    own, tied = _untied(weights)
    ready = portable(own)
    checksums = {name: checksum(tensor) for name, tensor in ready.items()}
    metadata = {"format": "pt", **tied, "crc32": json.dumps(checksums), "header_crc32": _BLANK}
    header = encode_header(ready, metadata)
    header = header.replace(_seal(_BLANK), _seal(f"{zlib.crc32(header):08x}"), 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    check_space(path.parent, len(header) + sum(tensor.nbytes for tensor in ready.values()))
    partial = path.with_name(f".{path.name}.tmp")
    try:
        with partial.open("wb") as file:
            write_tensors(file, header, ready)
        sync(partial)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync(path.parent)


def load_model(path: Path, module: nn.Module) -> None:
    """Gives a model the weights that `save_model` wrote; nothing is changed unless all of them fit.

    Args:
        path: the file.
        module: built like the one that was saved, on any device and in any floating type.

    Example:
        >>> import tempfile, torch
        >>> path, first, second = Path(tempfile.mkdtemp()) / "model.safetensors", nn.Linear(2, 1), nn.Linear(2, 1)
        >>> save_model(path, first)
        >>> load_model(path, second)
        >>> torch.equal(first.weight, second.weight)
        True
    """
    weights = read_model(path)
    wanted = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    differ = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    if differ:
        name = differ[0]
        raise CheckpointError(
            f"`{path.name}` must hold the weights of this {type(module).__name__}",
            advice="build the model with the settings that it was saved with",
            first_that_differs=name,
            in_file=found.get(name, "missing"),
            in_model=wanted.get(name, "missing"),
            differing=len(differ),
        )
    module.load_state_dict(weights)


def read_model(path: Path) -> dict[str, Tensor]:
    """The weights by name, on the CPU, every checksum compared.

    Args:
        path: a file that `save_model` wrote.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "model.safetensors"
        >>> save_model(path, nn.Linear(2, 1))
        >>> sorted(read_model(path))
        ['bias', 'weight']
    """
    with open_regular(path) as file:
        header = read_header(file, path)
        weights = dict(read_tensors(file, header, _checksums(header, path), path))
    tied = {name: kept for name, kept in header.metadata.items() if kept in weights and name not in weights}
    return {**weights, **{name: weights[kept] for name, kept in tied.items()}}


def _untied(weights: dict[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, str]]:
    own: dict[str, Tensor] = {}
    tied: dict[str, str] = {}
    names: dict[object, str] = {}
    for name, tensor in weights.items():
        memory = memory_of(tensor)
        if memory is not None and memory in names:
            tied[name] = names[memory]
            continue
        own[name] = tensor
        if memory is not None:
            names[memory] = name
    return own, tied


def _checksums(header: Header, path: Path) -> dict[str, int]:
    crc = header.metadata.get("header_crc32", "")
    if "crc32" not in header.metadata or len(crc) != len(_BLANK):
        raise damaged(path, "it has no checksums, so `save_model` did not write it")
    if f"{zlib.crc32(header.raw.replace(_seal(crc), _seal(_BLANK), 1)):08x}" != crc:
        raise damaged(path, "its header differs from its checksum")
    checksums = parse_json(header.metadata["crc32"].encode(errors="replace"), path)
    if not isinstance(checksums, dict) or any(type(value) is not int for value in checksums.values()):
        raise damaged(path, "its checksums are no whole numbers")
    return checksums


def _seal(crc: str) -> bytes:
    return b'"header_crc32":"%b"' % crc.encode("ascii", "replace")
