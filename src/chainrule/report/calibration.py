"""Whether a classifier is right as often as it says, and how sure a share of so many can be."""

import math
from typing import Any

import numpy as np

from chainrule.errors import InputError
from chainrule.report.axis import Axis
from chainrule.report.curves import Curve, curves
from chainrule.report.outcome import Figure

_BINS = 10
_NORMAL = 1.959964  # 95 % of a normal distribution lie so many deviations around its mean


def wilson(right: int, count: int) -> tuple[float, float]:
    r"""The 95 % interval of a share that was counted: where the true one lies, whatever it is, 19 times in 20.

    $$\frac{k + z^2/2}{n + z^2} \pm \frac{z}{n + z^2} \sqrt{\frac{k (n - k)}{n} + \frac{z^2}{4}}, \qquad z = 1.96$$

    Args:
        right: k, how many were right.
        count: n, of how many.

    Example:
        >>> [round(edge, 4) for edge in wilson(95, 100)]
        [0.8882, 0.9785]

    Reference:
        Wilson, Probable Inference, the Law of Succession, and Statistical Inference, 1927.

    Differs:
        Nothing.
    """
    if not 0 <= right <= count or count < 1:
        raise InputError("`right` must be a part of `count`", advice="count both", right=right, count=count)
    squared = _NORMAL**2
    middle = (right + squared / 2) / (count + squared)
    half = _NORMAL / (count + squared) * math.sqrt(right * (count - right) / count + squared / 4)
    return max(0.0, middle - half), min(1.0, middle + half)


def calibration_error(confidence: Any, right: Any) -> float:
    r"""How far, on average, the probability of the answer is from the share of right answers.

    $$\sum_b \frac{n_b}{n} \left| \frac1{n_b} \sum_{i \in b} \hat p_i - \frac1{n_b} \sum_{i \in b} r_i \right|,
      \qquad r_i = [i \text{ is right}], \quad b = \text{tenths from 0 to 1}$$

    Args:
        confidence: probability of each answer.
        right: whether it was right.

    Shape:
        confidence, right: (example).

    Example:
        >>> round(calibration_error([0.9] * 10, [True] * 8 + [False] * 2), 3)
        0.1

    Reference:
        Guo et al., On Calibration of Modern Neural Networks, 2017. https://arxiv.org/abs/1706.04599

    Differs:
        Ten bins for its fifteen.
    """
    sure, hits = _pairs(confidence, right)
    bins = _bins(sure)
    gaps = [abs(float(sure[bins == each].sum() - hits[bins == each].sum())) for each in np.unique(bins)]
    return sum(gaps) / len(sure)


def calibration(confidence: Any, right: Any, *, title: str = "Calibration", caption: str = "") -> Figure:
    """Draws how often answers are right against how sure they are, in tenths of probability.

    Args:
        confidence: probability of each answer.
        right: whether it was right.
        title: what it shows.
        caption: how to read it; says it in general if empty.

    Shape:
        confidence, right: (example).

    Example:
        >>> figure = calibration([0.6, 0.9, 0.9], [False, True, True])
        >>> figure.svg.count("<polyline") >= 2
        True
    """
    sure, hits = _pairs(confidence, right)
    bins = _bins(sure)
    kept = [bins == each for each in np.unique(bins)]
    edges = [wilson(int(hits[chosen].sum()), int(chosen.sum())) for chosen in kept]
    model = Curve(
        [100 * float(sure[chosen].mean()) for chosen in kept],
        [100 * float(hits[chosen].mean()) for chosen in kept],
        low=[100 * low for low, _ in edges],
        high=[100 * high for _, high in edges],
    )
    said = (
        "On the straight line answers are right as often as they claim; below it they are too sure. The band holds "
        f"95 % intervals. Over {len(sure):,} answers the mean gap is {100 * calibration_error(sure, hits):.2g} points."
    )
    return curves(
        {"this model": model, "as often as it says": ([0, 100], [0, 100])},
        title=title,
        caption=caption or said,
        x=Axis("probability of the answer (%)", low=0, high=100),
        y=Axis("right (%)", low=0, high=100),
    )


def _pairs(confidence: Any, right: Any) -> tuple[np.ndarray, np.ndarray]:
    sure, hits = np.asarray(confidence).astype(float), np.asarray(right).astype(bool)
    if sure.ndim != 1 or sure.shape != hits.shape or not len(sure) or not ((sure >= 0) & (sure <= 1 + 1e-6)).all():
        raise InputError(
            "`confidence` and `right` must pair up, probabilities from 0 to 1",
            advice="give one of each per answer",
            confidence=sure.shape,
            right=hits.shape,
        )
    return sure, hits


def _bins(sure: np.ndarray) -> np.ndarray:
    return np.minimum((sure * _BINS).astype(int), _BINS - 1)
