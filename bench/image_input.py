"""P3: pictures from memory to the network's door. CIFAR shape, flip, shift (crop) and normalise; one core.

Ours: `InMemory` with `Shift(2, mirror=True)`, then the `Pixels` layer. Peers: torchvision's kind of pipeline, one
picture at a time in a `DataLoader` (0 workers: on one core, workers only add copies), with tensor operations as
torchvision has them on tensors; the same for a whole batch, one crop per picture by index; and the limit: choosing
rows and normalising without any change. CPU time of one thread, microseconds per picture.

With a GPU at hand also: the bytes live on the device, batches of 1,024. Peers: airbench's kind of loader (the whole
set, normalised and padded once, is mirrored and cut anew for every epoch; a batch is a choice of rows), and a
`DataLoader` with 16 workers (wall time). All of an epoch's work is inside the measured region.

    python bench/image_input.py
"""

import random
import shutil
import time
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
STEPS, ROUNDS = 20, 60  # two whole blocks of batches, yet short enough to find quiet moments of a shared machine
MEAN, DEVIATION = (125.3, 123.0, 113.9), (63.0, 62.1, 66.7)
PICTURES = torch.randint(0, 256, (ROWS, 3, 32, 32), dtype=torch.uint8)
LABELS = torch.randint(0, 10, (ROWS,))
SHIFT, SCALE = torch.tensor(MEAN).view(-1, 1, 1), 1 / torch.tensor(DEVIATION).view(-1, 1, 1)
OURS, LIMIT, PEER = (
    "ours: flip, shift, normalise",
    "limit: choose rows and normalise only",
    "peer: one by one, DataLoader",
)
DEVICE_BATCH, DEVICE_ROWS, WORKERS = 1024, 50_000, 16
DEVICE_STEPS, DEVICE_ROUNDS = 336, 5  # 7 epochs of the peer's 48 whole batches, 16 of our blocks of 21 batches
OURS_FLOAT, AIR_FLOAT = "ours: flip, shift, normalise to float32", "peer: airbench's kind, float32"
OURS_HALF, AIR_HALF = "ours: the same to bfloat16, channels last", "peer: airbench's kind, bfloat16, channels last"
LOADER = f"peer: one by one, DataLoader with {WORKERS} workers, wall time"


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


def steps(stream: Iterator[Tensor], number: int = STEPS) -> Callable[[], None]:
    def run() -> None:
        for _ in range(number):
            next(stream)

    return run


def airbench(rows: Tensor, dtype: torch.dtype, memory: torch.memory_format) -> Iterator[Tensor]:
    """The whole set changed once per epoch, on the device, in the numbers that the network takes."""
    shift, scale = SHIFT.to(rows.device), SCALE.to(rows.device)
    padded = F.pad(((rows.float() - shift) * scale).to(dtype), (MARGIN,) * 4)
    every = torch.arange(len(rows), device=rows.device)
    while True:
        mirrored = torch.rand(len(rows), device=rows.device)[:, None, None, None] < 0.5
        windows = torch.where(mirrored, padded.flip(-1), padded).unfold(2, 32, 1).unfold(3, 32, 1)
        top, left = torch.randint(2 * MARGIN + 1, (2, len(rows)), device=rows.device)
        cut = windows[every, :, top, left].contiguous(memory_format=memory)
        order = torch.randperm(len(rows), device=rows.device)
        for batch in order.split(DEVICE_BATCH)[: len(rows) // DEVICE_BATCH]:
            yield cut[batch]


def on_device(rows: cr.data.Images, normalise: Callable[[Tensor], Tensor]) -> Iterator[Tensor]:
    batches = cr.data.InMemory(rows, DEVICE_BATCH, augment=cr.data.Shift(MARGIN, mirror=True))
    return (normalise(batches[k].pixels) for k in count())


def with_workers() -> float:
    """Microseconds per picture of the fastest of three passes, on the device; workers start before the first."""
    shared = shutil.disk_usage("/dev/shm").free  # noqa: S108 (where workers leave their batches)
    batch = DEVICE_BATCH if shared > 1 << 30 else 64
    loader = DataLoader(
        OneByOne(), batch, shuffle=True, drop_last=True, num_workers=WORKERS, persistent_workers=True, pin_memory=True
    )
    passes: list[float] = []
    for _ in range(4):
        start, seen = time.perf_counter(), 0
        for pixels, _labels in loader:
            seen += len(pixels.to("cuda", non_blocking=True))
        torch.cuda.synchronize()
        passes.append((time.perf_counter() - start) / seen * 1e6)
    return min(passes[1:])


def device_part() -> None:
    rows = cr.data.Images(
        torch.randint(0, 256, (DEVICE_ROWS, 3, 32, 32), dtype=torch.uint8), torch.randint(0, 10, (DEVICE_ROWS,))
    ).to("cuda")
    last, plain = torch.channels_last, torch.contiguous_format
    layer = cr.layers.Pixels(MEAN, DEVIATION).to("cuda")
    half = cr.layers.Pixels(MEAN, DEVIATION).to("cuda", torch.bfloat16)
    streams = {
        OURS_FLOAT: on_device(rows, layer),
        OURS_HALF: on_device(rows, lambda pixels: half(pixels.contiguous(memory_format=last))),
        "ours, left in bytes": on_device(rows, lambda pixels: pixels),
        AIR_FLOAT: airbench(rows.pixels, torch.float32, plain),
        AIR_HALF: airbench(rows.pixels, torch.bfloat16, last),
    }
    calls = {name: steps(stream, DEVICE_STEPS) for name, stream in streams.items()}
    measured = compare(calls, rounds=DEVICE_ROUNDS, device="cuda")
    table = {name: value / DEVICE_BATCH / DEVICE_STEPS for name, value in measured.items()}
    table[LOADER] = with_workers()
    show("P3: CIFAR-shaped pictures on the device, nanoseconds per picture", {n: v * 1e3 for n, v in table.items()})
    rates = {name: 1e6 / table[name] for name in (OURS_FLOAT, OURS_HALF)}
    ratios = {name: table[peer] / table[name] for name, peer in ((OURS_FLOAT, AIR_FLOAT), (OURS_HALF, AIR_HALF))}
    loader = table[LOADER] / table[OURS_FLOAT]
    for name, rate in rates.items():
        print(f"\n  {name}: {rate / 1e6:.1f} M pictures/s (bar 20), {ratios[name]:.2f} x airbench's kind (bar 1)")
    print(f"  {loader:.0f} x the DataLoader with {WORKERS} workers (bar 10)")
    save(
        "image_input_cuda",
        table,
        note=f"3 x 32 x 32 bytes on the device, batch {DEVICE_BATCH}: flip, shift by up to 2, normalise",
        unit="us per picture",
        bar=">= 20 M pictures/s, >= 1.0 x airbench's kind of loader, >= 10 x a DataLoader with 16 workers",
        pictures_per_second={name: round(rate) for name, rate in rates.items()},
        times_airbench={name: round(ratio, 2) for name, ratio in ratios.items()},
        times_the_loader=round(loader, 1),
    )


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
    if torch.cuda.is_available():
        device_part()


if __name__ == "__main__":
    main()
