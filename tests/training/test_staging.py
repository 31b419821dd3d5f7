"""Oracle: the tensors at the moment of the copy."""

import torch

from chainrule.training.staging import Staging


def test_copies_stand_still_and_buffers_are_kept():
    staging, weight = Staging(), torch.zeros(3)
    (first,) = staging.take([{"w": weight}])
    weight.add_(1)
    assert torch.equal(first["w"], torch.zeros(3))
    (second,) = staging.take([{"w": weight}])
    assert torch.equal(second["w"], torch.ones(3))
    assert second["w"].data_ptr() == first["w"].data_ptr()


def test_shared_memory_is_copied_once():
    weight = torch.randn(3)
    state, model = Staging().take([{"a": weight, "b": weight.clone()}, {"w": weight, "none": torch.empty(0)}])
    assert state["a"] is model["w"]
    assert state["b"] is not state["a"]
    assert model["none"].shape == (0,)


def test_a_state_may_change_its_shape():
    staging = Staging()
    for count in (2, 5, 1, 3):
        wanted = {str(place): torch.randn(place + count, 2).T for place in range(count)}
        (found,) = staging.take([wanted])
        assert all(torch.equal(found[name], wanted[name]) and found[name].is_contiguous() for name in wanted)


def test_gradients_do_not_matter():
    (copied,) = Staging().take([{"w": torch.nn.Linear(2, 1).weight}])
    assert not copied["w"].requires_grad
