"""The page in a real browser: 1280 and 390 pixels wide, light and dark."""

import html
import json
import re
import shutil
import socket
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

from report.stories import STORIES

WIDTHS, THEMES = (1280, 390), ("light", "dark")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--hide-scrollbars",
    "--allow-file-access-from-files", "--enable-logging=stderr", "--virtual-time-budget=4000",
    "--window-size=1400,1000", "--disable-features=NetworkTimeServiceQuerying,OptimizationHints,MediaRouter",
]  # fmt: skip
MEASURE = """<!doctype html><body>FRAMES<pre id="found"></pre><script>
const found = {};
const look = (frame) => {
  const page = frame.contentDocument, root = page.documentElement, inside = (item) => item.getBoundingClientRect();
  const texts = [...page.querySelectorAll("svg text")];
  const scale = (text) => text.closest("svg").clientWidth / text.closest("svg").viewBox.baseVal.width;
  const out = (text) => {
    const box = inside(text), around = inside(text.closest("svg"));
    return box.left < around.left - 1 || box.right > around.right + 1 || box.top < around.top - 1
      || box.bottom > around.bottom + 1;
  };
  const chart = page.querySelector("svg[data-plot]");
  if (chart) {
    const box = inside(chart);
    chart.dispatchEvent(new frame.contentWindow.PointerEvent("pointermove", {clientX: box.left + box.width / 2}));
  }
  const reading = page.querySelector(".readout:not([hidden])");
  found[frame.id] = {
    width: root.clientWidth, scroll: root.scrollWidth, body: page.body.scrollWidth, height: root.scrollHeight,
    wide: [...page.querySelectorAll("body *")].filter((item) => inside(item).right > root.clientWidth + 1
      && !item.closest(".scroll")).map((item) => item.outerHTML.slice(0, 60)),
    smallest: Math.min(...texts.map((text) => 11 * scale(text))),
    clipped: texts.filter(out).map((text) => text.textContent),
    paper: frame.contentWindow.getComputedStyle(page.body).backgroundColor,
    preferred: frame.contentWindow.matchMedia("(prefers-color-scheme: dark)").matches,
    fetched: frame.contentWindow.performance.getEntriesByType("resource").map((entry) => entry.name),
    copies: page.querySelectorAll(".command button").length,
    read: reading && reading.textContent,
    spoiled: frame.contentWindow.spoiled === true,
  };
};
window.onload = () => {
  document.querySelectorAll("iframe").forEach(look);
  document.getElementById("found").textContent = JSON.stringify(found);
};
</script></body>"""

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium here: `make browser` installs it")


class Trap:
    """A door on this machine that counts who knocks."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.knocks: list[bytes] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                visitor, _ = self.socket.accept()
            except OSError:
                return
            with visitor:
                visitor.settimeout(1)
                try:
                    self.knocks.append(visitor.recv(300))
                except OSError:
                    self.knocks.append(b"")


def browse(folder: Path, pages: dict[str, Path], *more: str) -> tuple[dict[str, Any], list[str], list[bytes]]:
    """What the browser makes of each page; what it says on its console; whom it calls."""
    frames = "".join(
        f'<iframe id="{name}" src="{path.relative_to(folder)}"'
        f' style="border: 0; width: {name.split("-")[-1]}px; height: 800px"></iframe>'
        for name, path in pages.items()
    )
    wrapper = folder / f"wrapper{len(list(folder.glob('wrapper*')))}.html"
    wrapper.write_text(MEASURE.replace("FRAMES", frames))
    trap = Trap()
    proxy = [f"--proxy-server=127.0.0.1:{trap.port}", "--proxy-bypass-list=<-loopback>"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        command = [str(BROWSER), *FLAGS, *proxy, *more, f"--user-data-dir={home}", "--dump-dom", wrapper.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    trap.socket.close()
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stderr
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(html.unescape(found.group(1))), console, trap.knocks


def strangers(knocks: list[bytes]) -> list[bytes]:
    """Calls that are not the browser's own to its maker, which come whatever page is open."""
    own = re.compile(rb"^\w+ (?:https?://)?[\w.-]*(?:google|googleapis|gvt1|gstatic)\.com[:/]")
    return [knock for knock in knocks if not own.match(knock)]


@pytest.fixture(scope="module")
def seen(tmp_path_factory) -> tuple[dict[str, Any], list[str], list[bytes]]:
    folder = tmp_path_factory.mktemp("browser")
    pages = {}
    for name, story in STORIES.items():
        text = story(folder / name).read_text()
        for theme in THEMES:
            themed = folder / name / f"{theme}.html"
            themed.write_text(text.replace('<html lang="en">', f'<html lang="en" data-theme="{theme}">'))
            pages |= {f"{name}-{theme}-{width}": themed for width in WIDTHS}
    return browse(folder, pages)


def test_nothing_is_wider_than_the_window(seen):
    for name, page in seen[0].items():
        assert page["width"] == int(name.split("-")[-1])
        assert max(page["scroll"], page["body"]) <= page["width"], name
        assert page["wide"] == [], name


def test_every_text_of_a_figure_is_large_enough_and_inside_it(seen):
    for name, page in seen[0].items():
        assert page["smallest"] >= 10, name
        assert page["clipped"] == [], name


def test_light_and_dark(seen):
    for name, page in seen[0].items():
        assert page["paper"] == ("rgb(20, 23, 26)" if "-dark-" in name else "rgb(255, 255, 255)"), name


def test_the_console_is_silent_and_nobody_is_called(seen):
    pages, console, knocks = seen
    assert console == []
    assert strangers(knocks) == []
    assert [page["fetched"] for page in pages.values()] == [[]] * len(pages)


def test_values_can_be_read_off_and_commands_copied(seen):
    for name, page in seen[0].items():
        assert page["copies"] >= 2, name
        assert page["read"], name
    assert seen[0]["classifier-light-1280"]["read"].startswith("step ")


def test_the_reader_s_preference_is_followed(tmp_path):
    path = STORIES["network"](tmp_path / "network")
    found, _, _ = browse(tmp_path, {"network-1280": path}, "--blink-settings=preferredColorScheme=0")
    page = found["network-1280"]
    if not page["preferred"]:
        pytest.skip("this browser cannot be told to prefer dark pages from its command line")
    assert page["paper"] == "rgb(20, 23, 26)"


def test_the_policy_stops_what_escaping_would_have_let_through(tmp_path):
    text = STORIES["network"](tmp_path / "network").read_text()
    attack = (
        "<script>window.spoiled = true; fetch('http://example.org/a')</script>"
        "<img src='http://example.org/b.png' onerror='window.spoiled = true'>"
        "<link rel='stylesheet' href='http://example.org/c.css'></header>"
    )
    spoiled = tmp_path / "network" / "spoiled.html"
    spoiled.write_text(text.replace("</header>", attack))
    found, console, knocks = browse(tmp_path, {"spoiled-1280": spoiled})
    assert found["spoiled-1280"]["spoiled"] is False
    assert strangers(knocks) == []
    assert any("Content Security Policy" in line for line in console)
