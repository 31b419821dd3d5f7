"""Honest splits: nothing is cut apart, nothing lost, and the shares hold; counted by hand."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule import InputError
from chainrule.sources import honest_split, split_by_time


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), min_size=1, max_size=300), st.integers(0, 3))
def test_every_example_once_and_no_unit_on_two_sides(examples, seed):
    units, strata = (torch.tensor(column) for column in zip(*examples, strict=True))
    parts = honest_split(units, strata, seed=seed)
    assert sorted(torch.cat(parts).tolist()) == list(range(len(units)))
    homes = [set(units[part].tolist()) for part in parts]
    assert not homes[0] & homes[1]
    assert not homes[0] & homes[2]
    assert not homes[1] & homes[2]
    assert all(
        torch.equal(one, again) for one, again in zip(parts, honest_split(units, strata, seed=seed), strict=True)
    )


@settings(deadline=None, max_examples=40)
@given(st.integers(3, 400), st.integers(2, 5), st.integers(0, 9))
def test_shares_hold_to_one_example_over_all_and_in_every_class(count, classes, seed):
    strata = torch.arange(count) % classes
    parts = honest_split(torch.arange(count), strata, seed=seed)
    for part, share in zip(parts, (0.7, 0.15, 0.15), strict=True):
        assert abs(len(part) - share * count) <= 1.5
        for stratum in range(classes):
            total = int((strata == stratum).sum())
            assert abs(int((strata[part] == stratum).sum()) - share * total) <= 2.0


def test_another_seed_draws_other_parts():
    one, other = (honest_split(torch.arange(200), seed=seed)[2].tolist() for seed in (0, 1))
    assert one != other


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 40), min_size=4, max_size=200))
def test_by_time_nobody_learns_from_the_future(times):
    train, validation, test = split_by_time(torch.tensor(times))
    assert sorted(torch.cat((train, validation, test)).tolist()) == list(range(len(times)))
    moments = torch.tensor(times)
    for earlier, later in ((train, validation), (validation, test), (train, test)):
        if len(earlier) and len(later):
            assert moments[earlier].max() < moments[later].min()


def test_by_time_the_shares_hold():
    parts = split_by_time(torch.randperm(1000))
    assert [len(part) for part in parts] == [700, 150, 150]


def test_wrong_shares_and_strata():
    with pytest.raises(InputError, match="three shares that sum to one"):
        honest_split(torch.arange(9), shares=(0.5, 0.5, 0.5))
    with pytest.raises(InputError, match="one entry per example"):
        honest_split(torch.arange(9), torch.arange(8))
