"""Somebody's labelled pictures, wherever they lie: read, repaired, counted, and split honestly."""

import hashlib
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor

from chainrule.data import Augment, Batches, Decoded, Images, InMemory, Skip, Splits
from chainrule.errors import InputError, SampleError
from chainrule.shapes import Int, UInt8
from chainrule.sources.arrays import picture_arrays
from chainrule.sources.label_table import label_table
from chainrule.sources.picture_file import Channels, PictureHeader, Size, picture_bytes, picture_header
from chainrule.sources.picture_folder import UNDECIDED, FoundPictures, counted, found_pictures, picture_files, was
from chainrule.sources.picture_split import PictureSplit, content_units, split_pictures

_ROOM = 1 << 30  # bytes of pictures that are kept in memory
_SIDES = (16, 24, 32, 48, 64, 96, 128)
_SMALL = 64  # pixels: pictures of one size up to this one are taken as they are
_HALVED = 56  # pixels: from here on the network's first layers halve a picture twice
_PACE = 1300  # pictures of 28 x 28 that one thread learns from in a second, about
_ROUNDS = 10  # through the data should be possible in the time
_BAD = 0.5  # of the files may be unreadable
_LATE = 0.05  # of those that are decoded when they are wanted
_SHOWN = 3
_CHUNK = 1024

ReadT = TypeVar("ReadT")


