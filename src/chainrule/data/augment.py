"""Random changes of pictures, a whole batch at a time: bytes in, bytes out."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from chainrule.data.batch import Images
from chainrule.data.batches import Augment, at_least_one, onto
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
        device = rows.pixels.device
        both, first = _both_ways(rows.pixels), torch.arange(len(rows), device=device)
        return Images(_of_two(both, first, onto(numbers, device)), rows.labels)

    def prepare(self, rows: Images, room: int) -> Callable[[Tensor, Tensor], Images]:
        """Stores every picture's mirror image beside it."""
        if 2 * rows.pixels.nbytes > room:
            return super().prepare(rows, room)
        return partial(_chosen, _of_two, _both_ways(rows.pixels), rows.labels)


class Shift(Augment[Images]):
    r"""Moves every picture by up to so many pixels, down and to the right; what comes in from outside is zero.

    $$y_{c,i,j} = x_{c,i-\delta,j-\varepsilon}, \qquad \delta, \varepsilon \sim U\{-p, \dots, p\}$$

    The same as padding by $p$ and cutting at random. `InMemory` pads the whole data set once, if there is room, and
    every batch is cut straight out of that store. With `mirror` every other picture, by chance, is mirrored first:
    `Chain(Flip(), Shift(p))` in one pass; the store holds both.

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
        device = rows.pixels.device
        first = torch.arange(len(rows), device=device)
        return Images(self._cut(self._padded(rows.pixels), first, onto(numbers, device)), rows.labels)

    def prepare(self, rows: Images, room: int) -> Callable[[Tensor, Tensor], Images]:
        """Stores every picture padded with zeros and, with `mirror`, the same of its mirror image."""
        count, channels, height, width = rows.pixels.shape
        padded = (height + 2 * self.pixels) * (width + 2 * self.pixels)
        if count * channels * (1 + self.mirror) * padded * rows.pixels.itemsize > room:
            return super().prepare(rows, room)
        return partial(_chosen, self._cut, self._padded(rows.pixels), rows.labels)

    def _padded(self, pixels: Tensor) -> Tensor:
        """(picture, copy, channel, height + 2 p, width + 2 p); the second copy is the mirrored one."""
        count, channels, height, width = pixels.shape
        margin, copies = self.pixels, 1 + self.mirror
        padded = pixels.new_zeros(count, copies, channels, height + 2 * margin, width + 2 * margin)
        inside = padded[..., margin : margin + height, margin : margin + width]
        inside[:, 0] = pixels
        if self.mirror:
            inside[:, 1] = pixels.flip(-1)
        return padded

    def _cut(self, padded: Tensor, order: Tensor, numbers: Tensor) -> Tensor:
        """Picture `order[i]`, moved by `numbers[i]`: one choice among all windows that lie in the store."""
        channels, high, wide = padded.shape[2:]
        height, width = high - 2 * self.pixels, wide - 2 * self.pixels
        copy = order
        if self.mirror:
            copy = torch.add(numbers[:, 1] & 1, order, alpha=2)
            numbers = numbers >> 1
        corner = self.pixels - numbers
        starts = torch.add(corner[:, 1], corner[:, 0], alpha=wide).add_(copy, alpha=channels * high * wide)
        reach = (channels - 1) * high * wide + (height - 1) * wide + width - 1  # from a window's first to its last
        shape = (max(0, padded.numel() - reach), channels, height, width)
        return _rows(padded.as_strided(shape, (1, high * wide, wide, 1)), starts)


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
        first, *others = numbers.split(self._columns, dim=1)
        return self._changed(self.changes[0].apply(rows, first), others)

    def prepare(self, rows: Images, room: int) -> Callable[[Tensor, Tensor], Images]:
        """What the first change prepares."""
        return partial(self._chosen_and_changed, self.changes[0].prepare(rows, room))

    def _chosen_and_changed(self, chosen: Callable[[Tensor, Tensor], Images], order: Tensor, numbers: Tensor) -> Images:
        first, *others = numbers.split(self._columns, dim=1)
        return self._changed(chosen(order, first), others)

    def _changed(self, rows: Images, numbers: list[Tensor]) -> Images:
        for change, own in zip(self.changes[1:], numbers, strict=True):
            rows = change.apply(rows, own)
        return rows


def _chosen(
    pick: Callable[[Tensor, Tensor, Tensor], Tensor], store: Tensor, labels: Tensor, order: Tensor, numbers: Tensor
) -> Images:
    return Images(pick(store, order, numbers), labels.index_select(0, order))


def _both_ways(pixels: Tensor) -> Tensor:
    """(picture, copy, channel, height, width): every picture and its mirror image."""
    return torch.stack((pixels, pixels.flip(-1)), 1)


def _of_two(both: Tensor, order: Tensor, numbers: Tensor) -> Tensor:
    return both.flatten(0, 1).index_select(0, torch.add(numbers[:, 0], order, alpha=2))


def _rows(windows: Tensor, starts: Tensor) -> Tensor:
    """The windows at `starts`. The CPU copies whole pieces of memory; a device would count through all windows."""
    return windows.index_select(0, starts) if windows.device.type == "cpu" else windows[starts]
