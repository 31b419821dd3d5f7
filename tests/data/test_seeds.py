"""Random numbers by counter."""

import random

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chainrule.data import derive, generator, reseed, seeded

COUNTERS = st.lists(st.integers(0, 1 << 70), max_size=4)


def splitmix64(state: int) -> int:
    """The published generator, in NumPy's 64-bit arithmetic."""
    with np.errstate(over="ignore"):
        z = np.uint64(state) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return int(z ^ (z >> np.uint64(31)))


def test_splitmix64_as_published():
    # First outputs of the reference C program for state 0 (Vigna, splitmix64.c).
    assert splitmix64(0) == 0xE220A8397B1DCDAF
    assert derive(0) == 0xE220A8397B1DCDAF >> 1


@given(st.integers(0, (1 << 64) - 1), COUNTERS)
def test_derive_follows_its_formula(seed, counters):
    state = splitmix64(seed)
    for counter in counters:
        state = splitmix64(state ^ (counter & ((1 << 64) - 1)))
    assert derive(seed, *counters) == state >> 1


@given(st.integers(-5, 1 << 70), COUNTERS)
def test_seeds_are_what_torch_takes(seed, counters):
    assert 0 <= derive(seed, *counters) < 1 << 63


def test_neighbours_do_not_collide():
    seeds = {derive(seed, *counters) for seed in range(20) for i in range(20) for counters in ((i,), (i, 0), (0, i))}
    assert len(seeds) == 20 * (20 + 20 + 20 - 1)  # (0, 0) is counted once


def test_neighbouring_seeds_differ_in_half_their_bits():
    changed = [(derive(0, k) ^ derive(0, k + 1)).bit_count() for k in range(2000)]
    assert 31 < sum(changed) / len(changed) < 32


def test_generator_starts_from_the_derived_seed():
    assert generator(3, 5).initial_seed() == derive(3, 5)


def test_reseed_touches_nothing_but_torch():
    before = (random.getstate(), np.random.get_state()[1].tolist())
    reseed(1, 2)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before
    assert torch.equal(torch.rand(3), torch.rand(3, generator=generator(1, 2)))


def test_seeded_gives_the_generator_back():
    torch.manual_seed(9)
    expected = torch.rand(4)
    torch.manual_seed(9)
    with seeded(3):
        inside = torch.rand(2)
    assert torch.equal(torch.rand(4), expected)
    assert torch.equal(inside, torch.rand(2, generator=generator(3)))


def test_seeded_gives_it_back_after_an_error():
    state = torch.get_rng_state()
    with pytest.raises(ZeroDivisionError), seeded(3):
        raise ZeroDivisionError
    assert torch.equal(torch.get_rng_state(), state)
