"""torch's fused optimisers without the book-keeping that they repeat at every step."""

from typing import Any

import torch
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.optim.rules import Rule

_State = dict[str, list[Tensor]]


class Stepper:
    r"""One update rule at work on one model: torch's optimiser, its fused kernel called directly.

    Every call of torch's `step` gathers parameters and states into lists, groups them by device and opens a profiler
    region; on small networks that costs more than the arithmetic. The lists do not change, so here they are made once.
    Whatever does not fit (mixed devices, a parameter without gradient, another optimiser) goes through torch's `step`.

    Args:
        rule: which update.
        model: whose trainable parameters.

    Example:
        >>> from chainrule.optim import Sgd
        >>> layer = nn.Linear(1, 1, bias=False)
        >>> stepper = Stepper(Sgd(lr=0.5, momentum=0.0), layer)
        >>> before = layer.weight.item()
        >>> layer(torch.ones(1, 1)).sum().backward()
        >>> stepper.step(0.5)
        >>> round(before - layer.weight.item(), 6)
        0.5

    Reference:
        Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019 (the kernel is torch's).

    Differs:
        Not from torch.optim in any bit of the result; the optimiser's own step hooks are not called.
    """

    def __init__(self, rule: Rule, model: nn.Module) -> None:
        self.rule = rule
        self.optimizer = rule.build(model)
        self.parameters: list[Tensor] = [
            parameter for group in self.optimizer.param_groups for parameter in group["params"]
        ]
        self._states: list[_State] = []

    def step(self, rate: float) -> None:
        """One update with the gradients that the parameters hold, at this learning rate."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        gradients = [[parameter.grad for parameter in group["params"]] for group in self.optimizer.param_groups]
        if not self._states or any(gradient is None for group in gradients for gradient in group):
            self._start_momentum()
            self.optimizer.step()
            self._states = self._gather()
            return
        for group, state, held in zip(self.optimizer.param_groups, self._states, gradients, strict=True):
            if isinstance(self.optimizer, torch.optim.AdamW):
                _adamw(group, state, held)
            else:
                _sgd(group, state, held)

    def clear(self) -> None:
        """Forgets the gradients."""
        for parameter in self.parameters:
            parameter.grad = None

    def state_dict(self) -> dict[str, Any]:
        """The optimiser's own state."""
        return self.optimizer.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up where `state_dict` left off."""
        self.optimizer.load_state_dict(state)
        self._states = []
        for parameter, held in self.optimizer.state.items():
            _check_shapes(parameter, held)

    def _start_momentum(self) -> None:
        """From zero where there is none: torch's fused kernel cannot start one parameter later than the others."""
        for group in self.optimizer.param_groups:
            for parameter in group["params"] if group.get("momentum") else ():
                state = self.optimizer.state[parameter]
                if parameter.grad is not None and state.get("momentum_buffer") is None:
                    state["momentum_buffer"] = torch.zeros_like(parameter)

    def _gather(self) -> list[_State]:
        """The optimiser's state as lists, group by group; nothing where the fused kernel cannot take it whole."""
        if not isinstance(self.optimizer, torch.optim.AdamW | torch.optim.SGD):
            return []
        if len({(parameter.device, parameter.dtype) for parameter in self.parameters}) > 1:
            return []
        states: list[_State] = []
        for group in self.optimizer.param_groups:
            each = [self.optimizer.state[parameter] for parameter in group["params"]]
            names = [name for name, value in each[0].items() if isinstance(value, Tensor)] if each else []
            if any(name not in state for name in names for state in each):
                return []
            states.append({name: [state[name] for state in each] for name in names})
        return states


def _check_shapes(parameter: Tensor, held: dict[str, Any]) -> None:
    """torch looks at no shape, and its fused kernels would write past the end of a shorter average."""
    for name, value in held.items():
        due = torch.Size() if name == "step" else parameter.shape
        if isinstance(value, Tensor) and value.shape != due:
            raise InputError(
                "an optimiser's averages have the shapes of their weights",
                advice="build the model and freeze its layers as they were when it was saved",
                name=name,
                average=tuple(value.shape),
                weight=tuple(parameter.shape),
            )


def _adamw(group: dict[str, Any], state: _State, gradients: list[Tensor]) -> None:
    torch._foreach_add_(state["step"], 1)
    torch._fused_adamw_(
        group["params"],
        gradients,
        state["exp_avg"],
        state["exp_avg_sq"],
        [],
        state["step"],
        lr=group["lr"],
        beta1=group["betas"][0],
        beta2=group["betas"][1],
        weight_decay=group["weight_decay"],
        eps=group["eps"],
        amsgrad=False,
        maximize=False,
    )


def _sgd(group: dict[str, Any], state: _State, gradients: list[Tensor]) -> None:
    torch._fused_sgd_(
        group["params"],
        gradients,
        state.get("momentum_buffer", []),
        weight_decay=group["weight_decay"],
        momentum=group["momentum"],
        lr=group["lr"],
        dampening=0.0,
        nesterov=group["nesterov"],
        maximize=False,
        is_first_step=False,
    )
