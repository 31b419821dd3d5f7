"""Figures that are neither curves nor pictures: text, tables, bars, the confusion of classes."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from chainrule.errors import InputError
from chainrule.report.axis import Axis, ruler
from chainrule.report.markup import Attributes, escape, tag
from chainrule.report.numbers import column, tick
from chainrule.report.outcome import Figure
from chainrule.report.svg import INK, MUTED, SIZE, WIDTH, drawing, line, shortened, width_of, words


def whole_numbers(values: Any, name: str) -> np.ndarray:
    """Class numbers, from a tensor, an array or a list, as one flat array of whole numbers."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and not np.issubdtype(array.dtype, np.integer)):
        raise InputError(
            f"`{name}` must be one whole number per example",
            advice="give class numbers, not scores (argmax chooses)",
            shape=array.shape,
            dtype=str(array.dtype),
        )
    return array.astype(int)


def text_figure(text: str, *, title: str, caption: str = "", prompt: str = "") -> Figure:
    """Shows text as it is, line by line.

    Args:
        text: what was generated.
        title: what it is.
        caption: how it came about.
        prompt: what was given, shown before it.

    Example:
        >>> text_figure("to be <or> not", title="A sample").html
        '<pre class="sample">to be &lt;or&gt; not</pre>'
    """
    given = tag("b", {}, escape(prompt)) if prompt else ""
    return Figure(title, caption, html=tag("pre", {"class": "sample"}, given, escape(text) or " "))


def table_figure(rows: Sequence[Mapping[str, object]], *, title: str, caption: str = "") -> Figure:
    """Shows rows as a table; columns of what begins with a digit stand at the right, under each other.

    Args:
        rows: by column; the first row names the columns and their order.
        title: what it shows.
        caption: how to read it.

    Example:
        >>> figure = table_figure([{"steps": 1, "error": 0.35}, {"steps": 10, "error": 0.21}], title="Errors")
        >>> figure.html.count("<tr>")
        3
    """
    if not rows:
        raise InputError("a table must have a row", advice="leave an empty table out", title=title)
    names = list(rows[0])
    right = {name for name in names if all(re.match(r"[-+−–≤≥<>]?\d|[-–]?$", str(row.get(name, ""))) for row in rows)}
    head = "".join(tag("th", _side(name, right), escape(name)) for name in names)
    columns = {name: _column([row.get(name, "") for row in rows]) for name in names}
    body = [tag("tr", {}, *(tag("td", _side(name, right), escape(columns[name][index])) for name in names))
            for index in range(len(rows))]  # fmt: skip
    return Figure(title, caption, html=tag("table", {}, tag("thead", {}, tag("tr", {}, head)), tag("tbody", {}, *body)))


def _column(values: Sequence[object]) -> list[str]:
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    written = iter(column(numbers))
    return [next(written) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
            for value in values]  # fmt: skip


def _side(name: str, right: set[str]) -> Attributes:
    return {"class": "number"} if name in right else {}


def bars(
    values: Mapping[str, float | int],
    *,
    title: str,
    caption: str = "",
    label: str,
    reference: tuple[str, float | int] | None = None,
) -> Figure:
    """Draws one bar per name, with its value at its end.

    Args:
        values: lengths by name, top to bottom.
        title: what they show.
        caption: how to read them.
        label: what is measured, with its unit.
        reference: a value to compare with, and its name: a line across all bars.

    Example:
        >>> shares = {"0": 11.0, "1": 4.2}
        >>> bars(shares, title="Shares", label="share of samples (%)", reference=("at least", 5.0)).svg.count("<rect")
        2
    """
    step, top = 20.0, 22.0 if reference else 6.0
    height = top + step * len(values)
    left = 10 + min(130.0, max((width_of(name) for name in values), default=0.0))
    compared = [reference[1]] if reference else []
    across = ruler(Axis(label, low=0.0), [*values.values(), *compared], left, WIDTH - 44)
    parts = [line((across.place(value), top), (across.place(value), height)) for value in across.ticks]
    said = column(list(values.values()))
    values = {name: value if math.isfinite(value) else 0.0 for name, value in values.items()}
    for index, (name, value) in enumerate(values.items()):
        middle, (low, high) = top + step * (index + 0.5), sorted((across.place(0.0), across.place(value)))
        box: Attributes = {"x": low, "y": middle - 7, "width": high - low, "height": 14.0}
        parts.append(words(shortened(name, 20), left - 7, middle + 3.8, anchor="end"))
        parts.append(tag("rect", box | {"fill": "var(--series-1)", "fill-opacity": 0.75}))
    if reference:
        x, name = across.place(reference[1]), f"{shortened(reference[0], 24)} {tick(float(f'{reference[1]:.4g}'))}"
        half = width_of(name) / 2
        parts.append(line((x, top - 4), (x, height), stroke=INK, dash="4 3"))
        parts.append(words(name, min(max(x, half), WIDTH - half), top - 9, anchor="middle"))
    for index, value in enumerate(values.values()):
        x, y = max(across.place(0.0), across.place(value)) + 5, top + step * (index + 0.5) + 3.8
        parts.append(words(said[index], x, y, fill=MUTED, halo=True))
    parts += [
        words(tick(value), across.place(value), height + 14, anchor="middle", fill=MUTED) for value in across.ticks
    ]
    parts.append(words(shortened(label, 48), (left + WIDTH - 44) / 2, height + 29, anchor="middle", fill=MUTED))
    return Figure(title, caption, drawing(height + 36, f"{title}: {label}", *parts))


