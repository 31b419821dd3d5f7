"""What the answers of a network for tables hang on: how much worse they are when a column is shuffled."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from chainrule.data import Table, generator
from chainrule.report import Figure, bars
from chainrule.sources import Category, Column, number_edges

_ROWS = 2000  # that are answered again for every column
_SHOWN = 15


def places_of(columns: Sequence[Column]) -> dict[str, list[int]]:
    """Which features a column gives, by its name.

    Args:
        columns: what each column is.

    Example:
        >>> from chainrule.sources import Number
        >>> places_of([Number("n", (0.0, 1.0), 0.5, gaps=True), Category("c", ("a",)), Number("m", (0.0, 1.0), 0.5)])
        {'n': [0, 1], 'm': [2], 'c': [3]}
    """
    found: dict[str, list[int]] = {}
    place = 0
    for column in columns:
        count = len(number_edges([column]))
        if count:
            found[column.name] = list(range(place, place + count))
        place += count
    names = [column.name for column in columns if isinstance(column, Category)]
    return found | {name: [place + number] for number, name in enumerate(names)}


def importance(
    answer: Callable[[Tensor], Tensor], rows: Table, columns: Sequence[Column], loss: Callable[[Tensor, Tensor], float]
) -> dict[str, float]:
    r"""How much a loss rises when the values of one column are dealt out anew among the rows.

    $$I_j = L\big(f(x_{\pi j}), y\big) - L\big(f(x), y\big)$$

    Args:
        answer: from features to answers.
        rows: that took no part in training.
        columns: what each column is.
        loss: of answers, given the truth.

    Example:
        >>> from chainrule.sources import Number
        >>> rows = Table(torch.rand(50, 2), torch.zeros(50))
        >>> columns = Number("used", (0.0, 1.0), 0.5), Number("idle", (0.0, 1.0), 0.5)
        >>> truth = Table(rows.features, rows.features[:, 0])
        >>> found = importance(lambda x: x[:, 0], truth, columns, lambda one, other: float((one - other).abs().mean()))
        >>> found["used"] > 0, found["idle"]
        (True, 0.0)

    Reference:
        Breiman, Random Forests, 2001, section 10.

    Differs:
        One shuffle per column, the same for all.
    """
    few = rows.select(slice(0, _ROWS))
    order = torch.randperm(len(few), generator=generator(0, 0))
    before = loss(answer(few.features), few.outcome)
    found: dict[str, float] = {}
    for name, places in places_of(columns).items():
        shuffled = few.features.clone()
        shuffled[:, places] = few.features[order][:, places]
        found[name] = loss(answer(shuffled), few.outcome) - before
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def importance_figure(rises: dict[str, float], label: str) -> Figure:
    """Draws what the answers hang on most.

    Args:
        rises: as `importance` gave them.
        label: what rises.

    Example:
        >>> importance_figure({"age": 0.2}, "log loss").title
        'What the answers hang on'
    """
    shown = dict(list(rises.items())[:_SHOWN])
    more = f" {len(rises) - len(shown)} columns matter less." if len(rises) > len(shown) else ""
    caption = (
        f"How much the {label} of test rows rises when one column is shuffled among them. Of two columns that say "
        f"the same, either may look idle.{more}"
    )
    return bars(shown, title="What the answers hang on", caption=caption, label=f"rise of the {label}")
