"""Update rules at work: torch's fused kernels, called directly on lists that are made once."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.optim.rules import AdamW, Rule, Sgd, groups


@dataclass(frozen=True)
class _Bundle:
    """What one call of a kernel takes: parameters of one kind, on one device, with one decay; `piece` as in `_cut`."""

    places: list[int]
    piece: int | None
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
        self._all = tuple(range(len(self.parameters)))
        self._together: tuple[int, ...] = ()  # the places that were updated last
        self._counters: list[Tensor] = []
        self._bundles: dict[bool, list[_Bundle]] = {}

    @torch.no_grad()
    def step(self, rate: float | Tensor, bad: Tensor | None = None) -> None:
        """One update with the gradients that the parameters hold, at this learning rate.

        For a device that nobody waits for, `rate` and `bad` are scalars of float32 on it: where `bad` is one, nothing
        moves. Then the update is not counted here, but by whoever knows it: see `counters`.
        """
        gradients = [parameter.grad for parameter in self.parameters]
        self._gather(gradients)
        if bad is None:
            for counter in self._counters:
                counter.add_(1)
        cut = bad is not None
        if cut not in self._bundles:
            self._bundles[cut] = self._bundled(cut=cut)
        for bundle in self._bundles[cut]:
            own = [_real(gradient) for place in bundle.places if (gradient := gradients[place]) is not None]
            if isinstance(self.rule, AdamW):
                _adamw(self.rule, bundle, _cut(own, bundle.piece), rate, bad)
            else:
                _sgd(self.rule, bundle, _cut(own, bundle.piece), rate, bad)

    def counters(self) -> list[Tensor]:
        """The numbers that count the updates of the parameters that have a gradient now: one, where one will do."""
        self._gather([parameter.grad for parameter in self.parameters])
        return self._counters

    def gradients(self, *, cut: bool = False) -> list[Tensor]:
        """The gradients that there are, for their length; cut into pieces if a device likes them so."""
        found = [parameter.grad for parameter in self.parameters if parameter.grad is not None]
        return _cut(found, _piece(found)) if cut else found

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
        self._state, self._together = loaded, ()

    def _gather(self, gradients: list[Tensor | None]) -> None:
        """Makes averages for those that are updated, and lets them count together where they always were."""
        missing = any(gradient is None for gradient in gradients)
        places = tuple(place for place in self._all if gradients[place] is not None) if missing else self._all
        if places == self._together:
            return
        self._together, self._bundles = places, {}
        for place in places:
            if place not in self._state:
                self._state[place] = self._fresh(self.parameters[place])
        counting = [held for held in self._state.values() if "step" in held]
        for held in counting:
            held["step"] = held["step"].clone()
        together = [held for place in places if "step" in (held := self._state[place])]
        shared: dict[tuple[torch.device, float], Tensor] = {}
        for held in together:
            held["step"] = shared.setdefault((held["step"].device, held["step"].item()), held["step"])
        self._counters = list(shared.values())

    def _bundled(self, *, cut: bool) -> list[_Bundle]:
        sorts: dict[object, list[int]] = {}
        for place in self._together:
            parameter = self.parameters[place]
            sorts.setdefault((self._decays[place], parameter.device, parameter.dtype), []).append(place)
        return [self._bundle(alike, cut=cut) for alike in sorts.values()]

    def _bundle(self, places: list[int], *, cut: bool) -> _Bundle:
        parameters = [_real(self.parameters[place]) for place in places]
        for place in places:
            _lay_out(self._state[place], self.parameters[place])
        each = [self._state[place] for place in places]
        piece = _piece(parameters) if cut else None
        state = {name: _cut([_real(held[name]) for held in each], piece) for name in each[0] if name != "step"}
        if "step" in each[0]:
            counts = [len(_cut([parameter], piece)) for parameter in parameters]
            state["step"] = [held["step"] for held, count in zip(each, counts, strict=True) for _ in range(count)]
        return _Bundle(places, piece, _cut(parameters, piece), state, self._decays[places[0]])

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


_BLOCK = 1 << 16  # numbers that torch's kernels give to one block of threads; an H200 runs 132 blocks at once
_LEAST, _PIECES = 1 << 12, 32  # a launch takes some 36 tensors


def _piece(tensors: list[Tensor]) -> int | None:
    """How long the pieces are into which small tensors are cut, so that a device's blocks all find work: 3 x faster.

    torch gives 65,536 numbers of one tensor to one block, so that two of 132 blocks would update an MLP of 100,000.
    """
    total = sum(tensor.numel() for tensor in tensors)
    if not all(tensor.is_cuda and tensor.is_contiguous() for tensor in tensors) or total > _BLOCK * _PIECES:
        return None
    return max(_LEAST, total // _PIECES)


def _cut(tensors: list[Tensor], piece: int | None) -> list[Tensor]:
    return tensors if piece is None else [part for tensor in tensors for part in tensor.view(-1).split(piece)]


def _lay_out(state: dict[str, Tensor], parameter: Tensor) -> None:
    """Averages lie in memory as their weights do: the kernels walk along memory, and weights may be laid out anew."""
    for name, held in state.items():
        if held.shape == parameter.shape and held.stride() != parameter.stride():
            state[name] = torch.empty_like(parameter).copy_(held)


def _real(tensor: Tensor) -> Tensor:
    """Complex numbers as pairs: the kernels know real ones only."""
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


Scalar = float | Tensor


def _adamw(rule: AdamW, bundle: _Bundle, gradients: list[Tensor], rate: Scalar, bad: Tensor | None) -> None:
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
        found_inf=bad,  # where it is one, torch leaves everything as it is
    )


def _sgd(rule: Sgd, bundle: _Bundle, gradients: list[Tensor], rate: Scalar, bad: Tensor | None) -> None:
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
        found_inf=bad,
    )
