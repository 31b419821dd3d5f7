"""Hooks change nothing, bit for bit: all services on, or none."""

import pytest
import torch

import chainrule as cr
from chainrule.training import Evaluate, Hook, Metrics, Save, StopOnSignal, fit
from contracts.sameness import made, same


def learner():
    model = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(64, 16), torch.nn.Dropout(0.2), torch.nn.Linear(16, 10)
    )
    return cr.learners.Gradient(
        torch.nn.Sequential(cr.layers.Pixels(side=8), model), cr.objectives.Classify(), average=cr.optim.Ema(0.9)
    )


def services(folder, digits):
    watch = Evaluate(cr.objectives.Classify(), digits.validation, every=3)
    return [StopOnSignal(), watch, Metrics(folder, every=2), Save(folder, every=1)]


def test_all_services_or_none(tmp_path):
    digits = cr.data.digits(batch_size=16)
    bare, served = made(learner), made(learner)
    fit(bare, digits.train, steps=12)
    fit(served, digits.train, steps=12, hooks=services(tmp_path, digits))
    assert same(bare.state_dict(), served.state_dict())


def test_all_services_end_after_an_error(tmp_path):
    """What was opened is closed, and what was under way is finished."""

    class Break(Hook):
        def on_step(self, run, metrics):
            if run.step == 5:
                raise RuntimeError("broken")

    digits = cr.data.digits(batch_size=16)
    hooks = services(tmp_path, digits)
    with pytest.raises(RuntimeError, match="broken"):
        fit(made(learner), digits.train, steps=12, hooks=[*hooks, Break()])
    assert hooks[0]._before == {}
    assert hooks[2]._file is None
    assert hooks[3]._writer is None
    path, refused = cr.training.newest(tmp_path / "state")
    assert (path.name, refused) == ("step-00000005", [])
    assert [entry["step"] for entry in cr.training.read_metrics(tmp_path / "metrics.jsonl")] == [2, 3, 4]
