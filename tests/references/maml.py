"""MAML written from the paper's algorithm 2, task by task and step by step, without any function of the library."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.func import functional_call

Loss = Callable[[Tensor, Tensor], Tensor]


def slow_maml(
    model: torch.nn.Module,
    loss: Loss,
    support: list[tuple[Tensor, Tensor]],
    query: list[tuple[Tensor, Tensor]],
    *,
    steps: int,
    rate: float,
    first_order: bool = False,
) -> tuple[Tensor, list[Tensor]]:
    """The mean loss over tasks after adaptation, and its gradient with respect to every parameter."""
    start = dict(model.named_parameters())
    total = torch.zeros((), dtype=next(iter(start.values())).dtype)
    for (support_inputs, support_targets), (query_inputs, query_targets) in zip(support, query, strict=True):
        weights = dict(start)
        for _ in range(steps):
            inner = loss(functional_call(model, weights, (support_inputs,)), support_targets)
            gradients = torch.autograd.grad(inner, list(weights.values()), create_graph=not first_order)
            if first_order:
                gradients = [gradient.detach() for gradient in gradients]
            weights = {
                name: weight - rate * gradient
                for (name, weight), gradient in zip(weights.items(), gradients, strict=True)
            }
        total = total + loss(functional_call(model, weights, (query_inputs,)), query_targets) / len(support)
    return total.detach(), list(torch.autograd.grad(total, list(start.values())))
