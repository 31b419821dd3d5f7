"""Batches from memory, and one batch for ever."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule import InputError, SampleError
from chainrule.data import (
    Augment,
    Graph,
    Images,
    InMemory,
    Same,
    Shift,
    Skip,
    Splits,
    Table,
    digits,
    generator,
    part_of_rank,
)
from chainrule.data.crew import Crew
from references.streams import slow_order


def table(size: int) -> Table:
    return Table(torch.arange(size * 2.0).view(size, 2), torch.arange(size))


class Noise(Augment[Table]):
    """Adds a number per example; easy to follow by hand."""

    def draw(self, count, generator):
        return torch.rand(count, 1, generator=generator)

    def apply(self, rows, numbers):
        return Table(rows.features + numbers, rows.outcome)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 9), st.integers(1, 7), st.integers(0, 5), st.lists(st.integers(0, 300), min_size=1, max_size=4))
def test_as_the_slow_reference(size, batch_size, seed, ks):
    batches = InMemory(table(size), batch_size, seed)
    for k in ks:
        expected = slow_order(size, seed, k * batch_size, (k + 1) * batch_size)
        assert batches[k].outcome.tolist() == expected
        assert torch.equal(batches[k].features, table(size).features[expected])


def test_blocks_never_show():
    """Rows too large to be stored in blocks of more than one batch give the same order as small ones."""
    small = InMemory(table(50), 8, seed=3)
    large = InMemory(Images(torch.zeros(50, 3, 128, 128, dtype=torch.uint8), torch.arange(50)), 8, seed=3)
    assert (small._block, large._block) == (256, 1)
    for k in (0, 1, 255, 256, 700):
        assert torch.equal(small[k].outcome, large[k].labels)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 5), st.lists(st.integers(0, 2_000), min_size=1, max_size=12), st.sampled_from([None, Noise()]))
def test_what_a_thread_draws_ahead_never_shows(seed, ks, augment):
    """As on a device: blocks in order, again and far apart; the source that draws when asked is the oracle."""
    plain, ahead = (InMemory(table(50), 8, seed, augment=augment) for _ in range(2))
    crew = Crew(ahead._draw, workers=1, ahead=1)
    ahead._draws = crew.take
    for k in (*range(0, 5 * plain._block, 100), *ks):
        assert torch.equal(ahead[k].outcome, plain[k].outcome)
        assert torch.equal(ahead[k].features, plain[k].features)
    assert len(crew._jobs) <= 1  # of what is drawn ahead there is never more than one block


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_on_a_device_the_same_batches():
    rows = Images(torch.randint(0, 256, (500, 3, 8, 8), dtype=torch.uint8), torch.arange(500))
    here = InMemory(rows, 64, seed=3, augment=Shift(2, mirror=True))
    there = InMemory(rows.to("cuda"), 64, seed=3, augment=Shift(2, mirror=True))
    for k in (0, 1, there._block, 2 * there._block, 5, 9 * there._block + 1):
        assert torch.equal(there[k].pixels.cpu(), here[k].pixels)
        assert torch.equal(there[k].labels.cpu(), here[k].labels)
    assert torch.equal(there.shard(1, 4)[7].pixels.cpu(), here[7].pixels[16:32])


@pytest.mark.parametrize("world", [1, 2, 4])
def test_augmented_parts_make_the_whole(world):
    source = InMemory(table(11), 8, seed=2, augment=Noise())
    for k in (0, 5, 300):
        parts = [source.shard(rank, world)[k].features for rank in range(world)]
        assert torch.equal(torch.cat(parts), source[k].features)


def test_augmentation_is_drawn_for_the_whole_batch_from_seed_and_k():
    plain, noisy = InMemory(table(11), 4, seed=2), InMemory(table(11), 4, seed=2, augment=Noise())
    numbers = torch.rand(4, 1, generator=generator(2, 7, 1))
    assert torch.equal(noisy[7].features, plain[7].features + numbers)
    assert torch.equal(noisy[7].features, noisy[7].features)
    assert torch.equal(next(noisy.once()).features, table(11).features[:4])


def test_a_rank_gathers_its_own_rows_only():
    """Blocks are counted in a rank's rows: four ranks of a batch store what one stores of a batch a quarter as long."""
    rows = Images(torch.zeros(50, 3, 32, 32, dtype=torch.uint8), torch.arange(50))
    whole = InMemory(rows, 32, seed=3)
    whole[0]
    rank = whole.shard(1, 4)
    quarter = InMemory(rows, 8, seed=3)
    assert rank._block == quarter._block > whole._block
    for k in (0, whole._block, rank._block, 3 * rank._block + 1):
        assert torch.equal(rank[k].labels, whole[k].labels[8:16])
    assert len(rank._store) == 8 * rank._block


