"""`chainrule predict` as a person meets it. Oracle: Python's own csv reader, and `predict` in Python."""

import csv
import io
from pathlib import Path

import pytest

from chainrule.cli import main
from chainrule.recipes import load


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sea")
    (folder / "sea.txt").write_text("The sea, the sea, the open sea! " * 300)
    words = ["fit", str(folder / "sea.txt"), "--minutes", "0.005", "--threads", "1", "--out", str(folder / "run")]
    assert main(words) == 0
    return folder / "run"


def test_answers_are_csv_in_the_order_of_the_inputs(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompts = run.parent / "prompts.txt"
    prompts.write_text("The sea\nthe, open\n")
    capsys.readouterr()
    assert main(["predict", str(run), str(prompts)]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["prompt"] for row in rows] == ["The sea", "the, open"]
    assert [row["input"] for row in rows] == [f"{prompts}:1", f"{prompts}:2"]
    assert [row["continuation"] for row in rows] == load(run).predict(["The sea", "the, open"])["continuation"]
    out = run.parent / "answers.csv"
    assert main(["predict", str(run), str(prompts), "--out", str(out)]) == 0
    assert "2 answers" in capsys.readouterr().out
    assert list(csv.DictReader(io.StringIO(out.read_text()))) == rows


def test_what_is_wrong_is_said(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, says in (([], "say which run"), (["no/such/file"], "an input must exist")):
        assert main(["predict", str(run), *words]) == 1
        assert says in capsys.readouterr().err
    assert main(["predict", "no/such/run", "x"]) == 1
    assert "this is not the folder of a run" in capsys.readouterr().err
