"""A copy of tensors that stays still while training goes on, in buffers that are filled again and again."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from chainrule.training.state import memory_of


class Staging:
    """Buffers on the CPU for copies of tensors, kept from one snapshot to the next.

    Fresh memory costs more than filling it, because the system hands it out page by page; buffers that are kept leave
    only the copy itself. Tensors on a device go into pinned memory, all at once.

    Example:
        >>> staging, weight = Staging(), torch.zeros(2)
        >>> (copied,) = staging.take([{"w": weight}])
        >>> _ = weight.add_(1)
        >>> copied["w"]
        tensor([0., 0.])
    """

    def __init__(self) -> None:
        self._buffers: list[Tensor] = []

    def take(self, groups: Sequence[dict[str, Tensor]]) -> list[dict[str, Tensor]]:
        """Contiguous copies, good until the next call; the same numbers in the same place are copied once."""
        copies: dict[tuple[Any, ...] | str, Tensor] = {}
        pending: list[tuple[Tensor, Tensor]] = []
        taken: list[dict[str, Tensor]] = []
        for place, group in enumerate(groups):
            taken.append({})
            for name, tensor in group.items():
                key = memory_of(tensor) or f"{place} {name}"
                if key not in copies:
                    copies[key] = self._buffer(len(copies), tensor)
                    pending.append((copies[key], tensor.detach()))
                taken[place][name] = copies[key]
        del self._buffers[len(copies) :]
        _copy(pending)
        return taken

    def _buffer(self, place: int, tensor: Tensor) -> Tensor:
        if place < len(self._buffers):
            kept = self._buffers[place]
            if kept.shape == tensor.shape and kept.dtype == tensor.dtype:
                return kept
            self._buffers[place] = _room(tensor)
            return self._buffers[place]
        self._buffers.append(_room(tensor))
        return self._buffers[-1]


def _room(tensor: Tensor) -> Tensor:
    return torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=tensor.is_cuda)


@torch.no_grad()
def _copy(pending: list[tuple[Tensor, Tensor]]) -> None:
    for room, tensor in pending:
        room.copy_(tensor, non_blocking=tensor.is_cuda)
    for device in {tensor.device for _, tensor in pending if tensor.is_cuda}:
        torch.cuda.synchronize(device)
