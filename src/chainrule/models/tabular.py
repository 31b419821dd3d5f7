"""A network for tables: an ensemble in one network, which sees numbers as places between quantiles."""

import math

import torch
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.layers import MemberLinear, Members, PiecewiseLinear, Temperature
from chainrule.shapes import Float

_WIDEST = 16  # of a category's vector


class TableEncoder(nn.Module):
    r"""From a row of numbers and codes to an embedding for each member of an ensemble.

    $$x = [\,\text{PLE}(\text{numbers}),\ \text{vectors of the codes}\,], \qquad z_m = \text{MLP}(r_m \odot x)$$

    Args:
        edges: of the bins of every number; the numbers are the first features.
        sizes: how many codes every category has; the codes are the features behind the numbers.
        width: of the hidden layers.
        depth: how many hidden layers.
        members: of the ensemble.
        number_width: of the vector that a number becomes.
        dropout: share of the hidden numbers left out at random while training.

    Shape:
        features: (batch, feature); returns (batch, member, hidden).

    Example:
        >>> encoder = TableEncoder(((0.0, 1.0, 9.0),), (3,), width=16, members=4)
        >>> encoder(torch.tensor([[0.5, 2.0], [7.0, 0.0]])).shape
        torch.Size([2, 4, 16])

    Reference:
        Gorishniy, Kotelnikov and Babenko, TabM, 2024 (TabM-mini with piecewise-linear embeddings).
        https://arxiv.org/abs/2410.24210

    Differs:
        Categories have vectors of their own, narrower than one-hot.
    """

    def __init__(
        self,
        edges: tuple[tuple[float, ...], ...],
        sizes: tuple[int, ...],
        *,
        width: int = 256,
        depth: int = 3,
        members: int = 8,
        number_width: int = 16,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        if not edges and not sizes:
            raise InputError("a table needs a column of numbers or a category", advice="give one", edges=0, sizes=0)
        if depth < 1 or width < 1:
            raise InputError("`width` and `depth` must be positive", advice="try 256 and 3", width=width, depth=depth)
        self.columns = len(edges)
        self.numbers = PiecewiseLinear(edges, number_width) if edges else None
        widths = [min(_WIDEST, math.ceil(1.6 * size**0.56)) for size in sizes]
        self.codes = nn.ModuleList(nn.Embedding(size, own) for size, own in zip(sizes, widths, strict=True))
        parts = (*[number_width] * len(edges), *widths)
        self.members = Members(parts, members)
        layers: list[nn.Module] = []
        for place in range(depth):
            layers += [nn.Linear(width if place else sum(parts), width), nn.ReLU(), nn.Dropout(dropout)]
        self.layers = nn.Sequential(*layers)

    def forward(self, features: Float[Tensor, "batch feature"]) -> Float[Tensor, "batch member hidden"]:
        """An embedding per row and member."""
        parts = [self.numbers(features[:, : self.columns]).flatten(1)] if self.numbers is not None else []
        for place, vectors in enumerate(self.codes):
            parts.append(vectors(features[:, self.columns + place].long()))
        return self.layers(self.members(torch.cat(parts, 1)))


class ClassVote(nn.Module):
    r"""Scores of the classes: each member's own while training; in evaluation the logarithm of their mean probability.

    $$s_m = W_m z_m + b_m, \qquad s = \frac{1}{T} \log \frac1M \sum_m \text{softmax}(s_m)$$

    Args:
        width: of the embedding.
        classes: how many.
        members: of the ensemble.

    Shape:
        embedding: (batch, member, hidden); returns (batch, member, class), in evaluation (batch, class).

    Example:
        >>> vote = ClassVote(16, classes=3, members=4)
        >>> vote(torch.zeros(2, 4, 16)).shape, vote.eval()(torch.zeros(2, 4, 16)).shape
        (torch.Size([2, 4, 3]), torch.Size([2, 3]))

    Reference:
        Guo et al., On Calibration of Modern Neural Networks, 2017 (the temperature $T$).
        https://arxiv.org/abs/1706.04599

    Differs:
        Nothing.
    """

    def __init__(self, width: int, classes: int, members: int) -> None:
        super().__init__()
        self.scores = MemberLinear(width, classes, members)
        self.temperature = Temperature()

    def forward(
        self, embedding: Float[Tensor, "batch member hidden"]
    ) -> Float[Tensor, "batch member class"] | Float[Tensor, "batch class"]:
        """Scores of every member, or of all together."""
        scores = self.scores(embedding)
        if self.training:
            return scores
        return self.temperature(scores.log_softmax(-1).logsumexp(1) - math.log(scores.shape[1]))


class NumberMean(nn.Module):
    r"""A number in the units of the data: each member's own while training; in evaluation their mean.

    $$y_m = \mu + \sigma\,(w_m \cdot z_m + b_m), \qquad y = \frac1M \sum_m y_m$$

    Args:
        width: of the embedding.
        members: of the ensemble.
        mean: $\mu$ of the answers in the training rows.
        deviation: $\sigma$ of them.

    Shape:
        embedding: (batch, member, hidden); returns (batch, member), in evaluation (batch).

    Example:
        >>> mean = NumberMean(16, members=4, mean=100.0, deviation=20.0)
        >>> mean(torch.zeros(2, 4, 16)).shape, mean.eval()(torch.zeros(2, 4, 16)).shape
        (torch.Size([2, 4]), torch.Size([2]))

    Reference:
        Gorishniy, Kotelnikov and Babenko, TabM, 2024. https://arxiv.org/abs/2410.24210

    Differs:
        Nothing.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, width: int, members: int, *, mean: float = 0.0, deviation: float = 1.0) -> None:
        super().__init__()
        if not deviation > 0:
            raise InputError("`deviation` must be above zero", advice="measure it on training rows", got=deviation)
        self.numbers = MemberLinear(width, 1, members)
        self.register_buffer("mean", torch.tensor(mean))
        self.register_buffer("deviation", torch.tensor(deviation))

    def forward(
        self, embedding: Float[Tensor, "batch member hidden"]
    ) -> Float[Tensor, "batch member"] | Float[Tensor, " batch"]:
        """The number of every member, or of all together."""
        numbers = self.mean + self.deviation * self.numbers(embedding)[..., 0]
        return numbers if self.training else numbers.mean(1)
