"""Steps that are not waited for: the same numbers as steps that are, and nothing moves after one that is not finite.

The oracle is the step that is waited for. On the CPU a program is its own recording; on a CUDA device it is a graph.
"""

import copy
import logging
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import chainrule as cr
from chainrule.data import Images, InMemory, Same, Sinusoids, Table, Tasks, generator, reseed
from chainrule.errors import InputError, NonFiniteError
from chainrule.learners import Compute, Gradient, Maml, Rollback
from chainrule.learners.recorder import LAP, Ledger, Recorder
from chainrule.objectives import Classify, Loss, Objective, Regress
from chainrule.optim import AdamW, Ema, Sgd, WarmupCosine

SPOILED = 21  # which step meets a batch that is not finite
RULES = [
    AdamW(lr=0.01),
    AdamW(lr=0.01, clip=0.05, schedule=WarmupCosine(steps=30, warmup=5)),
    Sgd(lr=0.1, momentum=0.9, clip=0.1),
]


Program = Callable[[], list[Tensor]]


def itself(program: Program) -> tuple[Callable[[], None], list[Tensor]]:
    """A recording for the CPU: replaying does it all again, into the same tensors."""
    output = [torch.zeros(()), torch.zeros(())]

    def replay() -> None:
        for kept, fresh in zip(output, program(), strict=True):
            kept.copy_(fresh)

    return replay, output


def ahead(learner: Gradient, record: Any = itself, *, strict: bool = False) -> Gradient:
    """The learner as it is on a CUDA device, on the CPU."""
    ledger = Ledger(torch.device("cpu"))

    def start(taken: int = 0) -> None:
        learner._recorder = Recorder(
            lambda batch: learner._program(batch, ledger),
            ledger,
            undo=learner._undo,
            strict=strict,
            record=_named(learner, record),
        )
        learner._recorder.start(taken)

    learner._start_recorder = lambda: start(learner.steps - learner._skipped)
    return learner


def _named(learner: Gradient, record: Any) -> Any:
    """The CPU's recording does not run the program when it records, as a graph does not: its names come here."""

    def recorded(program: Program) -> tuple[Callable[[], None], list[Tensor]]:
        learner._recorder._names = ["loss", "accuracy"]
        return record(program)

    return recorded


def network(dropout: float = 0.3) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        first = nn.Linear(6, 16, bias=False)  # a bias does nothing before a norm, and Adam would follow its rounding
        return nn.Sequential(first, nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(dropout), nn.Linear(16, 3))


def table(step: int, *, spoil: bool = False) -> Table:
    numbers = generator(3, step)
    features = torch.randn(12, 6, generator=numbers)
    if spoil:
        features[2, 1] = torch.inf
    return Table(features, torch.randint(3, (12,), generator=numbers))


def take(learner: Any, first: int, last: int, device: str = "cpu") -> list[dict[str, Tensor]]:
    taken = []
    for step in range(first, last):
        reseed(0, step)
        taken.append(learner.step(table(step, spoil=step == SPOILED).to(device)))
    return taken


def same(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor):
        return torch.equal(one.cpu(), other.cpu())
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    return one == other


def alike(one: Gradient, other: Gradient) -> bool:
    states = [learner.state_dict() for learner in (one, other)]
    for part in ("model", "average"):
        torch.testing.assert_close(*(state[part] for state in states), rtol=1e-4, atol=1e-5)
    return True


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("average", [None, Ema(0.9)])
def test_the_same_as_steps_that_are_waited_for(rule, average):
    """But for rounding: the device is told the rate in 32 bits."""
    waited = Gradient(network(), Classify(), rule, average=average)
    fast = ahead(Gradient(network(), Classify(), rule, average=average))
    for one, other in zip(take(waited, 0, 20), take(fast, 0, 20), strict=True):
        assert one.keys() == other.keys()
        torch.testing.assert_close(one["loss"], other["loss"], rtol=1e-5, atol=1e-6)
    assert alike(waited, fast)
    assert waited.steps == fast.steps == 20


