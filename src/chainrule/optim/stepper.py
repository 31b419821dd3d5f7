"""Update rules at work: torch's fused kernels, called directly on lists that are made once."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.optim.rules import AdamW, Rule, Sgd, groups


@dataclass(frozen=True)
class _Bundle:
    """What one call of a kernel takes: parameters of one kind, on one device, with one decay."""

    places: list[int]
    parameters: list[Tensor]
    state: dict[str, list[Tensor]]
    weight_decay: float


class Stepper:
    r"""One update rule at work on one model, with the averages that it keeps.

    torch's `Optimizer.step` gathers parameters and averages into lists, groups them by device and opens a profiler
    region at every call, which on small networks costs more than the arithmetic; and making any `torch.optim` object
    imports the compiler, which takes a second. The kernels need neither.

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
        Not from the optimiser that `rule.build` gives in any bit of the result.
    """

    def __init__(self, rule: Rule, model: nn.Module) -> None:
        self.rule = rule
        self.parameters: list[Tensor] = []
        self._decays: list[float] = []
        for group in groups(model, rule.weight_decay):
            self.parameters += group["params"]
            self._decays += [group["weight_decay"]] * len(group["params"])
        self._state: dict[int, dict[str, Tensor]] = {}
        self._whole: list[_Bundle] = []

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """One update with the gradients that the parameters hold, at this learning rate."""
        gradients = [parameter.grad for parameter in self.parameters]
        missing = any(gradient is None for gradient in gradients)
        if missing:
            bundles = self._bundles(place for place, gradient in enumerate(gradients) if gradient is not None)
        else:
            bundles = self._whole = self._whole or self._bundles(range(len(gradients)))
        for bundle in bundles:
            held = [_real(gradient) for place in bundle.places if (gradient := gradients[place]) is not None]
            if isinstance(self.rule, AdamW):
                _adamw(self.rule, bundle, held, rate)
            else:
                _sgd(self.rule, bundle, held, rate)

    def clear(self) -> None:
        """Forgets the gradients."""
        for parameter in self.parameters:
            parameter.grad = None

    def state_dict(self) -> dict[int, dict[str, Tensor]]:
        """The averages, by the parameter's place."""
        return {place: dict(held) for place, held in self._state.items()}

    def load_state_dict(self, state: dict[int, dict[str, Tensor]]) -> None:
        """Takes up where `state_dict` left off."""
        loaded: dict[int, dict[str, Tensor]] = {}
        for place, held in state.items():
            if not 0 <= place < len(self.parameters):
                raise InputError("there is no parameter of this place", advice=_ADVICE, place=place)
            fresh = self._fresh(self.parameters[place])
            if held.keys() != fresh.keys():
                raise InputError("the averages are not this rule's", advice=_ADVICE, found=[*held], expected=[*fresh])
            loaded[place] = {name: _fitting(name, held[name], due) for name, due in fresh.items()}
        self._state, self._whole = loaded, []

    def _bundles(self, places: Iterable[int]) -> list[_Bundle]:
        sorts: dict[object, list[int]] = {}
        for place in places:
            parameter = self.parameters[place]
            sorts.setdefault((self._decays[place], parameter.device, parameter.dtype), []).append(place)
        return [self._bundle(alike) for alike in sorts.values()]

    def _bundle(self, places: list[int]) -> _Bundle:
        parameters = [self.parameters[place] for place in places]
        for place, parameter in zip(places, parameters, strict=True):
            if place not in self._state:
                self._state[place] = self._fresh(parameter)
        each = [self._state[place] for place in places]
        state = {name: [_real(held[name]) for held in each] for name in each[0]}
        return _Bundle(places, [_real(parameter) for parameter in parameters], state, self._decays[places[0]])

    def _fresh(self, parameter: Tensor) -> dict[str, Tensor]:
        """The averages of a parameter that has not moved yet."""
        if isinstance(self.rule, AdamW):
            step = torch.zeros((), dtype=torch.float32, device=parameter.device)
            return {"step": step, "exp_avg": torch.zeros_like(parameter), "exp_avg_sq": torch.zeros_like(parameter)}
        return {"momentum_buffer": torch.zeros_like(parameter)} if self.rule.momentum else {}


_ADVICE = "build the model, and freeze its layers, as they were when it was saved"


def _fitting(name: str, value: Tensor, due: Tensor) -> Tensor:
    """A copy of a loaded average, fit for its parameter: the kernels would write past the end of a shorter one."""
    if value.shape != due.shape:
        raise InputError(
            "a rule's averages have the shapes of their weights",
            advice=_ADVICE,
            name=name,
            average=tuple(value.shape),
            weight=tuple(due.shape),
        )
    return due.copy_(value)


def _real(tensor: Tensor) -> Tensor:
    """Complex numbers as pairs: the kernels know real ones only."""
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def _adamw(rule: AdamW, bundle: _Bundle, gradients: list[Tensor], rate: float) -> None:
    torch._foreach_add_(bundle.state["step"], 1)
    torch._fused_adamw_(
        bundle.parameters,
        gradients,
        bundle.state["exp_avg"],
        bundle.state["exp_avg_sq"],
        [],
        bundle.state["step"],
        lr=rate,
        beta1=rule.betas[0],
        beta2=rule.betas[1],
        weight_decay=bundle.weight_decay,
        eps=rule.eps,
        amsgrad=False,
        maximize=False,
    )


def _sgd(rule: Sgd, bundle: _Bundle, gradients: list[Tensor], rate: float) -> None:
    torch._fused_sgd_(
        bundle.parameters,
        gradients,
        bundle.state.get("momentum_buffer", []),
        weight_decay=bundle.weight_decay,
        momentum=rule.momentum,
        lr=rate,
        dampening=0.0,
        nesterov=rule.nesterov,
        maximize=False,
        is_first_step=False,
    )
