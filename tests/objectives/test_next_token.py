"""Oracles: the formula with loops, the entropy of a source whose law is known, and causality."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from chainrule.data import IGNORED, Tokens, generator
from chainrule.errors import InputError
from chainrule.objectives import NextToken


@settings(max_examples=40, deadline=None)
@given(
    batch=st.integers(1, 3),
    time=st.integers(1, 5),
    vocabulary=st.integers(2, 5),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_is_the_mean_over_all_targets(batch: int, time: int, vocabulary: int, seed: int, data: st.DataObject) -> None:
    scores = 2 * torch.randn(batch, time, vocabulary, dtype=torch.float64, generator=generator(seed))
    targets = data.draw(
        st.lists(st.sampled_from([IGNORED, *range(vocabulary)]), min_size=batch * time, max_size=batch * time)
    )
    targets[0] = 0
    following = torch.tensor(targets).view(batch, time)
    losses = []
    for row in range(batch):
        for place in range(time):
            if (target := int(following[row, place])) != IGNORED:
                given_scores = scores[row, place].tolist()
                losses.append(math.log(math.fsum(map(math.exp, given_scores))) - given_scores[target])
    loss = NextToken()(lambda _ids: scores, Tokens(torch.zeros(batch, time, dtype=torch.int64), following))
    assert loss.value.item() == pytest.approx(math.fsum(losses) / len(losses), rel=1e-10)
    assert loss.metrics["loss"].item() == loss.value.item()


def test_the_true_law_costs_its_entropy() -> None:
    """Closed form: a source that says 0 with probability 1/4 costs H = 0.5623 nats per token, and no law costs less."""
    law = torch.tensor([0.25, 0.75])
    following = torch.tensor([[0, 1, 1, 1]])
    batch = Tokens(torch.zeros(1, 4, dtype=torch.int64), following)
    cost = NextToken()(lambda ids: law.log().expand(*ids.shape, 2), batch).value.item()
    assert cost == pytest.approx(-(0.25 * math.log(0.25) + 0.75 * math.log(0.75)), rel=1e-6)
    other = NextToken()(lambda ids: torch.tensor([0.5, 0.5]).log().expand(*ids.shape, 2), batch).value.item()
    assert other > cost


A, B = 0, 1
MIXED = [A] + [B] * 9


@pytest.mark.parametrize(
    ("law", "said", "bits"),
    [
        ((0.5, 0.5), [A, B, B, A, A, A, B, A, B, B], 1.0),
        ((1.0, 0.0), [A] * 10, 0.0),
        ((0.1, 0.9), MIXED, 0.469),
        ((0.1, 0.9), [A] * 10, 3.322),
    ],
)
def test_golden_bits_per_character(law: tuple[float, ...], said: list[int], bits: float) -> None:
    """The curriculum's worked numbers, tuebingen:P9 to P12."""
    assert cost_of(law, said) / math.log(2) == pytest.approx(bits, abs=5e-4)


@pytest.mark.parametrize(
    ("law", "said", "perplexity"),
    [
        ((1 / 3, 1 / 3, 1 / 3), [A, B, 2, 2, B, A], 3.0),
        ((1.0, 0.0, 0.0), [A] * 6, 1.0),
        ((0.1, 0.9, 0.0), MIXED, 1.384),
        ((0.1, 0.9, 0.0), [A] * 10, 10.0),
    ],
)
def test_golden_perplexities(law: tuple[float, ...], said: list[int], perplexity: float) -> None:
    """The curriculum's worked numbers, tuebingen:P14 to P17: above the vocabulary's size where the law is wrong."""
    assert math.exp(cost_of(law, said)) == pytest.approx(perplexity, abs=5e-4)


def cost_of(law: tuple[float, ...], said: list[int]) -> float:
    batch = Tokens(torch.zeros(1, len(said), dtype=torch.int64), torch.tensor([said]))
    scores = torch.tensor(law, dtype=torch.float64).log().expand(1, len(said), len(law))
    return NextToken()(lambda _ids: scores, batch).value.item()


def tokens(ids: list[list[int]], following: list[list[int]]) -> Tokens:
    return Tokens(torch.tensor(ids), torch.tensor(following))


@pytest.mark.parametrize(
    ("ids", "following", "message"),
    [
        ([[0, 5]], [[1, 2]], r"lowest=0, highest=5, vocabulary=5"),
        ([[0, 1]], [[1, 7]], r"highest=7, vocabulary=5"),
        ([[0, -1]], [[1, 2]], r"lowest=-1"),
        ([[0, 1]], [[1, -3]], r"lowest=-3"),
        ([[0, 1]], [[IGNORED, IGNORED]], r"at least one target"),
    ],
)
def test_check_says_what_does_not_fit(ids: list[list[int]], following: list[list[int]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        NextToken().check(nn.Embedding(5, 5), tokens(ids, following))


def test_check_wants_scores_for_every_place() -> None:
    def last(ids: Tensor) -> Tensor:
        return torch.zeros(len(ids), 5)

    with pytest.raises(InputError, match=r"scores=\(1, 5\), tokens=\(1, 2\)"):
        NextToken().check(last, tokens([[0, 1]], [[1, 2]]))


def test_check_passes_what_fits() -> None:
    NextToken().check(nn.Embedding(5, 5), tokens([[0, 4], [3, 2]], [[4, IGNORED], [2, 0]]))
