"""How good a picture classifier is: numbers, rivals, mistakes, calibration, and labels that may be wrong."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from chainrule.data import Batches, Images
from chainrule.recipes.picture_rivals import MOST_ROWS, rivals, scored
from chainrule.report import (
    Figure,
    Outcome,
    calibration,
    calibration_error,
    confusion,
    table_figure,
    wilson,
    worst_mistakes,
)
from chainrule.shapes import Float, Int, Num
from chainrule.sources import LabelledPictures
from chainrule.training import evaluating

_BATCH = 250
_KEPT = 2_000  # wrong answers whose pictures are kept
_DRAWN = 40  # classes that a confusion matrix can show
_PAIRS = 15  # confusions that a table shows instead
_JUDGED = 20_000  # test pictures that the rivals answer


@dataclass(frozen=True, eq=False)
class Judged:
    """What a model says of some pictures.

    Args:
        scores: of the network.
        labels: the right classes.
        wrong: positions of wrong answers whose pictures were kept.
        pixels: of those.

    Shape:
        scores: (example, class); labels: (example); wrong: (mistake); pixels: (mistake, channel, height, width).

    Example:
        >>> nothing = torch.zeros(0, dtype=torch.int64)
        >>> len(Judged(torch.zeros(0, 2), nothing, nothing, torch.zeros(0, 1, 2, 2)).wrong)
        0
    """

    scores: Float[Tensor, "example class"]
    labels: Int[Tensor, " example"]
    wrong: Int[Tensor, " mistake"]
    pixels: Num[Tensor, "mistake channel height width"]


@torch.no_grad()
def judged(model: nn.Module, batches: Batches[Images]) -> Judged:
    """The scores of every example once, and the pictures of the first mistakes.

    Args:
        model: the network.
        batches: which pictures.

    Example:
        >>> from chainrule.data import digits
        >>> from chainrule.models import lenet5
        >>> judged(lenet5(), digits().test).scores.shape
        torch.Size([300, 10])
    """
    scores: list[Tensor] = []
    labels: list[Tensor] = []
    wrong: list[Tensor] = []
    pixels: list[Tensor] = []
    done = kept = 0
    with evaluating(model):
        for batch in batches.once(_BATCH):
            found = model(*batch.inputs).float()
            missed = (found.argmax(1) != batch.labels).nonzero().flatten()[: _KEPT - kept]
            scores.append(found)
            labels.append(batch.labels)
            wrong.append(missed + done)
            pixels.append(batch.pixels[missed])
            done, kept = done + len(batch), kept + len(missed)
    return Judged(torch.cat(scores), torch.cat(labels), torch.cat(wrong), torch.cat(pixels))


def picture_outcome(model: nn.Module, pictures: LabelledPictures, temperature: float) -> Outcome:
    """Judges a model with the test pictures, once, beside its rivals.

    Args:
        model: trained and calibrated.
        pictures: whose test part.
        temperature: that it was calibrated with, for the note.

    Example:
        >>> from chainrule.models import quick_net
        >>> from chainrule.sources import read_pictures
        >>> outcome = picture_outcome(quick_net(10, (8, 8), channels=1, width=8), read_pictures("digits"), 1.0)
        >>> sorted(outcome.metrics), outcome.reached
        (['accuracy', 'calibration error', 'log loss', 'macro F1'], False)
    """
    names = pictures.split.classes
    parts = pictures.splits(_BATCH)
    test = judged(model, parts.test)
    shares = test.scores.softmax(1)
    sure, answer = shares.max(1)
    right = answer == test.labels
    beside = rivals(pictures.sample(0, MOST_ROWS), pictures.sample(2, _JUDGED), len(names))
    best = max(beside, key=lambda name: beside[name]["accuracy"])
    measured = scored(shares, test.labels) | {"calibration error": calibration_error(sure, right)}
    return Outcome(
        metrics=measured,
        baselines=beside,
        bar=f"test accuracy of at least that of the best rival ({best}, {100 * beside[best]['accuracy']:.2f} %)",
        reached=measured["accuracy"] >= beside[best]["accuracy"],
        figures=(
            _confused(test.labels, answer, names),
            _mistakes(test, shares, names, "Most confident mistakes"),
            calibration(sure, right, title="Is it right as often as it says?"),
            _doubtful(model, parts.validation, names),
        ),
        note=_note(int(right.sum()), len(right), temperature, len(parts_of(pictures, 0))),
    )


def parts_of(pictures: LabelledPictures, part: int) -> Tensor:
    """Positions of the pictures of a part.

    Args:
        pictures: of which.
        part: 0 to learn from, 1 to choose by, 2 to judge with.

    Example:
        >>> from chainrule.sources import read_pictures
        >>> len(parts_of(read_pictures("digits"), 2))
        269
    """
    return pictures.split.parts[part]


def _note(right: int, count: int, temperature: float, train: int) -> str:
    low, high = wilson(right, count)
    learnt = f" (learnt from {min(train, MOST_ROWS):,} pictures at most)" if train > MOST_ROWS else ""
    return (
        f"{right:,} of {count:,} test pictures are right: {100 * right / count:.2f} %, and 95 times in 100 the true "
        f"accuracy lies between {100 * low:.2f} and {100 * high:.2f} %. Log loss in nats; macro F1 is the mean over "
        f"classes. Probabilities were calibrated on the validation pictures (temperature {temperature:.2f}). The "
        f"rivals see pixels{learnt}."
    )


def _confused(labels: Tensor, answer: Tensor, names: tuple[str, ...]) -> Figure:
    title = "Test pictures: truth against answer"
    if len(names) <= _DRAWN:
        return confusion(labels, answer, names, title=title)
    wrong = answer != labels
    pairs, counts = torch.stack((labels[wrong], answer[wrong]), 1).unique(dim=0, return_counts=True)
    chosen = counts.argsort(descending=True, stable=True)[:_PAIRS].tolist()
    rows = [{"true class": names[int(pairs[each, 0])], "answer": names[int(pairs[each, 1])], "times": int(counts[each])}
            for each in chosen]  # fmt: skip
    rows = rows or [{"true class": "every one", "answer": "was right", "times": len(labels)}]
    return table_figure(rows, title="What is taken for what most often", caption=f"Of {len(labels):,} test pictures.")


def _mistakes(found: Judged, shares: Tensor, names: tuple[str, ...], title: str) -> Figure:
    """The kept mistakes, the most confident first; pictures of right answers are not needed."""
    sure, answer = shares[found.wrong].max(1)
    shown: Any = found.pixels if len(found.wrong) else np.zeros((0, 1, 1, 1))
    return worst_mistakes(shown, found.labels[found.wrong], answer, sure, classes=names, title=title)


def _doubtful(model: nn.Module, validation: Batches[Images], names: tuple[str, ...]) -> Figure:
    """Validation pictures, which it did not learn from, whose label it doubts most: some of the labels are wrong."""
    found = judged(model, validation)
    return _mistakes(found, found.scores.softmax(1), names, "Labels that may be wrong (label → what it looks like)")
