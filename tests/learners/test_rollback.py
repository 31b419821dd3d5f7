"""R11: a planted spike is got over unattended, and the final loss is that of the clean run."""

import math

import pytest
import torch
from torch import nn

import chainrule as cr
from chainrule.data import Batches, InMemory, Table
from chainrule.learners import Gradient, Rollback
from chainrule.training import Evaluate, fit
from contracts.sameness import made, same


class Planted(Batches[Table]):
    """Other batches, but bad ones at some places."""

    def __init__(self, inner, places, spoil):
        self.inner = inner
        self.places = places
        self.spoil = spoil
        self.size, self.batch_size, self.seed = inner.size, inner.batch_size, inner.seed

    def __getitem__(self, k):
        batch = self.inner[k]
        return self.spoil(batch) if k in self.places else batch

    def once(self, batch_size=None):
        return self.inner.once(batch_size)

    def shard(self, rank, world):
        raise NotImplementedError


def line(noise=0.3):
    draw = torch.Generator().manual_seed(0)
    features = torch.randn(400, 5, generator=draw)
    outcome = features @ torch.randn(5, 1, generator=draw) + noise * torch.randn(400, 1, generator=draw)
    return InMemory(Table(features, outcome), batch_size=20, seed=1)


def regression(steps=300):
    """A convex problem, so that every healthy run ends at one and the same loss."""
    rule = cr.optim.Sgd(lr=0.05, momentum=0.5, schedule=cr.optim.WarmupCosine(steps=steps))
    return Gradient(cr.models.mlp((5, 1)), cr.objectives.Regress(), rule)


def not_finite(batch):
    return Table(batch.features, batch.outcome * math.nan)


def huge(batch):
    """What breaks down without being infinite: the weights are thrown far off."""
    return Table(batch.features * 1e3, batch.outcome)


def final(learner, batches, steps=300):
    run = fit(learner, batches, steps=steps, hooks=[Evaluate(cr.objectives.Regress(), line(), every=steps)])
    return run.history[-1]["validation_loss"]


CASES = [
    pytest.param(spoil, spike, window, id=f"{name} at {sorted(window)}")
    for name, spoil, spike in (("nan", not_finite, None), ("spike", huge, 20.0), ("small spike", huge, 5.0))
    for window in ({3}, {100}, {100, 101, 102}, {60, 270, 271})
    if spike is None or 3 not in window  # a spike is told from the losses before it
]


@pytest.mark.parametrize(("spoil", "spike", "window"), CASES)
def test_a_planted_spike_is_got_over(spoil, spike, window):
    clean = final(made(regression), line())
    learner = Rollback(made(regression), every=20, spike=spike)
    assert final(learner, Planted(line(), window, spoil)) == pytest.approx(clean, rel=0.02)
    assert learner.rollbacks == len(window)


def test_without_it_the_run_is_lost():
    """What the tests above would look like otherwise: the spike does harm, and NaN ends the run."""
    clean = final(made(regression), line())
    assert final(made(regression), Planted(line(), {290, 291, 292}, huge)) > 1.02 * clean
    with pytest.raises(cr.NonFiniteError):
        final(made(regression), Planted(line(), {100}, not_finite))


@pytest.mark.parametrize("spike", [None, 50.0])
def test_a_healthy_run_is_that_of_the_learner_alone(spike):
    bare, wrapped = made(regression), Rollback(made(regression), every=7, spike=spike)
    fit(bare, line(), steps=40)
    fit(wrapped, line(), steps=40)
    assert same(bare.state_dict(), wrapped.state_dict()["learner"])
    assert wrapped.model is wrapped.learner.model
    assert (wrapped.steps, wrapped.rollbacks, wrapped.lost) == (40, 0, 0)


def test_it_goes_back_at_least_so_many_steps():
    """At step 47 with a snapshot every 10, the newest that is 10 steps old is that of step 30."""
    learner = Rollback(made(regression), every=10)
    fit(learner, line(), steps=30)
    weights = {name: weight.clone() for name, weight in learner.model.state_dict().items()}
    batches = Planted(line(), {47}, not_finite)
    run = fit(learner, batches, steps=48, start=30)
    assert run.step == 48
    assert learner.steps == learner.learner.steps == 30
    assert learner.lost == 17
    assert same(weights, dict(learner.model.state_dict()))


def test_again_and_again_goes_back_further_and_then_gives_up():
    learner = Rollback(made(regression), every=10, patience=3)
    with pytest.raises(cr.NonFiniteError, match="not finite"):
        fit(learner, Planted(line(), set(range(47, 99)), not_finite), steps=99)
    assert learner.rollbacks == 3
    assert learner.steps == 30


def test_patience_is_renewed_by_healthy_steps():
    learner = Rollback(made(regression), every=5, patience=1)
    fit(learner, Planted(line(), {20, 40, 60}, not_finite), steps=80)
    assert learner.rollbacks == 3
    with pytest.raises(cr.NonFiniteError):
        fit(Rollback(made(regression), every=5, patience=1), Planted(line(), {20, 22}, not_finite), steps=80)


def test_a_spike_is_told_from_the_loss_and_its_median():
    learner = Rollback(made(regression), every=10, spike=5.0, patience=1)
    with pytest.raises(cr.NonFiniteError, match=r"loss of .* is above 5\.0 times the median of the last"):
        fit(learner, Planted(line(), {50, 51, 52}, huge), steps=60)


def test_the_refused_loss_is_shown_as_it_was():
    learner = Rollback(made(regression), every=2)
    batches = Planted(line(), {4}, not_finite)
    losses = [learner.step(batches[k])["loss"] for k in range(6)]
    assert [bool(loss.isnan()) for loss in losses] == [False] * 4 + [True, False]


def test_its_state_is_the_whole_of_it():
    """Interrupted right after a rollback, and before the next: the same weights in the end."""
    batches = Planted(line(), {25, 26, 44}, huge)
    whole = Rollback(made(regression), every=8, spike=5.0)
    fit(whole, batches, steps=60)
    for stop in (24, 26, 27, 40, 45, 59):
        first, second = (Rollback(made(regression, seed), every=8, spike=5.0) for seed in (0, 1))
        fit(first, batches, steps=stop)
        second.load_state_dict(first.state_dict())
        fit(second, batches, steps=60, start=stop)
        assert same(whole.state_dict(), second.state_dict()), stop
    assert whole.rollbacks == 3


def test_another_metric_may_be_watched():
    class Odd:
        model = nn.Linear(1, 1)

        def step(self, batch):
            return {"critic": torch.tensor(1.0 if batch < 20 else 9.0)}

        def state_dict(self):
            return {}

        def load_state_dict(self, state):
            pass

    learner = Rollback(Odd(), every=10, spike=3.0, metric="critic")
    for k in range(21):
        learner.step(k)
    assert learner.rollbacks == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"every": 0}, "`every`"), ({"keep": 1}, "`keep`"), ({"patience": 0}, "`patience`"), ({"spike": 1.0}, "`spike`")],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(cr.InputError, match=message):
        Rollback(made(regression), **settings)
