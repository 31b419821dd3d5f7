"""Files as people write them: Python's own csv writer is the oracle for what was written, counts are by hand."""

import csv
import gzip
import io
import lzma
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule import InputError
from chainrule.sources.delimited import read_delimited

PLAIN = "name,age\nAnn,30\nBob,41\nCleo,52\n"


def written(folder: Path, content: str | bytes, name: str = "table.csv"):
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_delimited(file)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.text("ab ,;\"'\n", max_size=6), st.integers(0, 99)), min_size=5, max_size=20),
    st.sampled_from(",;\t|"),
)
def test_what_the_csv_module_writes_is_read_back(tmp_path_factory, rows, delimiter):
    page = io.StringIO()
    writer = csv.writer(page, delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows([("word", "number", "same"), *((word, number, "x") for word, number in rows)])
    found = written(tmp_path_factory.mktemp("csv"), page.getvalue())
    kept = [word.replace("\r", "").lstrip(" ") for word, _ in rows]
    if found.delimiter == delimiter:
        assert [value.lstrip(" ") for value in found.frame["word"].to_list()] == kept
    assert found.frame["number"].to_list() == [str(number) for _, number in rows]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_delimiters(tmp_path, delimiter):
    found = written(tmp_path, PLAIN.replace(",", delimiter))
    assert found.delimiter == delimiter
    assert found.frame.rows() == [("Ann", "30"), ("Bob", "41"), ("Cleo", "52")]


def test_semicolons_win_over_decimal_commas(tmp_path):
    found = written(tmp_path, "a;b;c\n1,5;2,5;3,5\n4,5;5,5;6,5\n")
    assert found.frame.rows() == [("1,5", "2,5", "3,5"), ("4,5", "5,5", "6,5")]


def test_no_header(tmp_path):
    found = written(tmp_path, "5.1,red\n4.9,blue\n4.7,red\n")
    assert found.frame.columns == ["column_1", "column_2"]
    assert len(found.frame) == 3
    assert "no row holds names" in found.repairs[0]


def test_a_header_over_words_alone(tmp_path):
    assert written(tmp_path, "town,colour\nUlm,red\nKiel,blue\nUlm,red\n").frame.columns == ["town", "colour"]
    assert written(tmp_path, "Ulm,red\nKiel,blue\nUlm,red\nBonn,red\n").frame.columns == ["column_1", "column_2"]


def test_known_names_find_a_header_and_name_columns_without_one(tmp_path):
    file = tmp_path / "new.csv"
    file.write_text("age,town\n30,Ulm\n")
    assert read_delimited(file, ["age", "town"]).frame.rows() == [("30", "Ulm")]
    file.write_text("30,Ulm\n")
    found = read_delimited(file, ["age", "town"]).frame
    assert found.columns == ["age", "town"]
    assert len(found) == 1


@pytest.mark.parametrize(
    ("encoding", "said"), [("utf-8", ""), ("utf-8-sig", ""), ("latin-1", "Latin-1"), ("utf-16", "UTF-16")]
)
def test_encodings(tmp_path, encoding, said):
    found = written(tmp_path, "Größe,Ort\n1,Köln\n2,Ulm\n3,Köln\n".encode(encoding))
    assert found.frame.columns == ["Größe", "Ort"]
    assert found.frame["Ort"].to_list() == ["Köln", "Ulm", "Köln"]
    assert said in " ".join(found.repairs)


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_packed_files(tmp_path, ending, pack):
    plain = written(tmp_path, PLAIN)
    packed = written(tmp_path, pack(PLAIN.encode()), "table.csv" + ending)
    assert packed.frame.equals(plain.frame)
    assert packed.digest == plain.digest
    with pytest.raises(InputError, match="cannot be read"):
        written(tmp_path, pack(PLAIN.encode() * 50)[:-30], "cut.csv" + ending)


def test_ragged_rows_are_counted(tmp_path):
    lines = ["a,b,c", *["1,2,3"] * 20, "1,2", "1,2,3,4", "1,2,3,,"]
    found = written(tmp_path, "\n".join(lines) + "\n")
    assert len(found.frame) == 22
    said = " ".join(found.repairs)
    assert "1 of 23 rows had too few values" in said
    assert "1 of 23 rows had too many values and were left out" in said


def test_where_every_row_needs_an_answer_none_is_left_out(tmp_path):
    file = tmp_path / "new.csv"
    file.write_text("\n".join(["a,b,c", *["1,2,3"] * 20, "1,2,3,4"]))
    assert len(read_delimited(file, every_row=True).frame) == 21
    with pytest.raises(InputError, match="too large"):
        read_delimited(file, every_row=True, most=20)


def test_too_many_ragged_rows_are_an_error(tmp_path):
    with pytest.raises(InputError, match="equally many values"):
        written(tmp_path, "a,b\n" + "1,2\n" * 5 + "1,2,3\n" * 3)


def test_blanks_after_commas_are_counted(tmp_path):
    found = written(tmp_path, "name, age\nAnn, 30\nBob, 41\nCleo, 52\n")
    assert found.frame["age"].to_list() == ["30", "41", "52"]
    assert "Blanks after commas were taken off (4 times)." in found.repairs


def test_names_that_are_taken_or_empty(tmp_path):
    found = written(tmp_path, "a,a,\n1,2,3\n4,5,6\n")
    assert found.frame.columns == ["a", "a_2", "column_3"]
    assert len([said for said in found.repairs if said.startswith("Column")]) == 2


def test_a_header_that_lacks_the_name_of_the_row_numbers(tmp_path):
    assert written(tmp_path, "x,y\n1,2,3\n2,4,6\n3,6,9\n").frame.columns == ["row", "x", "y"]


def test_a_large_file_is_read_from_its_start(tmp_path):
    file = tmp_path / "large.csv"
    file.write_text("a,b\n" + "1,2\n" * 1000)
    found = read_delimited(file, most=400)
    assert len(found.frame) == 99
    assert "only its beginning" in " ".join(found.repairs)


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"", "must not be empty"),
        (b"\n \n", "must not be empty"),
        (b"PK\x03\x04\0\0\0\0", "neither"),
        (b'a,b\n1,"' + b"x" * 200_000 + b"\n", "cannot be cut into values"),
    ],
)
def test_files_that_are_no_tables(tmp_path, content, fact):
    with pytest.raises(InputError, match=fact):
        written(tmp_path, content)


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(InputError, match="not a folder"):
        read_delimited(tmp_path)
    with pytest.raises(InputError, match="must exist"):
        read_delimited(tmp_path / "none.csv")
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    with pytest.raises(InputError, match="cannot be read"):
        read_delimited(loop)
