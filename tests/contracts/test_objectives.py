"""What every objective promises: pure, a mean over examples, a gradient for the model, metrics without one."""

import torch
from torch import Tensor, nn

from chainrule.data import Rows
from contracts.entry import Objective
from contracts.roster import Subject, each
from contracts.sameness import made, same


def _parts(subject: Subject) -> tuple:
    entry = subject.entry
    return made(entry.build), made(entry.model, 1), made(entry.batch, 2)


@each("pure", Objective)
def test_pure(subject: Subject):
    objective, model, batch = _parts(subject)
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    tensors = {name: value.clone() for name, value in batch.tensors().items()}
    first, second = (made(lambda: objective(model, batch), 3) for _ in range(2))
    assert same(first.value, second.value)
    assert same(first.metrics, second.metrics)
    assert same(weights, dict(model.state_dict()))
    assert same(tensors, batch.tensors())
    assert all(parameter.grad is None for parameter in model.parameters())


@each("check", Objective)
def test_check(subject: Subject):
    objective, model, batch = _parts(subject)
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    assert objective.check(model.eval(), batch) is None
    assert same(weights, dict(model.state_dict()))


@each("mean", Objective)
def test_mean(subject: Subject):
    """A batch that holds every example twice has the same loss."""
    objective, model, batch = _parts(subject)
    assert isinstance(batch, Rows), "give the entry a batch of rows, or skip 'mean' with the reason"
    rows = torch.arange(len(batch)).repeat(2)
    once, twice = objective(model, batch), objective(model, batch.select(rows))
    torch.testing.assert_close(once.value, twice.value)


@each("reaches_the_model", Objective)
def test_reaches_the_model(subject: Subject):
    objective, model, batch = _parts(subject)
    made(lambda: objective(model, batch), 3).value.backward()
    reached = [parameter for parameter in model.parameters() if parameter.grad is not None]
    assert reached
    assert any(bool(parameter.grad.ne(0).any()) for parameter in reached)


@each("loss", Objective)
def test_loss(subject: Subject):
    objective, model, batch = _parts(subject)
    loss = made(lambda: objective(model, batch), 3)
    assert loss.value.ndim == 0
    assert loss.value.requires_grad
    assert loss.metrics
    for name, metric in loss.metrics.items():
        assert metric.ndim == 0, name
        assert not metric.requires_grad, name


@each("without_a_module", Objective)
def test_without_a_module(subject: Subject):
    """The model may be any function of the inputs: that is how objectives wrap objectives."""
    objective, model, batch = _parts(subject)

    def function(*inputs: Tensor) -> Tensor:
        return model(*inputs)

    wrapped = made(lambda: objective(function, batch), 3)
    assert same(wrapped.value, made(lambda: objective(model, batch), 3).value)


@each("bfloat16", Objective)
def test_bfloat16(subject: Subject):
    """Under autocast the loss is near the one in full precision."""
    objective, model, batch = _parts(subject)
    assert isinstance(model, nn.Module)
    full = made(lambda: objective(model, batch), 3).value
    with torch.autocast("cpu", torch.bfloat16):
        half = made(lambda: objective(model, batch), 3).value
    torch.testing.assert_close(half.float(), full.float(), rtol=0.05, atol=0.05)
