"""What data is, by its name and by what lies in it."""

from pathlib import Path

import pytest

from chainrule.errors import InputError
from chainrule.recipes import Asked, kind_of, understand
from chainrule.recipes.understanding import ending


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.csv", ".csv"),
        ("Sales.TSV.GZ", ".tsv"),
        ("b.parquet", ".parquet"),
        ("c", ""),
        ("d.xz", ""),
        ("e.f.txt", ".txt"),
    ],
)
def test_endings(name: str, expected: str) -> None:
    assert ending(Path(name)) == expected


def test_what_does_not_exist_is_said() -> None:
    with pytest.raises(InputError, match="the data must exist"):
        understand("no/such/thing", Asked())


def test_text_is_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words")
    assert kind_of(str(tmp_path / "a.txt"), Asked()) == kind_of(str(tmp_path), Asked()) == "text"
