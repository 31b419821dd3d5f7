"""One step is plain torch's; a cut batch gives the whole batch's update; a refused batch leaves no trace."""

import copy
from collections.abc import Callable
from shutil import which
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from chainrule.data import IGNORED, Graph, Table, generator
from chainrule.errors import InputError, NonFiniteError
from chainrule.learners import Compute, Gradient
from chainrule.models import mlp
from chainrule.objectives import Classify, Loss, Objective, Regress
from chainrule.optim import AdamW, Ema, Rule, Sgd, WarmupCosine

SIZES = (5, 7, 3)


def table(rows: int = 12, *, seed: int = 0, dtype: torch.dtype = torch.float32) -> Table:
    numbers = generator(seed)
    features = torch.randn(rows, SIZES[0], generator=numbers, dtype=dtype)
    return Table(features, torch.randint(SIZES[-1], (rows,), generator=numbers))


def network(dtype: torch.dtype = torch.float32, *, normalised: bool = False) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        if normalised:
            return nn.Sequential(nn.Linear(5, 7), nn.BatchNorm1d(7), nn.Dropout(0.3), nn.Linear(7, 3)).to(dtype)
        return mlp(SIZES).to(dtype)


def groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    split = {axes: [w for w in model.parameters() if (w.ndim > 1) == axes] for axes in (True, False)}
    return [{"params": split[True], "weight_decay": weight_decay}, {"params": split[False], "weight_decay": 0.0}]


def torch_twin(rule: Rule, model: nn.Module) -> torch.optim.Optimizer:
    if isinstance(rule, AdamW):
        return torch.optim.AdamW(groups(model, rule.weight_decay), lr=rule.lr, betas=rule.betas, eps=rule.eps)
    return torch.optim.SGD(groups(model, rule.weight_decay), lr=rule.lr, momentum=rule.momentum, nesterov=rule.nesterov)


RULES = [
    AdamW(lr=0.01),
    AdamW(lr=0.01, weight_decay=0.3, betas=(0.8, 0.95), clip=0.05),
    AdamW(lr=0.01, schedule=WarmupCosine(steps=8, warmup=3, floor=0.1)),
    Sgd(lr=0.1, momentum=0.0),
    Sgd(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1, clip=0.1),
]


def test_an_objective_can_be_exchanged_and_a_copy_trains_itself() -> None:
    """What a learner holds is what it uses: another objective counts from the next step on, and a copy is its own."""
    learner, smooth = Gradient(network(), Classify()), Gradient(network(), Classify(smoothing=0.5))
    learner.objective = Classify(smoothing=0.5)
    assert torch.equal(learner.step(table())["loss"], smooth.step(table())["loss"])
    twin, before = copy.deepcopy(learner), copy.deepcopy(learner.model.state_dict())
    twin.step(table(seed=1))
    assert all(torch.equal(weight, before[name]) for name, weight in learner.model.state_dict().items())
    assert any(not torch.equal(weight, before[name]) for name, weight in twin.model.state_dict().items())


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_equals_plain_torch_step_by_step(rule: Rule) -> None:
    """Oracle: torch.optim (not fused), torch.nn.utils.clip_grad_norm_, F.cross_entropy."""
    ours, plain = network(torch.float64), network(torch.float64)
    learner, twin = Gradient(ours, Classify(), rule), torch_twin(rule, plain)
    for step in range(6):
        batch = table(seed=step, dtype=torch.float64)
        metrics = learner.step(batch)
        twin.zero_grad()
        loss = nn.functional.cross_entropy(plain(batch.features), batch.outcome)
        loss.backward()
        if rule.clip is not None:
            nn.utils.clip_grad_norm_(plain.parameters(), rule.clip)
        for group in twin.param_groups:
            group["lr"] = rule.lr * rule.schedule.scale(step)
        twin.step()
        torch.testing.assert_close(metrics["loss"], loss.detach(), rtol=1e-12, atol=0)
    for one, other in zip(ours.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    parts=st.sampled_from([1, 2, 3, 4, 6, 12]),
    hidden=st.lists(st.booleans(), min_size=12, max_size=12).filter(lambda hidden: not all(hidden)),
    smoothing=st.sampled_from([0.0, 0.1]),
)
def test_a_cut_batch_gives_the_update_of_the_whole(parts: int, hidden: list[bool], smoothing: float) -> None:
    """Invariant: the targets weigh the parts, however unevenly the hidden ones are spread."""
    batch = table(dtype=torch.float64)
    labels = torch.where(torch.tensor(hidden), IGNORED, batch.outcome)
    batch = Table(batch.features, labels)
    whole, cut = network(torch.float64), network(torch.float64)
    rule = Sgd(lr=0.5, momentum=0.0)
    one = Gradient(whole, Classify(smoothing), rule).step(batch)
    many = Gradient(cut, Classify(smoothing), rule, accumulate=parts).step(batch)
    for name in one:
        torch.testing.assert_close(one[name], many[name], rtol=1e-6, atol=1e-9, check_dtype=False)
    for left, right in zip(whole.parameters(), cut.parameters(), strict=True):
        torch.testing.assert_close(left, right, rtol=1e-6, atol=1e-9)