def test_unshuffled_and_iterated():
    batches = InMemory(table(5), 3, shuffle=False)
    assert [b.outcome.tolist() for b in itertools.islice(batches, 3)] == [[0, 1, 2], [3, 4, 0], [1, 2, 3]]
    assert batches.epochs(10) == 6.0


@given(st.integers(1, 20), st.integers(1, 25))
def test_once_is_every_example_in_order(size, batch_size):
    seen = [batch.outcome for batch in InMemory(table(size), 4).once(batch_size)]
    assert torch.cat(seen).tolist() == list(range(size))
    assert all(len(part) == batch_size for part in seen[:-1])


def test_a_row_that_is_not_finite_is_named():
    rows = table(6)
    rows.features[4, 1] = torch.nan
    with pytest.raises(SampleError, match=r"the first bad one is row 4: `features` is not finite"):
        InMemory(rows, 2)


def test_rows_that_are_not_finite_are_left_out_and_counted():
    """1 % of 1,000 rows: trains on the other 990, the same whenever it is asked."""
    rows = table(1000)
    spoiled = torch.randperm(1000, generator=generator(0))[:10]
    rows.features[spoiled, 0] = torch.inf
    batches = InMemory(rows, 64, seed=1, on_bad="skip")
    assert sorted(batches.bad) == sorted(spoiled.tolist())
    assert batches.size == 990
    epoch = torch.cat([batches[k].outcome for k in range(16)])[:990]
    assert sorted(epoch.tolist()) == sorted(set(range(1000)) - set(spoiled.tolist()))
    again = InMemory(rows, 64, seed=1, on_bad="skip")
    assert all(torch.equal(again[k].features, batches[k].features) for k in (15, 3, 40))
    assert torch.isfinite(torch.cat([part.features for part in batches.once()])).all()


def test_too_many_bad_rows_are_an_error():
    rows = table(10)
    rows.features[:2] = torch.nan
    with pytest.raises(SampleError, match=r"no more than max_fraction=0.1 of the examples may be bad"):
        InMemory(rows, 2, on_bad=Skip(0.1))


def test_splits_of_digits_share_nothing():
    parts = digits()
    assert isinstance(parts, Splits)
    train, validation, test = (
        {pixels.numpy().tobytes() for pixels in next(part.once(2000)).pixels}
        for part in (parts.train, parts.validation, parts.test)
    )
    assert not train & test
    assert not validation & test
    assert not train & validation


@given(st.integers(1, 8), st.integers(1, 8))
def test_parts_of_ranks_lie_end_to_end(share, world):
    parts = [part_of_rank(share * world, rank, world) for rank in range(world)]
    assert [place for start, stop in parts for place in range(start, stop)] == list(range(share * world))


def test_same_is_the_same():
    graph = Graph(torch.eye(2), torch.tensor([[0, 1], [1, 0]]), torch.tensor([0, 1]))
    batches = Same(graph)
    assert batches[0] is batches[9] is next(iter(batches.once())) is graph
    assert batches.shard(1, 2)[3] is graph


@pytest.mark.parametrize("source", [InMemory(table(4), 4), Same(table(4))])
def test_wrong_ranks(source):
    for rank, world in ((2, 2), (-1, 2), (0, 0)):
        with pytest.raises(InputError, match="`world` must divide the batch size, and `rank` lie below `world`"):
            source.shard(rank, world)
