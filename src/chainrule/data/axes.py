"""What a batch's tensors must look like, checked when the batch is made and before anything is computed."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

import torch
from torch import Tensor

from chainrule.errors import InputError

Numbers = Literal["any", "whole", "floating"]


@dataclass(frozen=True)
class Axes:
    """The axes of one tensor, and the numbers it holds.

    Args:
        names: what each axis counts, in order; several readings are allowed.
        numbers: "whole" for classes, tokens and node numbers, "floating" for measurements.

    Example:
        >>> import torch
        >>> Axes(("batch", "batch output")).fits(torch.zeros(4, 2))
        True
    """

    names: tuple[str, ...]
    numbers: Numbers = "any"

    def fits(self, tensor: Tensor) -> bool:
        """Whether the tensor has these axes and numbers of this kind."""
        return tensor.ndim in _counts(self.names) and _KINDS[self.numbers](tensor)

    def __str__(self) -> str:
        """The axes as they stand in an error message."""
        shapes = " or ".join(f"({', '.join(name.split())})" for name in self.names)
        return shapes if self.numbers == "any" else f"{shapes} of {self.numbers} numbers"


@cache
def _counts(names: tuple[str, ...]) -> frozenset[int]:
    return frozenset(len(name.split()) for name in names)


def _whole(tensor: Tensor) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)


def _any(tensor: Tensor) -> bool:
    return tensor.ndim >= 0


_KINDS = {"any": _any, "whole": _whole, "floating": Tensor.is_floating_point}


def demand(owner: str, tensors: Mapping[str, Tensor], axes: Mapping[str, Axes]) -> None:
    """Raises an `InputError` that names the first tensor whose axes or numbers are wrong.

    Args:
        owner: what the tensors belong to, for the message.
        tensors: the tensors by name.
        axes: what each must look like; a tensor without an entry is not looked at.

    Example:
        >>> import torch
        >>> demand("Images", {"labels": torch.zeros(3)}, {"labels": Axes(("batch",), "whole")})
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: `labels` of Images must be (batch) of whole numbers. ...
    """
    for name, wanted in axes.items():
        tensor = tensors.get(name)
        if tensor is not None and not wanted.fits(tensor):
            raise InputError(
                f"`{name}` of {owner} must be {wanted}",
                advice="reshape or convert it before making the batch",
                shape=tuple(tensor.shape),
                dtype=str(tensor.dtype),
            )
