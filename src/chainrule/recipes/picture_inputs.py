"""New pictures, however a person has them, as a network takes them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor

from chainrule.data import Images
from chainrule.errors import InputError, SampleError
from chainrule.sources import as_bytes, as_pictures, fitted_picture, picture_bytes, picture_files

Size = tuple[int, int]
Channels = Literal[1, 3]

_CHUNK = 256


def encoded_pictures(inputs: Any, size: Size, channels: Channels, *, low: float = 0.0, high: float = 255.0) -> Images:
    """Pictures as bytes of one size, their labels made up.

    Args:
        inputs: a path, an array or tensor (height, width), one of pictures, a picture of Pillow, or a list of these.
        size: height and width wanted.
        channels: 3 for colour, 1 for grey.
        low: the brightness of arrays that becomes 0.
        high: the brightness of arrays that becomes 255.

    Example:
        >>> encoded_pictures(np.zeros((5, 8, 8)), (4, 4), 1).pixels.shape
        torch.Size([5, 1, 4, 4])
    """
    if isinstance(inputs, np.ndarray | Tensor):
        pixels = _of_array(np.asarray(inputs), size, channels, low, high)
    elif isinstance(inputs, str | Path):
        pixels = _of_file(Path(inputs), size, channels)[None]
    elif isinstance(inputs, list | tuple) and inputs:
        each = cast("Sequence[Any]", inputs)
        pixels = torch.cat([encoded_pictures(one, size, channels, low=low, high=high).pixels for one in each])
    elif callable(getattr(inputs, "convert", None)):
        pixels = fitted_picture(inputs, size, channels)[None]
    else:
        raise InputError(
            "pictures must be paths, arrays or Pillow's own",
            advice="give a path, an array (picture, height, width), or a list of them",
            inputs=type(inputs).__name__,
        )
    return Images(pixels, torch.zeros(len(pixels), dtype=torch.int64))


def pictures_of_files(
    paths: Sequence[Path], size: Size, channels: Channels, *, low: float = 0.0, high: float = 255.0
) -> Iterator[tuple[list[str], Images]]:
    """Pictures from files and folders, in chunks: their names, and the pictures.

    Args:
        paths: picture files, folders of them at any depth, `.npy` arrays of pictures.
        size: height and width wanted.
        channels: 3 for colour, 1 for grey.
        low: the brightness of arrays that becomes 0.
        high: the brightness of arrays that becomes 255.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     np.save(Path(folder) / "two.npy", np.zeros((2, 8, 8)))
        ...     chunks = list(pictures_of_files([Path(folder) / "two.npy"], (8, 8), 1))
        >>> [name.rpartition("/")[2] for name in chunks[0][0]]
        ['two.npy[0]', 'two.npy[1]']
    """
    waiting: list[Path] = []
    for path in paths:
        if path.suffix.lower() == ".npy":
            yield from _of_npy(path, size, channels, low, high)
        elif path.is_dir():
            waiting += picture_files(path)[0]
        else:
            waiting.append(path)
        while len(waiting) >= _CHUNK:
            yield _read(waiting[:_CHUNK], size, channels)
            del waiting[:_CHUNK]
    if waiting:
        yield _read(waiting, size, channels)


def _read(files: Sequence[Path], size: Size, channels: Channels) -> tuple[list[str], Images]:
    pixels = torch.stack([_of_file(file, size, channels) for file in files])
    return [str(file) for file in files], Images(pixels, torch.zeros(len(files), dtype=torch.int64))


def _of_file(file: Path, size: Size, channels: Channels) -> Tensor:
    try:
        return picture_bytes(file, size, channels)
    except SampleError as error:
        raise InputError(f"{file} cannot be read: {error}", advice="mend it or leave it out") from error


def _of_npy(path: Path, size: Size, channels: Channels, low: float, high: float) -> Iterator[tuple[list[str], Images]]:
    try:
        values: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(f"{path} must be an array of pictures ({error})", advice="write it with numpy.save") from error
    for start in range(0, len(values), _CHUNK):
        rows = encoded_pictures(np.array(values[start : start + _CHUNK]), size, channels, low=low, high=high)
        yield [f"{path}[{start + place}]" for place in range(len(rows))], rows


def _of_array(values: np.ndarray, size: Size, channels: Channels, low: float, high: float) -> Tensor:
    coloured = values.ndim == 3 and (values.shape[2] == 3 or values.shape[0] == channels == 3)
    whole = values[None] if values.ndim == 2 or coloured else values
    if values.dtype.kind not in "uifb" or (values.dtype.kind == "f" and not np.isfinite(values).all()):
        raise InputError("pixels must be finite numbers", advice="mend them", type=str(values.dtype))
    bounds = (0.0, 255.0) if values.dtype == np.uint8 else (low, high)
    pixels = torch.from_numpy(np.ascontiguousarray(as_bytes(as_pictures(whole), *bounds)))
    if pixels.shape[1] == 3 and channels == 1:
        grey = pixels.float().mul(torch.tensor([0.299, 0.587, 0.114]).view(3, 1, 1)).sum(1, keepdim=True)
        pixels = grey.round().to(torch.uint8)
    elif pixels.shape[1] == 1 and channels == 3:
        pixels = pixels.expand(-1, 3, -1, -1)
    if tuple(pixels.shape[2:]) == size:
        return pixels
    numbers = F.interpolate(pixels.float(), size=size, mode="bilinear", antialias=True)
    return numbers.round().clamp(0, 255).to(torch.uint8)
