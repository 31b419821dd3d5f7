"""The page: one HTML file that needs nothing else, from disk, on paper, on a phone."""

import base64
import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from chainrule.report.about import flattened
from chainrule.report.history import Entry, history_figures
from chainrule.report.markup import escape, tag
from chainrule.report.numbers import column, decimals, duration, memory, number
from chainrule.report.outcome import Figure, Outcome
from chainrule.report.resources import totals
from chainrule.report.summary import Summary

_MANY = 3  # metrics that fit beside each other with their differences


_LONGEST = 160  # characters of a setting that are shown


def page(
    summary: Summary,
    history: Sequence[Entry],
    settings: Mapping[str, object],
    sessions: Sequence[dict[str, Any]],
    folder: Path,
) -> str:
    """The whole report."""
    figures, tables = count(1), count(1)
    body = [
        _header(summary, sessions),
        _results(summary.outcome, tables),
        _gallery("Curves", history_figures(history), figures, tables),
        _gallery("Figures", summary.outcome.figures, figures, tables),
        _commands(summary, folder),
        _limits(summary),
        _taken(sessions, tables),
        _settings(settings),
        _footer(summary, sessions),
    ]
    return _document(summary.about.name, summary.about.description, "\n".join(body))


def _document(name: str, description: str, body: str) -> str:
    style, script = _asset("style.css"), _asset("reading.js")
    proof = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (  # nothing but this script runs, nothing is fetched: also if a figure should try
        f"default-src 'none'; script-src 'sha256-{proof}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = [
        tag("meta", {"charset": "utf-8"}),
        tag("meta", {"http-equiv": "Content-Security-Policy", "content": policy}),
        tag("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        tag("meta", {"name": "description", "content": description}),
        tag("title", {}, escape(name), " · Chainrule"),
        f"<style>\n{style}</style>",
    ]
    whole = ["<!doctype html>", '<html lang="en">', "<head>", *head, "</head>", "<body>", body]
    return "\n".join([*whole, f"<script>{script}</script>", "</body>", "</html>"]) + "\n"


def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _header(summary: Summary, sessions: Sequence[dict[str, Any]]) -> str:
    about, outcome = summary.about, summary.outcome
    state, mark, said = ("reached", "✓", "Bar reached") if outcome.reached else ("missed", "✗", "Bar not reached")
    verdict = tag(
        "p",
        {"class": f"verdict {state}"},
        tag("b", {}, f"{mark} {said}"),
        " ",
        tag("span", {}, _set(outcome.bar)),
    )
    facts = {"Steps": number(summary.step) + (f" of {number(summary.steps)}" if summary.step < summary.steps else "")}
    if sessions:
        if isinstance(count := sessions[-1].get("parameters"), int):
            facts["Parameters"] = number(count)
        facts["Training time"] = duration(totals(sessions)["wall_seconds"])
        facts["Device"] = str(sessions[-1].get("device", ""))
    facts |= {"Seed": str(summary.seed), "Date": summary.date}
    stopped = tag("p", {}, "Stopped early: ", escape(summary.stopped), ".") if summary.stopped else ""
    return tag(
        "header", {},
        tag("p", {"class": "over"}, "Report of a training run"),
        tag("h1", {}, escape(about.name)),
        tag("p", {"class": "lead"}, _set(about.description)),
        verdict,
        tag("dl", {"class": "facts"}, *(tag("div", {}, *_pair(name, value)) for name, value in facts.items())),
        stopped,
        tag("p", {"class": "over repeat"}, "To repeat it"),
        _command(about.command),
    )  # fmt: skip


def _set(text: str) -> str:
    """Text as a printer would set it: a product with its sign, a number not parted from its percent sign."""
    return re.sub(r"(\d) ?%", "\\1\u00a0%", re.sub(r"(?<=\d) x (?=\d)", "\u00a0\u00d7\u00a0", escape(text)))


def _pair(name: str, value: str) -> tuple[str, str]:
    return tag("dt", {}, escape(name)), tag("dd", {}, escape(value))


def _results(outcome: Outcome, tables: Iterator[int]) -> str:
    if not outcome.metrics:
        return ""
    rivals = {"this run": outcome.metrics, **outcome.baselines}
    head, cells = [tag("th", {})], {name: [tag("th", {"scope": "row"}, escape(name))] for name in rivals}
    for metric, ours in outcome.metrics.items():
        apart = any(metric in found for found in outcome.baselines.values())
        head.append(_measured(metric.replace("_", " "), "", apart, kind="th"))
        for name, pair in _compared(metric, ours, rivals).items():
            cells[name].append(_measured(*pair, apart))
    rows = [tag("tr", {} if index else {"class": "ours"}, *row) for index, row in enumerate(cells.values())]
    said = "Final metrics, on data that took no part in training or choosing."
    said += f" {outcome.note}" if outcome.note else ""
    said += " In grey: this run minus the baseline." if outcome.baselines else ""
    many = "results many" if len(outcome.metrics) > _MANY else "results"
    table = tag("table", {"class": many}, tag("thead", {}, tag("tr", {}, *head)), tag("tbody", {}, *rows))
    return _section("Results", _caption(tables, _set(said)), _scrolling(table, "Results"))


def _measured(value: str, difference: str, apart: bool, *, kind: str = "td") -> str:
    """A number, and beside it (below it, where room is short) a difference."""
    return tag(kind, {"class": "number"}, escape(value), tag("small", {}, escape(difference)) if apart else "")


def _compared(metric: str, ours: float | int, rivals: Mapping[str, Entry]) -> dict[str, tuple[str, str]]:
    """Each rival's number, and ours minus it, as text."""
    known = {name: found[metric] for name, found in rivals.items() if metric in found}
    values = list(known.values())
    apart = column([ours - value for value in values], signed=True, places=decimals(values))
    written = dict(zip(known, zip(column(values), ["", *apart[1:]], strict=True), strict=True))
    return {name: written.get(name, ("–", "")) for name in rivals}


def _gallery(title: str, shown: Sequence[Figure], figures: Iterator[int], tables: Iterator[int]) -> str:
    if not shown:
        return ""
    return _section(title, tag("div", {"class": "figures"}, *(_figure(each, figures, tables) for each in shown)))


def _figure(figure: Figure, figures: Iterator[int], tables: Iterator[int]) -> str:
    name = f"Table {next(tables)}" if figure.html.startswith("<table") else f"Figure {next(figures)}"
    said = tag("figcaption", {}, tag("b", {}, f"{name}. {escape(figure.title)}."), " ", _set(figure.caption))
    picture = figure.svg or _scrolling(figure.html, figure.title)
    return tag("figure", {} if figure.svg else {"class": "wide"}, picture, said)


def _scrolling(inside: str, name: str) -> str:
    """What is too wide scrolls by itself, also with the keyboard."""
    return tag("div", {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": name}, inside)


def _commands(summary: Summary, folder: Path) -> str:
    about, where = summary.about, shlex.quote(str(folder))
    commands = {"Go on from its last checkpoint": f"chainrule resume {where}"}
    if about.sample:
        commands["Draw samples"] = about.sample
    return _section("Commands", *(tag("h3", {}, title) + _command(command) for title, command in commands.items()))


def _command(command: str) -> str:
    return tag("div", {"class": "command"}, tag("pre", {}, _unbroken(command)))


def _unbroken(command: str) -> str:
    """A command whose words are broken only where one alone is too long: `--name` stays whole."""
    return "".join(tag("span", {}, escape(part)) if part.strip() else part for part in re.split(r"(\s+)", command))


def _limits(summary: Summary) -> str:
    told = {"Data": summary.about.data, "Limits": summary.about.limits}
    return "".join(_section(title, _lines(text)) for title, text in told.items() if text)


def _lines(text: str) -> str:
    """One line as a paragraph, several as a list."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return tag("p", {}, _set(text))
    return tag("ul", {}, *(tag("li", {}, _set(line)) for line in lines))


def _taken(sessions: Sequence[dict[str, Any]], tables: Iterator[int]) -> str:
    if not sessions:
        return ""
    added, last = totals(sessions), sessions[-1]
    wall, steps = added["wall_seconds"], added["steps"]
    rows = {
        "wall time": duration(wall) + (f" in {len(sessions)} sessions" if len(sessions) > 1 else ""),
        "wall time per step": duration(wall / steps) if steps else "",
        "speed": f"{number(steps / wall, digits=3)} steps/s" if wall else "",
        "CPU time": duration(added["cpu_seconds"]),
        "peak memory of the process": memory(added["peak_bytes"]) if "peak_bytes" in added else "",
        "peak memory on the device": memory(added["device_peak_bytes"]) if "device_peak_bytes" in added else "",
        "device": str(last.get("device", "")),
        "processor": str(last.get("processor", "")),
        "threads": str(last.get("threads", "")),
        "system": str(last.get("system", "")),
        "versions": ", ".join(f"{name} {last[name]}" for name in ("chainrule", "torch", "python") if name in last),
    }
    lines = [tag("tr", {}, tag("th", {"scope": "row"}, name), tag("td", {}, escape(value)))
             for name, value in rows.items() if value]  # fmt: skip
    table = tag("table", {"class": "pairs"}, tag("tbody", {}, *lines))
    said = "What training took, validation and saving included and the final measuring not, and on what."
    return _section("Time and memory", _caption(tables, said), _scrolling(table, "Time and memory"))


def _caption(tables: Iterator[int], said: str) -> str:
    return tag("p", {"class": "caption"}, tag("b", {}, f"Table {next(tables)}."), " ", said)


def _settings(settings: Mapping[str, object]) -> str:
    pairs = [tag("div", {}, *_pair(name, _cut(value))) for name, value in flattened(settings).items()]
    said = "Everything that the run depends on, as in recipe.json, by the names that the command line gives them."
    return _section("Settings", tag("p", {}, said), tag("dl", {"class": "two"}, *pairs)) if pairs else ""


def _cut(value: str) -> str:
    """What nobody would read to its end, such as every word of a column, is cut short."""
    return value if len(value) <= _LONGEST else f"{value[:_LONGEST]} … (the rest stands in recipe.json)"


def _footer(summary: Summary, sessions: Sequence[dict[str, Any]]) -> str:
    version = str(sessions[-1].get("chainrule", "")) if sessions else ""
    return tag("footer", {}, "Written by Chainrule ", escape(version), f" on {escape(summary.date)}. "
               "This page holds everything that it shows and fetches nothing.")  # fmt: skip


def _section(title: str, *parts: str) -> str:
    return tag("section", {}, tag("h2", {}, escape(title)), *parts)
