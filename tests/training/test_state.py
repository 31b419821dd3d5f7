"""Oracle: the state itself; what is packed, sent through JSON and unpacked is the same in every type and bit."""

import json
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule import CheckpointError, InputError
from chainrule.training.state import axis_order, memory_of, pack, unpack

KEYS = st.one_of(
    st.text(max_size=6), st.integers(-3, 300), st.booleans(), st.none(), st.tuples(st.integers(), st.text())
)
PLAIN = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10))
STATES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(KEYS, inner, max_size=4),
    ),
    max_leaves=20,
)


def through_json(state):
    skeleton, tensors = pack(state)
    return unpack(json.loads(json.dumps(skeleton, allow_nan=False)), tensors)


def identical(one, other):
    if type(one) is not type(other):
        return False
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and one.stride() == other.stride() and torch.equal(one, other)
    if isinstance(one, dict):
        return list(one) == list(other) and all(identical(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(identical(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, float):
        return (math.isnan(one) and math.isnan(other)) or (
            one == other and math.copysign(1, one) == math.copysign(1, other)
        )
    return one == other


@settings(max_examples=150, deadline=None)
@given(STATES)
def test_plain_data_comes_back_in_type_and_order(state):
    assert identical(state, through_json(state))


def test_tensors_come_back_with_the_layout_of_their_memory():
    state = {
        "last": torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
        "turned": torch.randn(3, 4).T,
        "scalar": torch.tensor(3.0),
        "empty": torch.empty(0, 4),
        7: [torch.randn(2, dtype=torch.bfloat16)],
    }
    assert identical(state, through_json(state))


def test_a_slice_comes_back_dense_and_equal():
    cut = torch.arange(12.0).view(3, 4)[:, ::2]
    back = through_json({"cut": cut})["cut"]
    assert torch.equal(cut, back)


def test_tied_tensors_are_one_tensor_again():
    weight = torch.randn(2, 2)
    skeleton, tensors = pack({"encoder": weight, "decoder": weight, "other": weight.clone()})
    assert len(tensors) == 2
    back = unpack(skeleton, tensors)
    assert back["encoder"] is back["decoder"]
    assert back["other"] is not back["encoder"]


def test_paths_that_look_alike_stay_apart():
    state = {"a/b": torch.tensor(1.0), "a": {"b": torch.tensor(2.0)}, 0: torch.tensor(3.0), "0": torch.tensor(4.0)}
    assert identical(state, through_json(state))
    assert identical({"__metadata__": torch.tensor(1.0)}, through_json({"__metadata__": torch.tensor(1.0)}))


@pytest.mark.parametrize("odd", [{1, 2}, b"bytes", object(), torch.Generator(), 1j])
def test_what_is_not_plain_is_refused_by_name(odd):
    with pytest.raises(InputError, match=r"plain data only.*path='a/0'"):
        pack({"a": [odd]})


def test_too_deep_is_refused():
    state = leaf = {}
    for _ in range(200):
        leaf["a"] = {}
        leaf = leaf["a"]
    with pytest.raises(InputError, match="100 deep"):
        pack(state)


@pytest.mark.parametrize(
    "alien",
    [
        {},
        {"tensor": "missing"},
        {"tensor": ["w"]},
        {"float": "1e400"},
        {"float": ["nan"]},
        {"tuple": {"a": 1}},
        {"dict": [1]},
        {"items": [[1]]},
        {"items": [[{"dict": {}}, 1]]},
        {"items": [[[], 1]]},
        {"_instantiator": "os.system"},
        {"tensor": "w", "order": [0, 0]},
        {"tensor": "w", "order": [1, 0, 2]},
        {"tensor": "w", "order": "01"},
        {"tensor": "w", "order": [0, "a"]},
    ],
)
def test_an_alien_skeleton_is_refused(alien):
    with pytest.raises(CheckpointError, match="not written by Chainrule"):
        unpack({"dict": {"a": alien}}, {"w": torch.zeros(2, 2)})


def test_a_deep_skeleton_is_refused():
    deep = []
    for _ in range(500):
        deep = [deep]
    with pytest.raises(CheckpointError, match="deep"):
        unpack(deep, {})


def test_memory_tells_tensors_apart():
    weight = torch.zeros(2, 2)
    assert memory_of(weight) == memory_of(weight.detach())
    assert memory_of(weight) != memory_of(weight[0])
    assert memory_of(torch.empty(0)) is None
    assert axis_order(weight) is None
    assert axis_order(torch.zeros(4, 4)[:, ::2]) is None