@dataclass(frozen=True, eq=False)
class LabelledPictures:
    """Pictures of known classes, split and ready to be learnt from.

    Args:
        split: the classes, and who learns, chooses and judges.
        size: height and width that every picture is brought to.
        channels: 1 where all are grey, else 3.
        digest: of everything that was read.
        pixels: all pictures, where they fit into memory.
        files: where each lies, if not.
        low: the brightness that became 0, for arrays.
        high: the brightness that became 255.
        notes: what was decided, left out or repaired, in sentences.

    Shape:
        pixels: (picture, channel, height, width).

    Example:
        >>> digits = read_pictures("digits")
        >>> digits.size, digits.channels, digits.splits(64).test.size
        ((8, 8), 1, 269)
    """

    split: PictureSplit
    size: Size
    channels: Channels
    digest: str
    pixels: UInt8[Tensor, "picture channel height width"] | None = None
    files: tuple[Path, ...] = ()
    low: float = 0.0
    high: float = 255.0
    notes: tuple[str, ...] = ()

    def splits(
        self, batch_size: int, *, seed: int = 0, augment: Augment[Images] | None = None, workers: int = 2
    ) -> Splits[Images]:
        """The three parts as batches; training pictures are changed by `augment`."""
        make = partial(self._batches, batch_size=batch_size, workers=workers)
        train, validation, test = self.split.parts
        return Splits(make(train, seed=seed, augment=augment), make(validation), make(test), classes=self.split.classes)

    def sample(self, part: int, most: int) -> Images:
        """Up to so many pictures of a part (0 to learn from, 1 to choose by, 2 to judge with), evenly spread."""
        positions = self.split.parts[part]
        step = max(1, -(-len(positions) // most))
        return next(self._batches(positions[::step], batch_size=1, workers=0).once(most))

    def _batches(
        self,
        positions: Int[Tensor, " picture"],
        *,
        batch_size: int,
        workers: int,
        seed: int | None = None,
        augment: Augment[Images] | None = None,
    ) -> Batches[Images]:
        """Batches of the pictures at `positions`; without a seed they come in their own order."""
        labels = self.split.labels[positions]
        if self.pixels is not None:
            rows = Images(self.pixels[positions], labels)
            return InMemory(rows, batch_size, seed or 0, augment=augment, shuffle=seed is not None)
        items = [
            (self.files[position], label) for position, label in zip(positions.tolist(), labels.tolist(), strict=True)
        ]
        decode = partial(_decoded, size=self.size, channels=self.channels)
        return Decoded(items, decode, batch_size, seed or 0, workers=workers, on_bad=Skip(_LATE), augment=augment)


def read_pictures(
    path: str, *, target: str | None = None, minutes: float = 5.0, threads: int = 2, seed: int = 0
) -> LabelledPictures:
    """Labelled pictures from a folder, a CSV of names and labels, IDX files, `.npz`, `.npy` or the word `digits`.

    What cannot be read is left out and counted; copies of one picture stay on one side of the split.

    Args:
        path: where they lie.
        target: the column of a CSV that is the label; found by its name if `None`.
        minutes: how long training may take: large pictures are scaled so that it goes through them ten times.
        threads: of the CPU.
        seed: of the split.

    Example:
        >>> digits = read_pictures("digits")
        >>> digits.split.classes[:3], [len(part) for part in digits.split.parts]
        (('0', '1', '2'), [1258, 270, 269])
    """
    arrays = picture_arrays(path)
    pace = _PACE * threads * 60 * minutes / _ROUNDS
    if arrays is None:
        return _from_files(_found(Path(path), target), pace, threads, seed)
    pixels, notes = arrays.pixels, list(arrays.notes)
    own = (pixels.shape[2], pixels.shape[3])
    size = chosen_size([own], len(pixels), pace)
    if size != own:
        notes.append(_scaled(own, size))
        pixels = torch.cat([_resized(chunk, size) for chunk in pixels.split(_CHUNK)])
    return replace(_in_memory(pixels, arrays.labels, arrays.parts, notes, seed=seed), low=arrays.low, high=arrays.high)


def chosen_size(sizes: Sequence[Size], count: int, pace: float) -> Size:
    """Height and width for all pictures: their own where they share one and it is small, else a square.

    $$\\text{side} \\le \\text{median of the shorter sides}, \\qquad
      \\text{side} \\le 28 \\sqrt{\\text{pace} / \\text{count}} \\ \\text{(twice that from 56 on)}$$

    From 56 pixels on the network's first layers halve the picture once more, so twice the side costs the same.

    Args:
        sizes: height and width of the pictures, or of some.
        count: how many pictures there are.
        pace: how many pictures of 28 x 28 can be learnt from while every picture comes by once.

    Example:
        >>> chosen_size([(28, 28)], 60_000, 1e5), chosen_size([(480, 640), (300, 200)], 1000, 1e5)
        ((28, 28), (128, 128))
    """
    if len(set(sizes)) == 1 and max(sizes[0]) <= _SMALL:
        return sizes[0]
    shorter = sorted(min(size) for size in sizes)[len(sizes) // 2]
    most = 28 * math.sqrt(pace / max(1, count))
    fitting = [side for side in _SIDES if side <= shorter and (side if side < _HALVED else side / 2) <= most]
    side = max(fitting, default=min(shorter, _SIDES[0]))
    return side, side


def _found(path: Path, target: str | None) -> FoundPictures:
    if path.is_dir():
        return found_pictures(path, target)
    if path.suffix.lower() in (".csv", ".tsv") and path.is_file():
        files, _ = picture_files(path.parent)
        table = label_table(path, files, target)
        if table is not None:
            return FoundPictures(table.files, table.labels, (UNDECIDED,) * len(table.files), table.notes)
    raise InputError(
        "pictures must lie in a folder, in IDX files, in a .npz or a .npy, or be named by a CSV beside them",
        advice="give the folder that holds a sub-folder per class",
        path=str(path),
        exists=path.exists(),
    )


def _from_files(found: FoundPictures, pace: float, threads: int, seed: int) -> LabelledPictures:
    headers, bad = _read_each(found.files, picture_header, threads=1)
    seen = [header for header in headers if header is not None]
    _check_bad(bad, len(found.files))
    size = chosen_size([(header.height, header.width) for header in seen], len(seen), pace)
    notes = [*found.notes, *_header_notes(seen, size)]
    good = [place for place, header in enumerate(headers) if header is not None]
    if len(good) * 3 * size[0] * size[1] > _ROOM:
        return _lazy(found, good, bad, size, notes, seed)
    decoded, broken = _read_each([found.files[place] for place in good], partial(picture_bytes, size=size), threads)
    bad |= broken
    _check_bad(bad, len(found.files))
    whole = [(place, pixels) for place, pixels in zip(good, decoded, strict=True) if pixels is not None]
    pixels = torch.stack([each for _, each in whole])
    grey = all(bool((chunk[:, :1] == chunk).all()) for chunk in pixels.split(_CHUNK))
    return _in_memory(
        pixels[:, :1].contiguous() if grey else pixels,
        [found.labels[place] for place, _ in whole],
        [found.parts[place] for place, _ in whole],
        notes + _bad_note(bad, len(found.files)),
        seed=seed,
    )


def _in_memory(
    pixels: Tensor, labels: Sequence[str], parts: Sequence[int], notes: Sequence[str], *, seed: int
) -> LabelledPictures:
    content = hashlib.blake2b(digest_size=16)
    content.update(repr((tuple(pixels.shape), tuple(labels), tuple(parts))).encode())
    for chunk in pixels.split(_CHUNK):
        content.update(chunk.numpy().tobytes())
    split = split_pictures(labels, parts, content_units(each.tobytes() for each in pixels.numpy()), seed=seed)
    return LabelledPictures(
        split,
        (pixels.shape[2], pixels.shape[3]),
        3 if pixels.shape[1] == 3 else 1,
        content.hexdigest(),
        pixels=pixels,
        notes=(*notes, *split.notes),
    )


def _lazy(
    found: FoundPictures, good: Sequence[int], bad: dict[Path, str], size: Size, notes: list[str], seed: int
) -> LabelledPictures:
    """Pictures that are decoded when they are wanted, because together they would fill the memory."""
    files = tuple(found.files[place] for place in good)
    labels, parts = [found.labels[place] for place in good], [found.parts[place] for place in good]
    units = content_units(file.read_bytes() for file in files)
    content = hashlib.blake2b(repr((size, labels, parts, units.tolist())).encode(), digest_size=16)
    notes += _bad_note(bad, len(found.files))
    notes.append(f"{len(files):,} pictures are too many for the memory: they are decoded while it learns, and up to "
                 f"{100 * _LATE:.0f} % that turn out broken are passed over.")  # fmt: skip
    split = split_pictures(labels, parts, units, seed=seed)
    return LabelledPictures(split, size, 3, content.hexdigest(), files=files, notes=(*notes, *split.notes))


def _decoded(item: tuple[Path, int], *, size: Size, channels: Channels) -> Images:
    return Images(picture_bytes(item[0], size, channels)[None], torch.tensor([item[1]]))


def _read_each(
    files: Sequence[Path], read: Callable[[Path], ReadT], threads: int
) -> tuple[list[ReadT | None], dict[Path, str]]:
    """What `read` makes of each file, and what is wrong with those that it cannot read."""
    bad: dict[Path, str] = {}

    def one(file: Path) -> ReadT | None:
        try:
            return read(file)
        except SampleError as error:
            bad[file] = str(error)
            return None

    if threads < 2:
        return [one(file) for file in files], bad
    with ThreadPoolExecutor(threads) as crew:
        return list(crew.map(one, files)), bad


def _check_bad(bad: dict[Path, str], count: int) -> None:
    if count and len(bad) > _BAD * count:
        raise InputError(
            "most of the pictures cannot be read",
            advice="fetch them again, or look at the first",
            bad=len(bad),
            pictures=count,
            first=f"{min(bad).name}: {bad[min(bad)]}",
        )


def _bad_note(bad: dict[Path, str], count: int) -> list[str]:
    if not bad:
        return []
    shown = ", ".join(f"{file.parent.name}/{file.name}" for file in sorted(bad)[:_SHOWN])
    return [f"{len(bad):,} of {counted(count, 'picture')} could not be read and {was(len(bad))} left out: {shown}."]


def _header_notes(headers: Sequence[PictureHeader], size: Size) -> list[str]:
    notes: list[str] = []
    sizes = {(header.height, header.width) for header in headers}
    if sizes != {size}:
        smallest, largest = min(sizes), max(sizes)
        said = (
            f"{counted(len(sizes), 'size')} from {_by(smallest)} to {_by(largest)}" if len(sizes) > 1 else _by(largest)
        )
        notes.append(f"Pictures of {said} are scaled, and cut in the middle, to {_by(size)}.")
    for kind, chosen in (
        ("animated: its first frame counts", [header for header in headers if header.animated]),
        ("of 16 bits or more: their upper 8 count", [header for header in headers if header.mode[:1] in "IF"]),
        ("CMYK, and became red, green and blue", [header for header in headers if header.mode == "CMYK"]),
    ):
        if chosen:
            notes.append(f"{counted(len(chosen), 'picture')} {was(len(chosen))} {kind}.")
    return notes


def _scaled(before: Size, after: Size) -> str:
    return f"Pictures of {_by(before)} are scaled to {_by(after)}, so that the time suffices."


def _by(size: Size) -> str:
    return f"{size[0]} x {size[1]}"


def _resized(pixels: Tensor, size: Size) -> Tensor:
    numbers = F.interpolate(pixels.float(), size=size, mode="bilinear", antialias=True)
    return numbers.round().clamp(0, 255).to(torch.uint8)
