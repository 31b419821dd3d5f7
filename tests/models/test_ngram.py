"""The n-gram model: against dictionaries and loops, as a probability, and on the lectures' worked numbers."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule.data import Tokens
from chainrule.errors import InputError
from chainrule.models import NGram
from chainrule.objectives import NextToken
from references.ngram import SlowNGram


def zipf(count: int, vocabulary: int, seed: int) -> torch.Tensor:
    """A text with habits: each token depends on the one before it."""
    source = torch.Generator().manual_seed(seed)
    habits = torch.rand(vocabulary, vocabulary, generator=source) ** 8
    text = [0]
    for _ in range(count - 1):
        text.append(int(torch.multinomial(habits[text[-1]], 1, generator=source)))
    return torch.tensor(text)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_equals_the_slow_reference(order: int) -> None:
    text = zipf(400, 6, seed=order)
    fast, slow = NGram(text, order, 6), SlowNGram(text.tolist(), order, 6)
    ids = zipf(12, 6, seed=100 + order)
    expected = [[slow.probability(tuple(ids[: t + 1].tolist()), token) for token in range(6)] for t in range(12)]
    torch.testing.assert_close(fast(ids[None])[0].exp(), torch.tensor(expected))


@settings(max_examples=40, deadline=None)
@given(
    text=st.lists(st.integers(0, 4), min_size=5, max_size=60),
    order=st.integers(1, 5),
    seen=st.lists(st.integers(0, 4), min_size=1, max_size=9),
)
def test_chances_are_positive_and_sum_to_one_after_any_context(text: list[int], order: int, seen: list[int]) -> None:
    chances = NGram(torch.tensor(text), order, 5)(torch.tensor([seen])).exp()
    assert bool((chances > 0).all())
    torch.testing.assert_close(chances.sum(-1), torch.ones(1, len(seen)))


def test_sees_only_the_last_tokens() -> None:
    model = NGram(zipf(300, 5, seed=0), 3, 5)
    long, short = torch.tensor([[4, 4, 4, 1, 2]]), torch.tensor([[1, 2]])
    assert torch.equal(model(long)[0, -1], model(short)[0, -1])


def test_rows_and_prefixes_do_not_disturb_each_other() -> None:
    model = NGram(zipf(300, 5, seed=0), 4, 5)
    ids = torch.stack([zipf(20, 5, seed=seed) for seed in range(3)])
    whole = model(ids)
    for row in range(3):
        assert torch.equal(whole[row, :7], model(ids[row : row + 1, :7])[0])


def test_a_learnt_text_costs_fewer_bits_at_each_order_than_at_the_one_below() -> None:
    """Lecture (Tuebingen P24): with growing n the model comes closer to its text."""
    text = zipf(2000, 8, seed=3)
    losses = [measured(NGram(text, order, 8), text) for order in (1, 2, 3)]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize(
    ("shares", "bits", "perplexity"),
    [((0.5, 0.5), 1.0, 2.0), ((1.0, 0.0), 0.0, 1.0), ((0.1, 0.9), 0.469, 1.384), ((1 / 3, 1 / 3, 1 / 3), 1.585, 3.0)],
)
def test_the_lectures_entropies(shares: tuple[float, ...], bits: float, perplexity: float) -> None:
    """Tuebingen P9 to P15: a long text of independent draws costs its entropy; perplexity is two to its power."""
    text = torch.cat([torch.full((round(share * 30_000),), token) for token, share in enumerate(shares)])
    loss = measured(NGram(text, 1, len(shares)), text)
    assert loss / math.log(2) == pytest.approx(bits, abs=2e-3)
    assert math.exp(loss) == pytest.approx(perplexity, abs=4e-3)


def measured(model: NGram, text: torch.Tensor) -> float:
    return NextToken()(model, Tokens(text[None, :-1], text[None, 1:])).value.item()


@pytest.mark.parametrize(
    ("text", "order", "vocabulary", "fact"),
    [
        ([0, 1], 3, 2, "at least one gram long"),
        ([0, 5], 1, 2, "between 0 and `vocabulary`"),
        ([0, 1], 0, 2, "must be positive"),
        ([0, 1], 10, 100, "2 \\*\\* 63"),
    ],
)
def test_refuses_what_cannot_be_counted(text: list[int], order: int, vocabulary: int, fact: str) -> None:
    with pytest.raises(InputError, match=fact):
        NGram(torch.tensor(text), order, vocabulary)
