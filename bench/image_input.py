"""P3: pictures from memory to the network's door. CIFAR shape, flip, shift (crop) and normalise; one core.

Ours: `InMemory` with `Shift(2, mirror=True)`, then the `Pixels` layer. Peers: torchvision's kind of pipeline, one
picture at a time in a `DataLoader` (0 workers: on one core, workers only add copies), with tensor operations as
torchvision has them on tensors; the same for a whole batch, one crop per picture by index; and the limit: choosing
rows and normalising without any change. CPU time of one thread, microseconds per picture.

    python bench/image_input.py
"""

import random
from collections.abc import Callable, Iterator
from itertools import count

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

import chainrule as cr
from side_by_side import compare, save, show

torch.set_num_threads(1)
BATCH, ROWS, MARGIN = 128, 20_000, 2
STEPS, ROUNDS = 16, 60  # a call lasts a few milliseconds, short enough to find quiet moments of a shared machine
MEAN, DEVIATION = (125.3, 123.0, 113.9), (63.0, 62.1, 66.7)
PICTURES = torch.randint(0, 256, (ROWS, 3, 32, 32), dtype=torch.uint8)
LABELS = torch.randint(0, 10, (ROWS,))
SHIFT, SCALE = torch.tensor(MEAN).view(-1, 1, 1), 1 / torch.tensor(DEVIATION).view(-1, 1, 1)
OURS, LIMIT, PEER = (
    "ours: flip, shift, normalise",
    "limit: choose rows and normalise only",
    "peer: one by one, DataLoader",
)


class OneByOne(Dataset):
    """RandomCrop(32, padding=2), RandomHorizontalFlip, ToTensor, Normalize."""

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        pixels = F.pad(PICTURES[i], (MARGIN,) * 4)
        top, left = random.randrange(2 * MARGIN + 1), random.randrange(2 * MARGIN + 1)
        pixels = pixels[:, top : top + 32, left : left + 32]
        if random.random() < 0.5:
            pixels = pixels.flip(-1)
        return (pixels.float() - SHIFT) * SCALE, int(LABELS[i])


def one_by_one() -> Iterator[Tensor]:
    loader = DataLoader(OneByOne(), BATCH, shuffle=True)
    while True:
        for pixels, _ in loader:
            yield pixels


def by_index() -> Iterator[Tensor]:
    while True:
        padded = F.pad(PICTURES[torch.randint(ROWS, (BATCH,))], (MARGIN,) * 4)
        windows = padded.unfold(2, 32, 1).unfold(3, 32, 1)  # (batch, channel, top, left, 32, 32)
        top, left = torch.randint(2 * MARGIN + 1, (2, BATCH))
        cut = windows[torch.arange(BATCH), :, top, left]
        flipped = torch.where(torch.rand(BATCH)[:, None, None, None] < 0.5, cut.flip(-1), cut)
        yield (flipped.float() - SHIFT) * SCALE


def ours(augment: cr.data.Augment | None, normalise: Callable[[Tensor], Tensor]) -> Iterator[Tensor]:
    batches = cr.data.InMemory(cr.data.Images(PICTURES, LABELS), BATCH, augment=augment)
    return (normalise(batches[k].pixels) for k in count())


def steps(stream: Iterator[Tensor]) -> Callable[[], None]:
    def run() -> None:
        for _ in range(STEPS):
            next(stream)

    return run


def main() -> None:
    change = cr.data.Shift(MARGIN, mirror=True)
    layer = cr.layers.Pixels(MEAN, DEVIATION)
    streams = {
        OURS: ours(change, layer),
        "ours, left in bytes": ours(change, lambda pixels: pixels),
        "ours, normalised in place": ours(change, lambda pixels: pixels.float().sub_(SHIFT).mul_(SCALE)),
        "ours, as a chain of flip and shift": ours(cr.data.Chain(cr.data.Flip(), cr.data.Shift(MARGIN)), layer),
        LIMIT: ours(None, layer),
        PEER: one_by_one(),
        "peer: whole batch by unfold and index": by_index(),
    }
    measured = compare({name: steps(stream) for name, stream in streams.items()}, rounds=ROUNDS)
    table = {name: value / BATCH / STEPS for name, value in measured.items()}
    show("P3: CIFAR-shaped pictures, one core, microseconds per picture", table)
    rate, ratio, share = 1e6 / table[OURS], table[PEER] / table[OURS], table[LIMIT] / table[OURS]
    print(
        f"\n  ours {rate:,.0f} pictures/s (bar 300,000), {ratio:.1f} x the DataLoader (bar 5), {share:.0%} of the limit"
    )
    save(
        "image_input",
        table,
        note="3 x 32 x 32 bytes, batch 128: flip, shift by up to 2, normalise",
        unit="us per picture",
        bar=">= 300,000 pictures/s per core and >= 5 x the per-sample DataLoader",
        pictures_per_second=round(rate),
        times_the_peer=round(ratio, 2),
        share_of_limit=round(share, 3),
    )


if __name__ == "__main__":
    main()
