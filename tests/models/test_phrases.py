"""Oracles: naive Bayes written out by hand, torch's convolution of one text and member at a time, invariants."""

import math

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)

from chainrule.data import seeded
from chainrule.errors import InputError
from chainrule.models import GramScores, PhraseEncoder, PhraseVote, phrase_net

RATIOS = torch.cat((torch.zeros(1, 2), torch.tensor([[1.0, -1.0], [0.5, -0.5], [-2.0, 2.0]])))


def test_at_first_the_grams_are_naive_bayes() -> None:
    """The sum of the log-count ratios over the root of how many there are."""
    scores = GramScores(RATIOS).eval()(torch.tensor([[1, 2, 3, 0], [3, 0, 0, 0], [0, 0, 0, 0]]))
    expected = torch.tensor([[-0.5, 0.5], [-2.0, 2.0], [0.0, 0.0]]) / torch.tensor([[math.sqrt(3)], [1.0], [1.0]])
    torch.testing.assert_close(scores, expected)


def test_the_row_of_no_gram_must_be_zero() -> None:
    with pytest.raises(InputError, match="the first one zero"):
        GramScores(RATIOS[1:])


def slow_embedding(encoder: PhraseEncoder, text: list[int], member: int, width: int, features: int) -> torch.Tensor:
    """One text, one member: sums and greatest answers over its own words alone."""
    chosen = slice(member * width, (member + 1) * width)
    vectors = encoder.vectors.weight[text][:, chosen]
    parts = [vectors.sum(0) / math.sqrt(len(text))]
    for layer in encoder.convolutions:
        assert isinstance(layer, torch.nn.Conv1d)
        assert layer.bias is not None
        size = layer.weight.shape[2]
        own = slice(member * features, (member + 1) * features)
        found = F.conv1d(vectors.T[None], layer.weight[own], layer.bias[own], padding=size // 2)
        parts.append(found[0, :, : len(text)].relu().amax(1))
    return torch.cat(parts)


def test_the_embedding_is_that_of_each_member_by_itself() -> None:
    with seeded(0):
        encoder = PhraseEncoder(9, GramScores(RATIOS), members=3, width=4, features=6).double().eval()
    texts = [[3, 1, 7, 8, 2], [4], [5, 5]]
    words = torch.tensor([text + [0] * (6 - len(text)) for text in texts])
    found = encoder(words, torch.tensor([[1], [2], [0]]))
    for place, text in enumerate(texts):
        for member in range(3):
            expected = slow_embedding(encoder, text, member, 4, 6)
            torch.testing.assert_close(found[place, member, : encoder.hidden], expected)
    torch.testing.assert_close(found[1, :, encoder.hidden :], RATIOS[2].double().expand(3, -1))


def test_a_text_does_not_depend_on_its_neighbours() -> None:
    with seeded(0):
        network = phrase_net(9, RATIOS, width=4).eval()
    short, long = torch.tensor([[3, 0, 0, 0, 0, 0]]), torch.tensor([[4, 5, 6, 7, 8, 2]])
    grams = torch.tensor([[1, 0], [2, 3]])
    together = network(torch.cat((short, long)), grams)
    torch.testing.assert_close(together[:1], network(short, grams[:1]))
    torch.testing.assert_close(together[:1], network(short[:, :1], grams[:1, :1]))


def test_members_speak_as_one_in_evaluation() -> None:
    with seeded(0):
        vote = PhraseVote(4, classes=3, members=5)
    embedding = torch.randn(6, 5, 7)
    each = vote.train()(embedding)
    assert each.shape == (6, 5, 3)
    torch.testing.assert_close(vote.eval()(embedding).softmax(1), each.softmax(2).mean(1))


def test_words_are_left_out_only_while_training() -> None:
    with seeded(0):
        network = phrase_net(9, RATIOS, width=4)
    inputs = torch.tensor([[3, 4, 5, 6]]), torch.tensor([[1, 2, 3]])
    assert not torch.equal(network(*inputs), network(*inputs))
    assert torch.equal(network.eval()(*inputs), network(*inputs))


def test_an_empty_text_has_an_answer() -> None:
    network = phrase_net(9, RATIOS, width=4).eval()
    assert bool(torch.isfinite(network(torch.zeros(2, 3).long(), torch.zeros(2, 1).long())).all())


def test_sizes_must_be_positive() -> None:
    with pytest.raises(InputError, match="positive"):
        PhraseEncoder(9, GramScores(RATIOS), members=0)
