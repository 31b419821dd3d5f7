"""Token numbers in files."""

import json

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chainrule import InputError
from chainrule.data import open_tokens, save_tokens
from chainrule.data.token_files import narrowest


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.integers(0, (1 << 32) - 1), min_size=1, max_size=20))
def test_round_trip(tmp_path, numbers):
    path = save_tokens(tmp_path / "t", np.array(numbers, dtype=np.int64))
    read = open_tokens(path)
    assert read.tolist() == numbers
    assert not read.flags.writeable


@pytest.mark.parametrize(
    ("highest", "kind"),
    [(255, "uint8"), (256, "uint16"), (65535, "uint16"), (65536, "uint32"), ((1 << 32) - 1, "uint32")],
)
def test_the_fewest_bytes(tmp_path, highest, kind):
    assert narrowest(np.array([0, highest])).dtype == kind
    path = save_tokens(tmp_path / "t", torch.tensor([highest]))
    assert json.loads((tmp_path / "t.json").read_text()) == {"dtype": kind, "tokens": 1}
    assert path.read_bytes() == highest.to_bytes(np.dtype(kind).itemsize, "little")


def test_a_file_that_is_cut_off(tmp_path):
    path = save_tokens(tmp_path / "t", np.arange(1000))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"t must be as long as t.json says. Got tokens=1000, bytes_expected=2000"):
        open_tokens(path)


@pytest.mark.parametrize("said", ["", "[]", "{}", '{"dtype": "O", "tokens": 4}', '{"dtype": "uint8", "tokens": "x"}'])
def test_a_description_that_is_not_one(tmp_path, said):
    (tmp_path / "t").write_bytes(b"1234")
    (tmp_path / "t.json").write_text(said)
    with pytest.raises(InputError, match=r"t.json must say"):
        open_tokens(tmp_path / "t")


def test_objects_are_never_unpacked(tmp_path):
    np.save(tmp_path / "evil.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match=r"must be a whole .npy file of plain numbers"):
        open_tokens(tmp_path / "evil.npy")


@pytest.mark.parametrize("array", [np.zeros((2, 2), np.uint8), np.zeros(3)])
def test_an_npy_that_is_no_text(tmp_path, array):
    np.save(tmp_path / "t.npy", array)
    with pytest.raises(InputError, match="must hold whole numbers in one dimension"):
        open_tokens(tmp_path / "t.npy")


def test_an_npy_that_is_cut_off(tmp_path):
    np.save(tmp_path / "t.npy", np.arange(100))
    for length in (0, 5, 60, 200):
        cut = tmp_path / "cut.npy"
        cut.write_bytes((tmp_path / "t.npy").read_bytes()[:length])
        with pytest.raises(InputError, match=r"cut.npy must be a whole .npy file"):
            open_tokens(cut)
