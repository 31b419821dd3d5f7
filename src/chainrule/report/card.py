"""The model card: what anyone who is handed the weights must know, as Markdown."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chainrule.report.markup import escape
from chainrule.report.numbers import number
from chainrule.report.outcome import Outcome
from chainrule.report.summary import Summary


def card(summary: Summary, sessions: Sequence[dict[str, Any]], folder: Path) -> str:
    """The whole card."""
    about, outcome = summary.about, summary.outcome
    verdict = "reached" if outcome.reached else "not reached"
    versions = [f"{name} {sessions[-1][name]}" for name in ("chainrule", "torch", "python") if name in sessions[-1]] \
        if sessions else []  # fmt: skip
    parts = [
        f"# {_plain(about.name)}",
        _plain(about.description),
        _section("Data", _lines(about.data)),
        f"## Results\n\n{_table(outcome)}\n\n{_noted(outcome)}Bar: {_plain(outcome.bar)} — **{verdict}**.",
        _section("Limits", _plain(about.limits) or "For learning and comparison; not examined for any other use."),
        "## Use\n\n" + _code("python", f"import chainrule as cr\n\nmodel = cr.load({str(folder)!r})"),
        _section("Draw samples", _code("sh", about.sample) if about.sample else ""),
        "## Repeat\n\n" + _code("sh", f"{about.command}\nchainrule resume {shlex.quote(str(folder))}"),
        f"## Made\n\n{summary.date}, {number(summary.step)} of {number(summary.steps)} steps, seed {summary.seed}"
        + (f"; {_plain(', '.join(versions))}." if versions else "."),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(title: str, text: str) -> str:
    return f"## {title}\n\n{text}" if text else ""


def _lines(text: str) -> str:
    """One line as it is, several as a list."""
    lines = [_plain(line) for line in text.splitlines() if line.strip()]
    return "\n".join(lines) if len(lines) < 2 else "\n".join(f"- {line}" for line in lines)


def _noted(outcome: Outcome) -> str:
    return f"{_plain(outcome.note)}\n\n" if outcome.note else ""


def _plain(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return re.sub(r"([\\`*_\[\]|#])", r"\\\1", escape(" ".join(text.split())).replace("&#x27;", "'"))


def _code(language: str, text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _table(outcome: Outcome) -> str:
    lines = [
        ["", *(_plain(name.replace("_", " ")) for name in outcome.metrics)],
        ["---", *("---:" for _ in outcome.metrics)],
    ]
    rows = [[f"**{name}**" if index == 0 else _plain(name), *numbers]
            for index, (name, numbers) in enumerate(outcome.written(missing="–").items())]  # fmt: skip
    return "\n".join("| " + " | ".join(line) + " |" for line in [*lines, *rows])
