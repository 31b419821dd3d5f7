"""Formulas become MathML; one that the converter does not know stops the build."""

import ast
import re
from pathlib import Path

import pytest

import formulas
from gates.source import PACKAGE


def _docstrings(file: Path) -> list[str]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    return [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, kinds)]


@pytest.mark.parametrize("room", sorted({file.parent.name for file in PACKAGE.rglob("*.py")}))
def test_every_formula_of_a_room_is_known(room):
    docstrings = [text for file in PACKAGE.rglob("*.py") if file.parent.name == room for text in _docstrings(file)]
    for text in docstrings:
        for display, inline in re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", text, re.DOTALL):
            assert formulas.mathml(rf"\[{display}\]" if display else rf"\({inline}\)").startswith("<math")


def test_a_display_formula_is_a_block():
    page = formulas.on_page_content(r'<p>So <span class="arithmatex">\(x &lt; 1\)</span></p>')
    assert 'display="inline"' in page
    assert "<mo>&#x0003C;</mo>" in page
    assert 'display="block"' in formulas.on_page_content(r'<div class="arithmatex">\[x\]</div>')


def test_an_unknown_command_stops_the_build():
    with pytest.raises(ValueError, match="does not know"):
        formulas.mathml(r"\[\nosuchthing x\]")
