"""Reading mark-up back."""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG = "{http://www.w3.org/2000/svg}"


def parse(markup: str) -> Element:
    """Mark-up of our own as a tree; what is not XML fails."""
    return ElementTree.fromstring(markup)  # noqa: S314
