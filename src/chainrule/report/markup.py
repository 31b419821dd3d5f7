"""Writing HTML and SVG: everything that comes from a person or a data set is escaped here, and nowhere else."""

from collections.abc import Mapping
from html import escape as _escape
from xml.etree import ElementTree

from chainrule.errors import InputError

_CONTROLS = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"} | {0x7F: 0x2421}
_TURNS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)  # would turn round what follows
_SHOWN = _CONTROLS | _TURNS
_WORDS = ("data-", "aria-")  # attributes that hold words, such as the name of a series, and paint nothing
_FORBIDDEN = {"script", "iframe", "object", "embed", "link", "meta", "base", "form", "foreignObject", "style"}
Attributes = dict[str, str | float | int]

_VOID = {"meta", "br", "hr"}
_REACHES = ("href", "src", "action", "formaction", "data")


def escape(text: object) -> str:
    """Text as HTML and XML show it: no mark-up, nothing that controls, no half of a pair."""
    whole = str(text).replace("\r\n", "\n").translate(_SHOWN).encode("utf-8", "replace").decode("utf-8")
    return _escape(whole.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd"))


def tag(name: str, attributes: Mapping[str, str | float | int], *children: str) -> str:
    """One element: attributes are escaped, children are mark-up already."""
    written = "".join(f' {key}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{written}/>" if name in _VOID else f"<{name}{written}>{''.join(children)}</{name}>"


def _value(value: str | float | int) -> str:
    if isinstance(value, str):
        return escape(value)
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def check(markup: str) -> None:
    """Refuses mark-up that is not one well-formed element, that runs code or that reaches outside the page."""
    if "<!" in markup or "<?" in markup:
        raise InputError("a figure must be plain elements", advice="leave out comments, doctypes and entities")
    try:
        root = ElementTree.fromstring(markup)  # noqa: S314 (entities were refused above)
    except ElementTree.ParseError as error:
        raise InputError(
            "a figure must be one well-formed element", advice="close every tag", fault=str(error)
        ) from error
    for element in root.iter():
        name = element.tag.rpartition("}")[2]
        if name in _FORBIDDEN:
            raise InputError("a figure must not run or embed anything", advice="draw it", element=name)
        for key, value in element.attrib.items():
            reaches = key.rpartition("}")[2] in _REACHES and not value.startswith(("#", "data:image/"))
            paints = not key.startswith(_WORDS) and "url(" in value.replace("url(#", "")
            if key.lower().startswith("on") or reaches or paints:
                raise InputError("a figure must not reach outside itself", advice="leave this out", attribute=key)
