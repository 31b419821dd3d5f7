"""The house's words: no drawer for everything, no unfinished business, no path of one machine, no magic."""

import ast
import re
from pathlib import Path

import pytest

from gates.source import ROOT, functions, kept_files, python_files

DRAWERS = {"utils", "util", "common", "misc", "helpers", "helper", "base", "core"}
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
ONE_MACHINE = re.compile(r"(?<![\w.:/~-])/(?:home|root|work|Users|mnt)/[\w.-]|[A-Z]:\\\\?Users")
TEXT = {".py", ".md", ".toml", ".txt", ".yml", ".yaml", ".json", ".css", ".js", ".html", ""}


def drawers(places: list[Path]) -> list[str]:
    """Files and folders whose name says nothing."""
    return [str(place) for place in places if DRAWERS & {part.split(".")[0].lower() for part in place.parts}]


def unfinished(text: str) -> list[str]:
    """Unfinished business and paths that exist on one machine only."""
    return [found.group() for pattern in (UNFINISHED, ONE_MACHINE) for found in pattern.finditer(text)]


def magic(text: str) -> list[str]:
    """What the house style rules out in the library: `hasattr`, annotations as strings, arguments passed through."""
    tree = ast.parse(text)
    wrong = [f"hasattr, line {node.lineno}" for node in ast.walk(tree) if _calls(node, "hasattr")]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            wrong.append(f"from __future__, line {node.lineno}")
        if isinstance(node, ast.FunctionDef) and node.name == "__getattr__":
            wrong.append(f"attribute delegation, line {node.lineno}")
    for function in functions(tree):
        spread = function.args.kwarg.arg if function.args.kwarg and not _of_a_wrapper(function.args.kwarg) else None
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        passed = [word.value for call in calls for word in call.keywords if word.arg is None]
        if spread and any(isinstance(value, ast.Name) and value.id == spread for value in passed):
            wrong.append(f"**{spread} passed through by {function.name}")
    return wrong


def _of_a_wrapper(argument: ast.arg) -> bool:
    """A decorator's `**kwargs: Parameters.kwargs` has the types of what it wraps: nothing is hidden."""
    return isinstance(argument.annotation, ast.Attribute) and argument.annotation.attr == "kwargs"


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def test_names_say_something():
    assert drawers([file.relative_to(ROOT) for file in kept_files()]) == []


def test_nothing_is_unfinished_or_of_one_machine():
    texts = [file for file in kept_files() if file.suffix in TEXT and file != Path(__file__)]  # its plants
    found = {str(file.relative_to(ROOT)): unfinished(file.read_text(errors="replace")) for file in texts}
    assert {name: words for name, words in found.items() if words} == {}


def test_no_magic():
    found = {str(file.relative_to(ROOT)): magic(file.read_text()) for file in python_files("src")}
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize("name", ["src/utils.py", "src/common/order.py", "tests/Helpers.py", "core/x.md"])
def test_a_drawer_is_caught(name):
    assert drawers([Path(name)]) == [name]


@pytest.mark.parametrize("line", ["# TODO: later", "x = 1  # FIXME", 'open("/home/ann/data.csv")', "/work/x"])
def test_unfinished_business_is_caught(line):
    assert unfinished(line) != []


@pytest.mark.parametrize("line", ["https://example.org/home/page", "runs/demo", "the work/life of a gate", "~/data"])
def test_ordinary_text_passes(line):
    assert unfinished(line) == []


@pytest.mark.parametrize(
    "text",
    [
        "hasattr(x, 'y')",
        "from __future__ import annotations",
        "def f(**kwargs):\n    g(**kwargs)",
        "class A:\n    def __getattr__(self, name): ...",
    ],
)
def test_magic_is_caught(text):
    assert len(magic(text)) == 1


def test_arguments_as_data_pass():
    assert magic("def record(**numbers):\n    return {**numbers}") == []
