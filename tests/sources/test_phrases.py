"""Short texts with classes, as people bring them. Oracle: files and frames written by hand."""

from pathlib import Path

import polars as pl
import pytest

from chainrule.errors import InputError
from chainrule.sources import is_phrases, phrase_classes, phrase_remarks, phrase_units, read_phrases

TEXTS = [f"this is text number {number}" for number in range(30)]
LABELS = ["ham", "spam"] * 15


def frame(**more: object) -> pl.DataFrame:
    return pl.DataFrame({"message": TEXTS, "kind": LABELS, **more})


def test_a_table_of_phrases_is_told_from_others() -> None:
    assert is_phrases(frame())
    assert is_phrases(frame().select("kind", "message"))
    assert is_phrases(frame(day=list(range(30))))
    assert not is_phrases(frame(other=TEXTS)), "two columns of text"
    assert not is_phrases(frame(**{f"x{each}": list(range(30)) for each in range(6)})), "many other columns"
    assert not is_phrases(frame().with_columns(kind=pl.Series([each / 7 for each in range(30)]))), "amounts"
    assert not is_phrases(frame().drop("message"))
    assert not is_phrases(frame().drop("kind"))


def test_a_file_without_header_and_one_sorted_by_class(tmp_path: Path) -> None:
    path = tmp_path / "mails.tsv"
    path.write_text("\n".join(f"{text}\t{label}" for text, label in zip(TEXTS, sorted(LABELS), strict=True)))
    assert is_phrases(path)
    found = read_phrases(path)
    assert found.texts == tuple(TEXTS)
    assert found.answers == tuple(sorted(LABELS))
    path.write_text("\n".join(f"{label}\t{text}" for text, label in zip(TEXTS, LABELS, strict=True)))
    assert is_phrases(path)
    assert read_phrases(path).texts == tuple(TEXTS)


def test_a_long_sorted_file_is_told_by_its_first_rows(tmp_path: Path) -> None:
    path = tmp_path / "mails.csv"
    rows = [f"this is text number {n},{label}" for label in ("ham", "spam") for n in range(6000)]
    path.write_text("\n".join(["text,label", *rows]))
    assert is_phrases(path)


def test_a_folder_for_each_class(tmp_path: Path) -> None:
    for place, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True)):
        (tmp_path / label).mkdir(exist_ok=True)
        (tmp_path / label / f"{place}.txt").write_text(text)
    (tmp_path / "ham" / "old.txt").write_bytes("caf\u00e9".encode("latin-1"))
    (tmp_path / "ham" / "nothing.txt").write_text(" \n")
    assert is_phrases(tmp_path)
    found = read_phrases(tmp_path)
    assert dict(zip(found.texts, found.answers, strict=True)) == {
        **dict(zip(TEXTS, LABELS, strict=True)), "caf\u00e9": "ham",
    }  # fmt: skip
    assert "1 file was not UTF-8 and read as Latin-1." in found.notes
    assert "1 of 32 rows had no text and was left out." in found.notes
    (tmp_path / "readme.md").write_text("other things lie here, too")
    assert not is_phrases(tmp_path)
    with pytest.raises(InputError, match=r"a folder of \.txt files for each"):
        read_phrases(tmp_path)


def test_empty_texts_and_missing_classes_are_told() -> None:
    found = read_phrases(
        frame().with_columns(message=pl.Series([" ", None, *TEXTS[2:]]), kind=pl.Series([*LABELS[:28], None, "  "]))
    )
    assert found.texts == tuple(TEXTS[2:28])
    assert "2 of 30 rows had no text and were left out." in found.notes
    assert "2 of 30 rows had no `kind` and were left out." in found.notes


def test_numbers_are_classes_too() -> None:
    found = read_phrases(frame().with_columns(kind=pl.Series([1.0, 0.0] * 15)))
    assert found.answers == ("1", "0") * 15


def test_copies_count_as_one_whatever_their_case() -> None:
    assert phrase_units(["A  b", "a B ", "c"]).tolist() == [0, 0, 1]
    said = phrase_remarks(["A  b", "a B ", "c", "c"], ["1", "0", "1", "1"])
    assert said[0].startswith("Copies of other texts (2,")
    assert said[1].startswith("1 text has different classes")
    assert phrase_remarks(["a", "b"], ["1", "1"]) == []


def test_one_class_is_an_error_and_a_single_text_is_left_out() -> None:
    with pytest.raises(InputError, match="two classes at least"):
        phrase_classes(["a"] * 9, [])
    with pytest.raises(InputError, match="two classes at least"):
        phrase_classes(["a"] * 9 + ["b"], [])
    notes: list[str] = []
    assert phrase_classes([*"aabbabc"], notes) == (("a", "b"), [0, 1, 2, 3, 4, 5])
    assert notes == ["Too few texts to learn, choose and judge were left out: 1 text of `c`."]
    assert phrase_classes([*("10", "9") * 3], [])[0] == ("9", "10")
    with pytest.raises(InputError, match="too many classes"):
        phrase_classes([str(each // 3) for each in range(600)], [])


def test_there_must_be_one_text_and_it_is_no_class() -> None:
    with pytest.raises(InputError, match="exactly one column of free text"):
        read_phrases(frame(other=TEXTS))
    with pytest.raises(InputError, match="must be in the table"):
        read_phrases(frame(), target="colour")
    with pytest.raises(InputError, match="the columns that the model learnt from"):
        read_phrases(frame(), known=("text", "kind"), every_row=True)
    with pytest.raises(InputError, match="no row has both"):
        read_phrases(frame().with_columns(kind=pl.Series([None] * 30, dtype=pl.String)))


def test_new_texts_need_no_class_and_none_is_left_out() -> None:
    found = read_phrases(pl.DataFrame({"message": ["new", None]}), known=("message", "kind"), every_row=True)
    assert found.texts == ("new", "")
