"""`chainrule recipes`, `show` and `run`."""

import shlex
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from chainrule.cli import main
from chainrule.cli.recipes import _parsed, free
from chainrule.recipes import RECIPES, command_of, find_recipe, read_recipe


def test_every_recipe_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recipes"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in RECIPES)


@pytest.mark.parametrize("name", list(RECIPES))
def test_a_recipe_is_shown_with_its_settings(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", name]) == 0
    text = capsys.readouterr().out
    assert "--steps" in text
    assert "--optimizer.lr" in text or "--generator" in text
    assert f"chainrule run {name}" in text


def test_settings_of_any_depth_can_be_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "club"
    words = [
        "run",
        "karate-gcn",
        "--out",
        str(folder),
        "--steps",
        "2",
        "--seeds",
        "1",
        "--optimizer.lr",
        "0.5",
        "--hidden",
        "4",
    ]
    assert main(words) == 0
    recipe = read_recipe(folder)
    assert (recipe.steps, recipe.optimizer.lr, recipe.hidden) == (2, 0.5, 4)
    text = capsys.readouterr().out
    assert "report.html" in text
    assert "Bar:" in text


@pytest.mark.parametrize("name", list(RECIPES))
def test_the_settings_of_every_recipe_have_help(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["run", name, "--help"]) == 0
    text = capsys.readouterr().out
    assert "how long to train" in text
    assert f"Example:\n  chainrule run {name}" in text
    assert "$" not in text, "formulas belong on the page, not in the terminal"
    lines = text.splitlines()
    assert len(lines) <= 40, "one screen"
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("name", list(RECIPES))
def test_what_repeats_a_run_is_understood(name: str) -> None:
    recipe = find_recipe(name)
    other = replace(recipe, **{field.name: _other(getattr(recipe, field.name)) for field in fields(recipe)})
    words = shlex.split(command_of(other, Path("runs/the other")))
    assert words[:3] == ["chainrule", "run", name]
    assert _parsed(recipe, words[3:]) == (other, Path("runs/the other"))


def _other(value: Any) -> Any:
    """Another value of the same kind; settings within settings stay of their class."""
    if is_dataclass(value):
        small = {"lr": 0.0123, "clip": 0.5} if hasattr(value, "lr") else {}
        return replace(value, **small)
    return not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else value


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--steps", "0"], "`--steps` must be at least 1"),
        (["--threads", "0"], "`--threads` must be at least 1"),
        (["--hidden", "0"], "needs at least two positive numbers"),
    ],
)
@pytest.mark.filterwarnings("ignore:Initializing zero-element tensors")
def test_what_cannot_be_trained_takes_no_folder(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "karate-gcn", "--out", str(tmp_path / "club"), *words]) == 1
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").write_text("mine")
    assert main(["run", "karate-gcn", "--out", str(tmp_path / "notes")]) == 1
    assert "a run needs a folder of its own" in capsys.readouterr().err
    assert (tmp_path / "notes").read_text() == "mine"


def test_the_next_free_folder(tmp_path: Path) -> None:
    assert free(tmp_path / "a") == tmp_path / "a"
    (tmp_path / "a").mkdir()
    (tmp_path / "a-2").mkdir()
    assert free(tmp_path / "a") == tmp_path / "a-3"
