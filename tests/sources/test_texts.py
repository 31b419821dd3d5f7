"""Somebody's text: all of it once, in order, and everything left out is counted. Oracle: the files, written by hand."""

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainrule import InputError
from chainrule.sources import UNKNOWN, known, read_writing


def test_a_folder_is_read_in_order_and_what_is_left_out_is_told(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    contents = {
        "a.txt": b"one",
        "b/c.md": "zwei \u00fc".encode(),
        "copy.txt": b"one",
        "empty.txt": b" \n",
        "picture.bin": b"a\0b",
        ".hidden": b"secret",
        "old.txt": "caf\u00e9".encode("latin-1"),
        "packed.txt.gz": gzip.compress(b"three\r\nfour"),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "b" / "loop").symlink_to(tmp_path)
    writing = read_writing(tmp_path)
    assert writing.characters.split("\n\n") == ["one", "caf\u00e9", "three\nfour", "zwei \u00fc"]
    assert writing.notes == (
        "3 of 7 files were left out: 1 is empty, 1 is not text, 1 is a copy of another.",
        "1 file was not UTF-8 and read as Latin-1.",
    )


def test_the_digest_is_that_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.txt").write_text("two")
    one = read_writing(tmp_path / "a.txt").digest
    assert one == read_writing(tmp_path / "a.txt").digest != read_writing(tmp_path / "b.txt").digest
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfone")  # a byte order mark is no part of a text
    assert read_writing(tmp_path / "a.txt").digest == one


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "the text must exist"), (b"", "there must be text"), (b"\0\1", "there must be text")],
)
def test_what_is_no_text_is_said(content: bytes | None, says: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=says):
        read_writing(path)


@pytest.mark.skipif(os.name != "posix", reason="named pipes are POSIX")
def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.txt").write_text("one")
    assert read_writing(tmp_path).characters == "one"


@given(st.text(), st.text(max_size=20))
def test_what_is_unknown_is_replaced_one_for_one(text: str, letters: str) -> None:
    replaced, count = known(text, letters + UNKNOWN)
    allowed = {*letters, UNKNOWN}
    assert replaced == "".join(character if character in allowed else UNKNOWN for character in text)
    assert count == sum(character not in allowed for character in text)
