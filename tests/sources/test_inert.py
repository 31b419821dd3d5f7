"""Values that Python 2 stored. Oracle: what Python's own writer was given; the protocol written out by hand."""

import pickle
import struct
from typing import Any

import numpy as np
import pytest
from scipy.sparse import random as sparse

from chainrule import InputError
from chainrule.sources.inert import Inert, inert_array, inert_rows, read_inert


def array(values: np.ndarray) -> Inert:
    """What stands for an array that Python 2 stored."""
    kind = Inert("numpy dtype", (values.dtype.str[1:].encode(), 0, 1), (3, b"<"))
    return Inert("numpy.core.multiarray _reconstruct", (), (1, values.shape, kind, False, values.tobytes()))


@pytest.mark.parametrize(
    "value", [[], [1, 200, 70_000, -5], {1: [2, 3], 4: [5]}, (1, (2, 3), ()), [None, True, False, 1.5], [[1], [1]]]
)
def test_plain_values_are_read_as_they_were_written(value: Any) -> None:
    assert read_inert(pickle.dumps(value, protocol=2)) == value


def test_what_was_kept_is_the_same_again() -> None:
    one = [1]
    found = read_inert(pickle.dumps([one, one], protocol=2))
    assert found[0] is found[1]


def test_nothing_is_called(tmp_path) -> None:
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    found = read_inert(pickle.dumps(Trap(), protocol=2))
    assert isinstance(found, Inert)
    assert found.name.endswith("open")
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("kind", ["<i4", "<i8", "<f4", "<f8", "|u1"])
def test_arrays_are_their_numbers(kind: str) -> None:
    values = np.arange(6).astype(kind).reshape(2, 3)
    found = inert_array(array(values))
    assert found.dtype == values.dtype
    assert (found == values).all()


def test_columns_first() -> None:
    values = np.arange(6).astype("<i4").reshape(2, 3)
    stored = array(values)
    stored.state = (*stored.state[:3], True, values.tobytes(order="F"))
    assert (inert_array(stored) == values).all()


def test_sparse_rows_are_scipys() -> None:
    matrix = sparse(7, 5, 0.4, format="csr", dtype=np.float32, random_state=0)
    parts = {name.encode(): array(getattr(matrix, name)) for name in ("data", "indices", "indptr")}
    stored = Inert("scipy.sparse.csr csr_matrix", (), {**parts, b"_shape": matrix.shape})
    assert (inert_rows(stored) == matrix.toarray()).all()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"\x80\x02",
        b"\x80\x03].",
        b"\x80\x02i.",
        b"\x80\x02.",
        b"\x80\x02h\x05.",
        b"\x80\x02t.",
        b"\x80\x02K\x01b.",
        b"\x80\x02T" + struct.pack("<i", -5) + b".",
        b"\x80\x02T" + struct.pack("<i", 1 << 30) + b".",
        b"\x80\x02c" + b"no line end",
        pickle.dumps([1, 2, 3], protocol=2)[:-4],
    ],
)
def test_what_is_not_stored_data_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match="does not hold stored"):
        read_inert(content, path="x")


@pytest.mark.parametrize("wrong", [None, [1], Inert("a"), Inert("a", state=(1, (2,), Inert("d", (b"O8",)), 0, b""))])
def test_what_is_no_array_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="does not hold an array of numbers"):
        inert_array(wrong)


def test_rows_with_places_outside_are_refused() -> None:
    parts = {b"data": array(np.ones(1, "<f4")), b"indices": array(np.array([9], "<i4")), b"_shape": (1, 3)}
    for columns, shape in (([9], (1, 3)), ([-1], (1, 3)), ([0], (1 << 20, 1 << 20))):
        parts |= {b"indices": array(np.array(columns, "<i4")), b"indptr": array(np.array([0, 1], "<i4"))}
        with pytest.raises(InputError, match="sparse rows"):
            inert_rows(Inert("a", state=parts | {b"_shape": shape}))