@pytest.mark.parametrize("settle", ["look", "state", "model"])
def test_a_step_that_is_not_finite_is_named_and_nothing_moves_after_it(settle):
    """Oracle: the weights, averages and running statistics of a learner that stopped before it."""
    until, fast = (ahead(Gradient(network(), Classify(), RULES[0], average=Ema(0.9))) for _ in range(2))
    take(until, 0, SPOILED)
    expected = copy.deepcopy(until.state_dict())
    take(fast, 0, SPOILED + 4)
    found = {
        "look": lambda: take(fast, SPOILED + 4, SPOILED + 2 * LAP),  # two laps later at the most
        "state": fast.state_dict,
        "model": lambda: fast.model,
    }
    with pytest.raises(NonFiniteError, match=rf"at step {SPOILED}: first in the batch itself \(features\)"):
        found[settle]()
    assert fast.steps == SPOILED
    assert same(expected, fast.state_dict())
    take(fast, SPOILED + 1, SPOILED + 2)  # and it can go on
    assert fast.steps == SPOILED + 1


def test_skipped_batches_are_counted_and_leave_no_trace():
    """Oracle: the learner that waits."""
    learners = [Gradient(network(), Classify(), nonfinite="skip"), Gradient(network(), Classify(), nonfinite="skip")]
    for learner in (learners[0], ahead(learners[1])):
        take(learner, 0, SPOILED + 5)
    assert learners[0].skipped == learners[1].skipped == learners[1].state_dict()["skipped"] == 1
    assert alike(*learners)


def test_a_batch_of_another_shape_is_taken_as_it_comes():
    learner, plain = ahead(Gradient(network(), Classify())), Gradient(network(), Classify())
    for step in range(12):
        batch = table(step)
        batch = batch if step % 5 else batch.select(slice(0, 7))
        for each in (learner, plain):
            reseed(0, step)
            each.step(batch)
    assert alike(plain, learner)


def test_what_cannot_be_recorded_is_taken_as_it_comes(caplog):
    def refuse(_program: Any) -> Any:
        raise RuntimeError("operation not permitted when stream is capturing")

    learner, plain = ahead(Gradient(network(), Classify()), refuse), Gradient(network(), Classify())
    with caplog.at_level(logging.INFO):
        take(learner, 0, 8)
    take(plain, 0, 8)
    assert alike(plain, learner)
    assert [record.message for record in caplog.records if "one operation at a time" in record.message] != []
    with pytest.raises(InputError, match=r"cannot be captured.*reason='operation not permitted"):
        take(ahead(Gradient(network(), Classify()), refuse, strict=True), 0, 8)


def test_metrics_stay_what_they_were():
    learner = ahead(Gradient(network(), Classify()))
    metrics = take(learner, 0, 10)
    kept = [float(each["loss"]) for each in metrics]
    take(learner, 10, 15)
    assert [float(each["loss"]) for each in metrics] == kept
    assert len(set(kept)) == len(kept)


def test_a_loaded_state_goes_on_where_it_was():
    straight, started = (ahead(Gradient(network(), Classify(), RULES[1])) for _ in range(2))
    take(straight, 0, 18)
    take(started, 0, 9)
    fresh = ahead(Gradient(network(), Classify(), RULES[1]))
    fresh.load_state_dict(copy.deepcopy(started.state_dict()))
    take(fresh, 9, 18)
    assert same(straight.state_dict(), fresh.state_dict())


# What only a CUDA device can show.

cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
CAPTURED, EAGER = Compute(execution="captured"), Compute(execution="eager")


@pytest.fixture
def exact():
    torch.use_deterministic_algorithms(True, warn_only=True)
    yield
    torch.use_deterministic_algorithms(False)


@cuda
@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("average", [None, Ema(0.9)])
def test_a_graph_gives_the_same_bits(rule, average, exact):
    one, other = (
        Gradient(network().cuda(), Classify(), rule, average=average, compute=how) for how in (EAGER, CAPTURED)
    )
    first, second = take(one, 0, 20, "cuda"), take(other, 0, 20, "cuda")
    assert all(map(same, first, second))
    assert same(one.state_dict(), other.state_dict())
    assert other._recorder is not None
    assert other._recorder._replay is not None


