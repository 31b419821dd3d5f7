"""How good a network for tables is: numbers with intervals, rivals, and where it is wrong."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from chainrule.data import Table
from chainrule.recipes.table_rivals import rivals
from chainrule.report import Figure, Outcome, bars, calibration, confusion, number, table_figure, truth_figure
from chainrule.sources import Amount, Classes, Column

METRICS = {
    "classify": ("accuracy", "log loss", "balanced accuracy", "AUROC"),
    "regress": ("RMSE", "MAE", "R2"),
}
"""What a model can be judged by, the first unless somebody says otherwise."""

_SMALL_IS_GOOD = ("log loss", "RMSE", "MAE")
_DRAWS = 500  # of the bootstrap
_DRAWN = 40  # classes that a figure can show
_WORST = 12
_TOLD = 1e-9  # the least probability that is believed
_SAME = 1e-9


def table_outcome(
    outputs: Tensor,
    test: Table,
    seen: Sequence[Table],
    columns: Sequence[Column],
    target: Classes | Amount,
    metric: str,
    frame: Any,
) -> Outcome:
    """Judges the network's outputs on the test rows beside its rivals.

    Args:
        outputs: of the network, in evaluation mode.
        test: the rows to judge with.
        seen: the rows to learn from and to choose by, from which the rivals learn.
        columns: what each column is.
        target: what is told.
        metric: what decides.
        frame: the test rows as they were read, for the worst mistakes; `None` shows none.

    Example:
        >>> from chainrule.sources import Number
        >>> rows = Table(torch.arange(40.0)[:, None], torch.arange(40) // 20)
        >>> scores = torch.nn.functional.one_hot(rows.outcome) * 9.0
        >>> columns, target = [Number("x", (0.0, 40.0), 20.0)], Classes("y", ("low", "high"))
        >>> outcome = table_outcome(scores, rows, [rows], columns, target, "accuracy", None)
        >>> outcome.metrics["accuracy"], outcome.reached
        (1.0, True)
    """
    classes = len(target.names) if isinstance(target, Classes) else 0
    ours = outputs.double().softmax(1) if classes else outputs.double()
    others = rivals(seen, test, columns, classes)
    right = test.outcome if classes else test.outcome.double()
    measured = scored(ours, right)
    beside = {name: scored(answers, right) for name, answers in others.items()}
    sign = -1 if metric in _SMALL_IS_GOOD else 1
    best = max(beside, key=lambda name: sign * beside[name][metric])
    wanted = beside[best][metric]
    figures = _of_classes(ours, right, target.names) if isinstance(target, Classes) else _of_amounts(ours, right)
    if frame is not None:
        figures += (_mistakes(ours, right, target, frame),)
    told = f"{metric} of at {'most' if sign < 0 else 'least'} that of the best rival ({best}, {number(wanted)})"
    return Outcome(
        metrics=measured,
        baselines=beside,
        bar=told,
        reached=bool(sign * (measured[metric] - wanted) >= -_SAME * abs(wanted)),
        figures=figures,
        note=_note(ours, others[best], right, metric, best, len(right)),
    )


def scored(answers: Tensor, right: Tensor) -> dict[str, float]:
    r"""Every metric of class shares, or of amounts.

    $$\text{RMSE} = \sqrt{\tfrac1n \sum (\hat y - y)^2}, \qquad
      R^2 = 1 - \frac{\sum (\hat y - y)^2}{\sum (y - \bar y)^2}, \qquad
      \text{AUROC} = P(\hat p_{\text{yes}} > \hat p_{\text{no}})$$

    Args:
        answers: one row of shares per row, or one amount.
        right: the right class or amount.

    Shape:
        answers: (row, class) or (row); right: (row).

    Example:
        >>> scored(torch.tensor([1.0, 3.0]), torch.tensor([1.0, 1.0]))["MAE"]
        1.0
    """
    if answers.ndim == 1:
        errors = answers - right
        spread = float(((right - right.mean()) ** 2).mean())
        squared = float((errors**2).mean())
        good = 1 - squared / spread if spread > 0 else math.nan
        return {"RMSE": math.sqrt(squared), "MAE": float(errors.abs().mean()), "R2": good}
    classes = answers.shape[1]
    hits = answers.argmax(1) == right
    counts = torch.bincount(right, minlength=classes)
    found = torch.bincount(right[hits], minlength=classes)
    told = answers.gather(1, right[:, None]).clamp(min=_TOLD).log().mean()
    measured = {
        "accuracy": float(hits.double().mean()),
        "log loss": float(-told),
        "balanced accuracy": float((found / counts)[counts > 0].double().mean()),
    }
    if classes == 2 and int(counts.min()):
        measured["AUROC"] = _auroc(answers[:, 1], right)
    return measured


def _auroc(share: Tensor, right: Tensor) -> float:
    """How often a row of the second class has the higher share, by ranks; ties count a half."""
    values, places, counts = share.unique(return_inverse=True, return_counts=True)
    ranks = (counts.cumsum(0) - (counts - 1) / 2).double()[places]
    yes = int(right.sum())
    no = len(right) - yes
    return float((ranks[right == 1].sum() - yes * (yes + 1) / 2) / (yes * no)) if len(values) else math.nan


def _note(ours: Tensor, other: Tensor, right: Tensor, metric: str, best: str, rows: int) -> str:
    """The interval of the metric that decides, and that of the difference to the best rival, by drawing rows anew."""
    random = np.random.default_rng(0)
    measured: list[tuple[float, float]] = []
    for _ in range(_DRAWS if rows < 50_000 else _DRAWS // 5):
        drawn = torch.from_numpy(random.integers(0, rows, rows))
        pair = [scored(answers[drawn], right[drawn]).get(metric, math.nan) for answers in (ours, other)]
        measured.append((pair[0], pair[1]))
    pairs = np.array(measured)
    pairs = pairs[np.isfinite(pairs).all(1)]
    if not len(pairs):
        return f"Of {rows:,} rows."
    low, high = (number(float(edge)) for edge in np.percentile(pairs[:, 0], (2.5, 97.5)))
    gains = (pairs[:, 0] - pairs[:, 1]) * (-1 if metric in _SMALL_IS_GOOD else 1)
    worst, most = np.percentile(gains, (2.5, 97.5))
    said = "better than" if worst > 0 else "worse than" if most < 0 else "not to be told apart from"
    return (
        f"Of {rows:,} rows that took no part in training or choosing. Drawn anew, the {metric} lies between {low} and "
        f"{high} (95 %): {said} {best}, to which the gain lies between {number(float(worst))} and "
        f"{number(float(most))}. The rivals learnt from all rows that the network learnt from or chose by."
    )


def _of_classes(shares: Tensor, right: Tensor, names: tuple[str, ...]) -> tuple[Figure, ...]:
    sure, answer = shares.max(1)
    figures: list[Figure] = []
    if len(names) <= _DRAWN:
        figures.append(confusion(right, answer, names, title="Test rows: truth against answer"))
        seen = [place for place in range(len(names)) if bool((right == place).any())]
        recall = {names[place]: 100 * float((answer[right == place] == place).double().mean()) for place in seen}
        caption = "Of the rows of each class, how many were told as such."
        figures.append(bars(recall, title="Recall of each class", caption=caption, label="recall (%)"))
    figures.append(calibration(sure.clamp(0, 1), answer == right, title="Is it right as often as it says?"))
    return tuple(figures)


def _of_amounts(amounts: Tensor, right: Tensor) -> tuple[Figure, ...]:
    return (truth_figure(right, amounts, title="Test rows: truth against answer"),)


def _said_of_class(shares: Tensor, right: Tensor, target: Classes) -> dict[str, object]:
    best = int(shares.argmax())
    sure = round(100 * float(shares[best]), 1)
    return {"true": target.names[int(right)], "answer": target.names[best], "sure (%)": sure}


def _mistakes(ours: Tensor, right: Tensor, target: Classes | Amount, frame: Any) -> Figure:
    """The rows that it is most wrong about, with what it was shown: some of their answers may be mistaken."""
    if isinstance(target, Classes):
        shares = ours.gather(1, right[:, None])[:, 0]
        wrong = torch.where(ours.argmax(1) == right, torch.inf, shares)
        places = wrong.argsort(stable=True)[: min(_WORST, int(torch.isfinite(wrong).sum()))].tolist()
        told = {place: _said_of_class(ours[place], right[place], target) for place in places}
    else:
        places = (ours - right).abs().argsort(descending=True, stable=True)[:_WORST].tolist()
        told = {place: {"true": number(float(right[place])), "answer": number(float(ours[place]))} for place in places}
    shown = frame.columns[:5]
    rows = [{**told[place], **{name: _brief(frame[name][place]) for name in shown}} for place in places]
    title = "Worst mistakes"
    caption = "The rows it is most wrong about, with their first columns: look for answers that were written wrongly."
    return table_figure(rows or [{"mistakes": "none"}], title=title, caption=caption)


def _brief(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return number(int(value) if value.is_integer() and abs(value) < 1e15 else value)
    return str(value)[:24]
