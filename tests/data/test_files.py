"""Where data sets lie, and reading whole files."""

import gzip
import lzma
import sys

import pytest

from chainrule import InputError
from chainrule.data import data_directory
from chainrule.data.files import existing, read_bytes


def test_the_named_folder_comes_first(tmp_path, monkeypatch):
    monkeypatch.setenv("CHAINRULE_DATA", str(tmp_path))
    assert data_directory() == tmp_path
    monkeypatch.setenv("CHAINRULE_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match=r"there must be a folder of data sets. Got CHAINRULE_DATA=.*nowhere"):
        data_directory()


def test_else_the_folder_beside_the_current_one(tmp_path, monkeypatch):
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "here").mkdir()
    monkeypatch.delenv("CHAINRULE_DATA", raising=False)
    monkeypatch.chdir(tmp_path / "here")
    assert data_directory() == tmp_path / "shared" / "data"


def test_plain_and_packed(tmp_path):
    for name, pack in (("a", bytes), ("a.xz", lzma.compress), ("a.gz", gzip.compress)):
        (tmp_path / name).write_bytes(pack(b"12345"))
        assert read_bytes(tmp_path / name) == b"12345"
        assert read_bytes(tmp_path / name, limit=2) == b"12"


@pytest.mark.parametrize("name", ["a.xz", "a.gz"])
def test_damaged(tmp_path, name):
    packed = {"a.xz": lzma.compress, "a.gz": gzip.compress}[name](b"12345" * 1000)
    for content in (packed[: len(packed) // 2], b"nonsense", packed[:20] + b"\xff" * 20 + packed[40:]):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=f"{name} must be a readable file"):
            read_bytes(tmp_path / name)


def test_existing_finds_the_packed_file(tmp_path):
    (tmp_path / "a.gz").touch()
    assert existing(tmp_path / "a") == tmp_path / "a.gz"
    (tmp_path / "a").touch()
    assert existing(tmp_path / "a") == tmp_path / "a"
    with pytest.raises(InputError, match="the data set's file must exist"):
        existing(tmp_path / "b")


def test_a_python_without_lzma_says_so(tmp_path, monkeypatch):
    (tmp_path / "a.xz").write_bytes(lzma.compress(b"1"))
    monkeypatch.setitem(sys.modules, "lzma", None)
    with pytest.raises(InputError, match=r"this Python cannot read .xz files. Got path=.*a.xz"):
        read_bytes(tmp_path / "a.xz")
