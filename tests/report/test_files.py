import pytest

from chainrule.report.files import place


def test_the_old_file_is_replaced(tmp_path):
    place(tmp_path / "a.txt", "one")
    place(tmp_path / "a.txt", "two")
    assert (tmp_path / "a.txt").read_text() == "two"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    place(tmp_path / "a.txt", "one")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        place(tmp_path / "a.txt", "two")
    assert (tmp_path / "a.txt").read_text() == "one"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_half_a_pair_does_not_stop_it(tmp_path):
    assert place(tmp_path / "a.txt", "a\ud800").read_text() == "a?"
