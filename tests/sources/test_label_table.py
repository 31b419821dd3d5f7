"""Tables of labels as people write them: separators, headers or none, paths or names, gaps and contradictions."""

from pathlib import Path

import pytest

from chainrule import InputError
from chainrule.sources.label_table import label_table

FILES = [Path("pets/a/1.jpg"), Path("pets/a/2.jpg"), Path("pets/b/3.jpg"), Path("pets/b/4.jpg")]


def read(tmp_path, text, target=None, encoding="utf-8"):
    files = [tmp_path / file for file in FILES]
    (tmp_path / "labels.csv").write_bytes(text.encode(encoding))
    return label_table(tmp_path / "labels.csv", files, target)


@pytest.mark.parametrize(
    "text",
    [
        "file,label\n1.jpg,cat\n2.jpg,cat\n3.jpg,dog\n4.jpg,dog\n",
        "\ufefffile;label\r\n1.jpg;cat\r\n2.jpg;cat\r\n3.jpg;dog\r\n4.jpg;dog\r\n",
        "label\tid\ncat\t1\ncat\t2\ndog\t3\ndog\t4\n",
        "1.jpg,cat\n2.jpg,cat\n3.jpg,dog\n4.jpg,dog\n",
        "path|label\npets/a/1.jpg|cat\n./pets/a/2.jpg|cat\npets/b/3.jpg|dog\npets/b/4| dog \n",
        'file,label,notes\n"1.jpg",cat,"a, b"\n2.jpg,cat,\n3.jpg,dog,\n4.jpg,dog\n',
    ],
    ids=["commas", "semicolons", "tabs", "no header", "paths", "quotes and a short row"],
)
def test_ways_to_write_the_same(tmp_path, text):
    found = read(tmp_path, text)
    assert ([file.name for file in found.files], found.labels) == (
        ["1.jpg", "2.jpg", "3.jpg", "4.jpg"],
        ("cat", "cat", "dog", "dog"),
    )
    assert found.notes == ()


def test_what_cannot_be_used_is_counted(tmp_path):
    found = read(tmp_path, "f,label\n1.jpg,cat\n1.jpg,dog\n2.jpg,\n3.jpg,dog\n4.jpg,dog\n4.jpg,dog\n8.jpg,x\n9.jpg,x\n")
    assert [file.name for file in found.files] == ["3.jpg", "4.jpg"]
    assert found.notes == (
        "2 rows of labels.csv name no picture that exists and were left out.",
        "1 row of labels.csv has no label and was left out.",
        "1 pictures have two labels in labels.csv and were left out: 1.jpg.",
    )


def test_the_target_can_be_named(tmp_path):
    text = "f,size,colour\n1.jpg,big,red\n2.jpg,small,red\n3.jpg,big,blue\n"
    assert read(tmp_path, text, "colour").labels == ("red", "red", "blue")
    with pytest.raises(InputError, match=r"one column of the table must be the label. Got .*'size', 'colour'"):
        read(tmp_path, text)
    with pytest.raises(InputError, match="name it with --target"):
        read(tmp_path, text, "weight")


def test_bytes_that_are_not_utf_8_do_not_stop_it(tmp_path):
    assert len(read(tmp_path, "f,label\n1.jpg,Bär\n2.jpg,Bär\n3.jpg,Hund\n", encoding="latin-1").files) == 3


@pytest.mark.parametrize("text", ["", "a,b\n", "day,price\nMonday,30\nTuesday,40\n"])
def test_a_table_of_something_else(tmp_path, text):
    assert read(tmp_path, text) is None


def test_a_label_of_its_own_for_every_picture(tmp_path):
    files = [tmp_path / f"{k}.png" for k in range(40)]
    (tmp_path / "l.csv").write_text("f,label\n" + "".join(f"{k}.png,{k * 0.37}\n" for k in range(40)))
    with pytest.raises(InputError, match="almost every picture has its own"):
        label_table(tmp_path / "l.csv", files)
