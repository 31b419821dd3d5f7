"""Flips and shifts of whole batches."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from chainrule import InputError
from chainrule.data import Chain, Flip, Images, InMemory, Shift, generator
from chainrule.data.augment import _rows
from references.streams import slow_shift

SHAPES = st.tuples(st.integers(1, 5), st.integers(1, 3), st.integers(1, 7), st.integers(1, 7))
TYPES = st.sampled_from([torch.uint8, torch.float32, torch.bfloat16, torch.int16])


def pictures(shape, dtype=torch.uint8) -> Images:
    pixels = torch.randint(1, 256, shape, generator=generator(sum(shape))).to(dtype)
    return Images(pixels, torch.arange(shape[0]))


@settings(deadline=None)
@given(SHAPES, TYPES, st.integers(0, 9))
def test_flip_as_a_loop_over_pictures(shape, dtype, seed):
    rows = pictures(shape, dtype)
    numbers = Flip().draw(shape[0], generator(seed))
    flipped = Flip().apply(rows, numbers)
    for before, after, number in zip(rows.pixels, flipped.pixels, numbers[:, 0].tolist(), strict=True):
        assert torch.equal(after, before.flip(-1) if number else before)


@settings(deadline=None, max_examples=60)
@given(SHAPES, TYPES, st.integers(1, 3), st.integers(0, 9))
def test_shift_as_a_loop_over_pixels(shape, dtype, pixels, seed):
    rows, shift = pictures(shape, dtype), Shift(pixels)
    numbers = shift.draw(shape[0], generator(seed))
    moved = shift.apply(rows, numbers)
    assert moved.pixels.dtype is dtype
    for before, after, (down, right) in zip(rows.pixels, moved.pixels, numbers.tolist(), strict=True):
        assert torch.equal(after, slow_shift(before, down, right))


CHANGES = st.sampled_from(
    [Flip(), Shift(1), Shift(3), Shift(2, mirror=True), Chain(Shift(2, mirror=True), Flip()), Chain(Flip(), Shift(1))]
)


@settings(deadline=None)
@given(SHAPES, TYPES, CHANGES, st.sampled_from([0, 1 << 30]), st.lists(st.integers(0, 99), max_size=9))
def test_what_is_prepared_for_changes_nothing(shape, dtype, change, room, chosen):
    """Oracle: choosing rows, then `apply`; with room for a store and without, for any order of any examples."""
    rows = pictures(shape, dtype)
    order = torch.tensor([number % shape[0] for number in chosen], dtype=torch.int64)
    numbers = change.draw(len(order), generator(len(order)))
    found, by_hand = change.prepare(rows, room)(order, numbers), change.apply(rows.select(order), numbers)
    assert found.pixels.dtype is dtype
    assert torch.equal(found.pixels, by_hand.pixels)
    assert torch.equal(found.labels, by_hand.labels)


@settings(deadline=None)
@given(SHAPES, TYPES, st.integers(0, 9))
def test_the_two_ways_to_choose_windows_agree(shape, dtype, seed):
    """What a device does, on the CPU; windows overlap and start anywhere in memory."""
    store = pictures(shape, dtype).pixels.flatten()
    wide = 1 + seed % len(store)
    windows = store.as_strided((len(store) - wide + 1, 1, 1, wide), (1, 1, 1, 1))
    starts = torch.randint(len(windows), (7,), generator=generator(seed))
    chosen = _rows(windows, starts)
    assert torch.equal(chosen, windows[starts])
    assert torch.equal(chosen[3].flatten(), store[starts[3] : starts[3] + wide])


@pytest.mark.parametrize("change", [Flip(), Shift(2, mirror=True)])
def test_a_store_takes_no_more_than_its_room(change):
    """The room is counted exactly: one byte less, and every batch is changed by itself."""
    rows = pictures((6, 3, 8, 8))
    needed = 6 * 2 * 3 * (8 * 8 if isinstance(change, Flip) else 12 * 12)
    kept = [
        sum(part.nbytes for part in change.prepare(rows, room).args if isinstance(part, torch.Tensor))
        for room in (needed, needed - 1)
    ]
    assert kept == [needed + rows.labels.nbytes, 0]


@settings(deadline=None, max_examples=60)
@given(SHAPES, TYPES, st.integers(1, 3), st.integers(0, 9))
def test_shift_that_mirrors_is_a_flip_and_a_shift(shape, dtype, pixels, seed):
    rows, both = pictures(shape, dtype), Shift(pixels, mirror=True)
    numbers = both.draw(shape[0], generator(seed))
    assert -pixels <= int((numbers >> 1).min()) <= int((numbers >> 1).max()) <= pixels
    flipped = Flip().apply(rows, numbers[:, 1:] & 1)
    by_hand = Shift(pixels).apply(flipped, numbers >> 1)
    assert torch.equal(both.apply(rows, numbers).pixels, by_hand.pixels)


def test_pixels_that_do_not_lie_in_order():
    rows = pictures((4, 3, 6, 6))
    turned = Images(rows.pixels.transpose(2, 3), rows.labels)
    channels_last = Images(rows.pixels.contiguous(memory_format=torch.channels_last), rows.labels)
    chain = Chain(Flip(), Shift(2))
    numbers = chain.draw(4, generator(1))
    assert torch.equal(chain.apply(channels_last, numbers).pixels, chain.apply(rows, numbers).pixels)
    copied = Images(turned.pixels.contiguous(), rows.labels)
    assert torch.equal(chain.apply(turned, numbers).pixels, chain.apply(copied, numbers).pixels)


def test_the_data_is_not_touched():
    rows = pictures((6, 1, 8, 8))
    kept = rows.pixels.clone()
    batches = InMemory(rows, 4, augment=Chain(Flip(), Shift(1)))
    for k in range(20):
        assert batches[k].pixels.dtype is torch.uint8
    assert torch.equal(rows.pixels, kept)


def test_every_move_is_equally_likely():
    """Each of the 25 moves is drawn 400 times of 10,000, within 5 standard deviations."""
    twice = Shift(2, mirror=True).draw(10_000, generator(0))
    for drawn in (Shift(2).draw(10_000, generator(0)), twice >> 1):
        counts = torch.bincount((drawn[:, 0] + 2) * 5 + drawn[:, 1] + 2, minlength=25)
        assert (counts - 400).abs().max() < 5 * (10_000 * 0.04 * 0.96) ** 0.5
    assert abs(int((twice[:, 1] & 1).sum()) - 5_000) < 5 * 50
    heads = int(Flip().draw(10_000, generator(0)).sum())
    assert abs(heads - 5_000) < 5 * 50


def test_a_chain_is_its_changes_in_order():
    rows = pictures((5, 3, 6, 6))
    chain = Chain(Flip(), Shift(1), Flip())
    numbers = chain.draw(5, generator(3))
    random = generator(3)
    by_hand = rows
    for change in chain.changes:
        by_hand = change.apply(by_hand, change.draw(5, random))
    assert torch.equal(chain.apply(rows, numbers).pixels, by_hand.pixels)


@settings(deadline=None)
@given(CHANGES, st.integers(1, 9), st.integers(1, 3), st.sampled_from([1, 2, 3]), st.integers(0, 99), st.booleans())
def test_every_batch_of_every_rank_is_the_rows_changed_by_their_numbers(change, size, share, world, k, crowded):
    """Oracle: rows of the plain source, numbers drawn by (seed, k), `apply`."""
    rows = pictures((size, 2, 5, 4))
    plain, source = (InMemory(rows, share * world, seed=3, augment=augment) for augment in (None, change))
    numbers = change.draw(share * world, generator(3, k, 1))
    by_hand = change.apply(plain[k], numbers)
    with pytest.MonkeyPatch.context() as patch:
        if crowded:
            patch.setattr("chainrule.data.batches._ROOM", 0)
        whole, parts = source[k], [source.shard(rank, world)[k] for rank in range(world)]
    for name, tensor in by_hand.tensors().items():
        assert torch.equal(whole.tensors()[name], tensor)
        assert torch.equal(torch.cat([part.tensors()[name] for part in parts]), tensor)


class Operations(TorchDispatchMode):
    """Writes down what torch is asked to do."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.seen.append(function.overloadpacket.__name__)
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("room", [0, 1 << 30])
@pytest.mark.parametrize("change", [Flip(), Shift(2), Chain(Flip(), Shift(2)), Shift(2, mirror=True)])
def test_nothing_would_wait_for_a_device(monkeypatch, change, room):
    """No operation whose result's size, or whose caller, depends on the values; few operations for a batch in store."""
    monkeypatch.setattr("chainrule.data.batches._ROOM", room)
    source = InMemory(pictures((9, 3, 8, 8)), 4, augment=change)
    with Operations() as making:
        source[0]
    with Operations() as taking:
        source[1]
    waiting = {"nonzero", "_local_scalar_dense", "masked_select", "equal", "is_nonzero", "unique_dim", "_unique2"}
    assert not waiting & set(making.seen)
    assert set(taking.seen) == {"slice"}


@pytest.mark.parametrize("change", [Chain(Flip(), Shift(2)), Shift(2, mirror=True)])
@pytest.mark.parametrize("world", [1, 2, 4])
def test_parts_of_ranks_make_the_whole(world, change):
    source = InMemory(pictures((9, 3, 5, 5)), 8, seed=1, augment=change)
    for k in (0, 7):
        parts = [source.shard(rank, world)[k].pixels for rank in range(world)]
        assert torch.equal(torch.cat(parts), source[k].pixels)


def test_malformed():
    with pytest.raises(InputError, match="`pixels` must be at least 1"):
        Shift(0)
    with pytest.raises(InputError, match="a chain needs at least one change"):
        Chain()
