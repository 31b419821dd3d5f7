"""Figures and the self-contained HTML page of a run."""

from chainrule.report.about import About
from chainrule.report.axis import Axis
from chainrule.report.calibration import calibration, calibration_error, wilson
from chainrule.report.curves import Curve, curves
from chainrule.report.figures import bars, confusion, table_figure, text_figure
from chainrule.report.files import place
from chainrule.report.forecasts import coverage_figure, forecast_figure
from chainrule.report.graphs import graph_figure, layout
from chainrule.report.numbers import duration, memory, number, tick
from chainrule.report.outcome import Figure, Outcome
from chainrule.report.pictures import image_grid, worst_mistakes
from chainrule.report.progress import Progress
from chainrule.report.resources import Resources
from chainrule.report.truth import truth_figure
from chainrule.report.write import rebuild_report, write_report

__all__ = [
    "About",
    "Axis",
    "Curve",
    "Figure",
    "Outcome",
    "Progress",
    "Resources",
    "bars",
    "calibration",
    "calibration_error",
    "confusion",
    "coverage_figure",
    "curves",
    "duration",
    "forecast_figure",
    "graph_figure",
    "image_grid",
    "layout",
    "memory",
    "number",
    "place",
    "rebuild_report",
    "table_figure",
    "text_figure",
    "tick",
    "truth_figure",
    "wilson",
    "worst_mistakes",
    "write_report",
]
