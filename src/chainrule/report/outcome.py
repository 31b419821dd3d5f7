"""What came out of a run: final numbers beside trivial ones, whether the bar was reached, and pictures."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A picture for a report.

    Args:
        title: what it shows.
        caption: how to read it, in one sentence.
        svg: the picture, as one `<svg>` element that uses the page's colours (`var(--ink)` and its kin).
    """

    title: str
    caption: str
    svg: str


@dataclass(frozen=True)
class Outcome:
    """The final numbers of a run.

    Args:
        metrics: measured on data that took no part in training or choosing.
        baselines: the same metrics for trivial or classical rivals, by the rival's name.
        bar: what had to be reached, in words: "accuracy of at least 0.98".
        reached: whether it was.
        figures: pictures, in reading order.
    """

    metrics: Mapping[str, float]
    baselines: Mapping[str, Mapping[str, float]]
    bar: str
    reached: bool
    figures: tuple[Figure, ...] = ()
