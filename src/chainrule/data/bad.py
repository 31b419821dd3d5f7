"""Examples that cannot be used: raise, or skip and count."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import torch

from chainrule.data.batch import Rows
from chainrule.errors import InputError, SampleError


@dataclass(frozen=True)
class Skip:
    """Bad examples are left out, replaced and counted, up to a share of the data set; beyond it, an error.

    Args:
        max_fraction: the largest share of bad examples that is still put up with.

    Example:
        >>> Skip(max_fraction=0.01).max_fraction
        0.01
    """

    max_fraction: float = 0.05

    def __post_init__(self) -> None:
        """A share lies between nothing and everything."""
        if not 0 <= self.max_fraction <= 1:
            raise InputError(
                "`max_fraction` must lie between 0 and 1",
                advice="0.05 puts up with one bad example in twenty",
                max_fraction=self.max_fraction,
            )

    def check(self, bad: Mapping[int, str], size: int) -> None:
        """Raises when there are too many bad examples."""
        if len(bad) > self.max_fraction * size:
            raise SampleError(
                f"no more than max_fraction={self.max_fraction:g} of the examples may be bad; "
                f"the first bad one: {next(iter(bad.values()))}",
                advice="mend or remove them, or allow a larger share with on_bad=Skip(max_fraction)",
                bad=len(bad),
                examples=size,
            )


OnBad = Literal["raise", "skip"] | Skip


def skipping(on_bad: OnBad) -> Skip | None:
    """The rule for leaving examples out, or `None` where a bad example is an error.

    Args:
        on_bad: "raise", "skip", or `Skip` with a share of its own.

    Example:
        >>> skipping("skip"), skipping("raise")
        (Skip(max_fraction=0.05), None)
    """
    if isinstance(on_bad, Skip):
        return on_bad
    if on_bad not in ("raise", "skip"):
        raise InputError(
            '`on_bad` must be "raise", "skip" or Skip(max_fraction)', advice='"raise" is the default', on_bad=on_bad
        )
    return Skip() if on_bad == "skip" else None


def not_finite(rows: Rows) -> dict[int, str]:
    """The rows that hold a number that is infinite or not a number, with what is wrong with each.

    Args:
        rows: examples.

    Example:
        >>> from chainrule.data import Table
        >>> not_finite(Table(torch.tensor([[1.0], [torch.nan]]), torch.tensor([0, 1])))
        {1: 'row 1: `features` is not finite'}
    """
    bad: dict[int, str] = {}
    for name, tensor in rows.tensors().items():
        if tensor.is_floating_point() and not torch.isfinite(tensor.sum()):  # a sum is quick, and no bad one is finite
            wrong = ~torch.isfinite(tensor).flatten(1).all(1) if tensor.ndim > 1 else ~torch.isfinite(tensor)
            for row in wrong.nonzero().flatten().tolist():
                bad.setdefault(row, f"row {row}: `{name}` is not finite")
    return dict(sorted(bad.items()))
