"""Causal attention: against loops, against torch's kernel, and blind to the future."""

import pytest
import torch

from chainrule.functional import causal_attention
from references.transformer import slow_causal_attention


def three(*shape: int, dtype: torch.dtype = torch.float64) -> list[torch.Tensor]:
    return [torch.randn(*shape, dtype=dtype, requires_grad=True) for _ in range(3)]


def test_equals_the_slow_reference() -> None:
    parts = three(2, 3, 5, 4)
    torch.testing.assert_close(causal_attention(*parts), slow_causal_attention(*parts))


def test_gradient_equals_finite_differences() -> None:
    assert torch.autograd.gradcheck(causal_attention, three(1, 2, 3, 2))


@pytest.mark.parametrize("time", [1, 7, 64])
def test_the_cpu_path_for_bfloat16_agrees_with_the_fused_kernel(time: int) -> None:
    """Both round to eight bits along the way: they agree to that, in value and in gradient."""
    parts = three(2, 2, time, 16, dtype=torch.bfloat16)
    exact = [part.detach().float().requires_grad_() for part in parts]
    weights = torch.randn(2, 2, time, 16)
    ours, kernel = causal_attention(*parts), causal_attention(*exact)
    (ours.float() * weights).sum().backward()
    (kernel * weights).sum().backward()
    torch.testing.assert_close(ours.float(), kernel, atol=0.03, rtol=0.03)
    for part, other in zip(parts, exact, strict=True):
        torch.testing.assert_close(part.grad.float(), other.grad, atol=0.06, rtol=0.06)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_the_past_does_not_depend_on_the_future(dtype: torch.dtype) -> None:
    query, key, value = three(1, 2, 6, 4, dtype=dtype)
    causal_attention(query, key, value)[:, :, :3].sum().backward()
    for part in (query, key, value):
        assert not part.grad[:, :, 3:].any()
        assert part.grad[:, :, 0].any() or part is not value
