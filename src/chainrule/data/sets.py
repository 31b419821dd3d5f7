"""Picture sets: one that ships with another package, and readers of the standard ones; nothing is downloaded."""

import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from chainrule.data.batch import Images
from chainrule.data.batches import Augment, InMemory, Splits
from chainrule.data.files import data_directory, existing, read_bytes
from chainrule.data.idx import read_idx
from chainrule.data.order import Order
from chainrule.errors import InputError

_DIGITS = tuple("0123456789")
_CLOTHES = ("T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot")
_THINGS = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
_CIFAR_BATCH = 10_000


def digits(
    batch_size: int = 64,
    *,
    seed: int = 0,
    augment: Augment[Images] | None = None,
    device: torch.device | str = "cpu",
) -> Splits[Images]:
    """1,797 handwritten digits of 8 x 8 pixels in 17 greys (0 to 16), as they ship inside scikit-learn.

    Split 1,197 / 300 / 300 by a fixed permutation that does not depend on `seed`: every run is judged on the same
    test digits. Stored as bytes.

    Args:
        batch_size: digits per batch.
        seed: which order the training digits come in.
        augment: a random change of training digits.
        device: where the data lives.

    Shape:
        pixels: (batch, 1, 8, 8); labels: (batch).

    Example:
        >>> parts = digits(batch_size=32)
        >>> parts.train[0].pixels.shape, parts.train.size, parts.test.size
        (torch.Size([32, 1, 8, 8]), 1197, 300)

    Reference:
        Alpaydin and Kaynak, Optical Recognition of Handwritten Digits, UCI repository, 1998 (its test part).
    """
    from sklearn.datasets import load_digits

    features, labels = load_digits(return_X_y=True)
    pixels = torch.from_numpy(features).to(torch.uint8).view(-1, 1, 8, 8)
    everything = Images(pixels, torch.from_numpy(labels)).to(device)
    order = Order(len(everything), seed=0).positions(0, len(everything)).to(device)
    train, validation, test = order[:1197], order[1197:1497], order[1497:]
    return Splits(
        InMemory(everything.select(train), batch_size, seed, augment=augment),
        InMemory(everything.select(validation), batch_size, shuffle=False),
        InMemory(everything.select(test), batch_size, shuffle=False),
        classes=_DIGITS,
    )


def mnist(
    batch_size: int = 64,
    *,
    seed: int = 0,
    augment: Augment[Images] | None = None,
    device: torch.device | str = "cpu",
) -> Splits[Images]:
    """70,000 handwritten digits, 28 x 28 grey bytes: 55,000 to learn from, 5,000 to choose by, 10,000 to judge with.

    Read from `mnist/` in the folder of data sets (`$CHAINRULE_DATA`): the four IDX files, plain, `.gz` or `.xz`.
    The validation digits are the last 5,000 of the training file.

    Args:
        batch_size: digits per batch.
        seed: which order the training digits come in.
        augment: a random change of training digits.
        device: where the data lives.

    Shape:
        pixels: (batch, 1, 28, 28); labels: (batch).

    Example:
        >>> parts = mnist(batch_size=32)    # doctest: +SKIP
        >>> parts.train[0].pixels.shape     # doctest: +SKIP
        torch.Size([32, 1, 28, 28])

    Reference:
        LeCun, Bottou, Bengio and Haffner, Gradient-Based Learning Applied to Document Recognition, 1998.
    """
    train, test = _idx_pictures(data_directory() / "mnist")
    return _splits(train.to(device), test.to(device), 5_000, batch_size, seed, augment, _DIGITS)


def fashion_mnist(
    batch_size: int = 64,
    *,
    seed: int = 0,
    augment: Augment[Images] | None = None,
    device: torch.device | str = "cpu",
) -> Splits[Images]:
    """70,000 pieces of clothing of ten kinds, 28 x 28 grey bytes, in the format and split of `mnist`.

    Read from `fashion-mnist/` in the folder of data sets (`$CHAINRULE_DATA`).

    Args:
        batch_size: pictures per batch.
        seed: which order the training pictures come in.
        augment: a random change of training pictures.
        device: where the data lives.

    Shape:
        pixels: (batch, 1, 28, 28); labels: (batch).

    Example:
        >>> parts = fashion_mnist(batch_size=32)    # doctest: +SKIP
        >>> parts.classes[9]                        # doctest: +SKIP
        'ankle boot'

    Reference:
        Xiao, Rasul and Vollgraf, Fashion-MNIST, 2017. https://arxiv.org/abs/1708.07747
    """
    train, test = _idx_pictures(data_directory() / "fashion-mnist")
    return _splits(train.to(device), test.to(device), 5_000, batch_size, seed, augment, _CLOTHES)


