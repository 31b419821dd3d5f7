"""Every public name has the docstring sections of its kind, in order and up to date."""

import inspect

import pytest
from torch import Tensor

from chainrule.shapes import Float
from contracts.docstring import faults, sections, shape_faults
from contracts.entry import Abstract, Entry, Function, Module, Name
from contracts.roster import Subject, each, subjects

_SPOKEN = tuple(kind for kind in Entry.__subclasses__() if kind is not Name)


@each("sections", *_SPOKEN)
def test_sections(subject: Subject):
    assert faults(subject.thing, subject.entry.sections) == []


@each("shape_names", Module, Function)
def test_shape_names(subject: Subject):
    """The axes in the Shape section are called what the annotations call them."""
    thing = subject.thing
    function = getattr(thing, "forward", thing) if inspect.isclass(thing) else thing
    found = sections(thing)
    if "Shape" in found:
        assert shape_faults(found["Shape"], function) == []


def _complete(count: int, x: Float[Tensor, "row column"]) -> Float[Tensor, " row"]:
    r"""Does nothing.

    $$y = x$$

    Args:
        count: how many.
        x: what.

    Shape:
        x: (row, column); returns (row).

    Example:
        >>> 1
        1

    Reference:
        Nobody.

    Differs:
        Nothing.
    """
    return x


@pytest.mark.parametrize("missing", ["formula", "Args", "Shape", "Example", "Reference", "Differs"])
def test_a_missing_section_is_caught(missing):
    whole = _complete.__doc__ or ""
    cut = whole.replace("$$y = x$$", "") if missing == "formula" else whole.replace(f"    {missing}:\n", "")
    assert faults(_planted(whole), Module.sections) == []
    assert f"no {missing}" in faults(_planted(cut), Module.sections)


def test_a_stale_argument_is_caught():
    planted = _planted((_complete.__doc__ or "").replace("count: how many", "number: how many"))
    assert faults(planted, ("Args",)) == [
        "argument count is not documented",
        "documents number, which is no argument",
    ]


def test_sections_out_of_order_are_caught():
    planted = _planted("What.\n\nExample:\n    >>> 1\n    1\n\nArgs:\n    count: how many.\n    x: what.\n")
    assert faults(planted, ("Args",)) == ["sections out of order: Example, Args"]


def test_a_wrong_axis_name_is_caught():
    assert shape_faults("x: (row, column); returns (row).", _complete) == []
    assert shape_faults("x: (row, feature); returns (row).", _complete) == [
        "Shape says x is (row, feature), the annotation says (row column)"
    ]
    assert shape_faults("x: (row, column).", _complete) == ["Shape does not say what returns is: (row)"]


def test_abstract_names_say_who_stands_for_them():
    assert all(len(subject.entry.why.split()) >= 2 for subject in subjects(Abstract, Name))


def _planted(docstring: str):
    def planted(count: int, x: Tensor) -> Tensor:
        return x

    planted.__doc__ = docstring
    return planted
