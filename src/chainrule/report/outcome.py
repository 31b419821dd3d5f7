"""What came out of a run: final numbers beside trivial ones, whether the bar was reached, and pictures."""

from collections.abc import Mapping
from dataclasses import dataclass

from chainrule.errors import InputError
from chainrule.report.markup import check
from chainrule.report.numbers import column


@dataclass(frozen=True)
class Figure:
    """A picture for a report.

    The mark-up must be one well-formed element that runs nothing and reaches for nothing outside; text from data
    must be escaped in it already, as the functions of this room do.

    Args:
        title: what it shows.
        caption: how to read it, in one sentence.
        svg: the picture, as one `<svg>` element that uses the page's colours (`var(--ink)` and its kin).
        html: instead of `svg`, one `<table>`, `<pre>` or `<div>`: what should reflow rather than scale.

    Example:
        >>> Figure("A dot", "It is round.", '<svg viewBox="0 0 9 9"><circle r="4" fill="var(--ink)"/></svg>').title
        'A dot'
    """

    title: str
    caption: str
    svg: str = ""
    html: str = ""

    def __post_init__(self) -> None:
        """Exactly one picture, and a harmless one."""
        if bool(self.svg) == bool(self.html):
            raise InputError("a figure must have one picture", advice="give `svg` or `html`", title=self.title)
        check(self.svg or self.html)


@dataclass(frozen=True)
class Outcome:
    """The final numbers of a run.

    Args:
        metrics: measured on data that took no part in training or choosing.
        baselines: the same metrics for trivial or classical rivals, by the rival's name.
        bar: what had to be reached, in words: "accuracy of at least 0.98".
        reached: whether it was.
        figures: pictures, in reading order.
        note: what the metrics are, where their names don't tell, in a sentence or two.

    Example:
        >>> outcome = Outcome({"accuracy": 0.98}, {"most frequent class": {"accuracy": 0.1}}, "0.98", reached=True)
        >>> outcome.metrics["accuracy"] > outcome.baselines["most frequent class"]["accuracy"]
        True
    """

    metrics: Mapping[str, float | int]
    baselines: Mapping[str, Mapping[str, float | int]]
    bar: str
    reached: bool
    figures: tuple[Figure, ...] = ()
    note: str = ""

    def written(self, *, missing: str = "") -> dict[str, list[str]]:
        """The numbers of this run and of each baseline as text, as they stand under each other in a table.

        Args:
            missing: what stands where a baseline lacks a metric.

        Example:
            >>> Outcome({"accuracy": 0.98}, {"most frequent class": {"accuracy": 0.1}}, "", reached=True).written()
            {'this run': ['0.9800'], 'most frequent class': ['0.1000']}
        """
        rivals = {"this run": self.metrics, **self.baselines}
        columns = {name: iter(column([found[name] for found in rivals.values() if name in found]))
                   for name in self.metrics}  # fmt: skip
        return {rival: [next(columns[name]) if name in found else missing for name in self.metrics]
                for rival, found in rivals.items()}  # fmt: skip
