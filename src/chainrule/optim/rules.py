"""Update rules as values: frozen settings that build torch's own optimiser, fused, with sensible groups."""

from dataclasses import dataclass, replace
from typing import Any, Self

import torch
from torch import nn

from chainrule.errors import InputError
from chainrule.optim.schedules import Constant, Schedule


@dataclass(frozen=True)
class AdamW:
    r"""Adam with decoupled weight decay: torch's own, fused, matrices decayed and vectors not.

    $$m \leftarrow \beta_1 m + (1-\beta_1) g, \quad v \leftarrow \beta_2 v + (1-\beta_2) g^2, \quad
      w \leftarrow w - \eta\, s(t) \Big(\frac{\hat m}{\sqrt{\hat v} + \epsilon} + \lambda w\Big)$$

    Args:
        lr: η, the learning rate.
        betas: β₁ and β₂, how slowly the two averages move.
        eps: ε, what keeps the quotient finite.
        weight_decay: λ, for parameters of two axes and more; biases, norms and gains are not decayed.
        schedule: s(t), how the rate goes.
        clip: longest gradient over all parameters; a longer one is shortened to it. `None` leaves it.

    Example:
        >>> layer = torch.nn.Linear(2, 1)
        >>> [group["weight_decay"] for group in AdamW(weight_decay=0.1).build(layer).param_groups]
        [0.1, 0.0]

    Reference:
        Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019. https://arxiv.org/abs/1711.05101

    Differs:
        Nothing from torch.optim.AdamW but the default groups (torch decays biases too) and `fused=True`.
    """

    lr: float = 1e-3
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    weight_decay: float = 0.01
    schedule: Schedule = Constant()
    clip: float | None = None

    def __post_init__(self) -> None:
        """Rates and lengths are positive, averages forget."""
        _check(self.lr, self.weight_decay, self.clip)
        if len(self.betas) != 2 or not all(0.0 <= beta < 1.0 for beta in self.betas):
            raise InputError("`betas` are two shares from 0 up to 1", advice="try (0.9, 0.999)", betas=self.betas)
        if not self.eps >= 0.0:
            raise InputError("`eps` must not be negative", advice="try 1e-8", eps=self.eps)

    def over(self, steps: int) -> Self:
        """The same rule, its schedule stretched over a run of so many steps where it names none itself."""
        return replace(self, schedule=self.schedule.over(steps))

    def build(self, model: nn.Module) -> torch.optim.Optimizer:
        """torch's fused AdamW over the model's trainable parameters."""
        own = groups(model, self.weight_decay)
        return torch.optim.AdamW(own, lr=self.lr, betas=self.betas, eps=self.eps, fused=True)


@dataclass(frozen=True)
class Sgd:
    r"""Stochastic gradient descent with momentum: torch's own, fused, matrices decayed and vectors not.

    $$u \leftarrow \mu u + (g + \lambda w), \qquad w \leftarrow w - \eta\, s(t)\, u$$

    Args:
        lr: η, the learning rate.
        momentum: μ, how much of the last update goes into the next.
        nesterov: whether the gradient is taken one momentum step ahead.
        weight_decay: λ, for parameters of two axes and more.
        schedule: s(t), how the rate goes.
        clip: longest gradient over all parameters; a longer one is shortened to it. `None` leaves it.

    Example:
        >>> type(Sgd(lr=0.1).build(torch.nn.Linear(2, 1))).__name__
        'SGD'

    Reference:
        Polyak, Some methods of speeding up the convergence of iteration methods, 1964.

    Differs:
        Nothing from torch.optim.SGD but the default groups and `fused=True`.
    """

    lr: float = 0.1
    momentum: float = 0.9
    nesterov: bool = False
    weight_decay: float = 0.0
    schedule: Schedule = Constant()
    clip: float | None = None

    def __post_init__(self) -> None:
        """Rates and lengths are positive, momentum forgets."""
        _check(self.lr, self.weight_decay, self.clip)
        if not 0.0 <= self.momentum < 1.0:
            raise InputError("`momentum` is a share from 0 up to 1", advice="try 0.9", momentum=self.momentum)
        if self.nesterov and self.momentum == 0.0:
            raise InputError("`nesterov` needs a `momentum`", advice="try 0.9", momentum=self.momentum)

    def over(self, steps: int) -> Self:
        """The same rule, its schedule stretched over a run of so many steps where it names none itself."""
        return replace(self, schedule=self.schedule.over(steps))

    def build(self, model: nn.Module) -> torch.optim.Optimizer:
        """torch's fused SGD over the model's trainable parameters."""
        own = groups(model, self.weight_decay)
        return torch.optim.SGD(own, lr=self.lr, momentum=self.momentum, nesterov=self.nesterov, fused=True)


Rule = AdamW | Sgd


def _check(lr: float, weight_decay: float, clip: float | None) -> None:
    if not 0.0 < lr < float("inf"):
        raise InputError("`lr` must be a positive number", advice="try 1e-3", lr=lr)
    if not weight_decay >= 0.0:
        raise InputError("`weight_decay` must not be negative", advice="try 0.01", weight_decay=weight_decay)
    if clip is not None and not clip > 0.0:
        raise InputError("`clip` must be a positive length, or None", advice="try 1.0", clip=clip)


def groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """The model's trainable parameters in two groups: matrices, which decay, and vectors, which do not."""
    trainable = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trainable:
        raise InputError(
            "a model needs at least one trainable parameter",
            advice="unfreeze a layer (requires_grad_(True))",
            model=type(model).__name__,
        )
    matrices = [parameter for parameter in trainable if parameter.ndim > 1]
    vectors = [parameter for parameter in trainable if parameter.ndim <= 1]
    both = [{"params": matrices, "weight_decay": weight_decay}, {"params": vectors, "weight_decay": 0.0}]
    return [group for group in both if group["params"]]
