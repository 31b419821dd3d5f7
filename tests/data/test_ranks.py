"""Several ranks see one batch: in one process for every source, and in two real processes."""

import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
import torch

from chainrule.data import (
    Batches,
    Chain,
    Decoded,
    Flip,
    Graph,
    Images,
    InMemory,
    Same,
    SeriesWindows,
    Shift,
    Sinusoids,
    Table,
    Tokens,
    Windows,
    open_tokens,
    save_tokens,
)
from references.streams import slow_order, slow_starts


def pictures() -> Images:
    return Images(
        torch.randint(256, (30, 3, 6, 6), generator=torch.Generator().manual_seed(0)).byte(), torch.arange(30)
    )


def source(name: str, folder) -> Batches:
    """One source of every kind of batch and of storage."""
    rows, change = pictures(), Chain(Flip(), Shift(1))
    tokens = np.arange(300) % 251
    return {
        "images": lambda: InMemory(rows, 8, seed=1, augment=change),
        "images decoded": lambda: Decoded(
            range(30), lambda i: rows.select(slice(i, i + 1)), 8, 1, workers=2, augment=change
        ),
        "table": lambda: InMemory(Table(torch.randn(13, 2), torch.arange(13)), 8),
        "tokens": lambda: InMemory(Tokens(torch.arange(60).view(20, 3), torch.arange(60).view(20, 3)), 8),
        "windows": lambda: Windows(torch.from_numpy(tokens), 6, 8, 1),
        "windows of a file": lambda: Windows(open_tokens(save_tokens(folder / "t", tokens)), 6, 8, 1),
        "series": lambda: SeriesWindows(torch.randn(40, 2), 5, 3, 8, 1),
        "graph": lambda: Same(Graph(torch.eye(2), torch.tensor([[0, 1], [1, 0]]), torch.tensor([0, 1]))),
        "tasks": lambda: Sinusoids(tasks=8, shots=2, query_shots=3, seed=1),
    }[name]()


KINDS = (*("images", "images decoded", "table", "tokens", "windows", "windows of a file", "series", "graph", "tasks"),)


@pytest.mark.parametrize("world", [1, 2, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_the_parts_make_the_whole(tmp_path, kind, world):
    whole = source(kind, tmp_path)
    ranks = [whole.shard(rank, world) for rank in range(world)]
    for k in (0, 1, 40):
        parts = [rank[k].tensors() for rank in ranks]
        for name, tensor in whole[k].tensors().items():
            if kind == "graph":  # one graph is not cut: every rank has all of it
                assert all(torch.equal(part[name], tensor) for part in parts)
            else:
                assert torch.equal(torch.cat([part[name] for part in parts]), tensor), (k, name)
                assert len({len(part[name]) for part in parts}) == 1


START = (0, 5, 9)  # a run of ten batches: from its start, its middle and its last


def rows_of(kind: str, folder) -> tuple[Callable[[], Batches], Callable[[int], list[int]]]:
    """A source as a new process would make it, and by a slow reference the first number of every example of batch k."""
    if kind == "in memory":
        table = Table(torch.arange(37.0)[:, None], torch.arange(37))
        return lambda: InMemory(table, 8, 5), lambda k: slow_order(37, 5, 8 * k, 8 * k + 8)
    numbers = np.arange(300)
    path = save_tokens(folder / "mapped", numbers)
    if kind == "memory-mapped":
        return lambda: Windows(open_tokens(path), 6, 8, 5), lambda k: slow_starts(300 - 6, 8, 5, k)

    def decode(place: int) -> Table:
        token = int(open_tokens(path)[place])
        return Table(torch.tensor([[float(token)]]), torch.tensor([token]))

    workers = int(kind.rsplit(maxsplit=1)[-1])
    return lambda: Decoded(range(37), decode, 8, 5, workers=workers), lambda k: slow_order(37, 5, 8 * k, 8 * k + 8)


@pytest.mark.parametrize("start", START)
@pytest.mark.parametrize("world", [1, 2, 4])
@pytest.mark.parametrize("kind", ["in memory", "memory-mapped", *(f"decoded by {count}" for count in (0, 1, 2, 4))])
def test_the_order_is_the_same_wherever_a_run_begins(tmp_path, kind, world, start):
    """R4: 54 of 54; what has no workers takes part once. `test_decoded` has the same with augmentation."""
    make, expected = rows_of(kind, tmp_path)
    ranks = [make().shard(rank, world) for rank in range(world)]
    for k in range(start, 10):
        got = [int(row.flatten()[0]) for rank in ranks for row in next(iter(rank[k].tensors().values()))]
        assert got == expected(k), k


RANK = """
import sys, torch, torch.distributed as dist
from chainrule.data import Chain, Decoded, Flip, Images, InMemory, Shift, Windows

rank, folder = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
pixels = torch.randint(256, (30, 3, 6, 6), generator=torch.Generator().manual_seed(0)).byte()
rows = Images(pixels, torch.arange(30))
one = lambda i: rows.select(slice(i, i + 1))
sources = [
    InMemory(rows, 8, seed=1, augment=Chain(Flip(), Shift(1))),
    Decoded(range(30), one, 8, 1, workers=rank, augment=Chain(Flip(), Shift(1))),    # unlike numbers of workers
    Windows(torch.arange(300), 6, 8, seed=1),
]
for source in sources:
    mine = source.shard(rank, 2)
    for k in (0, 3, 17):
        whole = source[k].tensors()
        for name, part in mine[k].tensors().items():
            parts = [torch.empty_like(part) for _ in range(2)]
            dist.all_gather(parts, part.contiguous())
            assert torch.equal(torch.cat(parts), whole[name]), (k, name)
dist.destroy_process_group()
"""


def test_two_processes_see_one_batch(tmp_path):
    (tmp_path / "rank.py").write_text(RANK)
    one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
    ranks = [
        subprocess.Popen(
            [sys.executable, tmp_path / "rank.py", str(rank), tmp_path], stderr=subprocess.PIPE, env=one_thread
        )
        for rank in range(2)
    ]
    for rank in ranks:
        _, said = rank.communicate(timeout=120)
        assert rank.returncode == 0, said.decode()
