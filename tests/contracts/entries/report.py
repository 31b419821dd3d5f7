"""How the contract suite builds every public name of `chainrule.report`."""

import io
import tempfile
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from torch import nn

from chainrule.data import InMemory, Table
from chainrule.learners import Gradient
from chainrule.objectives import Regress
from chainrule.report import (
    About,
    Axis,
    Curve,
    Figure,
    Outcome,
    Progress,
    Resources,
    bars,
    calibration,
    calibration_error,
    confusion,
    coverage_figure,
    curves,
    duration,
    forecast_figure,
    graph_figure,
    image_grid,
    layout,
    memory,
    number,
    place,
    rebuild_report,
    table_figure,
    text_figure,
    tick,
    truth_figure,
    wilson,
    worst_mistakes,
    write_report,
)
from chainrule.training import Hook, Run, fit
from contracts.entry import Function, Value


def _run(*hooks: Hook) -> Run:
    batches = InMemory(Table(torch.arange(16.0).view(8, 2) / 16, torch.ones(8, 1)), batch_size=4)
    return fit(Gradient(nn.Linear(2, 1), Regress()), batches, steps=3, hooks=hooks)


def _outcome() -> Outcome:
    return Outcome({"accuracy": 0.9}, {"chance": {"accuracy": 0.1}}, "accuracy of at least 0.8", True)


def _progress() -> list[str]:
    page = io.StringIO()
    _run(Progress(Console(file=page)))
    return [line.split(" · ")[0] for line in page.getvalue().splitlines()]


def _resources() -> int:
    used = Resources()
    _run(used)
    return used.summary()["steps"]


def _place() -> str:
    with tempfile.TemporaryDirectory() as name:
        return place(Path(name) / "a.txt", "kept").read_text()


def _report(again: bool = False) -> str:
    with tempfile.TemporaryDirectory() as name:
        page = write_report(Path(name), _run(), _outcome(), About("a", "b", "c"))
        return (rebuild_report(Path(name)) if again else page).read_text().replace(name, "")


ENTRIES = {
    "calibration": Function(example=lambda: calibration([0.6, 0.9], [False, True])),
    "calibration_error": Function(example=lambda: calibration_error([0.6, 0.9], [False, True])),
    "wilson": Function(example=lambda: wilson(95, 100)),
    "coverage_figure": Function(example=lambda: coverage_figure((0.1, 0.9), [0.2, 0.8])),
    "forecast_figure": Function(example=lambda: forecast_figure([1.0], [2.0], [[1.0, 3.0]], (0.1, 0.9), title="t")),
    "truth_figure": Function(example=lambda: truth_figure([1.0, 2.0], [1.5, 2.0], title="t")),
    "About": Value(build=lambda: About("a", "b", "c"), skips={"hashable": "its settings are a dict"}),
    "Axis": Value(build=lambda: Axis("loss", "log")),
    "Curve": Value(build=lambda: Curve((0, 1), (1.0, 0.5))),
    "Figure": Value(build=lambda: Figure("Loss", "Lower is better.", "<svg></svg>")),
    "Outcome": Value(build=_outcome, skips={"hashable": "its metrics are dicts"}),
    "Progress": Function(example=_progress),
    "Resources": Function(example=_resources),
    "bars": Function(example=lambda: bars({"a": 1.0}, title="t", label="share (%)")),
    "confusion": Function(example=lambda: confusion([0, 1], [1, 1], ["a", "b"])),
    "curves": Function(example=lambda: curves({"a": ([0, 1], [1.0, 0.5])}, title="t", caption="c")),
    "duration": Function(example=lambda: duration(61.0)),
    "graph_figure": Function(example=lambda: graph_figure([[0], [1]], [0, 1], [0, 0], title="t")),
    "image_grid": Function(example=lambda: image_grid(np.eye(4)[None], title="t")),
    "layout": Function(example=lambda: layout([[0, 1], [1, 2]], 3)),
    "memory": Function(example=lambda: memory(2**20)),
    "number": Function(example=lambda: number(0.5)),
    "place": Function(example=_place),
    "rebuild_report": Function(example=lambda: _report(again=True)),
    "table_figure": Function(example=lambda: table_figure([{"a": 1}], title="t")),
    "text_figure": Function(example=lambda: text_figure("a", title="t")),
    "tick": Function(example=lambda: tick(0.5)),
    "worst_mistakes": Function(example=lambda: worst_mistakes(np.zeros((2, 2, 2)), [0, 1], [0, 0], [0.5, 0.5])),
    "write_report": Function(example=_report),
}
