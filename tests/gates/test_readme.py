"""What README and CONTRIBUTING say is so: the map of rooms, the commands, the files, the code."""

import re
from dataclasses import replace

import pytest

from chainrule.cli.main import COMMANDS
from chainrule.recipes import RECIPES, find_recipe, run_recipe
from gates.source import PACKAGE, ROOT

PAGES = ("README.md", "CONTRIBUTING.md")


def mapped(text: str) -> list[str]:
    """The rooms in a map of the house: the lines below `src/chainrule/` that begin with `  name/`."""
    below = text.partition("src/chainrule/\n")[2].partition("```")[0]
    return re.findall(r"^  (\w+)/", below, re.MULTILINE)


def false_commands(text: str) -> list[str]:
    """Commands of `make` and `chainrule`, and recipes, that do not exist."""
    shell = "\n".join([*re.findall(r"`([^`\n]+)`", text), *re.findall(r"```(?:sh|bash)\n(.*?)```", text, re.DOTALL)])
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    wrong = [f"make {name}" for name in re.findall(r"(?:^|&& )make ([a-z][\w-]*)", shell, re.M) if name not in targets]
    called = re.findall(r"(?:^|&& )chainrule ([a-z]+)(?: ([a-z][\w-]*))?", shell, re.MULTILINE)
    wrong += [f"chainrule {command}" for command, _ in called if command not in COMMANDS]
    known = {name.replace("_", "-") for name in RECIPES}
    return wrong + [f"recipe {name}" for command, name in called if command in ("run", "show") and name not in known]


def false_links(text: str) -> list[str]:
    """Links to files of the project that are not there."""
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text)
    return [link for link in links if not (ROOT / link).exists()]


def test_the_map_shows_the_rooms():
    rooms = {init.parent.name for init in PACKAGE.glob("*/__init__.py")}
    assert sorted(mapped((ROOT / "README.md").read_text())) == sorted(rooms)


@pytest.mark.parametrize("page", PAGES)
def test_commands_exist(page):
    assert false_commands((ROOT / page).read_text()) == []


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    assert false_links((ROOT / page).read_text()) == []


@pytest.mark.parametrize("page", PAGES)
def test_code_runs(page, tmp_path, monkeypatch):
    """Every Python block of a page, in order, in one namespace and in a folder that only has what the demo leaves."""
    monkeypatch.chdir(tmp_path)
    if "runs/demo" in (ROOT / page).read_text():
        run_recipe(replace(find_recipe("digits-lenet"), steps=2), tmp_path / "runs" / "demo")
    space: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL):
        exec(block, space)  # noqa: S102 (our own page)


def test_a_false_map_a_false_command_and_a_false_link_are_caught():
    text = "```\nsrc/chainrule/\n  cli/   the door\n  data/  batches\n```\nother/"
    assert mapped(text) == ["cli", "data"]
    assert false_commands("`make nothing`, `make test` and\n```sh\nchainrule fly\nchainrule run digits-lenet\n```") == [
        "make nothing",
        "chainrule fly",
    ]
    assert false_commands("`chainrule run digits-lenett --steps 3`") == ["recipe digits-lenett"]
    assert false_links("[a](README.md) [b](gone.md) [c](https://example.org)") == ["gone.md"]
