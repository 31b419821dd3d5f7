"""What was measured while training, from the run or from its folder, and its curves."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from chainrule.report.axis import Axis
from chainrule.report.curves import Curve, curves
from chainrule.report.numbers import number
from chainrule.report.outcome import Figure
from chainrule.training import read_metrics

_SPLITS = ("training", "validation", "test", "hidden")
_BINS = 120
_HOW = " Training: single batches, with dropout, augmentation and smoothing where there are any."
_UNITS = {"accuracy": "accuracy (share correct)", "lr": "learning rate", "bits": "bits per character"}

Entry = Mapping[str, float | int]


def read_history(folder: Path, recorded: Sequence[Entry]) -> list[dict[str, float | int]]:
    """The lines of `metrics.jsonl` where there is one, so that a resumed run is seen whole; else what is in memory.

    A line that was cut off by a crash is left out, and of a step that was taken twice the later line counts.
    """
    file = folder / "metrics.jsonl"
    return merged(read_metrics(file) if file.is_file() else recorded)


def merged(entries: Sequence[Entry]) -> list[dict[str, float | int]]:
    """One entry per step, in order."""
    steps: dict[int, dict[str, float | int]] = {}
    for entry in entries:
        steps.setdefault(int(entry["step"]), {}).update(entry)
    return [steps[step] for step in sorted(steps)]


def history_figures(history: Sequence[Entry]) -> list[Figure]:
    """One chart per quantity: the same quantity of training and validation shares a chart."""
    groups: dict[str, dict[str, str]] = {}
    for name in dict.fromkeys(name for entry in history for name in entry if name != "step"):
        split, _, rest = name.partition("_")
        quantity, series = (rest, split) if rest and split in _SPLITS else (name, "training")
        groups.setdefault(quantity, {})[series] = name
    return [_chart(history, quantity, names) for quantity, names in groups.items()]


def _chart(history: Sequence[Entry], quantity: str, names: Mapping[str, str]) -> Figure:
    columns = {series: _column(history, name) for series, name in names.items()}
    drawn = {series: replace(binned(*column), style=_SPLITS.index(series)) for series, column in columns.items()}
    label = _UNITS.get(quantity, quantity.replace("_", " "))
    share = "accuracy" in quantity
    lowest = min((value for curve in drawn.values() for value in curve.y if math.isfinite(value)), default=0.0)
    axis = Axis(label, "log" if _steep(drawn) else "linear")
    if share:
        axis = Axis(label, low=0.9 if lowest >= 0.9 else 0.0, high=1.0)
    title = quantity.replace("_", " ").capitalize()
    caption = _caption(columns, drawn, highest=share)
    return curves(drawn, title=title, caption=caption, x=Axis("step", low=0.0), y=axis)


def _column(history: Sequence[Entry], name: str) -> tuple[list[int], list[float]]:
    points = [(int(entry["step"]), _float(entry[name])) for entry in history if name in entry]
    return [step for step, _ in points], [value for _, value in points]


def _float(value: float | int) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf if value > 0 else -math.inf


def _steep(drawn: Mapping[str, Curve]) -> bool:
    values = [value for curve in drawn.values() for value in curve.y if math.isfinite(value)]
    return bool(values) and min(values) > 0 and max(values) > 10 * min(values)


def binned(steps: Sequence[int], values: Sequence[float], bins: int = _BINS) -> Curve:
    """The curve itself while it is short; else means of equal numbers of neighbours, in a band from least to most."""
    size = math.ceil(len(steps) / bins)
    if size <= 2:
        return Curve(steps, values)
    parts = [slice(start, start + size) for start in range(0, len(steps), size)]
    finite = [[value for value in values[part] if math.isfinite(value)] or [math.nan] for part in parts]
    middle = [round(sum(steps[part]) / len(steps[part])) for part in parts]
    mean = [sum(each) / len(each) for each in finite]
    return Curve(middle, mean, low=[min(each) for each in finite], high=[max(each) for each in finite])


def _caption(
    columns: Mapping[str, tuple[Sequence[int], Sequence[float]]], drawn: Mapping[str, Curve], highest: bool
) -> str:
    said: list[str] = []
    for series, (steps, values) in columns.items():
        good = [(value, step) for step, value in zip(steps, values, strict=True) if math.isfinite(value)]
        text = f"{series} ends at {number(values[-1])}"
        if series != "training" and len(good) > 1:
            best, step = max(good, key=lambda pair: (pair[0], -pair[1])) if highest else min(good)
            text += f" (best {number(best)} at step {number(step)})"
        said.append(text)
    sentence = "; ".join(said).removeprefix("training " if len(said) == 1 else "")
    lost = sum(not math.isfinite(value) for _, values in columns.values() for value in values)
    band = any(curve.low for curve in drawn.values())
    return (
        f"{sentence[0].upper()}{sentence[1:]}."
        + (_HOW if len(columns) > 1 else "")
        + (" Line: mean of neighbouring steps; band: from the least to the greatest." if band else "")
        + (f" Not finite and left out: {lost}." if lost else "")
    )
