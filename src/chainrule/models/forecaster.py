"""A forecaster: quantiles of the next moments of a series, from its past and the calendar, all moments at once."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.functional import level_and_scale
from chainrule.models.network import Network
from chainrule.shapes import Float, Int

_CARRIED = 3  # numbers of an embedding that are no features: the straight line's answer, level and scale
_HIDDEN = 0.1  # share of windows whose series is hidden while training, so that new series can be forecast too
_FEW = 8  # moments whose changes say how restless a series is just now
_DECODED = 16  # numbers per moment of the horizon
_FARTHEST = 10.0  # scales from the level: what lies beyond would drown the rest


class ForecastEncoder(nn.Module):
    r"""Reads the past of a window twice: along straight lines, and through a residual network with the calendar.

    $$z = \frac{x - x_{P}}{s}, \qquad b_h = z_{P - \ell + (h \bmod \ell)} + \sum_t A_{ht} z_t + a_h, \qquad
      u_h = D_h\, \phi\big(z, o, \text{calendar}_1, \text{which}, \text{roughness}\big)$$

    $x_P$ is the last value and $s$ the scale of the past. The lines $A$ begin as zero upon the naive forecast "as
    $\ell$ moments ago": the network starts where a good rival ends, and decay draws it back there. An embedding has,
    for every moment of the horizon, $u_h$, the calendar, and then $b_h$, $x_P$ and $s$, with which the head puts its
    answer into units.

    Args:
        past: $P$, moments seen.
        horizon: $H$, moments to forecast.
        calendar: numbers known of every moment.
        series: how many series it knows by number.
        width: numbers per hidden layer.
        blocks: how many residual blocks.
        lag: $\ell$, the naive forecast that it begins as.
        dropout: share of numbers set to zero while training.

    Shape:
        past: (batch, time); observed: (batch, time); calendar: (batch, horizon, feature); which: (batch);
        returns (batch, horizon, number).

    Example:
        >>> encoder = ForecastEncoder(12, 3, calendar=2, series=5, width=8, lag=4)
        >>> encoder(torch.randn(2, 12), torch.ones(2, 12), torch.zeros(2, 3, 2), torch.tensor([0, 5])).shape
        torch.Size([2, 3, 21])

    Reference:
        Das et al., Long-term Forecasting with TiDE: Time-series Dense Encoder, 2023. https://arxiv.org/abs/2304.08424

    Differs:
        Only the first moment's calendar goes into the encoder, as the others follow from it; gaps are marked; the
        lines begin as a naive forecast.
    """

    again: Tensor

    def __init__(
        self,
        past: int,
        horizon: int,
        *,
        calendar: int,
        series: int,
        width: int = 128,
        blocks: int = 2,
        lag: int = 1,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        sizes = {"past": past, "horizon": horizon, "calendar": calendar, "width": width, "blocks": blocks}
        if min(sizes.values()) < 1 or not 1 <= lag <= past or series < 0:
            raise InputError(
                "the sizes of a forecaster must be at least 1, and `lag` lie within `past`",
                advice="try lag=1", lag=lag, series=series, **sizes,
            )  # fmt: skip
        self.horizon = horizon
        self.known = nn.Embedding(series + 1, 8)
        inputs = 2 * past + calendar + 3 + 8
        self.residual = nn.Sequential(
            *(ResidualLayer(inputs if block == 0 else width, width, dropout) for block in range(blocks))
        )
        self.unfold = nn.Linear(width, horizon * _DECODED)
        self.register_buffer("again", past - lag + torch.arange(horizon) % lag, persistent=False)
        self.lines = nn.Linear(past, horizon)
        nn.init.zeros_(self.lines.weight)
        nn.init.zeros_(self.lines.bias)

    def forward(
        self,
        past: Float[Tensor, "batch time"],
        observed: Float[Tensor, "batch time"],
        calendar: Float[Tensor, "batch horizon feature"],
        which: Int[Tensor, " batch"],
    ) -> Float[Tensor, "batch horizon number"]:
        """The embedding of each moment of the horizon."""
        _, scale = level_and_scale(past, observed)
        last = past[:, -1:]
        moved = ((past - last) / scale).clamp(-_FARTHEST * 10, _FARTHEST * 10) * observed
        if self.training:
            which = torch.where(torch.rand_like(past[:, 0]) < _HIDDEN, torch.zeros_like(which), which)
        features = torch.cat(
            [moved.clamp(-_FARTHEST, _FARTHEST), 1 - observed, calendar[:, 0],
             roughness(moved, observed), (scale / (last.abs() + scale)).clamp(min=1e-4).log(), self.known(which)], 1
        )  # fmt: skip
        unfolded = self.unfold(self.residual(features)).view(len(past), self.horizon, -1)
        straight = moved[:, self.again] + self.lines(moved)
        carried = torch.stack([straight, last.expand(-1, self.horizon), scale.expand(-1, self.horizon)], -1)
        return torch.cat([unfolded, calendar, carried], -1)


class ResidualLayer(nn.Module):
    r"""A hidden layer beside a straight way, and layer norm over both.

    $$y = \text{norm}\big(W_2\, \text{relu}(W_1 x) + W_0 x\big)$$

    Args:
        inputs: numbers that come in.
        width: numbers of the hidden layer and of the answer.
        dropout: share of the hidden way's answer set to zero while training.

    Shape:
        features: (batch, feature); returns (batch, width).

    Example:
        >>> ResidualLayer(5, 3, 0.0)(torch.randn(2, 5)).shape
        torch.Size([2, 3])

    Reference:
        Das et al., Long-term Forecasting with TiDE, 2023, section 4.1. https://arxiv.org/abs/2304.08424

    Differs:
        Nothing.
    """

    def __init__(self, inputs: int, width: int, dropout: float) -> None:
        super().__init__()
        self.hidden = nn.Sequential(
            nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.Dropout(dropout)
        )  # fmt: skip
        self.straight = nn.Linear(inputs, width, bias=False)
        self.norm = nn.LayerNorm(width)

    def forward(self, features: Float[Tensor, "batch feature"]) -> Float[Tensor, "batch width"]:
        """Both ways together."""
        return self.norm(self.hidden(features) + self.straight(features))


class QuantileHead(nn.Module):
    r"""Quantiles that never cross: a middle one, and steps up and down from it that are never negative.

    $$\hat y_m = x_P + s\,(b + r_m), \qquad
      \hat y_{m \pm k} = \hat y_m \pm s\, w \sum_{j \le k} \text{softplus}(r_{m \pm j})$$

    Args:
        features: numbers of an embedding.
        quantiles: how many.
        width: numbers of the hidden layer.

    Shape:
        embedding: (batch, horizon, number); returns (batch, horizon, quantile).

    Example:
        >>> answers = QuantileHead(21, 5)(torch.randn(2, 3, 21).abs())
        >>> answers.shape, bool((answers.diff(dim=-1) >= 0).all())
        (torch.Size([2, 3, 5]), True)

    Reference:
        Gasthaus et al., Probabilistic Forecasting with Spline Quantile Function RNNs, 2019.

    Differs:
        Steps between given quantiles in place of splines. $w$ is one until it is set on validation data (`widen`).
    """

    spread: Tensor

    def __init__(self, features: int, quantiles: int, width: int = 64) -> None:
        super().__init__()
        if features <= _CARRIED or quantiles < 1:
            raise InputError("a head needs features and quantiles", advice="see ForecastEncoder",
                             features=features, quantiles=quantiles)  # fmt: skip
        self.quantiles = quantiles
        self.hidden = nn.Linear(features - _CARRIED, width)
        self.out = nn.Linear(width, quantiles)
        self.register_buffer("spread", torch.ones(1))
        with torch.no_grad():  # begins as the straight lines, with narrow bands
            self.out.weight.mul_(0.1)
            self.out.bias.fill_(-1.5)
            self.out.bias[quantiles // 2] = 0.0

    def forward(self, embedding: Float[Tensor, "batch horizon number"]) -> Float[Tensor, "batch horizon quantile"]:
        """The quantiles, in the units of the series."""
        features = embedding[..., :-_CARRIED]
        base, last, scale = embedding[..., -_CARRIED:].split(1, -1)
        raw = self.out(F.relu(self.hidden(features)))
        middle = self.quantiles // 2
        centre = base + raw[..., middle : middle + 1]
        above = F.softplus(raw[..., middle + 1 :]).cumsum(-1) * self.spread
        below = F.softplus(raw[..., :middle].flip(-1)).cumsum(-1).flip(-1) * self.spread
        return last + scale * torch.cat([centre - below, centre, centre + above], -1)

    @torch.no_grad()
    def widen(self, factor: float) -> None:
        """Bands so many times as wide as now."""
        self.spread.mul_(factor)


def roughness(moved: Float[Tensor, "batch time"], observed: Float[Tensor, "batch time"]) -> Float[Tensor, "batch two"]:
    r"""How much a series changes from moment to moment, over all of its past and lately.

    $$\log \frac1n \sum_t |z_t - z_{t-1}|, \qquad \text{over the } t \text{ with two values}$$

    Args:
        moved: the past, in scales.
        observed: one where there is a value.

    Shape:
        moved: (batch, time); observed: (batch, time); returns (batch, two).

    Example:
        >>> roughness(torch.tensor([[0.0, 1.0, 0.0]]), torch.ones(1, 3)).exp().round(decimals=2).tolist()
        [[1.0, 1.0]]
    """
    pairs = observed[:, 1:] * observed[:, :-1]
    changes = (moved[:, 1:] - moved[:, :-1]).abs() * pairs

    def mean(some: slice) -> Tensor:
        return changes[:, some].sum(1, keepdim=True) / pairs[:, some].sum(1, keepdim=True).clamp(min=1)

    return torch.cat([mean(slice(None)), mean(slice(-_FEW, None))], 1).clamp(min=1e-3).log()


class SideBySide(nn.Module):
    r"""Several encoders of the same inputs, one embedding of each.

    $$z = (\text{encoder}_1(x), \dots, \text{encoder}_M(x))$$

    Args:
        members: the encoders, each with weights of its own.

    Shape:
        inputs: whatever each member takes; returns (batch, member, ...).

    Example:
        >>> SideBySide([nn.Linear(3, 2), nn.Linear(3, 2)])(torch.zeros(5, 3)).shape
        torch.Size([5, 2, 2])

    Reference:
        Lakshminarayanan, Pritzel and Blundell, Simple and Scalable Predictive Uncertainty Estimation using Deep
        Ensembles, 2017. https://arxiv.org/abs/1612.01474

    Differs:
        Nothing.
    """

    def __init__(self, members: Sequence[nn.Module]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, *inputs: Tensor) -> Tensor:
        """The members' embeddings."""
        return torch.stack([member(*inputs) for member in self.members], 1)


