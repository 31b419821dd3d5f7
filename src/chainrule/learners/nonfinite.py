"""Where the first number that is not finite came from."""

from typing import Any

import torch
from torch import Tensor, nn

from chainrule.data import Batch
from chainrule.objectives import Objective


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
    for name, tensor in batch.tensors().items():
        if not _finite(tensor):
            return f"first in the batch itself ({name})"
    for name, parameter in model.named_parameters():
        if not _finite(parameter):
            return f"first in the weights themselves ({name})"
    forward, backward = _watch(model, objective, batch)
    if forward:
        return f"first in the output of {forward}"
    if backward:
        return f"first in the gradient through {backward}"
    return "not again when the same batch was run once more, which points at the hardware or a race"


def _watch(model: nn.Module, objective: Objective[Any], batch: Batch) -> tuple[str, str]:
    forward: list[str] = []
    backward: list[str] = []
    handles = []
    for name, module in model.named_modules():
        if next(module.children(), None) is not None:
            continue
        label = f"module `{name}` ({type(module).__name__})" if name else f"the model ({type(module).__name__})"

        def note_output(_module: nn.Module, _inputs: object, output: object, label: str = label) -> None:
            if isinstance(output, Tensor) and not _finite(output):
                forward.append(label)
            if isinstance(output, Tensor) and output.requires_grad:

                def note_gradient(gradient: Tensor) -> None:
                    if not _finite(gradient):
                        backward.append(label)

                output.register_hook(note_gradient)

        handles.append(module.register_forward_hook(note_output))
    try:
        loss = objective(model, batch).value
        if not _finite(loss) and not forward:
            forward.append(f"the objective ({type(objective).__name__})")
        loss.backward()
        if not backward:
            backward.extend(f"the gradient of `{name}`" for name, parameter in model.named_parameters()
                            if parameter.grad is not None and not _finite(parameter.grad))  # fmt: skip
    finally:
        for handle in handles:
            handle.remove()
    return (forward or [""])[0], (backward or [""])[0]


def _finite(tensor: Tensor) -> bool:
    return not tensor.is_floating_point() or bool(torch.isfinite(tensor).all())
