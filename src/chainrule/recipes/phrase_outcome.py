"""How good a classifier of texts is: numbers with intervals, the rivals that count words, and where it is wrong."""

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


def phrase_outcome(
    scores: Float[Tensor, "text class"],
    test: tuple[Sequence[str], Tensor],
    seen: tuple[Sequence[str], Tensor],
    classes: Sequence[str],
    temperature: float,
) -> Outcome:
    """Judges scores of the test texts beside the commonest class and a linear model of counted words.

    Args:
        scores: of the network, in evaluation mode.
        test: the texts to judge with, and their labels.
        seen: the texts to learn from and to choose by, from which the rivals learn, and their labels.
        classes: names, by number.
        temperature: that the network was calibrated with, for the note.

    Shape:
        scores: (text, class).

    Example:
        >>> texts, labels = ["good film", "bad film"] * 5, torch.tensor([0, 1] * 5)
        >>> scores = torch.nn.functional.one_hot(labels) * 9.0
        >>> found = phrase_outcome(scores, (texts, labels), (texts, labels), ("good", "bad"), 1.0)
        >>> found.metrics["accuracy"], found.reached
        (1.0, True)
    """
    texts, labels = test
    shares = scores.double().softmax(1)
    sure, answer = shares.max(1)
    right = answer == labels
    beside = phrase_rivals(seen, texts, len(classes))
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


def phrase_rivals(seen: tuple[Sequence[str], Tensor], texts: Sequence[str], classes: int) -> dict[str, Tensor]:
    """What the commonest class and a linear model of words and pairs of words say: shares of the classes.

    Args:
        seen: texts and labels that they learn from.
        texts: that they answer.
        classes: how many.

    Example:
        >>> seen = ["good film", "bad film"] * 5, torch.tensor([0, 1] * 5)
        >>> phrase_rivals(seen, ["a good day"], 2)["TF-IDF + logistic regression"].argmax().item()
        0
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    counts = torch.bincount(seen[1], minlength=classes).double()
    found = {_PRIOR: (counts / counts.sum()).expand(len(texts), -1)}
    counted = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\w+|[^\w\s]")  # noqa: S106 (of words)
    model = LogisticRegression(max_iter=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a linear model that has not quite converged is a rival all the same
        model.fit(counted.fit_transform(seen[0]), seen[1].numpy())
    shares = torch.zeros(len(texts), classes, dtype=torch.float64)
    shares[:, torch.from_numpy(model.classes_)] = torch.from_numpy(model.predict_proba(counted.transform(texts)))
    return found | {RIVAL: shares}


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
