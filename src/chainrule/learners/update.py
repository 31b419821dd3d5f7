"""From gradients to an update: what every learner by gradient does in the same way."""

from typing import Literal

import torch
from torch import Tensor

from chainrule.optim import Stepper

NonFinite = Literal["raise", "skip"]


def length(parameters: list[Tensor]) -> Tensor:
    """The length of the gradient over all parameters that have one."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    return torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))


def follow(stepper: Stepper, norm: Tensor, step: int) -> None:
    """One update at the rate of this step, the gradient shortened where its length `norm` is above the rule's."""
    rule = stepper.rule
    if rule.clip is not None:
        scale = (rule.clip / (norm + 1e-6)).clamp(max=1.0)
        torch._foreach_mul_([parameter.grad for parameter in stepper.parameters if parameter.grad is not None], scale)
    stepper.step(rule.lr * rule.schedule.scale(step))
