"""How good a classifier of texts is: numbers with intervals, the rivals that count words, and where it is wrong."""

import re
import warnings
from collections.abc import Sequence

import torch
from torch import Tensor

from chainrule.report import Figure, Outcome, calibration, calibration_error, confusion, table_figure, wilson
from chainrule.shapes import Float, Int

RIVAL = "TF-IDF + logistic regression"
"""What a classifier of texts has to beat: words and pairs of words, counted."""

_DRAWN = 40  # classes that a figure can show
_WORST = 15
_SHOWN = 160  # characters of a text
_TOLD = 1e-9  # the least probability that is believed
_PRIOR = "commonest class"
_PENALTIES = (1.0, 10.0)  # of the linear model: scikit-learn's own first
_MOST_LEARNT = 100_000  # texts that a rival learns from
_COUNTED = re.compile(r"\w\w")  # what scikit-learn takes for a word


def phrase_outcome(
    scores: Float[Tensor, "text class"],
    test: tuple[Sequence[str], Tensor],
    train: tuple[Sequence[str], Tensor],
    validation: tuple[Sequence[str], Tensor],
    classes: Sequence[str],
    temperature: float,
) -> Outcome:
    """Judges scores of the test texts beside the commonest class and a linear model of counted words.

    Args:
        scores: of the network, in evaluation mode.
        test: the texts to judge with, and their labels.
        train: the texts to learn from, and their labels.
        validation: the texts to choose by, and their labels.
        classes: names, by number.
        temperature: that the network was calibrated with, for the note.

    Shape:
        scores: (text, class).

    Example:
        >>> part = ["good film", "bad film"] * 5, torch.tensor([0, 1] * 5)
        >>> scores = torch.nn.functional.one_hot(part[1]) * 9.0
        >>> found = phrase_outcome(scores, part, part, part, ("good", "bad"), 1.0)
        >>> found.metrics["accuracy"], found.reached
        (1.0, True)
    """
    texts, labels = test
    shares = scores.double().softmax(1)
    sure, answer = shares.max(1)
    right = answer == labels
    beside = phrase_rivals(train, validation, texts, len(classes))
    others = {name: phrase_metrics(found, labels) for name, found in beside.items()}
    measured = phrase_metrics(shares, labels) | {"calibration error": calibration_error(sure.clamp(0, 1), right)}
    best = max(others, key=lambda name: others[name]["accuracy"])
    wanted = others[best]["accuracy"]
    return Outcome(
        metrics=measured,
        baselines=others,
        bar=f"test accuracy of at least that of the best rival ({best}, {100 * wanted:.2f} %)",
        reached=measured["accuracy"] >= wanted,
        figures=(
            *_confused(labels, answer, classes),
            calibration(sure.clamp(0, 1), right, title="Is it right as often as it says?"),
            _mistakes(shares, labels, texts, classes),
        ),
        note=_note(right, beside[best].argmax(1) == labels, best, temperature),
    )


def phrase_rivals(
    train: tuple[Sequence[str], Tensor], validation: tuple[Sequence[str], Tensor], texts: Sequence[str], classes: int
) -> dict[str, Tensor]:
    """What the commonest class and linear models of words and pairs of words say: shares of the classes.

    One linear model has scikit-learn's defaults; the other's penalty was chosen by the validation texts. Then all
    learn from the validation texts, too.

    Args:
        train: texts and labels that they learn from.
        validation: those that the penalty is chosen by.
        texts: that they answer.
        classes: how many.

    Example:
        >>> train = ["good film", "bad film"] * 5, torch.tensor([0, 1] * 5)
        >>> phrase_rivals(train, train, ["a good day"], 2)[RIVAL].argmax().item()
        0
    """
    seen, labels = _some([*train[0], *validation[0]], torch.cat([train[1], validation[1]]))
    counts = torch.bincount(labels, minlength=classes).double()
    found = {_PRIOR: (counts / counts.sum()).expand(len(texts), -1)}
    first = _some(*train)
    right = [
        (float((_linear(first, validation[0], classes, each).argmax(1) == validation[1]).double().mean()), -each)
        for each in _PENALTIES
    ]
    best = -max(right)[1]
    found[RIVAL] = _linear((seen, labels), texts, classes, _PENALTIES[0])
    if best != _PENALTIES[0]:
        found[f"{RIVAL}, tuned"] = _linear((seen, labels), texts, classes, best)
    return found


