"""What the gates read: files of the project, and Python source taken apart."""

import ast
import io
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "chainrule"
_SILENT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_files(*folders: str | Path) -> list[Path]:
    """Python files below these folders of the project."""
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def kept_files() -> list[Path]:
    """The files that are kept under version control; all but build outputs where git is not at hand."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    hidden = ("runs", "site", "build", "dist", "__pycache__")
    every = (file for file in ROOT.rglob("*") if file.is_file())
    return [f for f in every if not any(p.startswith(".") or p in hidden for p in f.relative_to(ROOT).parts[:-1])]


def code_lines(text: str) -> set[int]:
    """The lines that hold code: neither blank, nor comment, nor docstring."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    held = {line for token in tokens if token.type not in _SILENT for line in range(token.start[0], token.end[0] + 1)}
    return held - set(_docstring_lines(ast.parse(text)))


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function and method, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def _docstring_lines(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, Function | ast.ClassDef | ast.Module) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            yield from range(first.lineno, (first.end_lineno or first.lineno) + 1)
