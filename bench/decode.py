"""Pictures decoded from files: threads (`Decoded`) beside worker processes (`DataLoader`).

512 JPEG photographs of 320 x 240 pixels, decoded to 64 x 64, batches of 32, one thread per worker. Two clocks per
picture: CPU time of the process and its children, which neighbours on the machine disturb little, and wall time,
which is the one that workers are for. A round includes the start and the end of the workers.

    python bench/decode.py
"""

import random
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

import chainrule as cr
from chainrule.data.folder import read_picture
from side_by_side import save, show

torch.set_num_threads(1)
PICTURES, BATCH, SIDE, ROUNDS = 512, 32, 64, 7
Items = list[tuple[Path, int]]


def photographs(folder: Path) -> Items:
    """Smooth noise with some grain: compresses about as a photograph does."""
    rng, items = np.random.default_rng(0), []
    for i in range(PICTURES):
        coarse = Image.fromarray(rng.integers(0, 256, (12, 16, 3), dtype=np.uint8)).resize((320, 240))
        grain = rng.normal(0, 6, (240, 320, 3))
        path = folder / f"{i}.jpg"
        Image.fromarray(np.clip(np.asarray(coarse) + grain, 0, 255).astype(np.uint8)).save(path, quality=90)
        items.append((path, i % 10))
    return items


class Files(Dataset):
    def __init__(self, items: Items) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, i: int) -> tuple[Tensor, int]:
        return read_picture(self.items[i], side=SIDE).pixels[0], self.items[i][1]


def ours(items: Items, workers: int) -> None:
    source = cr.data.Decoded(items, partial(read_picture, side=SIDE), BATCH, workers=workers)
    for k in range(PICTURES // BATCH):
        source[k]


def loader(items: Items, workers: int) -> None:
    for _ in DataLoader(Files(items), BATCH, shuffle=True, num_workers=workers):
        pass


def seconds(call: Callable[[], None]) -> tuple[float, float]:
    def spent() -> float:
        own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime

    before, start = spent(), time.perf_counter()
    call()
    return spent() - before, time.perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        items = photographs(Path(folder))
        rivals = {
            f"{name}, {workers} workers": partial(way, items, workers)
            for name, way in (("ours (threads)", ours), ("DataLoader (processes)", loader))
            for workers in (0, 2)
        }
        cpu, wall = (dict.fromkeys(rivals, float("inf")) for _ in range(2))
        for _ in range(ROUNDS):
            for name in random.sample(list(rivals), len(rivals)):
                spent, passed = seconds(rivals[name])
                cpu[name] = min(cpu[name], spent / PICTURES * 1e6)
                wall[name] = min(wall[name], passed / PICTURES * 1e6)
    show("Decoding: CPU time, microseconds per picture", cpu)
    show("Decoding: wall time, microseconds per picture", wall)
    save("decode", cpu, note="JPEG 320 x 240 to 64 x 64, batches of 32; CPU time", unit="us per picture", wall=wall)


if __name__ == "__main__":
    main()
