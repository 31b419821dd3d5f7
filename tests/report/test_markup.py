from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainrule.errors import InputError
from chainrule.report.markup import check, escape, tag
from report.reading import parse


@given(st.text())
def test_any_text_stands_in_xml_and_html(text: str):
    root = parse(tag("p", {"title": text}, escape(text)))
    assert root.text in (unescape(escape(text)), None if not text else "")
    assert len(root) == 0


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_is_shown_as_it_is(text: str):
    assert unescape(escape(text)) == text


def test_what_can_not_be_shown_is_replaced():
    assert escape("\x00\x1b\u202e\ud800") == "␀␛\ufffd?"


def test_numbers_are_short():
    assert tag("circle", {"r": 2.0, "cx": 1 / 3, "n": 7}) == '<circle r="2" cx="0.33" n="7"></circle>'


@pytest.mark.parametrize(
    "markup",
    [
        "<svg><script>alert(1)</script></svg>",
        '<svg onload="alert(1)"></svg>',
        '<svg><a href="javascript:alert(1)">x</a></svg>',
        '<svg xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="https://example.org/a.png"/></svg>',
        '<svg><rect fill="url(https://example.org/a.svg#b)"/></svg>',
        "<svg><style>@import 'https://example.org/a.css'</style></svg>",
        "<div><iframe></iframe></div>",
        "<svg><foreignObject></foreignObject></svg>",
        "<!DOCTYPE svg [<!ENTITY a 'aaaa'>]><svg>&a;</svg>",
        "<svg><g></svg>",
        "<svg></svg><svg></svg>",
        "text",
    ],
)
def test_harmful_or_broken_figures_are_refused(markup: str):
    with pytest.raises(InputError, match=r"^a figure must"):
        check(markup)


def test_harmless_figures_are_taken():
    check('<svg><image href="data:image/png;base64,AA=="/><rect fill="url(#shade)"/></svg>')


def test_words_may_look_like_a_way_out():
    """A series may be called anything: what is only read by a script of the page's own paints nothing."""
    check(tag("svg", {"aria-label": "url(x)"}, tag("path", {"data-name": "url(https://example.org)"})))
    with pytest.raises(InputError, match="must not reach outside"):
        check(tag("svg", {}, tag("path", {"fill": "url(x)"})))
