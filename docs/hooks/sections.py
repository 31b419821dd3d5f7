"""Our docstring sections, told to the documentation builder in its own words."""

import re
import textwrap
from typing import Any

import griffe

_OWN = re.compile(r"^(Shape|Reference|Differs):\n((?:(?: {4}.*)?(?:\n|\Z))+)", re.MULTILINE)
_EMPTY = re.compile(r"^Args:\n +\(none\)\.\n*", re.MULTILINE)


class Sections(griffe.Extension):
    """Examples are shown as code, empty argument lists not at all; our own sections become headed paragraphs."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called with every object before its docstring is taken apart."""
        if obj.docstring:
            obj.docstring.value = readable(obj.docstring.value)


def readable(docstring: str) -> str:
    """The same docstring with section names that the builder knows."""
    headed = _OWN.sub(lambda found: f"**{found[1]}:**\n\n{textwrap.dedent(found[2]).strip()}\n\n", docstring)
    return re.sub(r"^Example:$", "Examples:", _EMPTY.sub("", headed), flags=re.MULTILINE).rstrip()