def confusion(
    labels: Any, predicted: Any, classes: Sequence[str], *, title: str = "Confusion matrix", caption: str = ""
) -> Figure:
    """Counts how often each class was taken for each other.

    Args:
        labels: true class numbers.
        predicted: class numbers that were answered, in the same order.
        classes: names, by class number.
        title: what it shows.
        caption: how to read it; says it in general if empty.

    Example:
        >>> confusion([0, 1, 1], [0, 1, 0], ["cat", "dog"]).caption[:27]
        'Rows: true class; columns: '
    """
    truth, answer = whole_numbers(labels, "labels"), whole_numbers(predicted, "predicted")
    ends = {"labels": len(truth), "predicted": len(answer), "classes": len(classes)}
    everything = np.concatenate([truth, answer])
    if len(truth) != len(answer) or (everything.size and not 0 <= everything.min() <= everything.max() < len(classes)):
        raise InputError("`labels` and `predicted` must pair up and name a class", advice="check both", **ends)
    counts = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(counts, (truth, answer), 1)
    right, total = int(np.trace(counts)), int(counts.sum())
    said = (
        f"Rows: true class; columns: predicted class; at the right each class's recall. {right:,} of {total:,} correct."
    )
    return Figure(title, caption or said, _matrix(counts, [str(name) for name in classes], title))


def _matrix(counts: np.ndarray, names: list[str], title: str) -> str:
    longest = min(86.0, max(width_of(shortened(name, 14)) for name in names))
    left, edge = 26 + longest, 46.0
    side = min(40.0, (WIDTH - left - edge) / len(names))
    upright = longest > side - 3
    top = (longest if upright else SIZE) + 24
    middle = side * len(names) / 2
    parts = [words("predicted class", left + middle, 11, anchor="middle", fill=MUTED)]
    parts.append(words("true class", 11, top + middle, anchor="middle", fill=MUTED, turn=-90))
    parts.append(words("recall", left + 2 * middle + 6, top - 7, fill=MUTED))
    for row, name in enumerate(names):
        y, x = top + side * row, left + side * (row + 0.5)
        seen = max(1, int(counts[row].sum()))
        if side >= SIZE or len(names) <= 2:
            parts.append(words(shortened(name, 14), left - 6, y + side / 2 + 3.8, anchor="end"))
            turned = words(shortened(name, 14), x + 3.8, top - 7, turn=-90)
            parts.append(turned if upright else words(name, x, top - 7, anchor="middle"))
            share = f"{100 * counts[row, row] / seen:.3g} %" if counts[row].sum() else "–"
            parts.append(words(share, left + 2 * middle + edge - 2, y + side / 2 + 3.8,
                               anchor="end", fill=MUTED))  # fmt: skip
        parts += [_count(int(counts[row, column]), seen, left + side * column, y, side, row == column)
                  for column in range(len(names))]  # fmt: skip
    return drawing(top + side * len(names) + 4, title, *parts)


def _count(count: int, seen: int, x: float, y: float, side: float, right: bool) -> str:
    share = count / seen
    box: Attributes = {"x": x, "y": y, "width": side - 1, "height": side - 1}
    if not count:
        return tag("rect", box | {"fill": "var(--grid)", "fill-opacity": 0.45})
    shade = f"{0.12 + 0.43 * share:.2f}" if right else f"{min(0.6, 0.2 + 1.5 * share):.2f}"
    parts = tag("rect", box | {"fill": f"var(--series-{1 if right else 2})", "fill-opacity": shade})
    if width_of(str(count)) <= side:
        parts += words(count, x + (side - 1) / 2, y + side / 2 + 3.8, anchor="middle")
    return parts