def cifar10(
    batch_size: int = 128,
    *,
    seed: int = 0,
    augment: Augment[Images] | None = None,
    device: torch.device | str = "cpu",
) -> Splits[Images]:
    """Photographs of ten kinds of things, 32 x 32 coloured bytes; a tenth of the training pictures to choose by.

    Read from `cifar10/` in the folder of data sets (`$CHAINRULE_DATA`): sheets of 100 x 100 pictures,
    `data_batch_1.webp` (or `.png`) and on, as many as there are, and `test_batch`, with two JSON lists of labels.

    Args:
        batch_size: pictures per batch.
        seed: which order the training pictures come in.
        augment: a random change of training pictures.
        device: where the data lives.

    Shape:
        pixels: (batch, 3, 32, 32); labels: (batch).

    Example:
        >>> parts = cifar10(batch_size=32)    # doctest: +SKIP
        >>> parts.train[0].pixels.shape       # doctest: +SKIP
        torch.Size([32, 3, 32, 32])

    Reference:
        Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009.
    """
    folder = data_directory() / "cifar10"
    sheets = [sheet for k in range(1, 6) if (sheet := _sheet_file(folder, f"data_batch_{k}"))]
    test_sheet = _sheet_file(folder, "test_batch")
    if not sheets or sheets[0].stem != "data_batch_1" or test_sheet is None:
        raise InputError(
            "the folder must hold data_batch_1 and test_batch, as .webp or .png",
            advice="put CIFAR-10 there, or set CHAINRULE_DATA to its parent folder",
            folder=str(folder),
        )
    pixels = torch.cat([_read_sheet(sheet) for sheet in sheets])
    train = Images(pixels, _read_labels(folder / "train_lables.json", len(pixels)))  # spelt so at its source
    test = Images(_read_sheet(test_sheet), _read_labels(folder / "test_lables.json", _CIFAR_BATCH))
    return _splits(train.to(device), test.to(device), len(train) // 10, batch_size, seed, augment, _THINGS)


def _splits(
    train: Images,
    test: Images,
    held_out: int,
    batch_size: int,
    seed: int,
    augment: Augment[Images] | None,
    classes: tuple[str, ...],
) -> Splits[Images]:
    first = len(train) - held_out
    return Splits(
        InMemory(train.select(slice(0, first)), batch_size, seed, augment=augment),
        InMemory(train.select(slice(first, None)), batch_size, shuffle=False),
        InMemory(test, batch_size, shuffle=False),
        classes=classes,
    )


def _idx_pictures(folder: Path) -> tuple[Images, Images]:
    parts = [
        Images(
            read_idx(folder / f"{part}-images-idx3-ubyte", axes=3)[:, None],
            read_idx(folder / f"{part}-labels-idx1-ubyte", axes=1).long(),
        )
        for part in ("train", "t10k")
    ]
    return parts[0], parts[1]


def _sheet_file(folder: Path, name: str) -> Path | None:
    return next((path for suffix in (".webp", ".png") if (path := folder / (name + suffix)).is_file()), None)


def _read_sheet(path: Path) -> Tensor:
    from PIL import Image

    try:
        with Image.open(path, formats=("WEBP", "PNG")) as sheet:
            pixels = np.asarray(sheet.convert("RGB"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} must be a picture ({error})", advice="fetch the data set again") from error
    if pixels.shape != (3200, 3200, 3):
        raise InputError(f"{path} must be 3200 x 3200 pixels", advice="fetch the data set again", shape=pixels.shape)
    tiles = pixels.reshape(100, 32, 100, 32, 3).transpose(0, 2, 4, 1, 3)  # (row, column, channel, height, width)
    return torch.from_numpy(tiles.reshape(-1, 3, 32, 32))


def _read_labels(path: Path, count: int) -> Tensor:
    try:
        labels = torch.tensor(json.loads(read_bytes(existing(path)))[:count])
    except (ValueError, TypeError) as error:
        raise InputError(f"{path} must be a JSON list of whole numbers ({error})", advice="fetch it again") from error
    if labels.shape != (count,) or labels.is_floating_point():
        raise InputError(
            f"{path} must hold a label per picture", advice="fetch it again", labels=tuple(labels.shape), pictures=count
        )
    return labels
