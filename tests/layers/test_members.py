"""Members in one network equal a slow loop over members that are networks by themselves."""

import pytest
import torch
from torch import nn

from chainrule import InputError
from chainrule.layers import MemberLinear, Members


def test_a_shared_layer_behind_members_is_a_layer_of_its_own_for_each():
    """The oracle is the loop: member m has the weights W diag(r_m)."""
    torch.manual_seed(0)
    members, shared = Members((2, 3, 1), members=5).double(), nn.Linear(6, 4).double()
    features = torch.randn(7, 6, dtype=torch.float64, requires_grad=True)
    found = shared(members(features))
    slow = []
    for scale in members.scale:
        own = nn.Linear(6, 4).double()
        own.weight, own.bias = nn.Parameter(shared.weight * scale), shared.bias
        slow.append(features @ (shared.weight * scale).T + shared.bias)
        torch.testing.assert_close(own(features), slow[-1])
    torch.testing.assert_close(found, torch.stack(slow, 1))
    weight = torch.randn_like(found)
    leaves = [features, members.scale, shared.weight]
    results = (found, torch.stack(slow, 1))
    one, other = (torch.autograd.grad((result * weight).sum(), leaves, retain_graph=True) for result in results)
    for left, right in zip(one, other, strict=True):
        torch.testing.assert_close(left, right)


def test_a_member_begins_with_one_scale_per_part():
    scale = Members((3, 2), members=4).scale
    assert bool((scale[:, :3] == scale[:, :1]).all())
    assert bool((scale[:, 3:] == scale[:, 3:4]).all())
    assert not bool((scale[:, 0] == scale[:, 3]).any())


def test_a_linear_layer_per_member_is_a_loop_over_linear_layers():
    torch.manual_seed(1)
    layer = MemberLinear(3, 2, members=4).double()
    features = torch.randn(5, 4, 3, dtype=torch.float64)
    slow = [features[:, member] @ layer.weight[member] + layer.bias[member] for member in range(4)]
    torch.testing.assert_close(layer(features), torch.stack(slow, 1))


def test_it_begins_as_wide_as_torchs_own():
    layer, own = MemberLinear(100, 50, members=20), nn.Linear(100, 50)
    assert layer.weight.std().item() == pytest.approx(own.weight.std().item(), rel=0.1)
    assert layer.weight.abs().max().item() <= 0.1


def test_sizes_must_be_positive():
    with pytest.raises(InputError, match="must be positive"):
        Members((), members=2)
    with pytest.raises(InputError, match="must be positive"):
        MemberLinear(3, 0, members=2)
