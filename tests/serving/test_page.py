"""The page as a person uses it, in a real browser. Oracle: `predict` of the same run in Python."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from chainrule import load
from chainrule.serving import web_app
from chainrule.serving.about import told
from chainrule.serving.limits import Limits
from chainrule.serving.page import policy, read_page, read_reference
from serving.browser import BROWSER, Chromium
from serving.runs import phrase_run, picture_run, png, series_run, table_run, text_run

uvicorn = pytest.importorskip("uvicorn", reason="the extra `web` is not installed")
pytest.importorskip("fastapi", reason="the extra `web` is not installed")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium here: `make browser` installs it")

MEASURE = """(() => {
  const root = document.documentElement, wide = [...document.querySelectorAll("body *")].filter((item) =>
    item.getBoundingClientRect().right > root.clientWidth + 1 && !item.closest(".scroll"));
  return {width: root.clientWidth, scroll: root.scrollWidth, wide: wide.map((item) => item.outerHTML.slice(0, 80)),
    paper: getComputedStyle(document.body).backgroundColor, spoiled: window.spoiled === true,
    smallest: Math.min(...[...document.querySelectorAll("body *")].filter((item) => item.innerText)
      .map((item) => parseFloat(getComputedStyle(item).fontSize)))};
})()"""
DROP = """(() => {
  const data = new DataTransfer(), bytes = Uint8Array.from(atob("BYTES"), (letter) => letter.charCodeAt(0));
  data.items.add(new File([bytes], "dropped.png", {type: "image/png"}));
  document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
})()"""
SAID = 'document.querySelector("#said:not([hidden])")?.textContent'
SHARES = """Object.fromEntries([...document.querySelectorAll("#bars dt")].map((name) =>
  [name.textContent, name.nextElementSibling.nextElementSibling.textContent]))"""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The run behind a real server, as long as the block lasts."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        server = uvicorn.Server(uvicorn.Config(web_app(folder), log_level="warning", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def shares_of(answer: dict[str, Any], form: str) -> dict[str, str]:
    found = {name: value[0] for name, value in answer.items() if name.startswith(form)}
    return {name[len(form) :].removesuffix(")"): value for name, value in found.items()}


def agree(browser: Chromium, expected: dict[str, float]) -> bool:
    """Whether the page shows these shares, to the tenth of a percent that it shows."""
    shown = {name: text.removesuffix("\u00a0%") for name, text in browser.run(SHARES).items()}
    return set(shown) == set(expected) and all(
        value < 0.001 if shown[name].startswith("<") else abs(float(shown[name]) - 100 * value) < 0.11
        for name, value in expected.items()
    )


@needs_browser
def test_a_row_is_edited_and_a_picture_dropped_and_the_answers_read(tmp_path: Path) -> None:
    with Chromium(width=390) as browser:
        _row(browser, table_run(tmp_path / "table"))
        _picture(browser, picture_run(tmp_path / "pictures"), tmp_path)
        _words(browser, text_run(tmp_path / "text"))
        _past(browser, series_run(tmp_path / "series"))
        assert browser.complaints() == []


@needs_browser
def test_a_short_text_is_typed_and_its_class_read(tmp_path: Path) -> None:
    run = phrase_run(tmp_path / "phrases")
    with Chromium(width=390) as browser:
        _phrase(browser, run)
        assert browser.complaints() == []


def _row(browser: Chromium, folder: Path) -> None:
    with served(folder) as address:
        browser.tell("Page.navigate", url=address)
        first = browser.until(SAID)
        row = {"age": 71, "town": "Bonn", "seen": "09.02.2016", "said": "good and bad"}
        typed = row | {"seen": "2016-02-09"}
        for name, value in typed.items():
            browser.run(f"document.getElementById('form').elements.namedItem({name!r}).value = {value!r}")
        browser.run("document.getElementById('form').dispatchEvent(new Event('input'))")
        answer = load(folder).predict([row])
        browser.until(f"{SAID} === {answer['verdict'][0]!r}")
        end = time.monotonic() + 20
        while not agree(browser, shares_of(answer, "p(")):
            assert time.monotonic() < end, (browser.run(SHARES), answer)
            time.sleep(0.05)
        assert first in ("yes", "no", "<b>perhaps</b>")
        _looks_well(browser, address)
        browser.run("document.documentElement.dataset.theme = 'dark'")
        assert browser.run(MEASURE)["paper"] == "rgb(20, 23, 26)"


def _picture(browser: Chromium, folder: Path, place: Path) -> None:
    import base64

    (place / "chosen.png").write_bytes(png(5))
    (place / "dropped.png").write_bytes(png(6))
    with served(folder) as address:
        browser.tell("Page.navigate", url=address)
        browser.until("document.getElementById('dropsays')?.textContent")
        chosen, dropped = (load(folder).predict(place / name) for name in ("chosen.png", "dropped.png"))
        browser.choose("#file", place / "chosen.png")
        browser.until(f"{SAID} === {chosen['prediction'][0]!r}")
        assert agree(browser, shares_of(chosen, "p("))
        browser.run(DROP.replace("BYTES", base64.b64encode(png(6)).decode()))
        expected, end = shares_of(dropped, "p("), time.monotonic() + 20
        while not agree(browser, expected):
            assert time.monotonic() < end, (browser.run(SHARES), expected)
            time.sleep(0.05)
        assert browser.run("document.getElementById('picture').naturalWidth") == 24
        _looks_well(browser, address)


def _words(browser: Chromium, folder: Path) -> None:
    with served(folder) as address:
        browser.tell("Page.navigate", url=address)
        browser.until("document.getElementById('text') !== null")
        browser.run("document.getElementById('text').value = 'the sea'; document.getElementById('ask').click()")
        answer = load(folder).predict("the sea")
        assert browser.until(SAID) == "the sea" + answer["continuation"][0]
        _looks_well(browser, address)


def _phrase(browser: Chromium, folder: Path) -> None:
    with served(folder) as address:
        browser.tell("Page.navigate", url=address)
        browser.until("document.getElementById('text') !== null")
        browser.run("document.getElementById('text').value = 'spam today'; document.getElementById('ask').click()")
        answer = load(folder).predict("spam today")
        assert browser.until(SAID) == answer["kind"][0]
        assert agree(browser, shares_of(answer, "p("))
        _looks_well(browser, address)


def _past(browser: Chromium, folder: Path) -> None:
    with served(folder) as address:
        browser.tell("Page.navigate", url=address)
        browser.until("document.getElementById('text') !== null")
        browser.choose("#file", folder / "sold.csv")
        browser.until("document.querySelectorAll('#rows tbody tr').length === 14")
        _looks_well(browser, address)


def _looks_well(browser: Chromium, address: str) -> None:
    page = browser.run(MEASURE)
    assert max(page["width"], page["scroll"]) == 390
    assert (page["wide"], page["spoiled"]) == ([], False)
    assert page["smallest"] >= 12
    own = (address, "blob:http://127.0.0.1:", "data:", "http://127.0.0.1:")  # an earlier page's server, too
    assert [url for url in browser.fetched() if not url.startswith(own)] == []


def test_the_policy_names_the_script_of_the_page() -> None:
    import base64
    import hashlib

    page = read_page()
    script = page[page.index("<script>") + len("<script>") : page.index("</script>")]
    assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in policy()
    assert "http" not in page.replace("http://www.w3.org", "")


@pytest.mark.parametrize("make", [table_run, picture_run, text_run])
def test_the_reference_can_be_read_and_copied(make: Any, tmp_path: Path) -> None:
    recipe = load(make(tmp_path)).recipe
    page = read_reference(told(recipe, Limits()))  # type: ignore[arg-type]
    assert "POST /predict/file" in page
    assert "curl http://127.0.0.1:8000/predict" in page
