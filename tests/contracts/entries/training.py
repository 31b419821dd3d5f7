"""How the contract suite builds every public name of `chainrule.training`."""

import torch
from torch import nn

from chainrule.data import IGNORED, InMemory, Table
from chainrule.learners import Gradient
from chainrule.objectives import Regress
from chainrule.training import Evaluate, Run, counted, evaluate, evaluating, fit
from contracts.entry import Abstract, Function


def _batches() -> InMemory[Table]:
    return InMemory(Table(torch.arange(16.0).view(8, 2) / 16, torch.ones(8, 1)), batch_size=4)


def _run(hook: bool = False) -> Run:
    learner = Gradient(nn.Linear(2, 1), Regress())
    return fit(learner, _batches(), steps=4, hooks=[Evaluate(Regress(), _batches(), every=2)] if hook else [])


def _evaluating() -> list[bool]:
    network = nn.Sequential(nn.Dropout(), nn.Dropout().eval())
    with evaluating(network):
        inside = network.training
    return [inside, *(module.training for module in network)]


ENTRIES = {
    "Evaluate": Function(example=lambda: _run(hook=True).history),
    "Run": Function(example=lambda: _run().step),
    "counted": Function(example=lambda: counted(Table(torch.zeros(2, 1), torch.tensor([1, IGNORED])))),
    "evaluate": Function(example=lambda: evaluate(nn.Linear(2, 1), Regress(), _batches())),
    "evaluating": Function(example=_evaluating),
    "fit": Function(example=lambda: dict(_run().learner.model.named_parameters())),
    "Hook": Abstract("every hook above"),
    "Learner": Abstract("every learner in `learners`"),
}
