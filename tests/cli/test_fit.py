"""`chainrule fit` as a person meets it."""

from pathlib import Path

import pytest

from chainrule.cli import main
from chainrule.recipes import read_recipe


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "sea.txt"
    path.write_text("The sea, the sea, the open sea! " * 300)
    return path


def test_a_dry_run_says_the_plan_and_writes_nothing(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", str(text), "--minutes", "0.01", "--threads", "1", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Writes like sea.txt")
    assert "  - The first 90 % are to learn from" in said
    assert [path.name for path in text.parent.iterdir()] == ["sea.txt"]


def test_what_was_asked_is_kept(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = text.parent / "run"
    assert main(["fit", str(text), "--minutes", "0.005", "--threads", "1", "--seed", "3", "--out", str(folder)]) == 0
    recipe = read_recipe(folder)
    assert (recipe.seed, recipe.threads) == (3, 1)
    said = capsys.readouterr().out
    assert "5-gram" in said
    assert "report.html" in said
    assert said.endswith(f"Next: chainrule predict {folder} NEW_DATA --out answers.csv\n")
    assert main(["fit", str(text), "--out", str(folder)]) == 1
    assert "a run needs a new folder of its own" in capsys.readouterr().err


def test_a_folder_is_named_after_the_data(
    text: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(text.parent)
    assert main(["fit", "sea.txt", "--minutes", "0.005", "--threads", "1"]) == 0
    assert (text.parent / "runs" / "sea" / "report.html").is_file()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nothing/here"], "the data must exist"),
        (["--minutes", "3"], "the first word says where the data lies"),
        (["{text}", "--minutes", "0"], "`--minutes` must be more than 0"),
    ],
)
def test_what_is_wrong_is_said(words: list[str], says: str, text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", *(word.format(text=text) for word in words)]) == 1
    assert says in capsys.readouterr().err
