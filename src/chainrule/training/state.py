"""Nested state taken apart: the tensors, and a skeleton of plain data that JSON can hold."""

import math
from typing import Any

from torch import Tensor

from chainrule.errors import CheckpointError, InputError

DEPTH = 100
_PLAIN = (str, bool, int, type(None))


def pack(state: Any) -> tuple[Any, dict[str, Tensor]]:
    """Takes a nested state apart into a skeleton for JSON and its tensors by path.

    The skeleton keeps what JSON would lose: tuples, keys that are not text, numbers that are not finite, which tensors
    are one and the same, and in which order a tensor's axes lie in memory (an optimiser's fused kernel walks memory,
    so averages that come back in another layout than their weights would be added to the wrong weights).

    Args:
        state: dicts, lists, tuples, numbers, text, `None` and tensors, nested.

    Example:
        >>> import torch
        >>> skeleton, tensors = pack({"w": torch.ones(2), "betas": (0.9, 0.99), 3: None})
        >>> skeleton
        {'items': [['w', {'tensor': 'w'}], ['betas', {'tuple': [0.9, 0.99]}], [3, None]]}
        >>> list(tensors)
        ['w']
    """
    packer = _Packer()
    return packer.pack(state, ()), packer.tensors


def unpack(skeleton: Any, tensors: dict[str, Tensor]) -> Any:
    """Puts together what `pack` took apart; nothing in it can name code, only plain data and tensors come out.

    Args:
        skeleton: as `pack` made it, perhaps by way of JSON.
        tensors: by path.

    Example:
        >>> import torch
        >>> unpack(*pack({"w": torch.ones(2), "betas": (0.9, 0.99), 3: None}))
        {'w': tensor([1., 1.]), 'betas': (0.9, 0.99), 3: None}
    """
    return _unpack(skeleton, tensors, 0)


def memory_of(tensor: Tensor) -> tuple[Any, ...] | None:
    """What tells whether two tensors are the same numbers in the same place; `None` where there are no numbers.

    Args:
        tensor: any tensor.

    Example:
        >>> import torch
        >>> weight = torch.ones(2, 2)
        >>> memory_of(weight) == memory_of(weight.view(2, 2)), memory_of(weight) == memory_of(weight.T)
        (True, False)
    """
    if tensor.numel() == 0:
        return None
    return tensor.data_ptr(), tensor.dtype, tensor.device, tensor.shape, tensor.stride()


class _Packer:
    def __init__(self) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._names: dict[tuple[Any, ...], str] = {}

    def pack(self, value: Any, path: tuple[object, ...]) -> Any:
        if len(path) > DEPTH:
            raise InputError("a state may be nested 100 deep", advice="flatten it", path=_joined(path)[:80])
        if isinstance(value, Tensor):
            return self._tensor(value.detach(), path)
        if isinstance(value, _PLAIN) or (isinstance(value, float) and math.isfinite(value)):
            return value
        if isinstance(value, float):
            return {"float": repr(value)}
        if isinstance(value, tuple):
            return {"tuple": [self.pack(part, (*path, place)) for place, part in enumerate(value)]}
        if isinstance(value, list):
            return [self.pack(part, (*path, place)) for place, part in enumerate(value)]
        if isinstance(value, dict):
            return self._dict(value, path)
        raise InputError(
            "a state holds tensors and plain data only (numbers, text, None, lists, tuples, dicts)",
            advice="turn it into one of these in `state_dict`",
            path=_joined(path),
            kind=type(value).__name__,
        )

    def _dict(self, value: dict[Any, Any], path: tuple[object, ...]) -> Any:
        if all(isinstance(key, str) for key in value):
            return {"dict": {key: self.pack(part, (*path, key)) for key, part in value.items()}}
        return {"items": [[self.pack(key, path), self.pack(part, (*path, key))] for key, part in value.items()]}

    def _tensor(self, tensor: Tensor, path: tuple[object, ...]) -> Any:
        memory = memory_of(tensor)
        name = self._names.get(memory) if memory else None
        if name is None:
            name = self._free(_joined(path))
            self.tensors[name] = tensor
            if memory:
                self._names[memory] = name
        order = axis_order(tensor)
        return {"tensor": name, "order": order} if order else {"tensor": name}

    def _free(self, name: str) -> str:
        free, count = name, 1
        while free in self.tensors or free == "__metadata__":
            count += 1
            free = f"{name}~{count}"
        return free


def axis_order(tensor: Tensor) -> list[int] | None:
    """In which order a dense tensor's axes lie in memory, the slowest first; `None` where it is their own order.

    Args:
        tensor: any tensor.

    Example:
        >>> import torch
        >>> axis_order(torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last))
        [0, 2, 3, 1]
    """
    if tensor.is_contiguous():
        return None
    order = sorted(range(tensor.ndim), key=lambda axis: -tensor.stride(axis))
    return order if tensor.permute(order).is_contiguous() else None


def _joined(path: tuple[object, ...]) -> str:
    return "/".join(str(part) for part in path)


def _unpack(value: Any, tensors: dict[str, Tensor], depth: int) -> Any:
    if depth > 2 * DEPTH:
        raise _alien("a state is nested less deep")
    if isinstance(value, (*_PLAIN, float)):
        return value
    if isinstance(value, list):
        return [_unpack(part, tensors, depth + 1) for part in value]
    kind = next(iter(value), None)
    inside = value.get(kind)
    if kind == "tensor" and isinstance(inside, str) and inside in tensors:
        return _laid_out(tensors[inside], value.get("order"))
    if kind == "float" and inside in ("nan", "inf", "-inf"):
        return float(inside)
    return _unpack_many(kind, inside, tensors, depth + 1)


def _unpack_many(kind: Any, inside: Any, tensors: dict[str, Tensor], depth: int) -> Any:
    if kind == "dict" and isinstance(inside, dict):
        return {key: _unpack(part, tensors, depth) for key, part in inside.items()}
    if kind == "tuple" and isinstance(inside, list):
        return tuple(_unpack(part, tensors, depth) for part in inside)
    if kind == "items" and isinstance(inside, list):
        return dict(_pair(pair, tensors, depth) for pair in inside)
    raise _alien(f"{str(kind)[:60]!r} is no part of a state")


def _alien(fact: str) -> CheckpointError:
    return CheckpointError(fact, advice="this file was not written by Chainrule")


def _pair(pair: Any, tensors: dict[str, Tensor], depth: int) -> tuple[Any, Any]:
    if not isinstance(pair, list) or len(pair) != 2:
        raise _alien("an item is a key and a value")
    key = _unpack(pair[0], tensors, depth)
    try:
        hash(key)
    except TypeError as error:
        raise _alien("a key is plain data") from error
    return key, _unpack(pair[1], tensors, depth)


def _laid_out(tensor: Tensor, order: Any) -> Tensor:
    if order is None:
        return tensor
    axes = list(range(tensor.ndim))
    if not isinstance(order, list) or any(type(axis) is not int for axis in order) or sorted(order) != axes:
        raise _alien("`order` names every axis once")
    back = [order.index(axis) for axis in axes]
    return tensor.permute(order).contiguous().permute(back)
