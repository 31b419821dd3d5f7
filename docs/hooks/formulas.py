"""Formulas become MathML while the site is built: it opens from disk, without scripts and without a network."""

import html
import re
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(r'<(span|div) class="arithmatex">(.*?)</\1>', re.DOTALL)
_SPELLINGS = {  # what the converter does not know, said in a way that it does
    r"\big\lVert": r"\lVert",
    r"\big\rVert": r"\rVert",
    r"\lVert": r"\|",
    r"\rVert": r"\|",
    r"\lvert": "|",
    r"\rvert": "|",
    r"\arg\max": r"\operatorname{argmax}",
    r"\arg\min": r"\operatorname{argmin}",
    r"\!": "",
}


def on_page_content(content: str, **_: Any) -> str:
    """Called by mkdocs with every page."""
    return _FORMULA.sub(lambda found: mathml(html.unescape(found.group(2))), content)


def mathml(formula: str) -> str:
    """One formula, marked by arithmatex as inline or display; a command that stays unknown stops the build."""
    display = formula.strip().startswith(r"\[")
    text = formula.strip()[2:-2].strip()
    for unknown, known in _SPELLINGS.items():
        text = text.replace(unknown, known)
    markup = convert(text, display="block" if display else "inline")
    if "\\" in re.sub(r"<[^>]+>", "", markup):
        raise ValueError(f"latex2mathml does not know all of this formula: {formula}")
    return markup
