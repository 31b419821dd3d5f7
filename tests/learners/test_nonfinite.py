"""R10: a number that is not finite is caught at its step, changes nothing, and the right module is named."""

import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from chainrule.data import Table, generator
from chainrule.errors import NonFiniteError
from chainrule.learners import Gradient, blame
from chainrule.learners.nonfinite import Before
from chainrule.models import Network
from chainrule.objectives import Classify, Loss, Objective, Regress
from chainrule.optim import AdamW

WIDTH = 6
MARK = 77.0  # in a batch's first place: the fault happens on this batch, and again when the batch is run again


class Faulty(nn.Module):
    """The wrapped module, until a batch is marked: then its output, or only the gradient through it, is NaN."""

    def __init__(self, inner: nn.Module, armed: list[bool], fault: str) -> None:
        super().__init__()
        self.inner = inner
        self.armed = armed
        self.fault = fault

    def forward(self, numbers: Tensor) -> Tensor:
        answer = self.inner(numbers)
        if not self.armed[0]:
            return answer
        return answer * torch.nan if self.fault == "forward" else _NanGradient.apply(answer)


class _NanGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, numbers: Tensor) -> Tensor:
        return numbers.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        return gradients[0] * torch.nan


class Residual(nn.Module):
    """Numbers plus a change of them."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, numbers: Tensor) -> Tensor:
        return numbers + self.inner(numbers)


class Gated(nn.Module):
    """A pair out and a pair in, as recurrent cells have it."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.LSTM(WIDTH, WIDTH, batch_first=True)

    def forward(self, numbers: Tensor) -> Tensor:
        return self.cell(numbers[:, None])[0][:, 0]


BODIES: dict[str, Callable[[], nn.Module]] = {
    "linear": lambda: nn.Linear(WIDTH, WIDTH),
    "residual": lambda: Residual(nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU())),
    "normalised": lambda: nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.BatchNorm1d(WIDTH), nn.ReLU(inplace=True)),
    "recurrent": Gated,
}


class Marking(Objective[Table]):
    """Arms the fault where the batch is marked."""

    def __init__(self, armed: list[bool], spoil: Callable[[Tensor], Tensor] | None = None) -> None:
        self.armed = armed
        self.spoil = spoil

    def __call__(self, model: Any, batch: Table) -> Loss:
        self.armed[0] = bool((batch.features == MARK).any())
        loss = Classify[Table]()(model, batch)
        value = self.spoil(loss.value) if self.spoil and self.armed[0] else loss.value
        return Loss(value, {**loss.metrics, "loss": value.detach()})


def marked(batch: Table) -> Table:
    features = batch.features.clone()
    features[0, 0] = MARK
    return Table(features, batch.outcome)


def batch_at(step: int) -> Table:
    numbers = generator(5, step)
    return Table(torch.randn(8, WIDTH, generator=numbers), torch.randint(WIDTH, (8,), generator=numbers))


def injections() -> list[tuple[str, str, int, int, int]]:
    """Twenty of them: where, in which network, at which step, in which block, from which seed."""
    drawn = random.Random(11)
    wheres = ["forward"] * 6 + ["gradient"] * 6 + ["loss"] * 3 + ["slope"] * 2 + ["batch"] * 3
    return [
        (where, drawn.choice(sorted(BODIES)), drawn.randrange(12), drawn.randrange(4), seed)
        for seed, where in enumerate(wheres)
    ]


def spoiler(where: str) -> Callable[[Tensor], Tensor] | None:
    if where == "loss":
        return lambda value: value * torch.nan
    if where == "slope":
        return lambda value: value + torch.sqrt(value - value)
    return None


@pytest.mark.parametrize(("where", "body", "step", "place", "seed"), injections())
def test_r10_caught_at_its_step_and_the_right_module_named(
    where: str, body: str, step: int, place: int, seed: int
) -> None:
    torch.manual_seed(seed)
    armed = [False]
    blocks = [BODIES[body]() for _ in range(4)]
    if where in ("forward", "gradient"):
        blocks[place] = Faulty(blocks[place], armed, where)
    model = Network(nn.Sequential(nn.Linear(WIDTH, WIDTH), *blocks), nn.Linear(WIDTH, WIDTH))
    learner = Gradient(model, Marking(armed, spoiler(where)), AdamW(lr=1e-3))
    for earlier in range(step):
        learner.step(batch_at(earlier))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    bad = marked(batch_at(step))
    if where == "batch":
        bad = Table(bad.features.index_fill(0, torch.tensor([3]), torch.inf), bad.outcome)
    expected = {
        "forward": f"first in the output of module `encoder.{place + 1}` (Faulty)",
        "gradient": f"first in the gradient through module `encoder.{place + 1}` (Faulty)",
        "loss": "first in the objective (Marking)",
        "slope": "first in the gradient of the objective (Marking)",
        "batch": "first in the batch itself (features)",
    }
    with pytest.raises(NonFiniteError) as caught:
        learner.step(bad)
    assert f"at step {step}: {expected[where]}." in str(caught.value)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert learner.steps == step


def test_names_spoilt_weights() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    with torch.no_grad():
        model[1].bias.fill_(torch.inf)
    assert blame(model, Regress(), Table(torch.zeros(1, 2), torch.zeros(1, 1))) == (
        "first in the weights themselves (1.bias)"
    )


def test_a_single_module_is_called_the_model() -> None:
    class Root(nn.Linear):
        def forward(self, input: Tensor) -> Tensor:
            return torch.log(super().forward(input) * 0 - 1)

    assert blame(Root(2, 1), Regress(), Table(torch.zeros(1, 2), torch.zeros(1, 1))) == (
        "first in the output of the model (Root)"
    )


def test_a_first_layer_without_a_gradient_to_its_input_is_named_by_its_own_weights() -> None:
    class Spoilt(nn.Linear):
        def forward(self, input: Tensor) -> Tensor:
            return super().forward(input) + _NanGradient.apply(self.weight).sum() * 0

    found = blame(nn.Sequential(Spoilt(2, 1)), Regress(), Table(torch.ones(1, 2), torch.zeros(1, 1)))
    assert found == "first in the gradient through module `0` (Spoilt)"


def test_a_gradient_too_long_for_its_kind_of_number() -> None:
    model = nn.Linear(1, 1)
    batch = Table(torch.full((1, 1), 1e20), torch.zeros(1, 1))

    class Weak(Objective[Table]):
        def __call__(self, model: Any, batch: Table) -> Loss:
            value = model(batch.features).sum() * 1e10
            return Loss(value, {"loss": value.detach()})

    assert blame(model, Weak(), batch) == "in the gradient's length, which is too large for its kind of number"


def test_what_does_not_happen_again_is_not_the_networks_fault() -> None:
    batch = Table(torch.zeros(1, 2), torch.zeros(1, 1))
    assert blame(nn.Linear(2, 1), Regress(), batch).startswith("not again")


def test_watching_leaves_no_hook_behind() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    blame(model, Regress(), Table(torch.zeros(1, 2), torch.zeros(1, 1)))
    assert not any(module._forward_hooks for module in model.modules())


def test_before_gives_back_statistics_and_generator() -> None:
    model = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout())
    before = Before(model)
    before.keep()
    random_state, mean = torch.get_rng_state(), model[0].running_mean.clone()
    model(torch.randn(4, 2))
    assert not torch.equal(model[0].running_mean, mean)
    before.restore()
    assert torch.equal(model[0].running_mean, mean)
    assert model[0].num_batches_tracked == 0
    assert torch.equal(torch.get_rng_state(), random_state)