def test_a_cut_batch_of_measurements_weighs_every_number() -> None:
    """A measured -100.0 is not IGNORED."""
    outcome = torch.randn(8, 2, dtype=torch.float64, generator=generator(1))
    outcome[:4] = -100.0
    batch = Table(torch.randn(8, 5, dtype=torch.float64, generator=generator(2)), outcome)
    rule = Sgd(lr=1e-3, momentum=0.0)
    models = [mlp((5, 4, 2)).double() for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    Gradient(models[0], Regress(), rule).step(batch)
    Gradient(models[1], Regress(), rule, accumulate=4).step(batch)
    for left, right in zip(models[0].parameters(), models[1].parameters(), strict=True):
        torch.testing.assert_close(left, right, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("parts", [5, 24])
def test_unequal_parts_are_refused(parts: int) -> None:
    with pytest.raises(InputError, match="`accumulate` must divide the batch"):
        Gradient(network(), Classify(), accumulate=parts).step(table())


def test_a_graph_is_not_cut() -> None:
    pair = Graph(torch.eye(2), torch.tensor([[0, 1], [1, 0]]), torch.tensor([0, 1]))

    class First(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(2, 2)

        def forward(self, features: Tensor, edges: Tensor) -> Tensor:
            return self.layer(features)

    with pytest.raises(InputError, match="batch='Graph'"):
        Gradient(First(), Classify(), accumulate=2).step(pair)


def test_half_precision_computes_in_bfloat16_and_stays_close() -> None:
    """Oracle: the same steps in float32; bfloat16 keeps eight bits, so a few per cent."""
    kinds: list[torch.dtype] = []
    half, full = network(), network()
    half.register_forward_hook(lambda _module, _inputs, output: kinds.append(output.dtype))
    narrow = Gradient(half, Classify(), Sgd(lr=0.1), compute=Compute("bfloat16"))
    wide = Gradient(full, Classify(), Sgd(lr=0.1))
    for step in range(10):
        low, high = narrow.step(table(seed=step))["loss"], wide.step(table(seed=step))["loss"]
        torch.testing.assert_close(low, high, rtol=0.05, atol=0.02)
    assert torch.bfloat16 in kinds
    assert {parameter.dtype for parameter in half.parameters()} == {torch.float32}


def test_the_average_is_that_of_a_slow_loop() -> None:
    """Oracle: the weighted mean written out, sum of (1-b) b^(T-t) w_t over 1 - b^T."""
    model, decay = network(torch.float64, normalised=True), 0.7
    learner = Gradient(model, Classify(), Sgd(lr=0.3), average=Ema(decay))
    seen: list[list[Tensor]] = []
    for step in range(7):
        learner.step(table(seed=step, dtype=torch.float64))
        seen.append([parameter.detach().clone() for parameter in model.parameters()])
    weights = [(1 - decay) * decay ** (len(seen) - 1 - t) for t in range(len(seen))]
    for place, mean in enumerate(learner.model.parameters()):
        total = sum(weight * then[place] for weight, then in zip(weights, seen, strict=True))
        torch.testing.assert_close(mean.detach(), total / (1 - decay ** len(seen)), rtol=1e-10, atol=1e-12)
    for mean, now in zip(learner.model.buffers(), model.buffers(), strict=True):
        assert torch.equal(mean, now)
    assert learner.model is not model


def test_frozen_parameters_stay() -> None:
    model = mlp(SIZES).freeze_encoder()
    before = copy.deepcopy(model.state_dict())
    Gradient(model, Classify(), Sgd(lr=1.0)).step(table())
    changed = {name for name, value in model.state_dict().items() if not torch.equal(value, before[name])}
    assert changed == {"head.weight", "head.bias"}


class Poisoned(Objective[Table]):
    """Classify, until the batch says otherwise: a first feature of 99 makes the loss NaN, 98 only its gradient."""

    def __init__(self) -> None:
        self.inner = Classify[Table]()

    def __call__(self, model: Any, batch: Table) -> Loss:
        value, metrics = self.inner(model, batch)
        mark = float(batch.features[0, 0])
        if mark == 99.0:
            value = value * torch.nan
        if mark == 98.0:
            value = value + _late_nan(value)
        return Loss(value, {**metrics, "loss": value.detach()})


def _late_nan(value: Tensor) -> Tensor:
    return torch.sqrt(value.detach() * 0 + (value - value))  # 0, with an infinite slope times zero


def marked(mark: float, *, seed: int = 0) -> Table:
    batch = table(seed=seed)
    features = batch.features.clone()
    features[0, 0] = mark
    return Table(features, batch.outcome)


def full_state(learner: Gradient) -> dict[str, Any]:
    return copy.deepcopy(learner.state_dict()) | {"random": torch.get_rng_state()}


def assert_same(one: Any, other: Any, path: str = "state") -> None:
    assert type(one) is type(other), path
    if isinstance(one, Tensor):
        assert torch.equal(one, other), path
    elif isinstance(one, dict):
        assert one.keys() == other.keys(), path
        for key in one:
            assert_same(one[key], other[key], f"{path}[{key!r}]")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), path
        for place, (left, right) in enumerate(zip(one, other, strict=True)):
            assert_same(left, right, f"{path}[{place}]")
    else:
        assert one == other, path


BAD: dict[str, Callable[[], Table]] = {
    "batch": lambda: marked(float("nan")),
    "infinite batch": lambda: marked(float("inf")),
    "loss": lambda: marked(99.0),
    "gradient": lambda: marked(98.0),
}


@pytest.mark.parametrize("accumulate", [1, 3])
@pytest.mark.parametrize("average", [None, Ema(0.9)], ids=["plain", "averaged"])
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("first", [0, 3])
def test_a_refused_batch_changes_nothing(bad: str, first: int, average: Ema | None, accumulate: int) -> None:
    """Bit for bit: weights, running statistics, optimiser, averages, counters, random generator."""
    model = network(normalised=True)
    learner = Gradient(model, Poisoned(), AdamW(lr=0.01), average=average, accumulate=accumulate)
    for step in range(first):
        learner.step(table(seed=step))
    torch.manual_seed(7)
    before = full_state(learner)
    with pytest.raises(NonFiniteError, match=f"at step {first}: "):
        learner.step(BAD[bad]())
    assert_same(full_state(learner), before)
    assert all(parameter.grad is None for parameter in model.parameters())


@pytest.mark.parametrize("bad", BAD)
def test_a_skipped_batch_is_counted_and_leaves_no_trace(bad: str) -> None:
    model = network(normalised=True)
    learner = Gradient(model, Poisoned(), AdamW(lr=0.01), average=Ema(0.9), nonfinite="skip")
    for step in range(3):
        learner.step(table(seed=step))
    before = full_state(learner)
    learner.step(BAD[bad]())
    assert_same(full_state(learner), before | {"steps": 4, "skipped": 1})
    learner.step(table(seed=4))
    assert (learner.steps, learner.skipped) == (5, 1)


def test_skipping_is_like_never_having_seen_the_batch() -> None:
    """Constant rate: the weights after good, bad, good are those after good, good."""
    runs = []
    for marks in ((0.5, 99.0, 0.25), (0.5, 0.25)):
        learner = Gradient(network(), Poisoned(), AdamW(lr=0.01), average=Ema(0.9), nonfinite="skip")
        for mark in marks:
            learner.step(marked(mark))
        state = learner.state_dict()
        runs.append([state["model"], state["average"], state["optimizer"]])
    assert_same(runs[0], runs[1])


def test_resumed_steps_are_the_same_bit_for_bit() -> None:
    def learner() -> Gradient:
        rule = AdamW(lr=0.01, schedule=WarmupCosine(steps=8, warmup=2), clip=1.0)
        return Gradient(network(normalised=True), Classify(), rule, average=Ema(0.9))

    def steps(subject: Gradient, first: int, last: int) -> None:
        for step in range(first, last):
            torch.manual_seed(step)
            subject.step(table(seed=step))

    straight = learner()
    steps(straight, 0, 8)
    for stop in range(8):
        before = learner()
        steps(before, 0, stop)
        after = learner()
        after.load_state_dict(copy.deepcopy(before.state_dict()))
        steps(after, stop, 8)
        assert_same(after.state_dict(), straight.state_dict())


def test_two_learners_from_one_seed_are_the_same_bit_for_bit() -> None:
    """R16."""
    states = []
    for _ in range(2):
        torch.manual_seed(3)
        learner = Gradient(network(normalised=True), Classify(), AdamW(clip=1.0), average=Ema(0.9), accumulate=2)
        for step in range(5):
            learner.step(table(seed=step))
        states.append(learner.state_dict())
    assert_same(states[0], states[1])


def test_frozen_evaluation_mode_survives_the_check() -> None:
    model = network(normalised=True)
    model[1].eval()
    Gradient(model, Classify()).step(table())
    assert [module.training for module in model] == [True, False, True, True]


def test_metrics_are_detached_scalars() -> None:
    for value in Gradient(network(), Classify(), accumulate=2).step(table()).values():
        assert value.ndim == 0
        assert not value.requires_grad


@pytest.mark.compile
@pytest.mark.skipif(not (which("g++") or which("clang++")), reason="torch.compile needs a C++ compiler: make tools")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's compiler warns of torch's own past
def test_compiled_equals_eager() -> None:
    states = []
    for execution in ("eager", "compiled"):
        learner = Gradient(network(), Classify(), AdamW(lr=0.01), compute=Compute(execution=execution))
        for step in range(3):
            learner.step(table(seed=step))
        states.append(learner.state_dict()["model"])
    assert states[0].keys() == states[1].keys()
    for name, value in states[0].items():
        torch.testing.assert_close(value, states[1][name])
