"""A network for short texts: an ensemble of small convolutions that begins as a naive Bayes classifier."""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.layers import MemberLinear, Temperature
from chainrule.models.network import Network
from chainrule.shapes import Float, Int

_AT_FIRST = 0.1  # deviation of the words' vectors
_SMALL = 0.05  # of the weights behind them


class GramScores(nn.Module):
    r"""What the grams of a text say of its class: their log-count ratios, each weighted by a number that is learnt.

    $$s_c = \frac{1}{\sqrt{|g|}} \sum_{i \in g} w_{ic}\, r_{ic}, \qquad w_{ic} = 1 \text{ at first}$$

    Args:
        ratios: $r$, a row for every gram, the first of which stands for none and is zero.
        dropout: share of the grams left out at random while training.

    Shape:
        grams: (batch, gram), 0 where there is none; returns (batch, class).

    Example:
        >>> scores = GramScores(torch.tensor([[0.0, 0.0], [1.0, -1.0], [0.5, -0.5]])).eval()
        >>> scores(torch.tensor([[1, 0, 0, 0], [2, 2, 2, 2]])).tolist()
        [[1.0, -1.0], [1.0, -1.0]]

    Reference:
        Wang and Manning, Baselines and Bigrams: Simple, Good Sentiment and Topic Classification, 2012.

    Differs:
        The ratios are weighted by gradient descent with dropout instead of by a support vector machine, and divided
        by the root of how many grams there are.
    """

    ratios: Tensor

    def __init__(self, ratios: Float[Tensor, "kind class"], dropout: float = 0.0) -> None:
        super().__init__()
        if ratios.ndim != 2 or len(ratios) < 1 or not (ratios.is_meta or not bool(ratios[0].any())):
            raise InputError(
                "`ratios` must have a row per gram, the first one zero",
                advice="put a row of zeros in front", shape=tuple(ratios.shape),
            )  # fmt: skip
        self.register_buffer("ratios", ratios.clone())
        self.weight = nn.Parameter(torch.ones_like(ratios))
        self.dropout = dropout

    def forward(self, grams: Int[Tensor, "batch gram"]) -> Float[Tensor, "batch class"]:
        """Scores of the classes."""
        grams = left_out(shortened(grams), self.dropout if self.training else 0.0)
        count = (grams > 0).sum(1, keepdim=True).clamp(min=1)
        return F.embedding(grams, self.ratios * self.weight).sum(1) / count.to(self.ratios.dtype).sqrt()


class PhraseEncoder(nn.Module):
    r"""From the words and the grams of a text to an embedding for each member of an ensemble.

    $$z_m = \big(\tfrac{1}{\sqrt n} \sum_t e_{mt},\ \max_t \text{ReLU}(W_m^{(1)} * e_m)_t, \dots,
      \max_t \text{ReLU}(W_m^{(k)} * e_m)_t,\ s\big)$$

    Every member has its own vector $e$ of every word, and its own convolutions; the scores $s$ of the grams are the
    same for all.

    Args:
        words: how many numbers of words there are, 0 for none and 1 for an unknown one.
        grams: what the grams say.
        members: of the ensemble.
        width: numbers in a word's vector.
        features: numbers that each convolution makes of them.
        sizes: of the convolutions, in words.
        forgotten: share of the words left out at random while training.
        dropout: share of the embedding set to zero while training; the grams' scores stay.

    Shape:
        words: (batch, word), 0 where a text is over; grams: (batch, gram); returns (batch, member, hidden), the last
        of them the scores of the grams, one per class.

    Example:
        >>> encoder = PhraseEncoder(9, GramScores(torch.zeros(5, 2)), members=3, width=8, features=8)
        >>> encoder(torch.tensor([[4, 1, 0]]), torch.tensor([[2, 0]])).shape, encoder.hidden
        (torch.Size([1, 3, 34]), 32)

    Reference:
        Kim, Convolutional Neural Networks for Sentence Classification, 2014. https://arxiv.org/abs/1408.5882

    Differs:
        Beside the greatest answers of the convolutions stand the sum of the words' vectors and the scores of the grams;
        whole words are left out while training.
    """

    def __init__(
        self,
        words: int,
        grams: GramScores,
        *,
        members: int = 4,
        width: int = 24,
        features: int = 96,
        sizes: tuple[int, ...] = (1, 2, 3),
        forgotten: float = 0.3,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        if min(words, members, width, features, *sizes) < 1:
            raise InputError("sizes must be positive", advice="try 4 members", words=words, members=members)
        self.members = members
        self.hidden = width + features * len(sizes)
        self.forgotten = forgotten
        self.grams = grams
        self.vectors = nn.Embedding(words, members * width, padding_idx=0)
        nn.init.normal_(self.vectors.weight, std=_AT_FIRST)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(members * width, members * features, size, padding=size // 2, groups=members) for size in sizes
        )
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, words: Int[Tensor, "batch word"], grams: Int[Tensor, "batch gram"]
    ) -> Float[Tensor, "batch member hidden"]:
        """An embedding per text and member."""
        words = shortened(words)
        there = (words > 0)[:, None]  # (batch, 1, word)
        seen = left_out(words, self.forgotten if self.training else 0.0)
        vectors = (self.vectors(seen) * (seen > 0)[..., None]).transpose(1, 2)  # (batch, member * width, word)
        parts = [vectors.sum(2) / there.sum(2).clamp(min=1).to(vectors.dtype).sqrt()]
        for convolution in self.convolutions:
            found = F.relu(convolution(vectors)[..., : words.shape[1]])
            parts.append((found * there).amax(2))  # behind its last word a text says nothing, whatever else is there
        hidden = torch.cat([part.unflatten(1, (self.members, -1)) for part in parts], 2)
        scores = self.grams(grams)[:, None].expand(-1, self.members, -1)
        return torch.cat([self.dropout(hidden), scores], 2)


