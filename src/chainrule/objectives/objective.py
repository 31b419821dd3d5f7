"""What is to be minimised: `objective(model, batch) -> Loss(value, metrics)`.

Objectives are pure and compose: one objective may wrap another. They know neither optimiser nor loop.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, NamedTuple

import torch
from torch import Tensor, nn

from chainrule.data import Batch, BatchT
from chainrule.errors import InputError

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


@torch.no_grad()
def tried(model: Model, batch: Batch) -> Tensor:
    """What the model answers to a batch, or an `InputError` that says why it cannot: for an objective's `check`.

    Args:
        model: a module, or a function of the batch's inputs.
        batch: what it shall learn from.

    Example:
        >>> from chainrule.data import Table
        >>> tried(nn.Linear(3, 2), Table(torch.zeros(5, 3), torch.zeros(5))).shape
        torch.Size([5, 2])
    """
    kinds = {name: f"{tuple(part.shape)} {part.dtype} on {part.device}" for name, part in batch.tensors().items()}
    homes = {parameter.device for parameter in model.parameters()} if isinstance(model, nn.Module) else set()
    if homes and not homes.issuperset(part.device for part in batch.tensors().values()):
        raise InputError(
            "`model` and `batch` must lie on one device",
            advice="move one of them with .to(device)",
            model=sorted(map(str, homes)),
            batch=kinds,
        )
    try:
        answer = model(*batch.inputs)
    except InputError:
        raise
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise InputError(
            "`model` cannot take this `batch`",
            advice="compare what its first layers expect with the batch's shapes and kinds of numbers",
            model=type(model).__name__,
            batch=kinds,
            error=str(error).partition("\n")[0],
        ) from error
    if not isinstance(answer, Tensor) or not answer.is_floating_point():
        raise InputError(
            "`model` must answer with one tensor of floating point numbers",
            advice="return the scores alone, as the last layer gives them",
            model=type(model).__name__,
            answer=answer.dtype if isinstance(answer, Tensor) else type(answer).__name__,
        )
    return answer
