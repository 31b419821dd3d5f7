"""Oracle: rows chosen by hand."""

import torch

from chainrule.data import InMemory, Phrases


def test_rows_stay_together() -> None:
    batch = Phrases(torch.arange(12).view(4, 3), torch.arange(8).view(4, 2), torch.arange(4))
    chosen = batch.select(torch.tensor([2, 0]))
    assert [tensor.tolist() for tensor in chosen.inputs] == [[[6, 7, 8], [0, 1, 2]], [[4, 5], [0, 1]]]
    assert chosen.targets.tolist() == [2, 0]
    first = InMemory(batch, 2, seed=3)[0]
    assert torch.equal(first.words[:, 0], 3 * first.labels)
