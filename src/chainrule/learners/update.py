"""From gradients to an update: what every learner by gradient does in the same way."""

from typing import Literal

import torch
from torch import Tensor

from chainrule.optim import Stepper

NonFinite = Literal["raise", "skip"]


def lengths(gradients: list[Tensor]) -> Tensor:
    """The length of each part of a gradient."""
    return torch.stack(torch._foreach_norm(gradients))


def length(gradients: list[Tensor]) -> Tensor:
    """The length of the whole gradient."""
    return torch.linalg.vector_norm(lengths(gradients))


def healthy(norm: Tensor, loss: Tensor) -> Tensor:
    """One where gradient and loss are finite, else zero, as a number on their device that nobody need wait for."""
    total = norm.detach() + loss.detach()
    return (total - total == 0).to(torch.float32)  # infinite less infinite is not a number


def follow(stepper: Stepper, norm: Tensor, rate: float | Tensor, bad: Tensor | None = None) -> None:
    """One update, the gradient shortened where its length `norm` is above the rule's; none where `bad` is one."""
    rule = stepper.rule
    if rule.clip is not None:
        scale = (rule.clip / (norm + 1e-6)).clamp(max=1.0)
        torch._foreach_mul_([parameter.grad for parameter in stepper.parameters if parameter.grad is not None], scale)
    stepper.step(rate, bad)