class MeanOfHeads(nn.Module):
    r"""A head for each of several embeddings: each one's answer in training, their mean in evaluation.

    $$\hat y = \frac1M \sum_m \text{head}_m(z_m)$$

    The mean of quantiles that never cross never crosses.

    Args:
        members: the heads, each with weights of its own.

    Shape:
        embedding: (batch, member, ...); returns (batch, member, ...), in evaluation (batch, ...).

    Example:
        >>> heads = MeanOfHeads([nn.Linear(3, 2), nn.Linear(3, 2)])
        >>> heads(torch.zeros(5, 2, 3)).shape, heads.eval()(torch.zeros(5, 2, 3)).shape
        (torch.Size([5, 2, 2]), torch.Size([5, 2]))

    Reference:
        Lakshminarayanan, Pritzel and Blundell, Simple and Scalable Predictive Uncertainty Estimation using Deep
        Ensembles, 2017. https://arxiv.org/abs/1612.01474

    Differs:
        Quantiles are averaged, not probabilities: the band is as wide as the members' bands on average.
    """

    def __init__(self, members: Sequence[nn.Module]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, embedding: Tensor) -> Tensor:
        """Every member's answer, or the mean of all."""
        answers = torch.stack([head(part) for head, part in zip(self.members, embedding.unbind(1), strict=True)], 1)
        return answers if self.training else answers.mean(1)


