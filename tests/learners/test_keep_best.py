"""What is kept is the model of the step whose held-out loss was least, found by a plain search."""

import copy

import pytest
import torch

from chainrule import InputError
from chainrule.data import InMemory, Table
from chainrule.learners import Gradient, KeepBest
from chainrule.models import mlp
from chainrule.objectives import Regress
from chainrule.optim import AdamW, Ema
from chainrule.training import evaluate


def rows(seed: int) -> InMemory[Table]:
    draw = torch.Generator().manual_seed(seed)
    inputs = torch.randn(12, 3, generator=draw)
    return InMemory(Table(inputs, torch.randn(12, 1, generator=draw)), batch_size=6)


def learner() -> Gradient:
    torch.manual_seed(0)
    return Gradient(mlp((3, 32, 1)), Regress(), AdamW(lr=0.03), average=Ema(0.5))


def test_it_is_the_best_of_all_moments():
    plain, best = learner(), KeepBest(learner(), Regress(), lambda: rows(1), every=3)
    losses, weights = {}, {}
    for k in range(30):
        plain.step(rows(0)[k])
        best.step(rows(0)[k])
        if (k + 1) % 3 == 0:
            losses[k + 1] = evaluate(plain.model, Regress(), rows(1))["loss"]
            weights[k + 1] = copy.deepcopy(plain.model.state_dict())
    right = min(losses, key=lambda step: losses[step])
    assert best.kept == right < 30  # noise is learnt by heart: the last moment is not the best
    assert best.least == losses[right]
    assert all(torch.equal(value, weights[right][name]) for name, value in best.model.state_dict().items())
    assert all(torch.equal(value, plain.model.state_dict()[name])
               for name, value in best.learner.model.state_dict().items())  # fmt: skip


def test_before_the_first_look_the_model_is_the_learners_own():
    def nothing_yet() -> InMemory[Table]:
        raise AssertionError("nobody may look at the held-out rows before it is time")

    best = KeepBest(learner(), Regress(), nothing_yet, every=10)
    best.step(rows(0)[0])
    assert best.model is best.learner.model


def test_it_goes_on_from_its_state_to_the_same_weights():
    whole = KeepBest(learner(), Regress(), lambda: rows(1), every=2)
    for k in range(9):
        whole.step(rows(0)[k])
        if k == 4:
            state = copy.deepcopy(whole.state_dict())
    later = KeepBest(learner(), Regress(), lambda: rows(1), every=2)
    later.load_state_dict(state)
    for k in range(5, 9):
        later.step(rows(0)[k])
    assert (later.kept, later.least, later.steps) == (whole.kept, whole.least, whole.steps)
    assert all(torch.equal(value, whole.model.state_dict()[name]) for name, value in later.model.state_dict().items())


def test_every_is_at_least_one():
    with pytest.raises(InputError, match="`every` must be at least 1"):
        KeepBest(learner(), Regress(), lambda: rows(1), every=0)
