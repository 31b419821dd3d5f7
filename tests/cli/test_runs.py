"""`chainrule resume`, `sample` and `runs`."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from chainrule.cli import main
from chainrule.recipes import find_recipe, run_recipe, to_plain


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("runs")
    run_recipe(replace(find_recipe("karate-gcn"), steps=3, seeds=1), place / "club")
    return place


def test_runs_are_listed_with_their_numbers(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    (folder / "broken").mkdir(exist_ok=True)
    (folder / "broken" / "recipe.json").write_text("{")
    assert main(["runs", str(folder)]) == 0
    text = capsys.readouterr().out
    assert "karate-gcn" in text
    assert "3 of 3" in text
    assert "accuracy" in text
    assert "bar missed" in text
    assert "is no recipe" in text


def test_a_run_that_was_stopped_is_as_far_as_its_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    recipe = {"recipe": "karate-gcn", "settings": to_plain(find_recipe("karate-gcn"))}
    (tmp_path / "recipe.json").write_text(json.dumps(recipe))
    for name in ("step-00000026", "step-00000030.tmp", "step-x"):
        (tmp_path / "state" / name).mkdir(parents=True)
    assert main(["runs", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "26 of 200" in text
    assert "unfinished" in text


def test_a_finished_run_resumes_to_its_end(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resume", str(folder / "club")]) == 0
    assert "Report:" in capsys.readouterr().out


def test_what_generates_nothing_cannot_be_sampled(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", str(folder / "club")]) == 1
    assert "only a generative model can be sampled" in capsys.readouterr().err
