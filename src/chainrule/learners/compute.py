"""How a step is computed, as a value: in which precision, and one operation at a time or all at once."""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import nn

from chainrule.errors import InputError

Precision = Literal["float32", "tf32", "bfloat16"]
Execution = Literal["auto", "eager", "captured", "compiled"]


@dataclass(frozen=True)
class Compute:
    """How a learner computes its steps; what they compute stays the same.

    Args:
        precision: "bfloat16" computes the network in half the bits; weights and loss stay float32. "tf32" lets a CUDA
            device round what it multiplies, in matrix products, to 10 bits after the point; elsewhere it is float32.
        execution: "eager" starts one operation after another; "captured" records the whole step as one CUDA graph and
            replays it, so that the processor starts one thing per step; "compiled" has network and objective
            translated by `torch.compile`, and on a CUDA device captured, too. "auto" is captured on a CUDA device,
            where the step can be, and eager elsewhere. What the network does in Python, beside its tensors, is done
            when a step is captured and not again.

    Example:
        >>> Compute(precision="bfloat16")
        Compute(precision='bfloat16', execution='auto')
    """

    precision: Precision = "float32"
    execution: Execution = "auto"

    def __post_init__(self) -> None:
        """Both are words that we know."""
        for name, allowed in (("precision", get_args(Precision)), ("execution", get_args(Execution))):
            if getattr(self, name) not in allowed:
                raise InputError(
                    f"`{name}` must be one of {', '.join(allowed)}",
                    advice=f"try {allowed[0]}",
                    **{name: getattr(self, name)},
                )


def arrange(network: nn.Module | None) -> None:
    """Lays the weights of convolutions on a CUDA device out as its matrix units like them, channels last.

    Args:
        network: laid out in place; its numbers stay the same.

    Example:
        >>> network = nn.Conv2d(2, 2, 3)
        >>> arrange(network)    # on the CPU it stays as it is
        >>> network.weight.is_contiguous()
        True
    """
    if network is not None and any(parameter.is_cuda for parameter in network.parameters()):
        network.to(memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue] (torch leaves it out)


def forward_in(precision: Precision, device: torch.device) -> AbstractContextManager[object]:
    """Inside, what goes forward through a network is computed in this precision.

    Args:
        precision: as of `Compute`.
        device: where the network is.

    Example:
        >>> with forward_in("bfloat16", torch.device("cpu")):
        ...     print((torch.ones(2, 2) @ torch.ones(2, 2)).dtype)
        torch.bfloat16
    """
    return torch.autocast(device.type, torch.bfloat16) if precision == "bfloat16" else nullcontext()


@contextmanager
def multiplying_in(precision: Precision) -> Generator[None]:
    """Inside, matrix products of float32, forwards and backwards, are rounded as this precision says.

    Args:
        precision: as of `Compute`.

    Example:
        >>> with multiplying_in("tf32"):
        ...     print(torch.get_float32_matmul_precision())
        high
    """
    if precision != "tf32":
        yield
        return
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
