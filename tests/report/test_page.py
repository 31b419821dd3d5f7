import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from chainrule import report
from report.stories import HOSTILE, STORIES

VOID = {"meta", "br", "hr", "link", "img", "input"}
STYLE = (Path(report.__file__).parent / "style.css").read_text()


class Reader(HTMLParser):
    """Reads a page strictly: what opens must close, in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text: dict[str, list[str]] = {}
        self.ids: list[str] = []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in VOID, f"<{tag}/> does not close in HTML"
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.setdefault(self.open[-1] if self.open else "", []).append(data)


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, str]:
    root = tmp_path_factory.mktemp("stories")
    return {name: story(root / name).read_text() for name, story in STORIES.items()}


@pytest.fixture(params=list(STORIES))
def read(request, pages) -> tuple[str, Reader]:
    page = pages[request.param]
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return page, reader


def test_nothing_reaches_outside(read):
    _, reader = read
    for tag, name, value in reader.attributes:
        assert not name.startswith("on"), (tag, name)
        if name in ("href", "src", "action", "data", "srcset"):
            assert value.startswith(("data:image/png;base64,", "#")), (tag, name, value)
        if name not in ("xmlns", "content"):
            assert "http:" not in value
            assert "https:" not in value
    assert "@import" not in STYLE
    assert "url(" not in STYLE


def test_the_policy_lets_only_our_script_run(read):
    page, reader = read
    (policy,) = [value for tag, name, value in reader.attributes if tag == "meta" and value.startswith("default-src")]
    (script,) = reader.text["script"]
    proof = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith(
        f"default-src 'none'; script-src 'sha256-{proof}'; style-src 'unsafe-inline'; img-src data:;"
    )
    assert page.index("Content-Security-Policy") < page.index("<style>") < page.index("<script>")


def test_every_text_is_shown_as_text(pages):
    reader = Reader()
    reader.feed(pages["hostile"])
    shown = HOSTILE.replace("\x00", "␀").replace("\u202e", "\ufffd").replace("\ud800", "?")
    assert "".join(reader.text["h1"]) == shown
    assert len(reader.text["script"]) == 1
    assert pages["hostile"].count("<script") == 1


def test_the_page_says_what_it_must(pages):
    page, reader = pages["classifier"], Reader()
    reader.feed(page)
    commands = "".join(reader.text["span"])
    assert "chainrulerundigits-lenet--outruns/digits-lenet-3--optimizer.lr3e-3--seed0chainruleresume" in commands
    assert page.index("optimizer.lr") < page.index("</header>"), "how to repeat it stands on the first screen"
    assert page.index("61,706") < page.index("</header>")
    parts = (
        *("digits-lenet", "Bar reached", "Results", "Curves", "Figures", "Commands", "Time and memory", "Settings"),
        *("optimizer.schedule.warmup", "weight-decay", "411 MiB", "28.8 steps/s", "torch 2.13.0+cpu", "Platinum 8375C"),
        "at least 98\u00a0%",
        "Of 300 test digits of 8\u00a0\u00d7\u00a08 pixels",
    )
    assert [part for part in parts if part not in page] == []
    assert "Bar not reached" in pages["adversarial"]
    assert "<h3>Draw samples</h3>" in pages["adversarial"]
    assert "Draw samples" not in page


def test_figures_and_tables_are_numbered(pages):
    assert re.findall(r"Figure (\d+)\.", pages["classifier"]) == ["1", "2", "3", "4"]
    assert re.findall(r"Table (\d+)\.", pages["classifier"]) == ["1", "2"]
    assert re.findall(r"(Figure|Table) (\d+)\. ", re.sub("<[^>]+>", "", pages["meta"])) == [
        *(("Table", "1"), ("Figure", "1"), ("Table", "2"), ("Figure", "2"), ("Table", "3")),
    ]


def test_differences_are_this_run_minus_the_baseline(pages):
    row = re.search(r"logistic regression</th>(.*?)</tr>", pages["classifier"])
    assert row is not None
    assert re.findall(r">([^<>]+)<", row.group(1)) == ["0.9567", "+0.0300", "0.2010", "−0.1398"]


def palettes() -> dict[str, dict[str, str]]:
    blocks = re.findall(r"\{([^{}]*--paper[^{}]*)\}", STYLE)
    read = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks]
    assert read[1] == read[2], "dark by choice and dark by preference must be the same"
    return {"light": read[0], "dark": read[1]}


def linear(colour: str) -> np.ndarray:
    """WCAG 2.2: relative luminance's linear channels."""
    channels = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    low, high = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_can_be_read(theme: str):
    colours = palettes()[theme]
    for name in ("ink", "muted", "good", "bad", *(f"series-{index}" for index in range(1, 7))):
        assert contrast(colours[name], colours["paper"]) >= 4.5, name
    for index in range(1, 7):
        assert contrast(colours[f"series-{index}"], colours["on-series"]) >= 4.5, index
    assert contrast(colours["muted"], colours["raised"]) >= 4.5


# Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency, 2009.
BLIND = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "nobody": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
}


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE 1976 L*a*b* of linear sRGB."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(np.maximum(to_xyz @ rgb / [0.9505, 1.0, 1.089], 1e-6))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("eyes", list(BLIND))
def test_the_first_three_colours_differ_for_every_eye(theme: str, eyes: str):
    colours = [linear(palettes()[theme][f"series-{index}"]) for index in range(1, 4)]
    seen = [lab(np.clip(np.array(BLIND[eyes]) @ colour, 0, 1)) for colour in colours]
    apart = [float(np.linalg.norm(a - b)) for index, a in enumerate(seen) for b in seen[index + 1 :]]
    assert min(apart) > 15