def _some(texts: Sequence[str], labels: Tensor) -> tuple[Sequence[str], Tensor]:
    """Every so-maniest text, so that a rival takes seconds."""
    each = slice(None, None, -(-len(texts) // _MOST_LEARNT) or 1)
    return texts[each], labels[each]


def _linear(seen: tuple[Sequence[str], Tensor], texts: Sequence[str], classes: int, penalty: float) -> Tensor:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    words = any(_COUNTED.search(text) for text in seen[0])
    counted = TfidfVectorizer(ngram_range=(1, 2), analyzer="word" if words else "char")
    model = LogisticRegression(max_iter=1000, C=penalty)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a linear model that has not quite converged is a rival all the same
        model.fit(counted.fit_transform(seen[0]), seen[1].numpy())
    shares = torch.zeros(len(texts), classes, dtype=torch.float64)
    shares[:, torch.from_numpy(model.classes_)] = torch.from_numpy(model.predict_proba(counted.transform(texts)))
    return shares


def phrase_metrics(shares: Float[Tensor, "text class"], labels: Int[Tensor, " text"]) -> dict[str, float]:
    r"""Accuracy, log loss and macro F1, the mean over the classes that occur of the harmonic mean of its two shares.

    $$F_c = \frac{2\, n_{cc}}{\sum_i n_{ci} + \sum_i n_{ic}}$$

    Args:
        shares: of the classes.
        labels: the right ones.

    Shape:
        shares: (text, class); labels: (text).

    Example:
        >>> phrase_metrics(torch.eye(2), torch.tensor([0, 1]))["macro F1"]
        1.0
    """
    answer = shares.argmax(1)
    classes = shares.shape[1]
    hits = torch.bincount(labels[answer == labels], minlength=classes).double()
    both = torch.bincount(labels, minlength=classes) + torch.bincount(answer, minlength=classes)
    there = both > 0
    return {
        "accuracy": float((answer == labels).double().mean()),
        "log loss": float(-shares.gather(1, labels[:, None]).clamp(min=_TOLD).log().mean()),
        "macro F1": float((2 * hits[there] / both[there]).mean()),
    }


def _note(right: Tensor, other: Tensor, best: str, temperature: float) -> str:
    low, high = wilson(int(right.sum()), len(right))
    ours, theirs = int((right & ~other).sum()), int((other & ~right).sum())
    return (
        f"{int(right.sum()):,} of {len(right):,} test texts are right, and 95 times in 100 the true accuracy lies "
        f"between {100 * low:.2f} and {100 * high:.2f} %. {ours:,} of them only it tells, {theirs:,} only {best}. Log "
        f"loss in nats; macro F1 is the mean over classes. Probabilities were calibrated on the texts to choose by "
        f"(temperature {temperature:.2f}). The rivals learnt from all texts that it learnt from or chose by."
    )


def _confused(labels: Tensor, answer: Tensor, classes: Sequence[str]) -> tuple[Figure, ...]:
    if len(classes) > _DRAWN:
        return ()
    return (confusion(labels, answer, list(classes), title="Test texts: truth against answer"),)


def _mistakes(shares: Tensor, labels: Tensor, texts: Sequence[str], classes: Sequence[str]) -> Figure:
    """The surest of its mistakes: some of the classes may have been written wrongly."""
    sure, answer = shares.max(1)
    wrong = torch.where(answer == labels, -1.0, sure)
    places = wrong.argsort(descending=True, stable=True)[: min(_WORST, int((wrong >= 0).sum()))].tolist()
    rows: list[dict[str, object]] = [
        {
            "true": classes[int(labels[place])],
            "answer": classes[int(answer[place])],
            "sure (%)": round(100 * float(sure[place]), 1),
            "text": _brief(str(texts[place])),
        }
        for place in places
    ]
    caption = "Where it was surest and wrong: look for classes that were written wrongly, and for irony."
    return table_figure(rows or [{"mistakes": "none"}], title="Worst mistakes", caption=caption)


def _brief(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."
