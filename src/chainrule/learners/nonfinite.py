"""Where the first number that is not finite came from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from chainrule.data import Batch
from chainrule.objectives import Objective


class Before:
    """What a forward pass changes by itself, as it was before it: running statistics and the random generator.

    A batch that is refused must leave no trace; of the weights it never had one.
    """

    def __init__(self, model: nn.Module) -> None:
        saved = {id(tensor) for tensor in model.state_dict(keep_vars=True).values()}  # others are fixed, as masks are
        found = [buffer for buffer in model.buffers() if id(buffer) in saved]
        buffers = [torch.view_as_real(buffer) if buffer.is_complex() else buffer for buffer in found]
        kinds = {buffer.dtype for buffer in buffers}
        self._buffers = [[buffer for buffer in buffers if buffer.dtype == kind] for kind in kinds]  # one launch each
        self._kept = [[buffer.clone() for buffer in alike] for alike in self._buffers]
        self._random = torch.get_rng_state()

    def keep(self) -> None:
        """Notes how things are."""
        for kept, buffers in zip(self._kept, self._buffers, strict=True):
            torch._foreach_copy_(kept, buffers)
        self._random = torch.get_rng_state()

    def restore(self) -> None:
        """Puts things back as they were."""
        for kept, buffers in zip(self._kept, self._buffers, strict=True):
            torch._foreach_copy_(buffers, kept)
        torch.set_rng_state(self._random)

    @torch.no_grad()
    def put_back(self, bad: Tensor) -> None:
        r"""Puts the running statistics back where `bad` is one, which only their device need know.

        $$b \leftarrow b + [\text{bad}]\,(k - b)$$ in whole numbers, bit by bit: these are exact, and none is NaN.
        """
        for kept, buffers in zip(self._kept, self._buffers, strict=True):
            kind = _WHOLE[buffers[0].itemsize]
            changed = [buffer.view(kind) for buffer in buffers]
            ways = torch._foreach_sub([buffer.view(kind) for buffer in kept], changed)
            torch._foreach_mul_(ways, bad.to(kind))
            torch._foreach_add_(changed, ways)


_WHOLE = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def blame(model: nn.Module, objective: Objective[Any], batch: Batch) -> str:
    """Runs the batch once more, watching every module, and says where the first non-finite number appears.

    Args:
        model: the network.
        objective: what was minimised.
        batch: on which it went wrong.

    Example:
        >>> from chainrule.data import Table
        >>> from chainrule.objectives import Regress
        >>> batch = Table(torch.tensor([[float("nan")]]), torch.zeros(1, 1))
        >>> blame(nn.Linear(1, 1), Regress(), batch)
        'first in the batch itself (features)'
    """
    again = "not again when the same batch was run once more, which points at the hardware or a race"
    return next(_findings(model, objective, batch), again)


def _findings(model: nn.Module, objective: Objective[Any], batch: Batch) -> Iterator[str]:
    """In the order in which they happen: at rest, forwards, backwards."""
    for name, tensor in batch.tensors().items():
        if not _finite(tensor):
            yield f"first in the batch itself ({name})"
    for name, parameter in model.named_parameters():
        if not _finite(parameter):
            yield f"first in the weights themselves ({name})"
    loss, calls = _watch(model, objective, batch)
    for call in calls:  # a module returns before the one that contains it: the innermost comes first
        if call.took_finite and not call.gave_finite:
            yield f"first in the output of {call.label}"
    if not _finite(loss):
        yield f"first in the objective ({type(objective).__name__})"
    yield from _backward_findings(model, objective, calls)


def _backward_findings(model: nn.Module, objective: Objective[Any], calls: "list[_Call]") -> Iterator[str]:
    for call in calls:
        if call.gradient_came_finite and not (call.gradient_left_finite and call.own_gradients_finite()):
            yield f"first in the gradient through {call.label}"
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    if not all(map(_finite, gradients)):
        yield f"first in the gradient of the objective ({type(objective).__name__})"
    if not _finite(torch.stack([gradient.norm() for gradient in gradients]).norm()):
        yield "in the gradient's length, which is too large for its kind of number"


@dataclass
class _Call:
    """One call of one module: what was finite of what it took and gave, forwards and backwards."""

    label: str
    module: nn.Module
    took_finite: bool
    gave_finite: bool
    gradient_came_finite: bool = True
    gradient_left_finite: bool = True

    def own_gradients_finite(self) -> bool:
        own = self.module.parameters(recurse=False)
        return all(_finite(parameter.grad) for parameter in own if parameter.grad is not None)

    def note_arrival(self, gradient: Tensor) -> None:
        self.gradient_came_finite &= _finite(gradient)

    def note_departure(self, gradient: Tensor) -> None:
        self.gradient_left_finite &= _finite(gradient)


def _watch(model: nn.Module, objective: Objective[Any], batch: Batch) -> tuple[Tensor, list[_Call]]:
    calls: list[_Call] = []

    def watch(name: str, module: nn.Module) -> RemovableHandle:
        label = f"module `{name}` ({type(module).__name__})" if name else f"the model ({type(module).__name__})"

        def note(_module: nn.Module, taken: object, given: object) -> None:
            took, gave = list(_tensors(taken)), list(_tensors(given))
            call = _Call(label, module, all(map(_finite, took)), all(map(_finite, gave)))
            calls.append(call)
            for tensor in took:
                if tensor.requires_grad:
                    tensor.register_hook(call.note_departure)
            for tensor in gave:
                if tensor.requires_grad:
                    tensor.register_hook(call.note_arrival)

        return module.register_forward_hook(note)

    handles = [watch(name, module) for name, module in model.named_modules()]
    try:
        loss = objective(model, batch).value
        loss.backward()
    finally:
        for handle in handles:
            handle.remove()
    return loss, calls


def _tensors(value: object) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _tensors(part)


def _finite(tensor: Tensor) -> bool:
    return not tensor.is_floating_point() or bool(torch.isfinite(tensor).all())
