"""IDX files."""

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chainrule import InputError
from chainrule.data.idx import read_idx


def idx(array: np.ndarray) -> bytes:
    """The format, written by hand."""
    head = bytes([0, 0, 8, array.ndim]) + b"".join(length.to_bytes(4, "big") for length in array.shape)
    return head + array.tobytes()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=3))
def test_round_trip(tmp_path, shape):
    array = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    (tmp_path / "a").write_bytes(idx(array))
    read = read_idx(tmp_path / "a", axes=len(shape))
    assert read.dtype is torch.uint8
    assert np.array_equal(read.numpy(), array)


@pytest.mark.parametrize("length", [0, 3, 7, 15, 16, 39])
def test_cut_off(tmp_path, length):
    (tmp_path / "a").write_bytes(idx(np.zeros((2, 3, 4), np.uint8))[:length])
    with pytest.raises(InputError, match=r"a must be (an IDX file|as long as its header says)"):
        read_idx(tmp_path / "a", axes=3)


def test_a_header_that_promises_too_much(tmp_path):
    (tmp_path / "a").write_bytes(bytes([0, 0, 8, 3]) + b"\xff" * 12)
    with pytest.raises(InputError, match="a must be as long as its header says"):
        read_idx(tmp_path / "a", axes=3)


def test_labels_are_not_pictures(tmp_path):
    (tmp_path / "a").write_bytes(idx(np.zeros(5, np.uint8)))
    with pytest.raises(InputError, match=r"IDX file of unsigned bytes with 3 axes. Got starts_with='00 00 08 01'"):
        read_idx(tmp_path / "a", axes=3)
