"""A docstring taken apart: its sections, the names it documents, the shapes it promises."""

import inspect
import re
from collections.abc import Callable
from typing import Any, get_args

ORDER = ("formula", "Args", "Shape", "Example", "Reference", "Differs")
_TUPLE = re.compile(r"(\w+)(?::| in| is)? \(([^()]*)\)")


def sections(thing: Any) -> dict[str, str]:
    """Every section's text by its name, in the order in which they stand."""
    text = inspect.cleandoc(thing.__doc__ or "")
    found = {"formula": "$$"} if "$$" in text.split("\nArgs:")[0] else {}
    for name, body in re.findall(r"^(\w+)(?: \([^)]*\))?:\n((?:(?: {4}.*)?\n?)+)", text, re.MULTILINE):
        found[name] = inspect.cleandoc(body)
    return found


def parameters(thing: Any) -> list[str]:
    """What it is called with."""
    try:
        names = inspect.signature(thing).parameters
    except (ValueError, TypeError):
        return []
    return [name for name in names if name not in ("self", "args", "kwargs")]


def faults(thing: Any, wanted: tuple[str, ...]) -> list[str]:
    """What is missing, out of order or out of date."""
    found, called_with = sections(thing), parameters(thing)
    if not called_with:
        wanted = tuple(name for name in wanted if name != "Args")
    wrong = [f"no {name}" for name in wanted if not found.get(name)]
    places = [ORDER.index(name) for name in found if name in ORDER]
    if places != sorted(places):
        wrong.append(f"sections out of order: {', '.join(found)}")
    if not (thing.__doc__ or "").strip():
        wrong.append("no docstring")
    if "Args" in found and called_with:
        documented = [name for line in re.findall(r"^([\w, ]+):", found["Args"], re.M) for name in line.split(", ")]
        wrong += [f"argument {name} is not documented" for name in called_with if name not in documented]
        wrong += [f"documents {name}, which is no argument" for name in documented if name not in called_with]
    return wrong


def shape_faults(documented: str, function: Callable[..., Any]) -> list[str]:
    """Where the Shape section and the annotations name the axes differently."""
    promised = dict(re.findall(r"(\w+):? \(([^()]*)\)", documented))
    wrong = []
    for name, annotation in getattr(function, "__annotations__", {}).items():
        axes = _axes(annotation)
        label = "returns" if name == "return" else name
        if not axes:
            continue
        if label not in promised:
            wrong.append(f"Shape does not say what {label} is: ({axes[0]})")
        elif _plain(promised[label]) not in [_plain(each) for each in axes]:
            wrong.append(f"Shape says {label} is ({promised[label]}), the annotation says ({' or '.join(axes)})")
    return wrong


def _axes(annotation: Any) -> list[str]:
    """The axis names of a jaxtyping annotation, or of each in a union."""
    if hasattr(annotation, "dim_str"):
        return [annotation.dim_str.strip()]
    return [axes for part in get_args(annotation) for axes in _axes(part)]


def _plain(axes: str) -> tuple[str, ...]:
    """Axis names without jaxtyping's marks for broadcasting and variadic axes."""
    names = re.split(r"[ ,]+", axes.strip(" ,"))
    return tuple(name.lstrip("#*_?") if name != "..." else name for name in names if name)
