"""A hook that says nothing does nothing."""

import torch
from torch import nn

from chainrule.data import Same, Table
from chainrule.learners import Gradient
from chainrule.objectives import Regress
from chainrule.training import Hook, fit


def test_the_base_hook_watches_silently() -> None:
    batches = Same(Table(torch.ones(2, 1), torch.ones(2, 1)))
    states = []
    for hooks in ([], [Hook(), Hook()]):
        torch.manual_seed(0)
        learner = Gradient(nn.Linear(1, 1), Regress())
        run = fit(learner, batches, steps=3, hooks=hooks)
        assert run.history == []
        states.append(learner.state_dict()["model"])
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
