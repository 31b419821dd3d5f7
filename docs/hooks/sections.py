"""Our docstrings, told to the documentation builder in its own words."""

import re
import textwrap
from collections.abc import Iterator
from typing import Any

import griffe

_OWN = re.compile(r"^(Shape|Reference|Differs):\n((?:(?: {4}.*)?(?:\n|\Z))+)", re.MULTILINE)
_EMPTY = re.compile(r"^Args:\n +\(none\)\.\n*", re.MULTILINE)


class Sections(griffe.Extension):
    """Examples are shown as code, empty argument lists not at all; our own sections become headed paragraphs."""

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **_: Any) -> None:
        """Called once all is loaded, before anything is shown."""
        for thing in _below(pkg):
            if thing.docstring:
                thing.docstring.value = readable(thing.docstring.value)
        griffe.DataclassesExtension().on_package(pkg=pkg, loader=loader)  # while every file can still be found
        loader.resolve_aliases()
        for room in pkg.modules.values():
            for name in set(room.exports or ()) & set(room.modules):
                # `training.fit` is the function, not the file of the same name that defines it
                room.members[str(name)] = griffe.Alias(str(name), room.modules[str(name)][name], parent=room)


def readable(docstring: str) -> str:
    """The same docstring with section names that the builder knows."""
    headed = _OWN.sub(lambda found: f"**{found[1]}:**\n\n{textwrap.dedent(found[2]).strip()}\n\n", docstring)
    return re.sub(r"^Example:$", "Examples:", _EMPTY.sub("", headed), flags=re.MULTILINE).rstrip()


def _below(thing: griffe.Object) -> Iterator[griffe.Object]:
    yield thing
    for member in thing.members.values():
        if isinstance(member, griffe.Object):
            yield from _below(member)
