"""Cutting off the tail: what is kept is what the definitions say."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule.errors import InputError
from chainrule.generate import top_k, top_p

CHANCES = st.lists(st.integers(1, 1000), min_size=1, max_size=12, unique=True)


def kept(scores: torch.Tensor) -> set[int]:
    return set(torch.isfinite(scores[0]).nonzero().flatten().tolist())


@settings(max_examples=60, deadline=None)
@given(weights=CHANCES, count=st.integers(1, 15))
def test_top_k_keeps_the_highest(weights: list[int], count: int) -> None:
    scores = torch.tensor([weights], dtype=torch.float64).log()
    assert kept(top_k(scores, count)) == set(sorted(range(len(weights)), key=lambda i: -weights[i])[:count])


@settings(max_examples=60, deadline=None)
@given(weights=CHANCES, percent=st.integers(1, 99))
def test_top_p_keeps_the_fewest_that_reach_the_share(weights: list[int], percent: int) -> None:
    scores = torch.tensor([weights], dtype=torch.float64).log()
    share = (percent + 0.37) / 100  # never exactly a sum of chances
    expected, reached = set(), 0.0
    for place in sorted(range(len(weights)), key=lambda i: -weights[i]):
        if reached >= share * sum(weights):
            break
        expected.add(place)
        reached += weights[place]
    assert kept(top_p(scores, min(share, 1.0))) == expected


def test_the_whole_share_keeps_everything() -> None:
    scores = torch.randn(3, 7, dtype=torch.float64)
    assert torch.equal(top_p(scores, 1.0), scores)
    assert torch.equal(top_k(scores, 99), scores)


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5])
def test_top_p_refuses_what_is_not_a_share(share: float) -> None:
    with pytest.raises(InputError, match="`top_p` is a share"):
        top_p(torch.zeros(1, 2), share)


def test_top_k_refuses_to_keep_nothing() -> None:
    with pytest.raises(InputError, match="at least one token"):
        top_k(torch.zeros(1, 2), 0)
