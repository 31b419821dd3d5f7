"""Files, functions and constructors stay small; docstrings, comments and blank lines are free."""

import ast
from pathlib import Path

from gates.source import ROOT, code_lines, functions, python_files

FILE, FUNCTION, CONSTRUCTOR = 300, 50, 8
FOLDERS = ("src", "tests", "bench", "examples", "docs")


def oversized(file: Path) -> list[str]:
    """What is too long in a file."""
    text = file.read_text()
    held, name = code_lines(text), file.name
    wrong = [f"{name}: {len(held)} code lines, at most {FILE}"] if len(held) > FILE else []
    for function in functions(ast.parse(text)):
        length = len([line for line in held if function.lineno <= line <= (function.end_lineno or 0)])
        if length > FUNCTION:
            wrong.append(f"{name}: {function.name} has {length} code lines, at most {FUNCTION}")
        arguments = function.args
        count = len([*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]) - 1
        if function.name == "__init__" and count > CONSTRUCTOR:
            wrong.append(f"{name}: a constructor takes {count} arguments, at most {CONSTRUCTOR}")
    return wrong


def test_nothing_is_oversized():
    assert [fault for file in python_files(*FOLDERS) for fault in oversized(file)] == []


def test_a_long_file_is_caught(tmp_path):
    file = tmp_path / "long.py"
    file.write_text('"""Doc."""\n\n# why\n' + "x = 1\n" * FILE)
    assert oversized(file) == []
    file.write_text(file.read_text() + "x = 1\n")
    assert oversized(file) == ["long.py: 301 code lines, at most 300"]


def test_a_long_function_is_caught(tmp_path):
    file = tmp_path / "long.py"
    body = '    """Doc.\n\n    More.\n    """\n\n    # why\n' + "    x = 1\n" * (FUNCTION - 1)
    file.write_text("def walk():\n" + body)
    assert oversized(file) == []
    file.write_text("def walk():\n" + body + "    x = 2\n")
    assert oversized(file) == ["long.py: walk has 51 code lines, at most 50"]


def test_a_wide_constructor_is_caught(tmp_path):
    file = tmp_path / "wide.py"
    names = [f"a{place}" for place in range(CONSTRUCTOR + 1)]
    file.write_text(f"class A:\n    def __init__(self, {', '.join(names[:-1])}): ...\n")
    assert oversized(file) == []
    file.write_text(f"class A:\n    def __init__(self, {names[0]}, *, {', '.join(names[1:])}): ...\n")
    assert oversized(file) == ["wide.py: a constructor takes 9 arguments, at most 8"]


def test_strings_over_several_lines_are_code(tmp_path):
    file = tmp_path / "text.py"
    file.write_text('"""Doc."""\nx = """\n' + "line\n" * FILE + '"""\n')
    assert oversized(file) == ["text.py: 302 code lines, at most 300"]
    assert ROOT.is_dir()
