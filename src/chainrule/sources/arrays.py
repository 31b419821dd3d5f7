"""Pictures that lie in arrays: MNIST's IDX files, NumPy's `.npz` and `.npy`, and the set that ships in scikit-learn."""

import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from chainrule.data import read_idx
from chainrule.errors import InputError
from chainrule.shapes import UInt8
from chainrule.sources.picture_folder import TEST, TRAIN, UNDECIDED, VALIDATION

_LARGEST = 1 << 32  # bytes, unpacked
_DIGITS = "digits"
_PART_WORDS = {"train": TRAIN, "val": VALIDATION, "valid": VALIDATION, "validation": VALIDATION,
               "dev": VALIDATION, "test": TEST, "t10k": TEST}  # fmt: skip
_LABEL_WORDS = {"labels", "label", "y", "targets", "target", "classes"}


@dataclass(frozen=True)
class PictureArrays:
    """Pictures and labels from arrays.

    Args:
        pixels: as bytes.
        labels: the class of each, by name.
        parts: 0 to learn from, 1 to choose by, 2 to judge with, -1 where nobody says.
        low: what became 0.
        high: what became 255.
        notes: what was decided about them.

    Shape:
        pixels: (picture, channel, height, width).

    Example:
        >>> PictureArrays(torch.zeros(1, 1, 2, 2, dtype=torch.uint8), ("3",), (-1,)).high
        255.0
    """

    pixels: UInt8[Tensor, "picture channel height width"]
    labels: tuple[str, ...]
    parts: tuple[int, ...]
    low: float = 0.0
    high: float = 255.0
    notes: tuple[str, ...] = ()


def picture_arrays(path: str) -> PictureArrays | None:
    """The pictures and labels that a path or the word `digits` stands for, or `None` where it holds no arrays.

    Args:
        path: a folder of IDX files, a `.npz`, a `.npy` with its labels beside it, or the word `digits`.

    Example:
        >>> digits = picture_arrays("digits")
        >>> tuple(digits.pixels.shape), digits.labels[:3]
        ((1797, 1, 8, 8), ('0', '1', '2'))
    """
    place = Path(path)
    if path == _DIGITS and not place.exists():
        from sklearn.datasets import load_digits

        pixels, labels = load_digits(return_X_y=True)
        return _assembled({"images": pixels.reshape(-1, 8, 8), "labels": labels}, path)
    if place.is_dir():
        named = _idx_arrays(place) or _npy_arrays(place)
        return _assembled(named, path) if named else None
    if place.suffix == ".npz" and place.is_file():
        return _assembled(_npz_arrays(place), path)
    if place.suffix == ".npy" and place.is_file():
        return _assembled(_npy_pair(place), path)
    return None


def as_pictures(values: np.ndarray, name: str = "pictures") -> np.ndarray:
    """An array of pictures with its channels before the height, whatever their place was.

    Args:
        values: (picture, height, width), (picture, height, width, channel) or (picture, channel, height, width).
        name: what it is called in messages.

    Shape:
        returns (picture, channel, height, width), 1 or 3 channels.

    Example:
        >>> as_pictures(np.zeros((2, 8, 8, 3))).shape
        (2, 3, 8, 8)
    """
    if values.ndim == 3:
        return values[:, None]
    if values.ndim == 4 and values.shape[1] in (1, 3):
        return values
    if values.ndim == 4 and values.shape[3] in (1, 3, 4):
        return values[..., :3].transpose(0, 3, 1, 2) if values.shape[3] != 1 else values.transpose(0, 3, 1, 2)
    raise InputError(
        f"`{name}` must be pictures: (picture, height, width), with 1 or 3 channels behind or before the height",
        advice="reshape it; rows of numbers belong into a table",
        shape=values.shape,
    )


