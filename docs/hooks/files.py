"""Pages that are files of the project: `--8<-- "CONTRIBUTING.md"` becomes that file, with links to pages."""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_INCLUDED = re.compile(r'^--8<-- "([^"]+)"$', re.MULTILINE)
_PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "LOG.md": "log.md",
    "tests/contracts/README.md": "contracts.md",
}


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs with every page."""
    return _INCLUDED.sub(lambda found: relinked((ROOT / found[1]).read_text("utf-8")), markdown)


def relinked(text: str) -> str:
    """The text with links to files turned into links to their pages; a file without a page is an unknown link."""
    return re.sub(r"\]\(([^)#:]+)\)", lambda found: f"]({_PAGES.get(found[1], found[1])})", text)
