"""Normalisation by the batch at hand: torch's own batch norm without memory, alone and under vmap."""

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call

from chainrule.errors import InputError
from chainrule.layers import TaskNorm


def _twins(channels: int) -> tuple[TaskNorm, nn.BatchNorm2d]:
    ours, torchs = TaskNorm(channels).double(), nn.BatchNorm2d(channels, track_running_stats=False).double()
    with torch.no_grad():
        for name in ("weight", "bias"):
            ours.get_parameter(name).copy_(torch.randn(channels))
            torchs.get_parameter(name).copy_(ours.get_parameter(name))
    return ours, torchs


def test_equals_torch() -> None:
    torch.manual_seed(0)
    (ours, torchs), pictures = _twins(3), torch.randn(4, 3, 5, 6, dtype=torch.float64)
    torch.testing.assert_close(ours(pictures), torchs(pictures))
    assert torch.equal(ours.eval()(pictures), ours.train()(pictures))


def _second_order(norm: nn.Module, pictures: Tensor, scale: Tensor, shift: Tensor) -> list[Tensor]:
    def one(pictures: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
        return functional_call(norm, {"weight": scale, "bias": shift}, (pictures,)).pow(3).sum()

    inputs = [pictures, scale, shift]
    first = torch.autograd.grad(torch.vmap(one)(*inputs).sum(), inputs, create_graph=True)
    loss = torch.stack([(gradient**2).sum() for gradient in first]).sum()
    return [*first, *torch.autograd.grad(loss, inputs)]


def test_under_vmap_first_and_second_derivatives_are_torchs() -> None:
    torch.manual_seed(1)
    ours, torchs = _twins(3)
    inputs = [
        torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in ((2, 4, 3, 5, 6), (2, 3), (2, 3))
    ]
    torch.testing.assert_close(_second_order(ours, *inputs), _second_order(torchs, *inputs))


@pytest.mark.parametrize("in_dims", [(0, None, None), (1, 0, None), (None, 0, 0), (2, 1, 1)])
def test_any_axis_may_be_mapped(in_dims: tuple[int | None, ...]) -> None:
    torch.manual_seed(2)
    ours, torchs = _twins(3)
    shapes = [[4, 3, 5, 6], [3], [3]]
    for shape, axis in zip(shapes, in_dims, strict=True):
        if axis is not None:
            shape.insert(axis, 2)
    inputs = [torch.randn(shape, dtype=torch.float64) for shape in shapes]

    def mapped(norm: nn.Module) -> Tensor:
        def one(pictures: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
            return functional_call(norm, {"weight": scale, "bias": shift}, (pictures,))

        return torch.vmap(one, in_dims)(*inputs)

    torch.testing.assert_close(mapped(ours), mapped(torchs))


def test_settings_that_cannot_work() -> None:
    with pytest.raises(InputError, match="`channels` and `eps` must be positive"):
        TaskNorm(0)
