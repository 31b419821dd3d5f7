"""The pages that people see: one that asks the model, one that tells programs how to."""

import base64
import hashlib
import html
import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def read_page() -> str:
    """The page that asks: it fetches `/about`, makes a form of it, and shows the answer."""
    return Path(__file__).with_name("page.html").read_text("utf-8")


def policy() -> str:
    """What a browser lets the pages do: run their one script, ask their own server, nothing else."""
    found = _SCRIPT.search(read_page())
    proof = base64.b64encode(hashlib.sha256((found.group(1) if found else "").encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{proof}'; style-src 'unsafe-inline'; img-src data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def read_reference(about: Mapping[str, Any]) -> str:
    """The page for those who write programs: what can be asked, with a call to copy; the whole is in /openapi.json.

    Args:
        about: as `told` gave it.
    """
    style = _STYLE.search(read_page())
    call = json.dumps({"inputs": _example(about)}, ensure_ascii=False)
    most = about["most"]
    ways = {
        "POST /predict": f"Answers to {about['inputs']}, in JSON. At most {most['examples']:,} examples and "
        f"{most['bytes'] / 2**20:.0f} MB per request.",
        "POST /predict/file": f"Answers to a file ({', '.join(about['files'])}), as the form field `file`.",
        "GET /about": "What the model is: its classes, its columns, its limits.",
        "GET /health": "Whether it can be asked.",
        "GET /openapi.json": "All of this for programs, in the words of OpenAPI.",
    }
    rows = "".join(
        f"<tr><th scope='row'><code>{html.escape(way)}</code></th><td>{html.escape(said)}</td></tr>"
        for way, said in ways.items()
    )
    command = f"curl http://127.0.0.1:8000/predict -H 'Content-Type: application/json' -d {shlex.quote(call)}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>For programs · Chainrule</title>'
        f"<style>{style.group(1) if style else ''}</style></head><body><header><p class='over'>For programs</p>"
        f"<h1>{html.escape(about['title'])}</h1></header><main><div class='scroll'><table>{rows}</table></div>"
        f"<h2>A call</h2><pre>{html.escape(command)}</pre>"
        '<p>The answer is <code>{"answers": [{column: value, ...}, ...]}</code>; an error is '
        '<code>{"error": "a sentence"}</code> with a status that is not 200. <a href="/">The page for people</a>.</p>'
        "</main></body></html>"
    )


def _example(about: Mapping[str, Any]) -> Any:
    """Something that may be asked, so far as it can be made up."""
    if about["kind"] == "table":
        row = {column["name"]: column.get("usual", "") for column in about["columns"]}
        return [row]
    if about["kind"] == "series":
        return [{column["name"]: "..." for column in about["columns"]}]
    return ["Once upon a time"] if about["kind"] in ("text", "phrases") else ["iVBORw0KGgo..."]