class PhraseVote(nn.Module):
    r"""Scores of the classes: each member's own while training; in evaluation the logarithm of their mean probability.

    $$s_m = W_m z_m + b_m + s, \qquad \hat s = \frac1T \log \frac1M \sum_m \text{softmax}(s_m)$$

    Args:
        hidden: numbers of the embedding that are weighted; those behind them are added as they are, one per class.
        classes: how many.
        members: of the ensemble.

    Shape:
        embedding: (batch, member, hidden), the scores of the grams among them; returns (batch, member, class), in
        evaluation (batch, class).

    Example:
        >>> vote = PhraseVote(16, classes=3, members=4)
        >>> vote(torch.zeros(2, 4, 19)).shape, vote.eval()(torch.zeros(2, 4, 19)).shape
        (torch.Size([2, 4, 3]), torch.Size([2, 3]))

    Reference:
        Lakshminarayanan, Pritzel and Blundell, Simple and Scalable Predictive Uncertainty Estimation using Deep
        Ensembles, 2017. https://arxiv.org/abs/1612.01474

    Differs:
        Members share the scores $s$ of the grams.
    """

    def __init__(self, hidden: int, classes: int, members: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.scores = MemberLinear(hidden, classes, members)
        nn.init.normal_(self.scores.weight, std=_SMALL)
        nn.init.zeros_(self.scores.bias)
        self.temperature = Temperature()

    def forward(
        self, embedding: Float[Tensor, "batch member hidden"]
    ) -> Float[Tensor, "batch member class"] | Float[Tensor, "batch class"]:
        """Scores of every member, or of all together."""
        scores = self.scores(embedding[..., : self.hidden]) + embedding[..., self.hidden :]
        if self.training:
            return scores
        return self.temperature(scores.log_softmax(-1).logsumexp(1) - math.log(scores.shape[1]))


def phrase_net(
    words: int,
    ratios: Float[Tensor, "kind class"],
    *,
    members: int = 4,
    width: int = 24,
    features: int = 96,
    sizes: Sequence[int] = (1, 2, 3),
    forgotten: float = 0.3,
    dropout: float = 0.5,
) -> Network:
    r"""A classifier of short texts: what their grams say, and what convolutions over their words add to it.

    $$\hat s = \frac1T \log \frac1M \sum_m \text{softmax}(W_m z_m + b_m + s)$$

    Args:
        words: how many numbers of words there are.
        ratios: what each gram says of each class at first: log-count ratios.
        members: of the ensemble.
        width: numbers in a word's vector.
        features: numbers that each convolution makes of them.
        sizes: of the convolutions, in words.
        forgotten: share of the words left out at random while training.
        dropout: share of the embedding set to zero while training, and of the grams left out.

    Shape:
        ratios: (kind, class). The network takes words (batch, word) and grams (batch, gram), and returns (batch,
        class), in training (batch, member, class).

    Example:
        >>> network = phrase_net(9, torch.zeros(5, 2), width=8).eval()
        >>> network(torch.tensor([[4, 1, 0]]), torch.tensor([[2, 0]])).shape
        torch.Size([1, 2])

    Reference:
        Wang and Manning, Baselines and Bigrams, 2012; Kim, Convolutional Neural Networks for Sentence
        Classification, 2014. https://arxiv.org/abs/1408.5882

    Differs:
        The two are one network, trained together.
    """
    encoder = PhraseEncoder(
        words, GramScores(ratios, dropout), members=members, width=width, features=features, sizes=tuple(sizes),
        forgotten=forgotten, dropout=dropout,
    )  # fmt: skip
    return Network(encoder, PhraseVote(encoder.hidden, ratios.shape[1], members))


def shortened(numbers: Int[Tensor, "batch place"]) -> Int[Tensor, "batch shorter"]:
    """Without the places behind the longest text of the batch, where only zeros stand.

    They change nothing but the time it takes: a program that is traced once, for texts of any length, keeps them.
    """
    if numbers.is_meta or torch.compiler.is_compiling():
        return numbers
    used = (numbers > 0).any(0).nonzero()
    return numbers[:, : int(used[-1]) + 1 if len(used) else 1]


def left_out(numbers: Int[Tensor, "batch place"], share: float) -> Int[Tensor, "batch place"]:
    """Some of them set to zero at random."""
    return numbers * (torch.rand(numbers.shape, device=numbers.device) >= share) if share else numbers
