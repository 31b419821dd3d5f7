"""What two players are after: the critic's loss and the generator's, from the critic's scores alone."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor

from chainrule.errors import InputError
from chainrule.shapes import Float


class Game(ABC):
    """The losses of two players. A score is a logit or a plain number; high means "this is real"."""

    @abstractmethod
    def critic_loss(self, real: Float[Tensor, " real"], fake: Float[Tensor, " fake"]) -> Float[Tensor, ""]:
        """What the critic minimises, from its scores of real and of generated examples."""

    @abstractmethod
    def generator_loss(self, fake: Float[Tensor, " fake"]) -> Float[Tensor, ""]:
        """What the generator minimises, from the critic's scores of generated examples."""


@dataclass(frozen=True)
class Minimax(Game):
    r"""The game of the first GAN paper: one value, which the critic raises and the generator lowers.

    $$V = E \log \sigma(s_\text{real}) + E \log(1 - \sigma(s_\text{fake})), \qquad
      L_\text{critic} = -V, \qquad L_\text{generator} = E \log(1 - \sigma(s_\text{fake}))$$

    At the best critic, $s^* = \log p_\text{data} - \log p_\text{model}$ and
    $V = -\log 4 + 2\,\text{JSD}(p_\text{data}, p_\text{model})$. The generator's gradient,
    $-\sigma(s_\text{fake})$ per score, vanishes just when the critic sees through it: prefer `NonSaturating`.

    Args:
        (none).

    Shape:
        real: (real); fake: (fake); returns a scalar.

    Example:
        >>> undecided = torch.zeros(4)
        >>> round(Minimax().critic_loss(undecided, undecided).item(), 4)    # log 4
        1.3863

    Reference:
        Goodfellow et al., Generative Adversarial Nets, 2014, equation 1. https://arxiv.org/abs/1406.2661

    Differs:
        Nothing. (From scores, not probabilities: log(1 - sigmoid(s)) is computed as -softplus(s).)
    """

    def critic_loss(self, real: Float[Tensor, " real"], fake: Float[Tensor, " fake"]) -> Float[Tensor, ""]:
        """The cross-entropy of telling real from generated."""
        return F.softplus(-real).mean() + F.softplus(fake).mean()

    def generator_loss(self, fake: Float[Tensor, " fake"]) -> Float[Tensor, ""]:
        """The log-probability that the critic gives to "generated"."""
        return -F.softplus(fake).mean()


@dataclass(frozen=True)
class NonSaturating(Game):
    r"""The critic as in `Minimax`; the generator raises the log-probability of being taken for real.

    $$L_\text{critic} = -E \log \sigma(s_\text{real}) - E \log(1 - \sigma(s_\text{fake})), \qquad
      L_\text{generator} = -E \log \sigma(s_\text{fake})$$

    The generator's gradient, $-\sigma(-s_\text{fake})$ per score, is strongest where the critic sees through it.

    Args:
        (none).

    Shape:
        real: (real); fake: (fake); returns a scalar.

    Example:
        >>> seen_through = torch.tensor([-20.0], requires_grad=True)
        >>> NonSaturating().generator_loss(seen_through).backward()
        >>> round(seen_through.grad.item(), 4)
        -1.0

    Reference:
        Goodfellow et al., Generative Adversarial Nets, 2014, section 3. https://arxiv.org/abs/1406.2661

    Differs:
        Nothing.
    """

    def critic_loss(self, real: Float[Tensor, " real"], fake: Float[Tensor, " fake"]) -> Float[Tensor, ""]:
        """The cross-entropy of telling real from generated."""
        return F.softplus(-real).mean() + F.softplus(fake).mean()

    def generator_loss(self, fake: Float[Tensor, " fake"]) -> Float[Tensor, ""]:
        """The surprise at generated examples being taken for real."""
        return F.softplus(-fake).mean()


@dataclass(frozen=True)
class Hinge(Game):
    r"""The critic only has to be right by a margin; the generator raises its score.

    $$L_\text{critic} = E \max(0, 1 - s_\text{real}) + E \max(0, 1 + s_\text{fake}), \qquad
      L_\text{generator} = -E\, s_\text{fake}$$

    Args:
        (none).

    Shape:
        real: (real); fake: (fake); returns a scalar.

    Example:
        >>> Hinge().critic_loss(torch.tensor([0.0, 3.0]), torch.tensor([-2.0])).item()
        0.5

    Reference:
        Lim and Ye, Geometric GAN, 2017. https://arxiv.org/abs/1705.02894

    Differs:
        Nothing.
    """

    def critic_loss(self, real: Float[Tensor, " real"], fake: Float[Tensor, " fake"]) -> Float[Tensor, ""]:
        """How far scores lie on the wrong side of the margin."""
        return F.relu(1 - real).mean() + F.relu(1 + fake).mean()

    def generator_loss(self, fake: Float[Tensor, " fake"]) -> Float[Tensor, ""]:
        """The negative score."""
        return -fake.mean()


@dataclass(frozen=True)
class LeastSquares(Game):
    r"""Regression to 1 for real and 0 for generated; the generator wants 1.

    $$L_\text{critic} = \tfrac12 E (s_\text{real} - 1)^2 + \tfrac12 E\, s_\text{fake}^2, \qquad
      L_\text{generator} = \tfrac12 E (s_\text{fake} - 1)^2$$

    Args:
        (none).

    Shape:
        real: (real); fake: (fake); returns a scalar.

    Example:
        >>> LeastSquares().generator_loss(torch.tensor([0.0])).item()
        0.5

    Reference:
        Mao et al., Least Squares Generative Adversarial Networks, 2017, equation 9. https://arxiv.org/abs/1611.04076

    Differs:
        Nothing.
    """

    def critic_loss(self, real: Float[Tensor, " real"], fake: Float[Tensor, " fake"]) -> Float[Tensor, ""]:
        """Half the squared distance from 1 and from 0."""
        return 0.5 * (real - 1).square().mean() + 0.5 * fake.square().mean()

    def generator_loss(self, fake: Float[Tensor, " fake"]) -> Float[Tensor, ""]:
        """Half the squared distance from 1."""
        return 0.5 * (fake - 1).square().mean()


def gradient_penalty(scores: Float[Tensor, " example"], examples: Tensor) -> Tensor:
    r"""How steep the critic is at the examples: the mean squared length of its gradient, differentiable again.

    $$R = \frac1n \sum_i \big\lVert \nabla_{x_i} s_i \big\rVert^2$$

    On real examples, and with half a weight before it, this is R1: where the data already is, a critic gains
    nothing by a slope, so that the game comes to rest there instead of circling.

    Args:
        scores: the critic's, computed from `examples`; each from its own example only (no batch norm).
        examples: what was scored; they must require a gradient.

    Shape:
        scores: (example); examples: (example, ...); returns a scalar.

    Example:
        >>> examples = torch.ones(2, 3, requires_grad=True)
        >>> gradient_penalty((2 * examples).sum(1), examples).item()    # slope 2 in three directions
        12.0

    Reference:
        Mescheder, Geiger and Nowozin, Which Training Methods for GANs do actually Converge?, 2018, equation 9.
        https://arxiv.org/abs/1801.04406

    Differs:
        Nothing; the weight and its half are the caller's.
    """
    if not examples.requires_grad:
        raise InputError(
            "the penalty needs the gradient with respect to `examples`",
            advice="call examples.requires_grad_() before scoring them",
            requires_grad=False,
        )
    (slope,) = torch.autograd.grad(scores.sum(), examples, create_graph=True)
    return slope.square().sum() / len(scores)