@cuda
@pytest.mark.parametrize("execution", ["eager", "captured", "compiled"])
def test_on_a_device_the_step_and_module_are_named(execution, exact):
    until, fast = (
        Gradient(network().cuda(), Classify(), average=Ema(0.9), compute=Compute(execution=execution)) for _ in range(2)
    )
    take(until, 0, SPOILED, "cuda")
    with pytest.raises(NonFiniteError, match=rf"at step {SPOILED}: first in the batch itself \(features\)"):
        take(fast, 0, SPOILED + 40, "cuda")
    assert same(until.state_dict(), fast.state_dict())


@cuda
def test_on_a_device_a_run_resumes_to_the_same_bits(exact):
    straight, started, fresh = (
        Gradient(network().cuda(), Classify(), RULES[1], average=Ema(0.9), compute=CAPTURED) for _ in range(3)
    )
    take(straight, 0, 20, "cuda")
    take(started, 0, 9, "cuda")
    fresh.load_state_dict(copy.deepcopy(started.state_dict()))
    take(fresh, 9, 20, "cuda")
    assert same(straight.state_dict(), fresh.state_dict())


class Reading(Objective[Table]):
    """Reads a number in the middle of the step."""

    def __call__(self, model: Any, batch: Table) -> Loss:
        loss = Classify[Table]()(model, batch)
        return Loss(loss.value * (2.0 if loss.value.item() > 1e9 else 1.0), loss.metrics)


@cuda
def test_on_a_device_a_step_that_reads_numbers_is_not_captured(caplog):
    with caplog.at_level(logging.INFO):
        learner = Gradient(network().cuda(), Reading())
        take(learner, 0, 8, "cuda")
    assert any("one operation at a time" in record.message for record in caplog.records)
    plain = Gradient(network().cuda(), Classify(), compute=EAGER)
    take(plain, 0, 8, "cuda")
    assert same(plain.state_dict()["model"], learner.state_dict()["model"])
    with pytest.raises(InputError, match="cannot be captured"):
        take(Gradient(network().cuda(), Reading(), compute=CAPTURED), 0, 8, "cuda")


@cuda
def test_on_a_device_fit_with_hooks_and_rollback_and_a_whole_graph(tmp_path):
    rows = Images(torch.randint(0, 256, (512, 1, 8, 8), dtype=torch.uint8), torch.arange(512) % 10).to("cuda")
    batches = InMemory(rows, 64, augment=cr.data.Shift(1, mirror=True))
    model = cr.models.lenet5(pixels=cr.layers.Pixels((100.0,), (60.0,), side=32)).cuda()
    learner = Rollback(Gradient(model, Classify(), compute=CAPTURED), every=10)
    run = cr.fit(
        learner, batches, steps=50, hooks=[cr.training.Metrics(tmp_path), cr.training.Save(tmp_path, every=10)]
    )
    assert run.done
    whole = Gradient(network(0.0).cuda(), Classify(), AdamW(lr=0.02), compute=CAPTURED)
    batch = table(0).to("cuda")
    first = float(whole.step(batch)["loss"])
    cr.fit(whole, Same(batch), steps=80)
    last = float(whole.step(batch)["loss"])
    assert last < 0.5 * first


@cuda
def test_on_a_device_learning_to_learn_is_captured():
    tasks = Sinusoids(tasks=4)
    losses = {}
    for how in (EAGER, CAPTURED):
        torch.manual_seed(0)
        learner = Maml(cr.models.mlp((1, 16, 1)).cuda(), Regress(), compute=how)
        losses[how] = [float(learner.step(tasks[k].to("cuda"))["loss"]) for k in range(8)]
    torch.testing.assert_close(losses[EAGER], losses[CAPTURED])


def test_tasks_can_be_held():
    """What a recorder keeps of a batch: every tensor once, also of a batch that is made of batches."""
    tasks = Sinusoids(tasks=2)[0]
    held = tasks.each(torch.clone)
    assert isinstance(held, Tasks)
    assert same(tasks.tensors(), held.tensors())
