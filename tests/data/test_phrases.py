"""Oracle: the shapes that the page of the class states."""

import pytest
import torch

from chainrule.data import InMemory, Phrases
from chainrule.errors import InputError


def test_rows_stay_together() -> None:
    batch = Phrases(torch.arange(12).view(4, 3), torch.arange(8).view(4, 2), torch.arange(4))
    chosen = batch.select(torch.tensor([2, 0]))
    assert [tensor.tolist() for tensor in chosen.inputs] == [[[6, 7, 8], [0, 1, 2]], [[4, 5], [0, 1]]]
    assert chosen.targets.tolist() == [2, 0]
    first = InMemory(batch, 2, seed=3)[0]
    assert torch.equal(first.words[:, 0], 3 * first.labels)


def test_every_text_has_a_label() -> None:
    with pytest.raises(InputError, match="one row per example"):
        Phrases(torch.zeros(2, 3).long(), torch.zeros(2, 1).long(), torch.zeros(1).long())
    with pytest.raises(InputError):
        Phrases(torch.zeros(2, 3), torch.zeros(2, 1).long(), torch.zeros(2).long())
