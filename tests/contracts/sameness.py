"""When two results are the same, bit for bit."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from chainrule.data import seeded


def made(build: Any, seed: int = 0) -> Any:
    """What `build` gives under one fixed seed."""
    with seeded(seed):
        return build()


def same(one: Any, other: Any) -> bool:  # noqa: PLR0911 (one line per kind of thing)
    """Equal in every bit, NaN included, through dicts, sequences, dataclasses and modules."""
    if isinstance(one, Tensor):
        return one.dtype == other.dtype and one.shape == other.shape and _bits(one, other)
    if isinstance(one, nn.Module):
        return same(one.state_dict(), other.state_dict())
    if isinstance(one, Mapping):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, Sequence) and not isinstance(one, str | bytes):
        return len(one) == len(other) and all(same(left, right) for left, right in zip(one, other, strict=True))
    if dataclasses.is_dataclass(one):
        return type(one) is type(other) and same(vars(one), vars(other))
    if isinstance(one, float):
        return one == other or (one != one and other != other)  # noqa: PLR0124 (NaN differs from itself)
    return type(one) is type(other) and (one == other or type(one).__eq__ is object.__eq__)


def tensors(result: Any) -> list[Tensor]:
    """All tensors of a nested result."""
    leaves = torch.utils._pytree.tree_leaves(result)
    return [leaf for leaf in leaves if isinstance(leaf, Tensor)]


def _bits(one: Tensor, other: Tensor) -> bool:
    if one.is_floating_point():
        return torch.equal(one.nan_to_num(nan=0.0), other.nan_to_num(nan=0.0)) and torch.equal(
            one.isnan(), other.isnan()
        )
    return torch.equal(one, other)
