"""Folders of pictures: which layout it is, what is left alone, and loops of links that end."""

import os
from pathlib import Path

import pytest

from chainrule import InputError
from chainrule.sources.picture_folder import counted, found_pictures, picture_files, was


def planted(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"?")
    return folder


def test_a_folder_per_class(tmp_path):
    found = found_pictures(planted(tmp_path, "cat/1.JPG", "cat/deep/er/2.png", "dog/3.webp", "dog/notes.txt", "4.gif"))
    assert [file.name for file in found.files] == ["1.JPG", "2.png", "3.webp"]
    assert found.labels == ("cat", "cat", "dog")
    assert set(found.parts) == {-1}
    assert found.notes == (
        "1 file that is no picture was left alone (.txt).",
        "1 picture that lies in no class's folder was left out.",
    )


def test_train_and_test_folders_are_respected_behind_a_wrapper(tmp_path):
    found = found_pictures(
        planted(tmp_path, "set/Train/a/1.png", "set/Train/b/2.png", "set/val/a/3.png", "set/test/b/4.png")
    )
    assert dict(zip((file.name for file in found.files), zip(found.labels, found.parts, strict=True), strict=True)) == {
        "1.png": ("a", 0),
        "2.png": ("b", 0),
        "3.png": ("a", 1),
        "4.png": ("b", 2),
    }


def test_a_class_called_test_is_a_class(tmp_path):
    found = found_pictures(planted(tmp_path, "test/1.png", "quiz/2.png"))
    assert sorted(found.labels) == ["quiz", "test"]


def test_links_to_folders_are_not_followed(tmp_path):
    planted(tmp_path, "cat/1.png")
    (tmp_path / "cat" / "loop").symlink_to(tmp_path)
    (tmp_path / "cat" / "gone.png").symlink_to(tmp_path / "nowhere")
    (tmp_path / "cat" / "again.png").symlink_to(tmp_path / "cat" / "1.png")
    files, notes = picture_files(tmp_path)
    assert [file.name for file in files] == ["1.png", "again.png"]
    assert notes == ["2 links to folders or to nothing were not followed."]


def test_hidden_files_are_left_alone(tmp_path):
    files, notes = picture_files(planted(tmp_path, ".git/1.png", "a/.x.png", "__MACOSX/2.png", "a/1.png"))
    assert ([file.name for file in files], notes) == (["1.png"], [])


def test_a_table_of_labels_beside_the_pictures(tmp_path):
    planted(tmp_path, "images/1.png", "images/2.png", "images/3.png")
    (tmp_path / "labels.csv").write_text("file,label\n1.png,cat\n2.png,dog\n9.png,dog\n")
    found = found_pictures(tmp_path)
    assert found.labels == ("cat", "dog")
    assert found.notes[-1] == "1 row of labels.csv names no picture that exists and was left out."


def test_a_table_that_names_no_picture_is_left_alone(tmp_path):
    planted(tmp_path, "cat/1.png", "dog/2.png")
    (tmp_path / "prices.csv").write_text("day,price\nMonday,3\n")
    assert found_pictures(tmp_path).labels == ("cat", "dog")


def test_a_table_without_a_label_beside_folders_of_classes(tmp_path):
    planted(tmp_path, "cat/1.png", "dog/2.png")
    (tmp_path / "sizes.csv").write_text("file,height,width\n1.png,3,4\n2.png,5,6\n")
    found = found_pictures(tmp_path)
    assert found.labels == ("cat", "dog")
    assert found.notes[-1].startswith("sizes.csv was left alone")
    assert found_pictures(tmp_path, "height").labels == ("3", "5")
    (tmp_path / "dog" / "2.png").rename(tmp_path / "2.png")
    with pytest.raises(InputError, match="one column of the table must be the label"):
        found_pictures(tmp_path)


@pytest.mark.parametrize(
    ("names", "said"), [(("readme.txt",), "must hold a picture"), (("1.png", "2.png"), "need labels")]
)
def test_nothing_to_learn_from(tmp_path, names, said):
    with pytest.raises(InputError, match=said):
        found_pictures(planted(tmp_path, *names))


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to the superuser")
def test_a_folder_that_may_not_be_read(tmp_path):
    planted(tmp_path, "cat/1.png")
    (tmp_path / "cat").chmod(0)
    try:
        with pytest.raises(InputError, match="must be readable"):
            picture_files(tmp_path)
    finally:
        (tmp_path / "cat").chmod(0o700)


def test_numbers_of_things():
    assert [counted(n, "picture") + " " + was(n) for n in (1, 2)] == ["1 picture was", "2 pictures were"]
