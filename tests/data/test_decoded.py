"""Decoded examples: the same for any number of workers, ranks and any place to go on from."""

import gc
import itertools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch

from chainrule import SampleError
from chainrule.data import Augment, Decoded, InMemory, Skip, Table, derive
from references.streams import slow_order

SIZE, BATCH, SEED = 37, 8, 5
STEPS = 10  # somewhat more than two epochs


class Noise(Augment[Table]):
    """Adds a number per example."""

    def draw(self, count, generator):
        return torch.rand(count, 1, generator=generator)

    def apply(self, rows, numbers):
        return Table(rows.features + numbers, rows.outcome)


def decode(item: int) -> Table:
    time.sleep(0.0005 * (item % 3))  # some take longer: workers overtake each other
    return Table(torch.tensor([[item * 1.0, 2.0]]), torch.tensor([item]))


def whole() -> Table:
    return Table(torch.tensor([[item * 1.0, 2.0] for item in range(SIZE)]), torch.arange(SIZE))


def equal(one: Table, other: Table) -> bool:
    return torch.equal(one.features, other.features) and torch.equal(one.outcome, other.outcome)


def no_workers(seconds: float = 5.0) -> bool:
    stop = time.monotonic() + seconds
    while any(t.name == "chainrule-worker" for t in threading.enumerate()) and time.monotonic() < stop:
        time.sleep(0.01)
    return not any(t.name == "chainrule-worker" for t in threading.enumerate())


@pytest.fixture(scope="module")
def reference() -> list[Table]:
    """Oracle: the data set decoded beforehand, in memory."""
    source = InMemory(whole(), BATCH, SEED, augment=Noise())
    return [source[k] for k in range(STEPS)]