def as_bytes(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Brightness from `low` to `high` as bytes from 0 to 255; bytes stay as they are.

    Args:
        values: of any number type.
        low: what becomes 0.
        high: what becomes 255.

    Example:
        >>> as_bytes(np.array([0.0, 0.5, 1.0]), 0.0, 1.0).tolist()
        [0, 128, 255]
    """
    if values.dtype == np.uint8 and (low, high) == (0.0, 255.0):
        return values
    return ((values.astype(np.float32) - low) * (255 / (high - low))).round().clip(0, 255).astype(np.uint8)


def _assembled(named: Mapping[str, np.ndarray], source: str) -> PictureArrays:
    """Arrays by name, put together: every array of pictures with its labels and its part."""
    pictures = {name: array for name, array in named.items() if array.ndim >= 3}
    labels = {_part(name): _names(array, name) for name, array in named.items() if array.ndim < 3 and _is_label(name)}
    if not labels and len(named) - len(pictures) == 1:
        labels = {_part(name): _names(array, name) for name, array in named.items() if array.ndim < 3}
    pairs = [(as_pictures(array, name), labels.get(_part(name), ()), _part(name)) for name, array in pictures.items()]
    if (
        not pairs
        or any(len(array) != len(said) for array, said, _ in pairs)
        or len({p for *_, p in pairs}) < len(pairs)
    ):
        raise InputError(
            "arrays of pictures need labels, one per picture",
            advice="call them images and labels, or x_train, y_train, x_test, y_test",
            source=source,
            arrays={name: array.shape for name, array in named.items()},
        )
    shapes = {array.shape[1:] for array, _, _ in pairs}
    if len(shapes) > 1:
        raise InputError("all pictures must have one shape", advice="scale them", source=source, shapes=shapes)
    low, high, notes = _range([array for array, _, _ in pairs], source)
    parts = tuple(part for array, _, part in pairs for _ in range(len(array)))
    return PictureArrays(
        torch.from_numpy(np.ascontiguousarray(np.concatenate([as_bytes(array, low, high) for array, _, _ in pairs]))),
        tuple(name for _, said, _ in pairs for name in said),
        parts if TRAIN in parts else (UNDECIDED,) * len(parts),
        low,
        high,
        notes,
    )


def _range(arrays: list[np.ndarray], source: str) -> tuple[float, float, tuple[str, ...]]:
    """Which brightness is black and which is white."""
    if any(array.dtype.kind not in "uifb" for array in arrays):
        raise InputError(
            "pixels must be numbers", advice="convert them", source=source, types=[str(a.dtype) for a in arrays]
        )
    if all(array.dtype == np.uint8 for array in arrays):
        return 0.0, 255.0, ()
    bad = sum(int((~np.isfinite(array)).sum()) for array in arrays if array.dtype.kind == "f")
    if bad:
        raise InputError("pixels must be finite", advice="mend or remove those pictures", source=source, not_finite=bad)
    low = min(float(array.min(initial=0)) for array in arrays)
    high = max(float(array.max(initial=0)) for array in arrays)
    if high <= low:
        raise InputError("pictures must not all be one brightness", advice="look at them", source=source, value=low)
    if low >= 0 and 1 < high <= 255 and high > 128:  # bytes in a wider type
        low, high = 0.0, 255.0
    return low, high, (f"Brightness from {low:g} to {high:g} was stored as bytes from 0 to 255.",)


def _names(labels: np.ndarray, name: str) -> tuple[str, ...]:
    """Labels as text: of whole numbers, of words, or of rows with a single one."""
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim == 2 and labels.dtype.kind in "uifb" and bool(np.isin(labels, (0, 1)).all()):
        labels = labels.argmax(1) if bool((labels.sum(1) == 1).all()) else labels
    if labels.ndim != 1 or labels.dtype.kind not in "uifbUS":
        raise InputError(
            f"`{name}` must be one label per picture",
            advice="give whole numbers or words",
            shape=labels.shape,
            type=str(labels.dtype),
        )
    if labels.dtype.kind == "f":
        if not bool((np.isfinite(labels) & (labels == np.floor(labels))).all()):
            raise InputError(f"`{name}` must be classes", advice="measurements of pictures are not learnt yet")
        labels = labels.astype(np.int64)
    if labels.dtype.kind == "S":
        labels = np.char.decode(labels, "utf-8", "replace")
    return tuple(str(label) for label in labels.tolist())


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[^a-z0-9]+", name.lower().removesuffix(".npy")) if word]


def _part(name: str) -> int:
    return next((_PART_WORDS[word] for word in _words(name) if word in _PART_WORDS), UNDECIDED)


def _is_label(name: str) -> bool:
    return bool(_LABEL_WORDS & set(_words(name)))


def _idx_arrays(folder: Path) -> dict[str, np.ndarray]:
    """The IDX files of a folder, plain or packed, by name."""
    found: dict[str, np.ndarray] = {}
    for file in sorted(folder.iterdir()):
        plain = re.sub(r"\.(gz|xz)$", "", file.name)
        axes = re.search(r"[.-]idx([13])[.-]ubyte$", plain)
        if axes and file.is_file() and plain not in found:
            found[plain] = read_idx(folder / plain, int(axes.group(1))).numpy()
    return found


def _npz_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an archive: numbers and words only, and none that would fill the memory."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > _LARGEST:
            raise InputError("the arrays are too large", advice="use a folder of pictures", path=str(path), bytes=size)
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        if isinstance(error, InputError):
            raise
        raise _unreadable(path, error) from error


def _npy_arrays(folder: Path) -> dict[str, np.ndarray]:
    """The `.npy` files of a folder, where some of them are labels."""
    files = sorted(file for file in folder.iterdir() if file.suffix == ".npy" and file.is_file())
    return {file.name: _npy(file) for file in files} if any(_is_label(file.name) for file in files) else {}


def _npy_pair(path: Path) -> dict[str, np.ndarray]:
    """One array of pictures, and the labels that lie beside it."""
    part = _part(path.name)
    labels = [file for file in sorted(path.parent.glob("*.npy")) if _is_label(file.name) and _part(file.name) == part]
    if len(labels) != 1 or labels[0] == path:
        raise InputError(
            "an array of pictures needs its labels beside it",
            advice="put labels.npy into the same folder, or give the folder",
            path=str(path),
            found=[file.name for file in labels],
        )
    return {"images": _npy(path), "labels": _npy(labels[0])}


def _npy(path: Path) -> np.ndarray:
    if path.stat().st_size > _LARGEST:
        raise InputError(
            "an array is too large", advice="use a folder of pictures", path=str(path), bytes=path.stat().st_size
        )
    try:
        loaded: Any = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise _unreadable(path, error) from error
    if not isinstance(loaded, np.ndarray):
        raise InputError("a .npy file must hold one array", advice="write it with numpy.save", path=str(path))
    return loaded


def _unreadable(path: Path, error: Exception) -> InputError:
    return InputError(
        f"{path.name} must be a readable array of numbers or words ({type(error).__name__}: {error})",
        advice="write it again with numpy, without objects",
    )
