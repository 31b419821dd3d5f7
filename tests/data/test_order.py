"""The order of examples."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule.data import Order
from chainrule.data.order import random_starts
from references.streams import slow_order, slow_starts


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 9), st.integers(0, 60), st.integers(0, 30))
def test_as_the_slow_reference(size, seed, start, length):
    positions = Order(size, seed).positions(start, start + length)
    assert positions.tolist() == slow_order(size, seed, start, start + length)


@given(st.integers(1, 12), st.integers(0, 60), st.integers(0, 30))
def test_unshuffled_is_the_examples_own_order(size, start, length):
    positions = Order(size, shuffle=False).positions(start, start + length)
    assert positions.tolist() == [p % size for p in range(start, start + length)]


def test_every_epoch_is_a_fresh_permutation():
    order = Order(50, seed=1)
    epochs = [order.positions(50 * e, 50 * (e + 1)).tolist() for e in range(5)]
    assert all(sorted(epoch) == list(range(50)) for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 5


def test_any_place_after_any_other():
    straight = Order(7, seed=4).positions(0, 70)
    order = Order(7, seed=4)
    for start in (63, 0, 35, 34, 7):
        assert torch.equal(order.positions(start, start + 7), straight[start : start + 7])


def test_every_place_of_the_stream_is_even_over_seeds():
    """The first example of an epoch is each one equally often: within 5 standard deviations."""
    firsts = torch.bincount(torch.tensor([int(Order(4, s).positions(0, 1)) for s in range(2000)]), minlength=4)
    assert (firsts - 500).abs().max() < 5 * (2000 * 0.25 * 0.75) ** 0.5


@given(st.integers(0, 40), st.integers(1, 9), st.integers(0, 5), st.integers(0, 100))
def test_random_starts_as_the_slow_reference(highest, count, seed, k):
    assert random_starts(highest, count, seed, k).tolist() == slow_starts(highest + 1, count, seed, k)


def test_random_starts_reach_both_ends():
    drawn = torch.cat([random_starts(3, 50, seed=0, k=k) for k in range(20)])
    assert drawn.unique().tolist() == [0, 1, 2, 3]