@pytest.mark.parametrize("start", [0, STEPS // 2, STEPS - 1])
@pytest.mark.parametrize("world", [1, 2, 4])
@pytest.mark.parametrize("workers", [0, 1, 2, 4])
def test_order(reference, workers, world, start):
    """Order (not set) and content are those of a data set in memory: 36 of 36 combinations, batch by batch."""
    ranks = [
        Decoded(range(SIZE), decode, BATCH, SEED, workers=workers, augment=Noise()).shard(rank, world)
        for rank in range(world)
    ]
    for k in range(start, STEPS):
        parts = [rank[k] for rank in ranks]
        joined = Table(torch.cat([p.features for p in parts]), torch.cat([p.outcome for p in parts]))
        assert equal(joined, reference[k]), k
        assert joined.outcome.tolist() == slow_order(SIZE, SEED, k * BATCH, (k + 1) * BATCH)
    assert no_workers()


@pytest.mark.parametrize("workers", [0, 2])
def test_any_batch_at_any_time(reference, workers):
    source = Decoded(range(SIZE), decode, BATCH, SEED, workers=workers, augment=Noise())
    for k in (3, 3, 9, 0, 1, 8, 2):
        assert equal(source[k], reference[k])
    assert all(equal(a, b) for a, b in zip(itertools.islice(source, 3), reference, strict=False))


@pytest.mark.parametrize("workers", [0, 1, 2, 4])
def test_once_is_every_example_in_order(workers):
    source = Decoded(range(SIZE), decode, BATCH, SEED, workers=workers)
    for batch_size in (None, 5, 100):
        seen = [batch.outcome for batch in source.once(batch_size)]
        assert torch.cat(seen).tolist() == list(range(SIZE))
    assert no_workers()


# One example in a hundred is bad (R13).

MANY = 1_000
BROKEN = frozenset({3, 117, 240, 333, 451, 502, 688, 790, 871, 999})


def fragile(item: int) -> Table:
    if item in BROKEN:
        raise OSError("image file is truncated")
    return Table(torch.tensor([[float(item)]]), torch.tensor([item]))


def named(items: range) -> list[tuple[Path, int]]:
    return [(Path(f"photos/{item}.png"), item) for item in items]


@pytest.mark.parametrize("workers", [0, 2])
def test_raise_names_the_file(workers):
    source = Decoded(named(range(MANY)), lambda item: fragile(item[1]), 50, SEED, workers=workers)
    order = slow_order(MANY, SEED, 0, MANY)
    first = next(place for place, item in enumerate(order) if item in BROKEN)
    for k in range(first // 50):
        source[k]
    with pytest.raises(
        SampleError, match=rf"example {order[first]} \(photos/{order[first]}.png\): OSError: image file is"
    ):
        source[first // 50]


@pytest.fixture(scope="module")
def skipped() -> list[Table]:
    source = Decoded(range(MANY), fragile, 40, SEED, on_bad="skip")
    return [source[k] for k in range(25)]


@pytest.mark.parametrize("world", [1, 2, 4])
@pytest.mark.parametrize("workers", [0, 2, 4])
def test_skip_is_the_same_for_all_workers_and_ranks_and_counts(skipped, workers, world):
    ranks = [
        Decoded(range(MANY), fragile, 40, SEED, workers=workers, on_bad="skip").shard(r, world) for r in range(world)
    ]
    for k in (*range(24, -1, -5), *range(25)):
        assert torch.equal(torch.cat([rank[k].outcome for rank in ranks]), skipped[k].outcome)
    assert {item for rank in ranks for item in rank.bad} == BROKEN
    assert all("image file is truncated" in cause for rank in ranks for cause in rank.bad.values())


def test_only_the_bad_ones_are_replaced(skipped):
    order = slow_order(MANY, SEED, 0, MANY)
    got = torch.cat([batch.outcome for batch in skipped]).tolist()
    assert all((a == b) == (b not in BROKEN) for a, b in zip(got, order, strict=True))
    assert not BROKEN & set(got)


def test_bad_counts_what_was_handed_out_and_nothing_prefetched():
    order = slow_order(MANY, SEED, 0, MANY)
    first = next(place for place, item in enumerate(order) if item in BROKEN) // 40
    source = Decoded(range(MANY), fragile, 40, SEED, workers=2, prefetch=25, on_bad="skip")
    for k in range(first):
        source[k]
    assert no_workers()
    assert source.bad == {}
    source[first]
    assert source.bad


@pytest.mark.parametrize("workers", [0, 2])
def test_once_leaves_bad_ones_out(workers):
    source = Decoded(range(MANY), fragile, 40, workers=workers, on_bad="skip")
    seen = torch.cat([batch.outcome for batch in source.once()]).tolist()
    assert seen == [item for item in range(MANY) if item not in BROKEN]
    assert set(source.bad) == BROKEN
    with pytest.raises(SampleError, match=r"example 3 \(3\)"):
        list(Decoded(range(MANY), fragile, 40, workers=workers).once())


def test_a_batch_of_bad_ones_only():
    source = Decoded(range(20), lambda n: fragile(3 if n < 4 else 5), 4, on_bad=Skip(0.5))
    assert sum(len(batch) for batch in source.once(2)) == 16


def test_too_many_are_an_error():
    source = Decoded(range(MANY), fragile, 40, SEED, on_bad=Skip(0.009))
    with pytest.raises(SampleError, match=r"no more than max_fraction=0.009 of the examples may be bad; the first bad"):
        list(itertools.islice(source, 25))


# What is left behind: nothing.


def test_no_threads_and_no_open_files_are_left(tmp_path):
    for item in range(SIZE):
        (tmp_path / str(item)).write_text(str(item))

    def read(path: Path) -> Table:
        return decode(int(path.read_text()))

    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        source = Decoded([tmp_path / str(item) for item in range(SIZE)], read, BATCH, workers=4)
        for k in range(6):
            source[k]
        del source
    gc.collect()
    assert no_workers()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


SCRIPT = """
import os, sys, threading, time, torch
from chainrule.data import Decoded, Table

def slow(item):
    if threading.current_thread() is not threading.main_thread():
        time.sleep(0.05)
    return Table(torch.zeros(1, 1), torch.tensor([item]))

source = Decoded(range(100_000), slow, 2_000, workers=4)    # the workers have seven minutes of work before them
source[0]
print(time.time(), flush=True)
"""
ENDS = {
    "pass": 0,
    "sys.exit(3)": 3,
    "raise KeyboardInterrupt": -2,
    "os.fork() or os._exit(len(source[1]) != 2_000)": 0,  # a forked process has no threads: it starts its own
}


@pytest.mark.parametrize("end", ENDS)
def test_the_program_ends_at_once(tmp_path, end):
    """The workers stop at the next example, whatever ends the program."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + end)
    one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=one_thread, check=False)
    ended = time.time()
    assert done.returncode == ENDS[end], done.stderr
    assert ended - float(done.stdout) < 15


def test_an_interrupt_while_waiting_leaves_it_usable(reference):
    struck = []

    def interrupted(item: int) -> Table:
        if not struck and threading.current_thread() is threading.main_thread():
            struck.append(item)
            raise KeyboardInterrupt
        return decode(item)

    source = Decoded(range(SIZE), interrupted, BATCH, SEED, workers=2, augment=Noise())
    with pytest.raises(KeyboardInterrupt):
        source[0]
    assert all(equal(source[k], reference[k]) for k in range(4))
    assert no_workers()


def met_in(steps: int, size: int) -> set[int]:
    """Which bad ones so many batches meet, by hand: in the order itself, and as replacements of others."""
    met = set()
    for place, item in enumerate(slow_order(MANY, SEED, 0, steps * size)):
        attempt = 0
        while item in BROKEN:
            met.add(item)
            attempt += 1
            item = derive(SEED, 2, place // size, place % size, attempt) % MANY  # noqa: PLW2901 (the next one drawn)
    return met


def test_training_goes_on_past_bad_examples_the_same_every_time():
    """R13: 1 % bad; the loss falls, the bad ones met are counted exactly, and two runs end with the same weights."""
    import chainrule as cr

    def point(item: int) -> Table:
        fragile(item)
        x = torch.tensor([[item / MANY, 1.0]])
        return Table(x, x[:, :1] * 2 - 1)

    runs = []
    assert met_in(12, 25) < met_in(60, 25) == BROKEN  # what a count must tell apart
    for workers in (0, 2):
        torch.manual_seed(0)
        source = Decoded(range(MANY), point, 25, SEED, workers=workers, on_bad="skip")
        learner = cr.learners.Gradient(torch.nn.Linear(2, 1), cr.objectives.Regress(), cr.optim.AdamW(lr=0.05))
        before = cr.training.evaluate(learner.model, cr.objectives.Regress(), source)["loss"]
        source.bad.clear()
        cr.fit(learner, source, steps=12)
        assert set(source.bad) == met_in(12, 25)
        cr.fit(learner, source, steps=60, start=12)
        assert set(source.bad) == met_in(60, 25)
        assert cr.training.evaluate(learner.model, cr.objectives.Regress(), source)["loss"] < before / 10
        runs.append((learner.model.weight.detach().clone(), dict(source.bad)))
    assert torch.equal(runs[0][0], runs[1][0])
    assert runs[0][1] == runs[1][1]