def forecaster(
    past: int,
    horizon: int,
    quantiles: int,
    *,
    calendar: int,
    series: int = 0,
    width: int = 128,
    lag: int = 1,
    members: int = 1,
) -> Network:
    r"""Straight lines and a residual network over the past, shared by all series, with a head of quantiles.

    $$\hat y = \text{head}(\text{encoder}(\text{past}, \text{observed}, \text{calendar}, \text{which}))$$

    Args:
        past: moments seen.
        horizon: moments to forecast.
        quantiles: how many.
        calendar: numbers known of every moment.
        series: how many series it knows by number; others have the number 0.
        width: numbers per hidden layer.
        lag: the naive forecast that it begins as: the season, or 1 for the last value.
        members: how many such networks there are side by side; each learns by itself (`EveryMember`).

    Shape:
        past: (batch, time); observed: (batch, time); calendar: (batch, horizon, feature); which: (batch);
        returns (batch, member, horizon, quantile), in evaluation (batch, horizon, quantile).

    Example:
        >>> network = forecaster(12, 3, 9, calendar=2).eval()
        >>> network(torch.randn(2, 12), torch.ones(2, 12), torch.zeros(2, 3, 2), torch.tensor([0, 0])).shape
        torch.Size([2, 3, 9])

    Reference:
        Das et al., Long-term Forecasting with TiDE, 2023. https://arxiv.org/abs/2304.08424; Zeng et al., Are
        Transformers Effective for Time Series Forecasting?, 2023 (the straight lines). https://arxiv.org/abs/2205.13504

    Differs:
        Quantiles in place of a mean, see the two parts.
    """
    if members < 1:
        raise InputError("`members` must be at least 1", advice="try 1", members=members)
    encoders = [
        ForecastEncoder(past, horizon, calendar=calendar, series=series, width=width, lag=lag) for _ in range(members)
    ]
    heads = [QuantileHead(_DECODED + calendar + _CARRIED, quantiles) for _ in range(members)]
    return Network(SideBySide(encoders), MeanOfHeads(heads))
