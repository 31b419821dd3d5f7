"""Token numbers in a file: a raw array that is memory-mapped, and a few words of JSON beside it."""

import json
from pathlib import Path

import numpy as np
from torch import Tensor

from chainrule.errors import InputError

_KINDS = {"uint8": np.dtype("u1"), "uint16": np.dtype("<u2"), "uint32": np.dtype("<u4")}


def save_tokens(path: Path | str, tokens: Tensor | np.ndarray) -> Path:
    """Writes token numbers as a raw little-endian array, in the fewest bytes that hold the highest number.

    Beside `path` stands `path.json` with the kind of number and how many there are.

    Args:
        path: the file to write.
        tokens: token numbers in one dimension.

    Shape:
        tokens: (token).

    Example:
        >>> import tempfile, torch
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = save_tokens(Path(folder.name) / "text.tokens", torch.arange(300))
        >>> open_tokens(path).dtype, path.stat().st_size
        (dtype('uint16'), 600)
        >>> folder.cleanup()
    """
    array = np.asarray(tokens)
    if array.ndim != 1 or array.dtype.kind not in "iu" or not len(array) or array.min() < 0 or array.max() >= 1 << 32:
        raise InputError(
            "`tokens` must be whole numbers from 0 to 2^32 - 1 in one dimension, at least one",
            advice="encode the text with a tokenizer first",
            shape=array.shape,
            dtype=str(array.dtype),
        )
    path, array = Path(path), narrowest(array)
    array.tofile(path)
    name = next(name for name, kind in _KINDS.items() if kind == array.dtype)
    _beside(path).write_text(json.dumps({"dtype": name, "tokens": len(array)}) + "\n", encoding="utf-8")
    return path


def narrowest(tokens: np.ndarray) -> np.ndarray:
    """The same token numbers in the fewest bytes that hold the highest: 1, 2 or 4 each.

    Args:
        tokens: token numbers from 0 to 2^32 - 1, at least one.

    Example:
        >>> narrowest(np.array([7, 255])).dtype, narrowest(np.array([7, 256])).dtype
        (dtype('uint8'), dtype('uint16'))
    """
    highest = tokens.max()
    return tokens.astype(next(kind for kind in _KINDS.values() if highest <= np.iinfo(kind).max))


def open_tokens(path: Path | str) -> np.ndarray:
    """Memory-maps a file of token numbers, read-only: what `save_tokens` wrote, or a plain `.npy` array.

    Args:
        path: the file to open.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> np.save(Path(folder.name) / "text.npy", np.arange(7, dtype=np.uint16))
        >>> open_tokens(Path(folder.name) / "text.npy")[2:5].tolist()
        [2, 3, 4]
        >>> folder.cleanup()
    """
    path = Path(path)
    if not path.is_file():
        raise InputError("`path` must be a file of token numbers", advice="write one with save_tokens", path=str(path))
    return _open_npy(path) if path.suffix == ".npy" else _open_raw(path)


def _open_npy(path: Path) -> np.ndarray:
    try:
        tokens = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(
            f"{path} must be a whole .npy file of plain numbers ({error})",
            advice="save it with numpy.save from numbers",
        ) from error
    if not isinstance(tokens, np.ndarray) or tokens.ndim != 1 or tokens.dtype.kind not in "iu":
        raise InputError(
            f"{path} must hold whole numbers in one dimension",
            advice="save the token numbers as one long array",
            shape=getattr(tokens, "shape", None),
            dtype=str(getattr(tokens, "dtype", type(tokens).__name__)),
        )
    return tokens


def _open_raw(path: Path) -> np.ndarray:
    described = _beside(path)
    try:
        said = json.loads(described.read_text(encoding="utf-8"))
        kind, count = _KINDS[said["dtype"]], int(said["tokens"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{described} must say {{'dtype': 'uint8' | 'uint16' | 'uint32', 'tokens': how many}} "
            f"({type(error).__name__}: {error})",
            advice="write both files with save_tokens",
        ) from error
    size = path.stat().st_size
    if count < 1 or size != count * kind.itemsize:
        raise InputError(
            f"{path} must be as long as {described.name} says",
            advice="the file is cut off or was changed: write it again",
            tokens=count,
            bytes_expected=count * kind.itemsize,
            bytes=size,
        )
    return np.memmap(path, dtype=kind, mode="r")


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".json")
