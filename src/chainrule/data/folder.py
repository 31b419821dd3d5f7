"""A folder of pictures, one sub-folder per class."""

import zlib
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from chainrule.data.bad import OnBad
from chainrule.data.batch import Images
from chainrule.data.batches import Augment, Splits, at_least_one
from chainrule.data.decoded import Decoded
from chainrule.errors import InputError, SampleError

_ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".webp"})
_LARGEST = 1 << 26  # pixels: a picture that claims more is a bomb, not a photograph

Item = tuple[Path, int]


def image_folder(
    path: Path | str,
    side: int,
    batch_size: int = 64,
    *,
    seed: int = 0,
    channels: Literal[1, 3] = 3,
    augment: Augment[Images] | None = None,
    workers: int = 2,
    on_bad: OnBad = "raise",
) -> Splits[Images]:
    """Pictures from a folder with one sub-folder per class: PNG, JPEG and WebP, decoded when they are wanted.

    Each picture is turned upright, scaled so that its shorter side is `side` and cut to the square in its middle.
    Of every class, 10 % are for validation and 10 % for test, at least one each, and the rest for training; which
    ones depends on the files' names alone, so that every machine has the same parts and a new picture moves few
    others.

    Args:
        path: the folder.
        side: height and width of the pictures in a batch.
        batch_size: pictures per batch.
        seed: which order the training pictures come in.
        channels: 3 for colour, 1 for grey.
        augment: a random change of training pictures.
        workers: threads that decode ahead.
        on_bad: what to do with a picture that cannot be read: "raise", "skip" or `Skip(max_fraction)`.

    Shape:
        pixels: (batch, channel, side, side) bytes; labels: (batch).

    Example:
        >>> import tempfile
        >>> from PIL import Image
        >>> folder = tempfile.TemporaryDirectory()
        >>> for name in ("cat/1.png", "cat/2.png", "cat/3.png", "dog/1.png", "dog/2.png", "dog/3.png"):
        ...     (Path(folder.name) / name).parent.mkdir(exist_ok=True)
        ...     Image.new("RGB", (40, 30)).save(Path(folder.name) / name)
        >>> pets = image_folder(folder.name, side=16, batch_size=2)
        >>> pets.classes, pets.train[0].pixels.shape, pets.test.size
        (('cat', 'dog'), torch.Size([2, 3, 16, 16]), 2)
        >>> folder.cleanup()
    """
    at_least_one(side=side)
    by_class = _pictures(Path(path))
    parts: tuple[list[Item], list[Item], list[Item]] = ([], [], [])
    for label, files in enumerate(by_class.values()):
        held_out = max(1, len(files) // 10)
        shuffled = sorted(files, key=lambda file: (zlib.crc32(file.name.encode()), file.name))
        cuts = (shuffled[2 * held_out :], shuffled[:held_out], shuffled[held_out : 2 * held_out])
        for part, chosen in zip(parts, cuts, strict=True):
            part.extend((file, label) for file in sorted(chosen))
    decode = partial(read_picture, side=side, channels=channels)
    train, validation, test = (
        Decoded(part, decode, batch_size, seed, workers=workers, on_bad=on_bad, augment=change)
        for part, change in zip(parts, (augment, None, None), strict=True)
    )
    return Splits(train, validation, test, classes=tuple(by_class))


def read_picture(item: Item, *, side: int, channels: Literal[1, 3] = 3) -> Images:
    """One picture file as a batch of one: upright, its middle square, scaled to `side`.

    Args:
        item: the file and its class.
        side: height and width wanted.
        channels: 3 for colour, 1 for grey.

    Shape:
        pixels: (1, channel, side, side) bytes; labels: (1).

    Example:
        >>> import tempfile
        >>> from PIL import Image
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "grey.png"
        ...     Image.new("L", (9, 5), 200).save(path)
        ...     read_picture((path, 1), side=4, channels=1).pixels.unique().tolist()
        [200]
    """
    from PIL import Image, ImageOps

    path, label = item
    mode = {1: "L", 3: "RGB"}[channels]
    with Image.open(path, formats=("PNG", "JPEG", "WEBP")) as picture:
        if picture.width * picture.height > _LARGEST:
            size = (picture.width, picture.height)
            raise SampleError("a picture is too large", advice="scale it down", size=size, pixels_at_most=_LARGEST)
        picture.draft(mode, (side, side))  # a JPEG is decoded at a fraction of its size where that is enough
        whole = picture.convert("RGBA") if picture.mode == "P" else picture
        upright = ImageOps.exif_transpose(whole).convert(mode)
        square = ImageOps.fit(upright, (side, side), Image.Resampling.BILINEAR)
    pixels = np.array(square).reshape(side, side, channels).transpose(2, 0, 1)
    return Images(torch.from_numpy(np.ascontiguousarray(pixels))[None], torch.tensor([label]))


def _pictures(folder: Path) -> dict[str, list[Path]]:
    """The picture files of every class, or an error that says what is missing."""
    if not folder.is_dir():
        raise InputError("`path` must be a folder", advice="give the folder that holds the classes", path=str(folder))
    found = {
        inner.name: [file for file in inner.iterdir() if file.suffix.lower() in _ENDINGS and file.name[0] != "."]
        for inner in sorted(folder.iterdir())
        if inner.is_dir() and inner.name[0] != "."
    }
    advice = "put the pictures of each class into a folder of its own: photos/cat/1.jpg, photos/dog/1.jpg"
    if len(found) < 2:
        raise InputError(
            "a folder of pictures must have a sub-folder for each of two classes or more",
            advice=advice,
            path=str(folder),
            classes=list(found),
        )
    few = {name: len(files) for name, files in found.items() if len(files) < 3}
    if few:
        raise InputError(
            "every class must have at least 3 pictures (PNG, JPEG or WebP): to learn, to choose by and to judge with",
            advice="add pictures, or remove the sub-folder",
            path=str(folder),
            pictures=few,
        )
    return found
