"""Attention: each place takes a weighted mean of values, weighted by how well its query fits their keys."""

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor

from chainrule.shapes import Float


def causal_attention(
    query: Float[Tensor, "batch heads time size"],
    key: Float[Tensor, "batch heads time size"],
    value: Float[Tensor, "batch heads time size"],
) -> Float[Tensor, "batch heads time size"]:
    r"""Scaled dot-product attention in which no place sees what comes after it.

    $$y_t = \sum_{s \le t} a_{ts}\, v_s, \qquad a_{t\cdot} = \text{softmax}_{s \le t}\frac{q_t^\top k_s}{\sqrt d}$$

    Args:
        query: $q$, what each place looks for.
        key: $k$, what each place offers.
        value: $v$, what each place gives.

    Shape:
        query: (batch, heads, time, size); key: (batch, heads, time, size); value: (batch, heads, time, size);
        returns (batch, heads, time, size).

    Example:
        >>> same = torch.ones(1, 1, 3, 2)
        >>> causal_attention(same, same, torch.arange(6.0).view(1, 1, 3, 2))[0, 0, :, 0].tolist()
        [0.0, 1.0, 2.0]

    Reference:
        Vaswani et al., Attention Is All You Need, 2017. https://arxiv.org/abs/1706.03762

    Differs:
        Nothing. It is torch's fused kernel, except where that is slow: in bfloat16 on the CPU its gradient takes up
        to eight times as long as the formula's three products, which are taken there.
    """
    slow = query.device.type == "cpu" and query.dtype == torch.bfloat16
    if slow and query.requires_grad and torch.is_grad_enabled():
        return _three_products(query, key, value)
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)


def _three_products(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    time, size = query.shape[-2:]
    future = torch.full((time, time), float("-inf"), dtype=query.dtype, device=query.device).triu(1)
    together = query.flatten(0, 1), key.flatten(0, 1), value.flatten(0, 1)  # (batch * heads, time, size)
    scores = torch.baddbmm(future, together[0], together[1].transpose(1, 2), alpha=size**-0.5)
    return (scores.softmax(-1) @ together[2]).view_as(query)
