"""`chainrule recipes`, `show` and `run`."""

from pathlib import Path

import pytest

from chainrule.cli import main
from chainrule.cli.recipes import _free
from chainrule.recipes import RECIPES, read_recipe


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
def test_the_settings_of_every_recipe_have_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", name, "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert "--steps INT" in text
    assert f"Example: chainrule run {name}" in text
    assert "$" not in text, "formulas belong on the page, not in the terminal"


def test_the_next_free_folder(tmp_path: Path) -> None:
    assert _free(tmp_path / "a") == tmp_path / "a"
    (tmp_path / "a").mkdir()
    (tmp_path / "a-2").mkdir()
    assert _free(tmp_path / "a") == tmp_path / "a-3"
