"""R3: every family of networks resumes at every step of two epochs. Oracle: the run that was never interrupted."""

import shutil

import pytest
import torch

from chainrule.training import Metrics, Save, fit, load, resume, save
from contracts.sameness import made
from families import FAMILIES, bits


def trained(family, folder, learner=None, *, start=0, save_every=1):
    """What a run of a family ends with: learner, model and every loss on the way, in every bit."""
    learner = learner or made(family.build)
    hooks = [Metrics(folder, every=1)]
    if not start:
        hooks.append(Save(folder, every=save_every, keep=family.steps + 1))
    run = fit(learner, family.batches(), steps=family.steps, start=start, hooks=hooks)
    losses = [{"step": entry["step"], **{name: repr(value) for name, value in entry.items()}} for entry in run.history]
    return bits(learner.state_dict()), bits(dict(learner.model.state_dict())), losses


def resumed(family, step, folder):
    """The same from one step on, in a folder that holds that step's checkpoint and all metrics, by another learner."""
    name = f"step-{step:08d}"
    shutil.copytree(folder / "whole" / "state" / name, folder / name / "state" / name)
    shutil.copy(folder / "whole" / "metrics.jsonl", folder / name)
    learner = made(family.build, seed=step)
    for _ in range(3):
        torch.rand(step)  # whatever the process drew meanwhile must not matter
    assert resume(folder / name, learner) == step
    return trained(family, folder / name, learner, start=step)


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.soak)], ids=["one step", "every step"])
@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_resumes_bit_for_bit(name, every, tmp_path):
    """R3: two epochs, resumed after each step (soak), or only after the first epoch."""
    family = FAMILIES[name]
    middle = family.steps // 2
    whole = trained(family, tmp_path / "whole", save_every=1 if every else middle)
    places = range(1, family.steps) if every else [middle]
    assert [step for step in places if resumed(family, step, tmp_path) != whole] == []


@pytest.mark.parametrize("forgotten", ["average", "optimizer", "steps"])
def test_a_state_that_is_not_whole_is_found(forgotten, tmp_path):
    """The measure itself: a learner that forgets a part of its state does not pass."""
    family = FAMILIES["lenet"]
    whole = trained(family, tmp_path / "whole")
    path = tmp_path / "whole" / "state" / "step-00000005"
    _, state = load(path)
    shutil.rmtree(path)
    state["learner"][forgotten] = made(family.build).state_dict()[forgotten]
    save(path.parent, 5, state)
    assert resumed(family, 5, tmp_path) != whole
