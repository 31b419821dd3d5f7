"""Small data sets that ship with other packages: nothing is downloaded."""

import torch

from chainrule.data.batch import Images
from chainrule.data.batches import Augment, InMemory, Splits
from chainrule.data.order import Order


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
    )
