"""The five kinds of batches."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chainrule import InputError
from chainrule.data import IGNORED, Graph, Images, Series, Table, Tokens

KINDS = {
    "images": lambda n: Images(torch.randint(256, (n, 3, 4, 5)).byte(), torch.arange(n)),
    "tokens": lambda n: Tokens(torch.arange(n * 3).view(n, 3), torch.arange(1, n * 3 + 1).view(n, 3)),
    "series": lambda n: Series(torch.randn(n, 4, 2), torch.randn(n, 3, 2)),
    "table": lambda n: Table(torch.randn(n, 3), torch.randn(n, 2)),
}


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_select_is_indexing(kind, data):
    """Oracle: torch's own indexing, tensor by tensor."""
    count = data.draw(st.integers(1, 6))
    batch = KINDS[kind](count)
    rows = torch.tensor(data.draw(st.lists(st.integers(0, count - 1), max_size=8)), dtype=torch.int64)
    chosen = batch.select(rows)
    assert type(chosen) is type(batch)
    assert len(chosen) == len(rows)
    for name, tensor in batch.tensors().items():
        assert torch.equal(chosen.tensors()[name], tensor[rows])
        assert torch.equal(batch.select(slice(1, 3)).tensors()[name], tensor[1:3])


@pytest.mark.parametrize("kind", KINDS)
def test_a_slice_is_a_view(kind):
    batch = KINDS[kind](4)
    part = batch.select(slice(1, 3))
    for name, tensor in part.tensors().items():
        assert tensor.untyped_storage().data_ptr() == batch.tensors()[name].untyped_storage().data_ptr()


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_and_targets_are_its_tensors(kind):
    batch = KINDS[kind](3)
    known = {tensor.data_ptr() for tensor in batch.tensors().values()}
    assert {tensor.data_ptr() for tensor in (*batch.inputs, batch.targets)} == known


def test_graph_weights_are_inputs_only_where_there_are_any():
    edges = torch.tensor([[0, 1], [1, 0]])
    plain = Graph(torch.eye(2), edges, torch.tensor([0, IGNORED]))
    weighted = Graph(torch.eye(2), edges, torch.tensor([0, IGNORED]), torch.ones(2))
    assert (len(plain.inputs), len(weighted.inputs)) == (2, 3)
    assert set(plain.tensors()) == {"features", "edge_index", "labels"}
    assert plain.to("cpu").edge_weight is None


def test_a_graph_may_have_no_edges():
    lonely = Graph(torch.eye(2), torch.empty(2, 0, dtype=torch.int64), torch.tensor([0, 1]))
    assert lonely.edge_index.shape == (2, 0)


@pytest.mark.usefixtures("unchecked")
def test_rows_must_agree():
    with pytest.raises(InputError, match=r"one row per example. Got pixels=2, labels=3"):
        Images(torch.zeros(2, 1, 4, 4), torch.arange(3))
