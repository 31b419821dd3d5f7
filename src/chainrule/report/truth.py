"""Amounts that were told, against those that were true."""

from typing import Any

import numpy as np

from chainrule.errors import InputError
from chainrule.report.axis import Axis, ruler
from chainrule.report.markup import Attributes, tag
from chainrule.report.outcome import Figure
from chainrule.report.svg import MUTED, Frame, axes, drawing, line

_MOST = 1000  # dots
_LEFT, _TOP, _SIDE = 62.0, 28.0, 270.0


def truth_figure(truth: Any, answers: Any, *, title: str, caption: str = "") -> Figure:
    """Draws a dot for every example: what is true across, what was told upward; on the line both are the same.

    Args:
        truth: the right amounts.
        answers: the amounts that were told, in the same order.
        title: what it shows.
        caption: how to read it; says it in general if empty.

    Shape:
        truth: (example); answers: (example).

    Example:
        >>> truth_figure([1.0, 2.0, 3.0], [1.5, 2.0, 2.5], title="Prices").svg.count("<circle")
        3
    """
    right, told = np.asarray(truth, dtype=float), np.asarray(answers, dtype=float)
    if right.ndim != 1 or right.shape != told.shape or not len(right):
        raise InputError(
            "`truth` and `answers` must pair up", advice="give both", truth=right.shape, answers=told.shape
        )
    shown = np.random.default_rng(0).permutation(len(right))[:_MOST]
    edges = np.percentile(np.concatenate([right, told]), (0.2, 99.8)) if len(right) > _MOST else (
        min(right.min(), told.min()), max(right.max(), told.max()))  # fmt: skip
    ends = [float(edge) for edge in edges]
    frame = Frame(ruler(Axis("true"), ends, _LEFT, _LEFT + _SIDE), ruler(Axis("told"), ends, _TOP + _SIDE, _TOP))
    parts = [axes(frame, "true", "told")]
    low, high = frame.across.low, frame.across.high
    parts.append(line(frame.point(low, low), frame.point(high, high), stroke=MUTED, dash="4 3"))
    for place in shown:
        x, y = frame.point(float(np.clip(right[place], low, high)), float(np.clip(told[place], low, high)))
        dot: Attributes = {"cx": x, "cy": y, "r": 1.8, "fill": "var(--series-1)", "fill-opacity": 0.45}
        parts.append(tag("circle", dot))
    said = "On the dashed line the answer is the truth; the further a dot is from it, the more wrong."
    if len(right) > _MOST:
        said += f" {_MOST:,} of {len(right):,} examples, drawn at random; the outermost lie on the edge."
    return Figure(title, caption or said, drawing(_TOP + _SIDE + 40, title, *parts))
