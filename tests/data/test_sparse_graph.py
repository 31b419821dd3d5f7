"""A graph with few features per node. Oracle: the dense matrix that it stands for."""

import pytest
import torch

from chainrule import InputError
from chainrule.data import IGNORED, SparseGraph

PAIR = torch.tensor([[0, 1], [1, 0]])


def graph(**changed: torch.Tensor) -> SparseGraph:
    parts = {
        "values": torch.tensor([2.0, 3.0, 5.0]), "columns": torch.tensor([3, 1, 0]), "offsets": torch.tensor([0, 2]),
        "edge_index": PAIR, "labels": torch.tensor([1, IGNORED]),
    }  # fmt: skip
    return SparseGraph(**(parts | changed))


def test_its_entries_are_the_dense_rows() -> None:
    values, columns, offsets, _ = graph().inputs
    found = torch.nn.functional.embedding_bag(columns, torch.eye(4), offsets, mode="sum", per_sample_weights=values)
    assert found.tolist() == [[0, 3, 0, 2], [5, 0, 0, 0]]


def test_weights_are_an_input_where_there_are_any() -> None:
    assert len(graph().inputs) == 4
    assert graph(edge_weight=torch.ones(2)).inputs[4].tolist() == [1, 1]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    "changed",
    [
        {"columns": torch.tensor([0])},
        {"labels": torch.tensor([0])},
        {"edge_index": torch.zeros(3, 2).long()},
        {"edge_weight": torch.ones(5)},
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, torch.Tensor]) -> None:
    with pytest.raises(InputError, match="SparseGraph"):
        graph(**changed)
