"""What every learner promises: it learns, its state is the whole of it, it refuses what is not finite."""

import copy
from typing import Any

import pytest
import torch
from torch import Tensor

from chainrule import NonFiniteError
from chainrule.data import reseed
from chainrule.training import Learner as LearnerProtocol
from contracts.entry import Learner
from contracts.roster import Subject, each
from contracts.sameness import made, same


def _steps(learner: Any, batch: Any, first: int, last: int) -> list[dict[str, Tensor]]:
    """Steps as `fit` takes them: every one with random numbers of its own."""
    metrics = []
    for step in range(first, last):
        reseed(0, step)
        metrics.append(learner.step(batch))
    return metrics


@pytest.fixture(autouse=True)
def _keep_torch_seed():
    with torch.random.fork_rng():
        yield


@each("overfit", Learner)
def test_overfit(subject: Subject):
    entry = subject.entry
    learner, batch = made(entry.build), made(entry.batch, 1)
    metrics = _steps(learner, batch, 0, entry.steps)
    first, last = metrics[0][entry.metric].item(), metrics[-1][entry.metric].item()
    assert last < entry.share * first


@each("step", Learner)
def test_step(subject: Subject):
    learner, batch = made(subject.entry.build), made(subject.entry.batch, 1)
    assert isinstance(learner, LearnerProtocol)
    for metrics in _steps(learner, batch, 0, 2):
        assert metrics
        for name, value in metrics.items():
            assert isinstance(value, Tensor), name
            assert value.ndim == 0, name
            assert not value.requires_grad, name


@each("resume", Learner)
def test_resume(subject: Subject):
    """Three steps, a fresh learner given the state, three more: bit for bit what six steps give."""
    batch = made(subject.entry.batch, 1)
    straight, started = made(subject.entry.build), made(subject.entry.build)
    whole = _steps(straight, batch, 0, 6)
    _steps(started, batch, 0, 3)
    state = copy.deepcopy(started.state_dict())
    resumed = made(subject.entry.build, 9)
    resumed.load_state_dict(state)
    assert same(whole[3:], _steps(resumed, batch, 3, 6))
    assert same(straight.model.state_dict(), resumed.model.state_dict())
    assert same(straight.state_dict(), resumed.state_dict())


@each("plain_state", Learner)
def test_plain_state(subject: Subject):
    """The state is plain data and tensors: it can be kept as safetensors and JSON."""
    learner = made(subject.entry.build)
    _steps(learner, made(subject.entry.batch, 1), 0, 1)
    assert _odd(learner.state_dict()) == []


@each("nonfinite", Learner)
def test_nonfinite(subject: Subject):
    learner, batch = made(subject.entry.build), made(subject.entry.batch, 1)
    _steps(learner, batch, 0, 1)
    before = copy.deepcopy(learner.model.state_dict())
    with pytest.raises(NonFiniteError, match="step 1"):
        _steps(learner, made(subject.entry.spoiled, 1), 1, 2)
    assert same(before, learner.model.state_dict())


def _odd(state: Any, path: str = "state") -> list[str]:
    if isinstance(state, dict):
        return [odd for key, value in state.items() for odd in _odd(value, f"{path}.{key}")]
    if isinstance(state, list | tuple):
        return [odd for place, value in enumerate(state) for odd in _odd(value, f"{path}[{place}]")]
    return [] if state is None or isinstance(state, Tensor | bool | int | float | str) else [f"{path}: {type(state)}"]
