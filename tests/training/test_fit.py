"""The loop: hooks watch and change nothing, every step is a function of (seed, step), endings always happen."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from chainrule.data import Augment, InMemory, Rows, Table, generator
from chainrule.errors import InputError
from chainrule.learners import Gradient
from chainrule.objectives import Classify
from chainrule.optim import AdamW, Ema
from chainrule.training import Evaluate, Hook, Run, fit


class Noise(Augment[Table]):
    """Adds random numbers: an augmentation, to see that it too is a function of (seed, step)."""

    def draw(self, count: int, generator: torch.Generator) -> Tensor:
        return torch.randn(count, 4, generator=generator)

    def apply(self, rows: Table, numbers: Tensor) -> Table:
        return Table(rows.features + 0.1 * numbers, rows.outcome)


def batches(seed: int = 1) -> InMemory[Table]:
    rows = Table(torch.randn(40, 4, generator=generator(2)), torch.arange(40) % 3)
    return InMemory(rows, batch_size=12, seed=seed, augment=Noise())


def learner() -> Gradient:
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 3))
    return Gradient(model, Classify(), AdamW(lr=0.01, clip=1.0), average=Ema(0.9))


def weights(subject: Gradient) -> list[Tensor]:
    state = subject.state_dict()
    return [*state["model"].values(), *state["average"].values()]


def same(one: Gradient, other: Gradient) -> bool:
    return all(torch.equal(left, right) for left, right in zip(weights(one), weights(other), strict=True))


def trained(*hooks: Hook, steps: int = 9, **settings: Any) -> Gradient:
    subject = learner()
    fit(subject, batches(), steps=steps, hooks=hooks, **settings)
    return subject


class Nosy(Hook):
    """Draws from every generator there is, reads the metrics, evaluates: all that a hook may do."""

    def _draw(self) -> None:
        torch.rand(7)
        np.random.rand(3)

    def on_start(self, run: Run) -> None:
        self._draw()
        run.record(start=1.0)

    def on_step(self, run: Run, metrics: dict[str, Tensor]) -> None:
        self._draw()
        run.record(**{name: value.item() for name, value in metrics.items()})
        run.learner.model.eval()
        with torch.no_grad():
            run.learner.model(torch.randn(2, 4))
        run.learner.model.train()

    def on_end(self, run: Run) -> None:
        self._draw()


def test_hooks_change_nothing_bit_for_bit() -> None:
    evaluate = Evaluate(Classify(), batches(3), every=2)
    bare = trained()
    assert same(bare, trained(Nosy(), evaluate, Nosy()))


def test_two_runs_are_the_same_bit_for_bit() -> None:
    """R16."""
    assert same(trained(), trained())
    assert not same(trained(), trained(seed=1))  # another dropout


def test_what_happened_before_the_run_does_not_matter() -> None:
    bare = trained()
    torch.manual_seed(12345)
    assert same(bare, trained())


@pytest.mark.parametrize("stop", range(10))
def test_going_on_from_any_step_is_the_same_bit_for_bit(stop: int) -> None:
    """R3, in one process: state out, state in, `start`."""
    first, second = trained(steps=stop), learner()
    second.load_state_dict(first.state_dict())
    run = fit(second, batches(), steps=9, start=stop)
    assert (run.step, run.done) == (9, True)
    assert same(second, trained())


class Recorder(Hook):
    """Writes down what it is told, and raises where it is asked to."""

    def __init__(self, name: str, log: list[str], fails_in: str = "") -> None:
        self.name, self.log, self.fails_in = name, log, fails_in

    def _note(self, event: str) -> None:
        self.log.append(f"{self.name} {event}")
        if event == self.fails_in:
            raise RuntimeError(f"{self.name} failed in {event}")

    def on_start(self, run: Run) -> None:
        self._note("start")

    def on_step(self, run: Run, metrics: dict[str, Tensor]) -> None:
        self._note(f"step {run.step}")

    def on_end(self, run: Run) -> None:
        self._note("end")


def test_hooks_are_called_in_order_and_ended_in_reverse() -> None:
    log: list[str] = []
    trained(Recorder("a", log), Recorder("b", log), steps=2)
    assert log == ["a start", "b start", "a step 1", "b step 1", "a step 2", "b step 2", "b end", "a end"]


def test_hooks_are_ended_after_an_error_in_a_step() -> None:
    log: list[str] = []
    with pytest.raises(RuntimeError, match="b failed in step 2"):
        trained(Recorder("a", log), Recorder("b", log, "step 2"), Recorder("c", log))
    assert log[-4:] == ["b step 2", "c end", "b end", "a end"]


def test_hooks_are_ended_after_an_error_of_the_learner() -> None:
    class Broken(Gradient):
        def step(self, batch: Any) -> dict[str, Tensor]:
            raise KeyboardInterrupt

    log: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        fit(Broken(nn.Linear(4, 3), Classify()), batches(), steps=3, hooks=[Recorder("a", log)])
    assert log == ["a start", "a end"]


def test_only_hooks_that_were_started_are_ended() -> None:
    log: list[str] = []
    with pytest.raises(RuntimeError, match="b failed in start"):
        trained(Recorder("a", log), Recorder("b", log, "start"), Recorder("c", log))
    assert log == ["a start", "b start", "b end", "a end"]


def test_a_hook_that_fails_while_ending_does_not_keep_the_others_from_it() -> None:
    log: list[str] = []
    with pytest.raises(RuntimeError, match="b failed in end"):
        trained(Recorder("a", log), Recorder("b", log, "end"), Recorder("c", log), steps=1)
    assert log[-3:] == ["c end", "b end", "a end"]


def test_the_error_of_the_run_is_still_told_when_an_ending_fails_too() -> None:
    log: list[str] = []
    with pytest.raises(RuntimeError, match="a failed in end") as caught:
        trained(Recorder("a", log, "end"), Recorder("b", log, "step 1"))
    assert str(caught.value.__context__) == "b failed in step 1"


class Stopper(Hook):
    """Asks to stop at a step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_step(self, run: Run, metrics: dict[str, Tensor]) -> None:
        if run.step == self.step:
            run.stop("enough")


def test_a_hook_may_ask_to_stop() -> None:
    run = fit(learner(), batches(), steps=9, hooks=[Stopper(4)])
    assert (run.step, run.done, run.stopped) == (4, True, "enough")


def test_batch_k_is_what_step_k_learns_from() -> None:
    seen: list[Rows] = []

    class Watching(Gradient):
        def step(self, batch: Any) -> dict[str, Tensor]:
            seen.append(batch)
            return super().step(batch)

    fit(Watching(nn.Linear(4, 3), Classify()), batches(), steps=7, start=3)
    assert all(torch.equal(batch.features, batches()[k].features) for k, batch in enumerate(seen, 3))
    assert len(seen) == 4


def test_no_steps_is_no_training() -> None:
    log: list[str] = []
    subject = trained(Recorder("a", log), steps=0)
    assert log == ["a start", "a end"]
    assert same(subject, learner())


@pytest.mark.parametrize(("start", "steps"), [(-1, 3), (4, 3), (0, -2)])
def test_steps_must_reach_start(start: int, steps: int) -> None:
    with pytest.raises(InputError, match="`steps` must reach at least `start`"):
        fit(learner(), batches(), steps=steps, start=start)
