"""Bad examples: found, counted, bounded."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chainrule import InputError, SampleError
from chainrule.data import Skip, Table
from chainrule.data.bad import not_finite, skipping


@given(st.lists(st.sampled_from([0.0, 1.0, torch.nan, torch.inf, -torch.inf, 3e38]), min_size=1, max_size=12))
def test_not_finite_as_a_loop_over_numbers(values):
    table = Table(torch.tensor(values)[:, None], torch.zeros(len(values)))
    expected = [row for row, value in enumerate(values) if not float("-inf") < value < float("inf")]
    assert list(not_finite(table)) == expected


def test_a_sum_that_overflows_is_not_a_fault():
    assert not_finite(Table(torch.full((4, 1), 3e38), torch.zeros(4))) == {}


def test_the_outcome_counts_too_and_bytes_never():
    assert not_finite(Table(torch.zeros(2, 1), torch.tensor([0.0, torch.nan]))) == {1: "row 1: `outcome` is not finite"}
    assert not_finite(Table(torch.zeros(2, 1), torch.tensor([0, 1]))) == {}


def test_skip_bounds_the_share():
    Skip(0.5).check({1: "bad"}, 2)
    with pytest.raises(SampleError, match="the first bad one: number 4"):
        Skip(0.49).check({4: "number 4"}, 2)


def test_words_become_rules_in_one_place():
    assert skipping("raise") is None
    assert skipping("skip") == Skip(0.05)
    assert skipping(Skip(0.2)) == Skip(0.2)


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_is_a_share(share):
    with pytest.raises(InputError, match="`max_fraction` must lie between 0 and 1"):
        Skip(share)
