"""R10: NaN in activations, gradients, loss or batch, at a random step and place of every family: caught, named, undone.

Oracle: the learner that never met the bad batch. The faults depend on a tensor, so that a step may be recorded.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from chainrule import NonFiniteError
from chainrule.data import Batch, reseed
from chainrule.learners import KeepBest, Maml
from chainrule.objectives import Loss, Objective
from chainrule.training import generators_state
from contracts.sameness import made
from families import FAMILIES, bits

pytestmark = pytest.mark.usefixtures("unchecked")  # the type checker draws from Python's generator
TOLD = sorted(set(FAMILIES) - {"going back"})  # which goes back instead of raising: its own tests say how
# Where another module is named than the one at fault: a gradient inside a task's own learning spoils the weights that
# the next pass is made with, and of two branches that share their input either may be named.
MISNAMED = {(family, "gradient") for family in ("mlp over tasks", "conv4 over tasks", "resnet", "quick net", "phrases")}
OURS = {"dcgan", "players"}  # whose learner has its losses inside


class Fault:
    """Makes numbers NaN once it is armed; unarmed it adds zero."""

    def __init__(self) -> None:
        self.armed = torch.zeros(())
        self.sound = torch.ones(())

    def arm(self, on: bool) -> None:
        self.armed.fill_(torch.nan if on else 0.0)
        self.sound.fill_(0.0 if on else 1.0)

    def forward(self, numbers: Tensor) -> Tensor:
        return numbers + self.armed.to(numbers.dtype)

    def gradient(self, numbers: Tensor) -> Tensor:
        """The slope of a root at zero is infinite, and zero times it is NaN; the value stays as it is."""
        return numbers + 0 * torch.sqrt(0 * numbers + self.sound.to(numbers.dtype))

    def plant(self, module: nn.Module, where: str) -> None:
        inner: Callable[..., Tensor] = module.forward
        module.forward = lambda *taken, **named: getattr(self, where)(inner(*taken, **named))


class Spoilt(Objective[Batch]):
    """An objective whose value the fault spoils."""

    def __init__(self, inner: Objective[Any], fault: Fault) -> None:
        self.inner = inner
        self.fault = fault

    def __call__(self, model: Any, batch: Batch) -> Loss:
        loss = self.inner(model, batch)
        value = self.fault.forward(loss.value)
        return Loss(value, {**loss.metrics, "loss": value.detach()})

    def check(self, model: Any, batch: Batch) -> None:
        self.inner.check(model, batch)


def leaves(family: str) -> list[tuple[str, bool]]:
    """The innermost modules that a step calls to learn, and whether a gradient goes through them."""
    found: dict[str, bool] = {}

    def watch(name: str) -> Callable[..., None]:
        def note(module: nn.Module, _taken: Any, given: Any) -> None:
            if module.training and isinstance(given, Tensor) and given.is_floating_point():
                found[name] = found.get(name, False) or given.requires_grad

        return note

    network = made(FAMILIES[family].network)
    for name, module in network.named_modules():
        if not list(module.children()):
            module.register_forward_hook(watch(name))
    learner = FAMILIES[family].learner(network)
    for step in range(2):
        learner.step(FAMILIES[family].batches()[step])
    return sorted(found.items())


def told(leaf: str) -> bool:
    """The critic's slopes are a part of its loss (the penalty on them), so of those the loss is blamed."""
    return not leaf.startswith("critic")


def trains_by(learner: Any) -> Any:
    """Who holds the loss that is trained by: over tasks that of one task; who keeps the best wraps another learner."""
    if isinstance(learner, Maml):
        return learner.objective
    return learner.learner if isinstance(learner, KeepBest) else learner


def planted(draw: random.Random, family: str, where: str) -> tuple[Any, Fault, str]:
    """A learner whose fault waits, and what must be said of it."""
    fault = Fault()
    network = made(FAMILIES[family].network)
    learner = FAMILIES[family].learner(network)
    if where == "batch":
        return learner, fault, "first in the batch itself"
    if where == "loss":
        holder = trains_by(learner)
        holder.objective = Spoilt(holder.objective, fault)
        return learner, fault, "first in the objective"
    name = draw.choice([leaf for leaf, slopes in leaves(family) if where == "forward" or (slopes and told(leaf))])
    fault.plant(network.get_submodule(name), where)
    through = "output of" if where == "forward" else "gradient through"
    return learner, fault, f"first in the {through} module `{name}` ("


def spoilt(batch: Any) -> Any:
    """The batch with one number that is not finite."""
    struck = []

    def strike(tensor: Tensor) -> Tensor:
        if struck or not tensor.is_floating_point():
            return tensor
        struck.append(True)
        tensor = tensor.clone()
        tensor.view(-1)[0] = torch.nan
        return tensor

    return batch.each(strike)


def step(learner: Any, family: str, number: int, batch: Any = None) -> None:
    reseed(0, number)
    learner.step(FAMILIES[family].batches()[number] if batch is None else batch)


def floats(family: str) -> bool:
    return any(tensor.is_floating_point() for tensor in FAMILIES[family].batches()[0].tensors().values())


def injections(count: int) -> list[tuple[int, str, str, int]]:
    """So many: from which seed, in which family, where, at which step."""
    draw, found = random.Random(5), []
    while len(found) < count:
        family, where = draw.choice(TOLD), draw.choice(("forward", "gradient", "forward", "gradient", "loss", "batch"))
        if (where != "batch" or floats(family)) and (where != "loss" or family not in OURS):
            found.append((len(found), family, where, draw.randrange(1, 6)))
    return found


def caught(seed: int, family: str, where: str, at: int) -> None:
    subject, fault, says = planted(random.Random(seed), family, where)
    twin, _, _ = planted(random.Random(seed), family, where)
    at += at % 2 == 0 if family in OURS and where == "gradient" else 0  # the generator's turn is every other step
    for number in range(at):
        step(subject, family, number)
        step(twin, family, number)
    before = bits(subject.state_dict()), bits(dict(subject.model.state_dict()))
    good = FAMILIES[family].batches()[at]
    fault.arm(on=True)
    reseed(0, at)
    drawn = bits(generators_state())
    with pytest.raises(NonFiniteError) as raised:
        subject.step(spoilt(good) if where == "batch" else good)
    assert f"at step {at}: {'first in' if (family, where) in MISNAMED else says}" in str(raised.value)
    assert (bits(subject.state_dict()), bits(dict(subject.model.state_dict()))) == before
    assert bits(generators_state()) == drawn
    fault.arm(on=False)
    for number in range(at, at + 2):
        step(subject, family, number)
        step(twin, family, number)
    assert bits(subject.state_dict()) == bits(twin.state_dict())


@pytest.mark.parametrize(("seed", "family", "where", "at"), injections(20))
def test_caught_at_its_step_and_undone(seed, family, where, at):
    """20 of 20."""
    caught(seed, family, where, at)


@pytest.mark.soak
@pytest.mark.parametrize(("seed", "family", "where", "at"), injections(200)[20:])
def test_caught_at_its_step_and_undone_more(seed, family, where, at):
    caught(seed, family, where, at)
