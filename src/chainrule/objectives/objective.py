"""What is to be minimised: `objective(model, batch) -> Loss(value, metrics)`.

Objectives are pure and compose: one objective may wrap another. They know neither optimiser nor loop.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, NamedTuple

from torch import Tensor

from chainrule.data import BatchT

Model = Callable[..., Tensor]
"""A module, or a function of the batch's inputs: what an objective calls."""


class Loss(NamedTuple):
    """The number to minimise, and numbers to watch.

    Args:
        value: a scalar with a gradient.
        metrics: detached scalars by name; they stay tensors until somebody prints them.

    Example:
        >>> import torch
        >>> value = torch.tensor(0.25, requires_grad=True)
        >>> Loss(value, {"loss": value.detach()}).metrics["loss"].item()
        0.25
    """

    value: Tensor
    metrics: dict[str, Tensor]


class Objective(ABC, Generic[BatchT]):
    """A pure function from a model and a batch to a loss."""

    @abstractmethod
    def __call__(self, model: Model, batch: BatchT) -> Loss:
        """The loss of `model` on `batch`, as a mean over examples."""

    def check(self, model: Model, batch: BatchT) -> None:
        """Raises an `InputError` that says why this model cannot learn from this batch; run before the first step."""
