"""Averages of weights: what is used and saved may be smoother than what is trained."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chainrule.errors import InputError


@dataclass(frozen=True)
class Ema:
    r"""An exponential moving average of the weights, with the bias of its start taken out.

    $$\bar w_t = \bar w_{t-1} + \frac{1-\beta}{1-\beta^t}\,(w_t - \bar w_{t-1})$$

    Args:
        decay: β, close to one: the average remembers about 1 / (1 - β) steps.

    Example:
        >>> mean, model = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
        >>> Ema(0.9).update(mean, model, 1)
        >>> torch.equal(mean.weight, model.weight)
        True

    Reference:
        Polyak and Juditsky, Acceleration of Stochastic Approximation by Averaging, 1992; Adam's bias correction.

    Differs:
        Bias-corrected, so no warm-up of the decay is needed. Buffers (running statistics) are copied.
    """

    decay: float = 0.999

    def __post_init__(self) -> None:
        """The decay is a share."""
        if not 0.0 <= self.decay < 1.0:
            raise InputError("`decay` is a share from 0 up to 1", advice="try 0.999", decay=self.decay)

    @torch.no_grad()
    def update(self, mean: nn.Module, model: nn.Module, updates: int | Tensor, good: Tensor | None = None) -> None:
        """Moves `mean` towards `model` after its `updates`-th update (counted from 1).

        `updates` may be a scalar on the device, read by the device alone; then nothing moves where `good`, another
        one, is zero.
        """
        weight = (1 - self.decay) / (1 - self.decay**updates)
        kept: list[Tensor] = [*mean.parameters()]
        current: list[Tensor] = [*model.parameters()]
        if isinstance(weight, Tensor):
            ways = torch._foreach_sub(current, kept)
            torch._foreach_mul_(ways, weight if good is None else weight * good)
            torch._foreach_add_(kept, ways)
        else:
            torch._foreach_lerp_(kept, current, weight)
        for kept_buffer, buffer in zip(mean.buffers(), model.buffers(), strict=True):
            kept_buffer.copy_(buffer)
