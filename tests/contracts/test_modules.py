"""What every layer and model promises."""

import copy

import pytest
import torch
from torch import Tensor, nn

from contracts.entry import Module
from contracts.roster import Subject, each
from contracts.sameness import made, same, tensors


def _parts(subject: Subject) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return made(subject.entry.build), made(subject.entry.inputs, 1)


def _cast(inputs: tuple[Tensor, ...], dtype: torch.dtype) -> tuple[Tensor, ...]:
    return tuple(part.to(dtype) if part.is_floating_point() else part for part in inputs)


def _with_gradient(inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(part.requires_grad_() if part.is_floating_point() else part for part in inputs)


def _answer(module: nn.Module, inputs: tuple[Tensor, ...]) -> list[Tensor]:
    with torch.no_grad():
        return tensors(made(lambda: module.eval()(*inputs), 2))


@each("construct", Module)
def test_construct(subject: Subject):
    module, inputs = _parts(subject)
    assert isinstance(module, nn.Module)
    answer = _answer(module, inputs)
    assert answer
    assert all(bool(torch.isfinite(part).all()) for part in answer if part.is_floating_point())


@each("state_dict", Module)
def test_state_dict(subject: Subject):
    module, inputs = _parts(subject)
    other = made(subject.entry.build, 5)
    other.load_state_dict(module.state_dict())
    assert same(_answer(module, inputs), _answer(other, inputs))


@each("deepcopy", Module)
def test_deepcopy(subject: Subject):
    module, inputs = _parts(subject)
    before = _answer(module, inputs)
    twin = copy.deepcopy(module)
    assert same(before, _answer(twin, inputs))
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.add_(1.0)
    assert same(before, _answer(module, inputs))


@each("dtype", Module)
def test_dtype(subject: Subject):
    for dtype in subject.entry.dtypes:
        module, inputs = _parts(subject)
        answer = _answer(module.to(dtype), _cast(inputs, dtype))
        assert {part.dtype for part in answer if part.is_floating_point()} <= {dtype}
        assert all(bool(torch.isfinite(part).all()) for part in answer if part.is_floating_point())


@each("meta", Module)
def test_meta(subject: Subject):
    module, inputs = _parts(subject)
    shapes = [part.shape for part in _answer(module, inputs)]
    with torch.device("meta"):
        weightless = subject.entry.build()
    assert {tensor.device.type for tensor in (*weightless.parameters(), *weightless.buffers())} <= {"meta"}
    answer = tensors(weightless.eval()(*(part.to("meta") for part in inputs)))
    assert [part.shape for part in answer] == shapes


@pytest.mark.compile
@each("compile", Module)
def test_compile(subject: Subject):
    module, inputs = _parts(subject)
    expected, inputs = _answer(module, inputs), _with_gradient(inputs)
    torch.compiler.reset()
    whole = torch.compile(module.eval(), fullgraph=True, backend="aot_eager")
    answer = tensors(made(lambda: whole(*inputs), 2))
    for one, other in zip(answer, expected, strict=True):
        torch.testing.assert_close(one, other)
    _weighted(answer).backward()


@each("gradient", Module)
def test_gradient(subject: Subject):
    module, inputs = _parts(subject)
    inputs = _with_gradient(inputs)
    _weighted(tensors(made(lambda: module.train()(*inputs), 2))).backward()
    for name, parameter in module.named_parameters():
        if any(name.startswith(prefix) for prefix in subject.entry.unreached):
            continue
        assert parameter.grad is not None, f"no gradient reaches {name}"
        assert bool(parameter.grad.ne(0).any()), f"the gradient of {name} is zero everywhere"


@each("deterministic", Module)
def test_deterministic(subject: Subject):
    module, inputs = _parts(subject)
    module.eval()
    with torch.no_grad():
        first = tensors(made(lambda: module(*inputs), 1))
        assert same(first, tensors(made(lambda: module(*inputs), 2)))


@each("seed", Module)
def test_seed(subject: Subject):
    assert same(made(subject.entry.build).state_dict(), made(subject.entry.build).state_dict())


@each("inputs_unchanged", Module)
def test_inputs_unchanged(subject: Subject):
    module, inputs = _parts(subject)
    kept = [part.clone() for part in inputs]
    made(lambda: module.train()(*inputs), 2)
    made(lambda: module.eval()(*inputs), 2)
    assert same(kept, list(inputs))


@each("repr", Module)
def test_repr(subject: Subject):
    text = repr(made(subject.entry.build))
    assert max(map(len, text.splitlines())) <= 160
    assert "tensor(" not in text


def _weighted(answer: list[Tensor]) -> Tensor:
    """A sum with fixed random weights: nothing cancels by symmetry."""
    parts = [part for part in answer if part.requires_grad]
    return sum((made(lambda shape=part.shape: torch.randn(shape), 3) * part).sum() for part in parts)
