"""What data is, by its name, its ending and what lies in it. Oracle: the files, made by hand."""

import gzip
from pathlib import Path

import pytest
from PIL import Image

from chainrule.errors import InputError
from chainrule.recipes import FITTED, Asked, kind_of, understand
from chainrule.recipes.understanding import _PLANS, ending


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.csv", ".csv"), ("Sales.TSV.GZ", ".tsv"), ("b.parquet", ".parquet"), ("c", ""), ("e.f.txt", ".txt")],
)
def test_endings(name: str, expected: str) -> None:
    assert ending(Path(name)) == expected


def picture(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (4, 4)).save(path)


def test_files_of_every_kind(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("day,units\n2020-01-01,3\n")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    (tmp_path / "poem").write_text("Roses")
    (tmp_path / "numbers.npz").write_bytes(b"PK\0")
    (tmp_path / "train-images-idx3-ubyte.gz").write_bytes(b"\0")
    picture(tmp_path / "one.png")
    (tmp_path / "labels.csv").write_text("file,label\none.png,cat\n")
    kinds = {path.name: kind_of(str(path), Asked()) for path in tmp_path.iterdir() if path.name != "one.png"}
    assert kinds == {
        "t.csv": "table",
        "t.csv.gz": "table",
        "poem": "text",
        "numbers.npz": "pictures",
        "train-images-idx3-ubyte.gz": "pictures",
        "labels.csv": "pictures",
    }
    assert kind_of(str(tmp_path / "t.csv"), Asked(time="day")) == "series"
    assert kind_of(str(tmp_path / "t.csv"), Asked(task="language")) == "text"


def test_folders_by_what_lies_in_them(tmp_path: Path) -> None:
    picture(tmp_path / "photos" / "cat" / "1.png")
    (tmp_path / "photos" / "notes.txt").write_text("from the garden")
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "1.md").write_text("It was")
    assert kind_of(str(tmp_path / "photos"), Asked()) == "pictures"
    assert kind_of(str(tmp_path / "book"), Asked()) == "text"


def test_texts_with_a_class_each(tmp_path: Path) -> None:
    table = tmp_path / "said.csv"
    said = ["what a lovely quiet afternoon", "the film was long and dull", "never have I laughed so much"]
    table.write_text(
        "text,label\n" + "".join(f"{words} number {row},{row % 2}\n" for row, words in enumerate(said * 20))
    )
    assert kind_of(str(table), Asked()) == "phrases"
    assert kind_of(str(table), Asked(group="label")) == "table"
    for kind in ("good", "bad"):
        (tmp_path / "letters" / kind).mkdir(parents=True)
        for number in range(4):
            (tmp_path / "letters" / kind / f"{number}.txt").write_text(f"a {kind} letter, number {number}")
    assert kind_of(str(tmp_path / "letters"), Asked()) == "phrases"
    assert kind_of(str(tmp_path / "letters"), Asked(task="language")) == "text"


def test_nodes_and_edges(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")
    (tmp_path / "nodes.csv").write_text("node,label\na,x\nb,y\n")
    assert kind_of(str(tmp_path), Asked()) == "nodes"


def test_names_of_sets_that_ship_with_scikit_learn() -> None:
    assert kind_of("digits", Asked()) == "pictures"
    assert kind_of("wine", Asked()) == "table"
    with pytest.raises(InputError, match="did you mean 'digits'"):
        kind_of("digts", Asked())


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [("a.bin", b"\0\1", "none of the kinds"), ("folder/a.csv", b"a\n1\n", "a folder of tables is not one table")],
)
def test_what_is_none_of_them_is_said(name: str, content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    with pytest.raises(InputError, match=says):
        kind_of(str(path if path.parent == tmp_path else path.parent), Asked())
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="the folder is empty"):
        kind_of(str(tmp_path / "empty"), Asked())


def test_what_does_not_exist_is_said() -> None:
    with pytest.raises(InputError, match="the data must exist"):
        understand("no/such/thing", Asked())


def test_every_kind_has_its_plan_and_its_recipe() -> None:
    assert {f"fit-{kind}" for kind in _PLANS} == set(FITTED)
