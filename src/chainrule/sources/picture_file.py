"""One picture file of whatever kind: looked at, then decoded to bytes of the size that a network takes."""

import struct
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from chainrule.errors import SampleError
from chainrule.shapes import UInt8

ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".jfif", ".webp", ".bmp", ".gif", ".tif", ".tiff"})
Size = tuple[int, int]
Channels = Literal[1, 3]

_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
_LARGEST = 1 << 26  # pixels: a file that claims more is a bomb, not a photograph
_UNREADABLE = (OSError, ValueError, SyntaxError, TypeError, KeyError, IndexError, EOFError, struct.error)


@dataclass(frozen=True)
class PictureHeader:
    """What a picture file says of itself before it is decoded.

    Args:
        height: in pixels.
        width: in pixels.
        mode: how a pixel is stored, in Pillow's words: "RGB", "L", "CMYK", "I;16", ...
        animated: whether it has more than one frame.

    Example:
        >>> PictureHeader(28, 28, "L", animated=False).mode
        'L'
    """

    height: int
    width: int
    mode: str
    animated: bool


def picture_header(path: Path) -> PictureHeader:
    """Size and kind of a picture, without its pixels; a `SampleError` says why a file cannot be one.

    Args:
        path: the file.

    Example:
        >>> import tempfile
        >>> from PIL import Image
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Image.new("L", (9, 5)).save(Path(folder) / "grey.png")
        ...     picture_header(Path(folder) / "grey.png")
        PictureHeader(height=5, width=9, mode='L', animated=False)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Pillow finds odd in a file is counted by us or harmless
        with _opened(path) as picture:
            animated = bool(getattr(picture, "is_animated", False)) and picture.format != "MPO"
            return PictureHeader(picture.height, picture.width, picture.mode, animated)


def picture_bytes(path: Path, size: Size, channels: Channels = 3) -> UInt8[Tensor, "channel height width"]:
    """The pixels of a picture file: upright, its middle cut to the shape that is wanted, and scaled to it.

    16 bits are cut to the upper 8, what is transparent stands on white, and of several frames the first counts.

    Args:
        path: the file.
        size: height and width wanted.
        channels: 3 for colour, 1 for grey.

    Shape:
        returns (channel, height, width).

    Example:
        >>> import tempfile
        >>> from PIL import Image
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Image.new("LA", (9, 5), (0, 0)).save(Path(folder) / "glass.png")
        ...     picture_bytes(Path(folder) / "glass.png", (4, 4), 1).unique().tolist()
        [255]
    """
    with _opened(path) as picture:
        height, width = size
        picture.draft("RGB" if channels == 3 else "L", (width, height))  # a JPEG is decoded at a fraction of its size
        return fitted_picture(picture, size, channels)


def fitted_picture(picture: Any, size: Size, channels: Channels = 3) -> UInt8[Tensor, "channel height width"]:
    """An open picture of Pillow as bytes, as `picture_bytes` gives them.

    Args:
        picture: of Pillow.
        size: height and width wanted.
        channels: 3 for colour, 1 for grey.

    Shape:
        returns (channel, height, width).

    Example:
        >>> from PIL import Image
        >>> fitted_picture(Image.new("CMYK", (8, 8)), (2, 2)).shape
        torch.Size([3, 2, 2])
    """
    from PIL import Image, ImageOps

    height, width = size
    flat = _flat(ImageOps.exif_transpose(picture)).convert("RGB" if channels == 3 else "L")
    cut = ImageOps.fit(flat, (width, height), Image.Resampling.BILINEAR)
    pixels = np.array(cut).reshape(height, width, channels).transpose(2, 0, 1)
    return torch.from_numpy(np.ascontiguousarray(pixels))


def _flat(picture: Any) -> Any:
    """Eight bits a channel and nothing transparent."""
    from PIL import Image

    if picture.mode.startswith(("I", "F")):
        return Image.fromarray(_eight_bits(np.asarray(picture)))
    if not picture.has_transparency_data:
        return picture
    clear = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", clear.size, "white"), clear)


def _eight_bits(values: np.ndarray) -> np.ndarray:
    """Grey of 16 bits by its upper 8; fractions of one as parts of 255."""
    numbers = np.nan_to_num(values.astype(np.float64))
    if np.issubdtype(values.dtype, np.floating) and numbers.max(initial=0.0) <= 1.0:
        return (numbers * 255).round().clip(0, 255).astype(np.uint8)
    deep = values.dtype.itemsize == 2 or numbers.max(initial=0.0) > 255
    return (numbers / 257 if deep else numbers).round().clip(0, 255).astype(np.uint8)


@contextmanager
def _opened(path: Path) -> Generator[Any]:
    """The picture, opened; whatever is wrong with the file is a `SampleError`."""
    from PIL import Image

    try:
        if path.stat().st_size == 0:
            raise SampleError("a picture file must not be empty", advice="fetch it again, or remove it")
        with Image.open(path, formats=_FORMATS) as picture:
            if picture.width * picture.height > _LARGEST:
                size = (picture.width, picture.height)
                raise SampleError("a picture is too large", advice="scale it down", size=size, pixels_at_most=_LARGEST)
            yield picture
    except SampleError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise SampleError("a picture is too large", advice="scale it down", pixels_at_most=_LARGEST) from error
    except _UNREADABLE as error:
        raise SampleError(
            f"a file must hold a whole picture ({type(error).__name__}: {error})", advice="fetch it again, or remove it"
        ) from error
