"""The site's pages mirror the rooms."""

import re

from gates.source import PACKAGE, ROOT


def unpaged(rooms: list[str], pages: list[str], navigation: str) -> list[str]:
    """Rooms without a page, pages without a room, pages that cannot be reached."""
    wrong = [f"{room} has no page" for room in rooms if room not in pages]
    wrong += [f"{page} is no room" for page in pages if page not in rooms]
    return wrong + [f"{page} is not in the navigation" for page in pages if f"rooms/{page}.md" not in navigation]


def test_every_room_has_its_page():
    rooms = [init.parent.name for init in PACKAGE.glob("*/__init__.py")]
    pages = [page.stem for page in (ROOT / "docs" / "rooms").glob("*.md")]
    assert unpaged(rooms, pages, (ROOT / "mkdocs.yml").read_text()) == []


def test_every_page_shows_its_room():
    for page in (ROOT / "docs" / "rooms").glob("*.md"):
        assert re.search(rf"^::: chainrule\.{page.stem}$", page.read_text(), re.MULTILINE), page.name


def test_a_room_without_page_is_caught():
    assert unpaged(["data", "optim"], ["data", "gone"], "rooms/data.md") == [
        "optim has no page",
        "gone is no room",
        "gone is not in the navigation",
    ]


def test_the_build_is_strict():
    """`--quiet` would hide the warnings that `--strict` counts."""
    build = next(line for line in (ROOT / "Makefile").read_text().splitlines() if "mkdocs build" in line)
    assert "--strict" in build
    assert "quiet" not in build
