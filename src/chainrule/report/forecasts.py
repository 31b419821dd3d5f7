"""Figures of forecasts: what came beside what was expected, and how often the quantiles were right."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrule.errors import InputError
from chainrule.report.axis import Axis
from chainrule.report.curves import Curve, curves
from chainrule.report.outcome import Figure


def forecast_figure(
    past: Any,
    truth: Any,
    answers: Any,
    quantiles: Sequence[float],
    *,
    title: str,
    caption: str = "",
    unit: str = "step",
) -> Figure:
    """Draws what was seen and what came as one line, and the forecast as its middle quantile in its widest band.

    Args:
        past: values up to the forecast; one that is not finite breaks the line.
        truth: values that came.
        answers: the forecast's quantiles.
        quantiles: which ones, rising.
        title: which series it is.
        caption: how to read it; says it in general if empty.
        unit: what one step is: "hour".

    Shape:
        past: (time); truth: (horizon); answers: (horizon, quantile).

    Example:
        >>> forecast_figure([1.0, 2.0], [3.0], [[2.5, 3.0, 3.5]], (0.1, 0.5, 0.9), title="Sold").svg.count("<polygon")
        1
    """
    seen, came, said = (np.asarray(each, dtype=float) for each in (past, truth, answers))
    if said.shape != (len(came), len(quantiles)) or not len(seen):
        raise InputError(
            "`answers` must have one row per value that came and one column per quantile", advice="check the shapes",
            past=seen.shape, truth=came.shape, answers=said.shape, quantiles=len(quantiles),
        )  # fmt: skip
    times = [*range(-len(seen) + 1, 1), *range(1, len(came) + 1)]
    steps = [float(step) for step in range(1, len(came) + 1)]
    middle = len(quantiles) // 2
    band = Curve(steps, said[:, middle].tolist(), said[:, 0].tolist(), said[:, -1].tolist())
    width = round(100 * (quantiles[-1] - quantiles[0]))
    explained = (
        f"Left of 0 what the model saw; the band should hold {width} % of what came, the line in it lie in the middle."
    )
    return curves(
        {"observed": ([float(time) for time in times], [*seen.tolist(), *came.tolist()]), f"forecast, {width} %": band},
        title=title,
        caption=caption or explained,
        x=Axis(f"{unit}s from now"),
        y=Axis("value"),
    )


def coverage_figure(quantiles: Sequence[float], shares: Any, *, title: str = "Calibration of the quantiles") -> Figure:
    """Draws the share of what came at or below each quantile; of a calibrated forecast it is the quantile.

    Args:
        quantiles: which ones, rising.
        shares: of the values that came, one per quantile.
        title: what it shows.

    Shape:
        shares: (quantile).

    Example:
        >>> coverage_figure((0.1, 0.5, 0.9), [0.15, 0.5, 0.8]).svg.count("<polyline") >= 2
        True
    """
    found = [float(share) for share in np.asarray(shares, dtype=float)]
    if len(found) != len(quantiles):
        raise InputError("`shares` must be one per quantile", advice="give both", shares=len(found),
                         quantiles=len(quantiles))  # fmt: skip
    said = [float(quantile) for quantile in quantiles]
    return curves(
        {"this model": (said, found), "calibrated": ([0.0, 1.0], [0.0, 1.0])},
        title=title,
        caption="Above the diagonal too much came below a quantile, so that it was too high; an S that lies flat "
        "means that bands are too wide, a steep one that they are too narrow.",
        x=Axis("quantile", low=0.0, high=1.0),
        y=Axis("share at or below it", low=0.0, high=1.0),
    )
