"""A deprecated function warns, and fails the build once its end has come."""

import ast

import pytest

import chainrule
from chainrule.deprecation import deprecated
from gates.source import functions, python_files


def overdue(text: str, version: str) -> list[str]:
    """Deprecated functions whose end this version has reached, or that name no plain end."""
    wrong = []
    for function in functions(ast.parse(text)):
        for mark in function.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("deprecated"):
                named = {word.arg: ast.literal_eval(word.value) for word in mark.keywords}
                if _numbers(version) >= _numbers(named["ends"]):
                    wrong.append(f"{function.name} was to end with {named['ends']}: remove it")
    return wrong


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def test_nothing_is_overdue():
    assert [late for file in python_files("src") for late in overdue(file.read_text(), chainrule.__version__)] == []


def test_an_end_that_has_come_is_caught():
    text = 'class A:\n    @deprecated(since="0.4", ends="0.10", use="b")\n    def old(self): ...\n'
    assert overdue(text, "0.9.3") == []
    assert overdue(text, "0.10.0") == ["old was to end with 0.10: remove it"]
    assert overdue(text, "1.0") == ["old was to end with 0.10: remove it"]


def test_it_warns_where_it_is_called_and_still_works():
    @deprecated(since="0.4", ends="0.6", use="new")
    def old(number: int) -> int:
        """Doubles."""
        return 2 * number

    with pytest.warns(DeprecationWarning, match=r"old is deprecated since 0\.4 and ends with 0\.6; use new\."):
        assert old(number=2) == 4
    assert old.__doc__ == "Doubles."
