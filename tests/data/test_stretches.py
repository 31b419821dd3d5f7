"""Stretches of one long array."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule.data.stretches import Stretches
from references.streams import slow_starts

DTYPES = [torch.uint8, torch.int16, torch.int32, torch.int64, torch.float32, torch.float64, torch.bfloat16]


@settings(deadline=None, max_examples=25)
@given(
    st.integers(1, 30),
    st.sampled_from([(), (1,), (3,), (2, 2)]),
    st.sampled_from(DTYPES),
    st.data(),
)
def test_as_a_loop_over_stretches(size, inner, dtype, data):
    length = data.draw(st.integers(1, size))
    values = torch.arange(size * int(np.prod(inner))).reshape(size, *inner).to(dtype)
    out = torch.int64 if not dtype.is_floating_point else dtype
    stretches = Stretches(values, length, batch_size=3, seed=1, dtype=out)
    for k in (0, 300):
        starts = slow_starts(size - length + 1, 3, seed=1, k=k)
        expected = torch.stack([values[start : start + length] for start in starts]).to(out)
        batch = stretches.batch(k)
        assert batch.dtype is out
        assert torch.equal(batch, expected)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, np.int64, ">u2"])
def test_arrays_of_every_kind(kind):
    values = np.arange(200).astype(kind)
    stretches = Stretches(values, 5, batch_size=4, seed=0, dtype=torch.int64)
    assert stretches.at(torch.tensor([0, 195])).tolist() == [[0, 1, 2, 3, 4], [195, 196, 197, 198, 199]]


def test_an_array_with_gaps():
    values = np.arange(40, dtype=np.uint16)[::2]
    assert Stretches(values, 3, 1, 0, dtype=torch.int64).at(torch.tensor([2])).tolist() == [[4, 6, 8]]


def test_only_the_stretches_are_copied(tmp_path):
    """A memory-mapped file of 1 TB (all hole) is no burden."""
    path = tmp_path / "long"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    values = np.memmap(path, dtype=np.uint16, mode="r")
    stretches = Stretches(values, 100, batch_size=8, seed=0, dtype=torch.int64)
    chosen = stretches.at(torch.tensor([len(values) - 100, 1 << 35]))
    assert chosen.shape == (2, 100)
    assert not chosen.any()
