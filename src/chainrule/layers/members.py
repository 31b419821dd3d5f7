"""Many networks in one: what an ensemble's members share, and what each has for itself."""

import math

import torch
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.shapes import Float


class Members(nn.Module):
    r"""Gives each member of an ensemble its own view of the features: the same features, each scaled its own way.

    $$z_m = r_m \odot x, \qquad W z_m = (W \operatorname{diag} r_m)\, x$$

    A linear layer behind it, shared by all members, thus is another one for each: a rank-one change per member. All
    other layers can be shared entirely, and the members still differ.

    Args:
        parts: how many features each part of `features` has (say, one number's vector): at first a member scales all
            features of a part alike, by a number drawn from the normal distribution.
        members: how many.

    Shape:
        features: (batch, feature); returns (batch, member, feature).

    Example:
        >>> Members((3, 2), members=8)(torch.ones(4, 5)).shape
        torch.Size([4, 8, 5])

    Reference:
        Gorishniy, Kotelnikov and Babenko, TabM: Advancing Tabular Deep Learning with Parameter-Efficient
        Ensembling, 2024 (there: TabM-mini). https://arxiv.org/abs/2410.24210

    Differs:
        Nothing.
    """

    def __init__(self, parts: tuple[int, ...], members: int) -> None:
        super().__init__()
        if members < 1 or not parts or min(parts) < 1:
            raise InputError("`parts` and `members` must be positive", advice="try 8", parts=parts, members=members)
        drawn = torch.randn(members, len(parts))
        self.scale = nn.Parameter(torch.cat([drawn[:, [place]].expand(-1, n) for place, n in enumerate(parts)], 1))

    def forward(self, features: Float[Tensor, "batch feature"]) -> Float[Tensor, "batch member feature"]:
        """The features, once for each member."""
        return features[:, None] * self.scale

    def extra_repr(self) -> str:
        """Sizes, for `print(model)`."""
        return f"members={self.scale.shape[0]}, features={self.scale.shape[1]}"


class MemberLinear(nn.Module):
    r"""A linear layer for each member of an ensemble, of its own, all computed at once.

    $$y_m = W_m x_m + b_m$$

    Args:
        in_dim: features coming in.
        out_dim: features going out.
        members: how many.

    Shape:
        features: (batch, member, feature); returns (batch, member, output).

    Example:
        >>> MemberLinear(5, 2, members=8)(torch.ones(4, 8, 5)).shape
        torch.Size([4, 8, 2])

    Reference:
        Lakshminarayanan, Pritzel and Blundell, Simple and Scalable Predictive Uncertainty Estimation using Deep
        Ensembles, 2017. https://arxiv.org/abs/1612.01474

    Differs:
        Nothing.
    """

    def __init__(self, in_dim: int, out_dim: int, members: int) -> None:
        super().__init__()
        if min(in_dim, out_dim, members) < 1:
            raise InputError(
                "sizes must be positive", advice="try 8 members", in_dim=in_dim, out_dim=out_dim, members=members
            )
        bound = 1 / math.sqrt(in_dim)  # as torch's own linear layer begins
        self.weight = nn.Parameter(torch.empty(members, in_dim, out_dim).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(members, out_dim).uniform_(-bound, bound))

    def forward(self, features: Float[Tensor, "batch member feature"]) -> Float[Tensor, "batch member output"]:
        """Every member's output."""
        return (features.transpose(0, 1) @ self.weight).transpose(0, 1) + self.bias

    def extra_repr(self) -> str:
        """Sizes, for `print(model)`."""
        members, inputs, outputs = self.weight.shape
        return f"members={members}, in_dim={inputs}, out_dim={outputs}"
