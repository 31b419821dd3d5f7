"""Random changes of pictures, a whole batch at a time: bytes in, bytes out."""

import numpy as np
import torch
from torch import Tensor

from chainrule.data.batch import Images
from chainrule.data.batches import Augment, at_least_one
from chainrule.errors import InputError


class Flip(Augment[Images]):
    r"""Mirrors every other picture, by chance, left to right.

    $$y_{c,i,j} = x_{c,i,W-1-j} \ \text{with probability } \tfrac12, \text{ else } x_{c,i,j}$$

    Args:
        (none).

    Shape:
        pixels: (batch, channel, height, width), any number type.

    Example:
        >>> row = Images(torch.tensor([[[[1, 2, 3]]]], dtype=torch.uint8), torch.tensor([0]))
        >>> Flip().apply(row, torch.tensor([[1]])).pixels.flatten().tolist()
        [3, 2, 1]
    """

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """One for every picture to be mirrored, else zero: (count, 1)."""
        return torch.randint(2, (count, 1), generator=generator)

    def apply(self, rows: Images, numbers: Tensor) -> Images:
        """The pictures whose number is one are mirrored."""
        chosen = numbers[:, 0].nonzero()[:, 0].to(rows.pixels.device)
        pixels = rows.pixels.clone(memory_format=torch.contiguous_format)
        mirrored = rows.pixels.index_select(0, chosen).flip(-1)
        if pixels.device.type == "cpu":  # NumPy copies whole pictures: 20 x faster than torch's way, number by number
            _bytes(pixels)[chosen.numpy()] = _bytes(mirrored)
        else:
            pixels[chosen] = mirrored
        return Images(pixels, rows.labels)


class Shift(Augment[Images]):
    r"""Moves every picture by up to so many pixels, down and to the right; what comes in from outside is zero.

    $$y_{c,i,j} = x_{c,i-\delta,j-\varepsilon}, \qquad \delta, \varepsilon \sim U\{-p, \dots, p\}$$

    The same as padding by $p$ and cutting at random. On the CPU each row of a picture is one item of raw bytes, and
    the batch is cut by a single choice of items. With `mirror` every other picture, by chance, is mirrored first:
    `Chain(Flip(), Shift(p))` in one pass, in 2/3 of the time.

    Args:
        pixels: $p$, the longest move.
        mirror: whether to mirror, too.

    Shape:
        pixels: (batch, channel, height, width), any number type.

    Example:
        >>> row = Images(torch.tensor([[[[1, 2, 3]]]], dtype=torch.uint8), torch.tensor([0]))
        >>> Shift(pixels=1).apply(row, torch.tensor([[0, 1]])).pixels.flatten().tolist()
        [0, 1, 2]

    Reference:
        He et al., Deep Residual Learning for Image Recognition, 2015, section 4.2 (4 pixels on each side).

    Differs:
        Nothing.
    """

    def __init__(self, pixels: int = 2, *, mirror: bool = False) -> None:
        at_least_one(pixels=pixels)
        self.pixels = pixels
        self.mirror = mirror

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """How far down and how far to the right: (count, 2); with `mirror` twice that, and odd for mirrored ones."""
        if self.mirror:  # one draw serves both: half of 2p + 1 pairs of numbers, and which one of a pair it is
            return torch.randint(-2 * self.pixels, 2 * self.pixels + 2, (count, 2), generator=generator)
        return torch.randint(-self.pixels, self.pixels + 1, (count, 2), generator=generator)

    def apply(self, rows: Images, numbers: Tensor) -> Images:
        """The moved pictures."""
        cut = _cut_bytes if rows.pixels.device.type == "cpu" else _cut
        if not self.mirror:
            return Images(cut(rows.pixels, self.pixels, self.pixels - numbers, None), rows.labels)
        chosen = (numbers[:, 1] & 1).nonzero()[:, 0].to(rows.pixels.device)
        return Images(cut(rows.pixels, self.pixels, self.pixels - (numbers >> 1), chosen), rows.labels)


class Chain(Augment[Images]):
    """Several changes, one after another.

    Args:
        changes: in this order.

    Example:
        >>> both = Chain(Flip(), Shift(2))
        >>> both.draw(5, torch.Generator()).shape    # a column for the flip, two for the shift
        torch.Size([5, 3])
    """

    def __init__(self, *changes: Augment[Images]) -> None:
        if not changes:
            raise InputError("a chain needs at least one change", advice="try Chain(Flip(), Shift(2))", changes=0)
        self.changes = changes
        self._columns = [change.draw(1, torch.Generator()).shape[1] for change in changes]

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        """The numbers of all changes, side by side."""
        return torch.cat([change.draw(count, generator) for change in self.changes], dim=1)

    def apply(self, rows: Images, numbers: Tensor) -> Images:
        """The changed pictures."""
        for change, own in zip(self.changes, numbers.split(self._columns, dim=1), strict=True):
            rows = change.apply(rows, own)
        return rows


def _bytes(pixels: Tensor) -> np.ndarray:
    """The memory of a tensor, whatever its numbers are: its last axis is counted in bytes."""
    return pixels.contiguous().view(torch.uint8).numpy()


def _cut_bytes(pixels: Tensor, margin: int, corners: Tensor, mirrored: Tensor | None) -> Tensor:
    """Cuts each padded picture at its own corner (row, column), row by row as raw bytes."""
    source = _bytes(pixels)
    count, channels, height, row_bytes = source.shape
    column = pixels.itemsize
    padded = np.zeros((count, channels, height + 2 * margin, row_bytes + 2 * margin * column), np.uint8)
    picture, channel, row, _ = padded.strides
    item = np.dtype((np.void, row_bytes))  # one row of a picture
    inside = np.ndarray((count, channels, height), item, padded, margin * (row + column), (picture, channel, row))
    inside[...] = source.view(item)[..., 0]
    if mirrored is not None:
        inside[mirrored.numpy()] = _bytes(pixels.index_select(0, mirrored).flip(-1)).view(item)[..., 0]
    places = (count, 2 * margin + 1, 2 * margin + 1, channels, height)
    cuts = np.ndarray(places, item, padded, strides=(picture, row, column, channel, row))
    chosen = cuts[np.arange(count), corners[:, 0].numpy(), corners[:, 1].numpy()]  # (picture, channel, row)
    return torch.from_numpy(chosen.view(np.uint8).reshape(source.shape)).view(pixels.dtype)


def _cut(pixels: Tensor, margin: int, corners: Tensor, mirrored: Tensor | None) -> Tensor:
    """The same with tensor operations alone, for any device."""
    count, channels, height, width = pixels.shape
    if mirrored is not None:
        pixels = pixels.index_copy(0, mirrored, pixels.index_select(0, mirrored).flip(-1))
    padded = torch.nn.functional.pad(pixels, (margin,) * 4)
    corners = corners.to(pixels.device)
    rows = corners[:, 0, None] + torch.arange(height, device=pixels.device)  # (picture, row)
    columns = corners[:, 1, None] + torch.arange(width, device=pixels.device)  # (picture, column)
    picture = torch.arange(count, device=pixels.device)[:, None, None, None]
    channel = torch.arange(channels, device=pixels.device)[None, :, None, None]
    return padded[picture, channel, rows[:, None, :, None], columns[:, None, None, :]]
