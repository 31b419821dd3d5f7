"""Batch normalisation without a memory, which costs no more when many tasks are computed at once."""

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor, nn
from torch._C._functorch import is_batchedtensor

from chainrule.errors import InputError
from chainrule.shapes import Float


class TaskNorm(nn.Module):
    r"""Normalises every channel by mean and deviation of the batch at hand, in training and in evaluation alike.

    $$y = \gamma\,\frac{x - \text{mean}(x)}{\sqrt{\text{variance}(x) + \epsilon}} + \beta$$

    Nothing is remembered from one batch to the next: in few-shot learning a batch is one task, and the statistics of
    other tasks would not fit it. Under `torch.vmap` over tasks, each with its own $\gamma$ and $\beta$, the channels of
    all tasks are normalised side by side by the one fused kernel.

    Args:
        channels: of the picture.
        eps: $\epsilon$, what keeps the quotient finite.

    Shape:
        pictures: (batch, channel, height, width); returns (batch, channel, height, width).

    Example:
        >>> norm = TaskNorm(3)
        >>> pictures = 5 + 2 * torch.randn(8, 3, 4, 4)
        >>> norm(pictures).mean((0, 2, 3)).abs().max().item() < 1e-5
        True

    Reference:
        Ioffe and Szegedy, Batch Normalization, 2015; without running statistics as in Finn, Abbeel and Levine,
        Model-Agnostic Meta-Learning, 2017.

    Differs:
        Not from `nn.BatchNorm2d(channels, track_running_stats=False)`, but under `vmap` torch scales and shifts outside
        of the kernel, in further passes over the picture.
    """

    def __init__(self, channels: int, *, eps: float = 1e-5) -> None:
        super().__init__()
        if channels < 1 or not eps > 0:
            raise InputError("`channels` and `eps` must be positive", advice="try eps=1e-5", channels=channels, eps=eps)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(
        self, pictures: Float[Tensor, "batch channel height width"]
    ) -> Float[Tensor, "batch channel height width"]:
        """The pictures with mean `bias` and deviation `weight` in every channel."""
        if not torch.compiler.is_compiling() and is_batchedtensor(pictures):
            return _SideBySide.apply(pictures, self.weight, self.bias, self.eps)
        return _normalise(pictures, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Channels, for `print(model)`."""
        return f"channels={self.weight.numel()}"


def _normalise(pictures: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
    return F.batch_norm(pictures, None, None, weight, bias, training=True, eps=eps)


class _SideBySide(torch.autograd.Function):
    """Only a rule for `vmap`: below it torch's own kernel, with its own first and second derivatives, does the work."""

    @staticmethod
    def forward(pictures: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tensor:
        return _normalise(pictures, weight, bias, eps)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Nothing is kept: torch differentiates what `vmap` calls."""

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *args: Any) -> tuple[Tensor, int]:
        pictures, weight, bias, eps = args

        def of_tasks(tensor: Tensor, axis: int | None, place: int) -> Tensor:
            if axis is None:
                return tensor.unsqueeze(place).expand(*tensor.shape[:place], info.batch_size, *tensor.shape[place:])
            return tensor.movedim(axis, place)

        channels = of_tasks(pictures, in_dims[0], 1).flatten(1, 2)  # (batch, task x channel, height, width)
        scale, shift = of_tasks(weight, in_dims[1], 0).flatten(), of_tasks(bias, in_dims[2], 0).flatten()
        return _normalise(channels, scale, shift, eps).unflatten(1, (info.batch_size, -1)), 1
