"""What a picture classifier has to beat: the commonest class, a linear model and nearest neighbours, on pixels."""

import warnings

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor

from chainrule.data import Images
from chainrule.shapes import Float, Int, Num

MOST_ROWS = 6_000  # pictures that a rival learns from, so that it takes seconds
_SIDE = 14  # pixels
_NEIGHBOURS = 5
_RECOGNISED = 2 / 3
_TOLD = 1e-9  # the least probability that is believed


def scored(shares: Float[Tensor, "example class"], labels: Int[Tensor, " example"]) -> dict[str, float]:
    r"""Accuracy, log loss and macro F1 of class probabilities.

    $$-\frac1n \sum_i \log p_{i y_i}, \qquad
      F_1 = \frac1K \sum_c \frac{2\, |\text{answered } c \text{ and is } c|}{|\text{answered } c| + |\text{is } c|}$$

    Args:
        shares: probabilities.
        labels: the right class of each.

    Shape:
        shares: (example, class); labels: (example).

    Example:
        >>> scored(torch.tensor([[1.0, 0.0], [0.5, 0.5]]), torch.tensor([0, 0]))["accuracy"]
        1.0
    """
    answers = shares.argmax(1)
    classes = shares.shape[1]
    hits, said, true = (torch.bincount(each, minlength=classes).double()
                        for each in (labels[answers == labels], answers, labels))  # fmt: skip
    seen = true > 0  # a class that the part lacks cannot be found in it
    right = shares.gather(1, labels[:, None])[:, 0].clamp(min=_TOLD)
    return {
        "accuracy": float((answers == labels).double().mean()),
        "log loss": float(-right.double().log().mean()),
        "macro F1": float((2 * hits / (said + true).clamp(min=1))[seen].mean()),
    }


def rivals(train: Images, test: Images, classes: int) -> dict[str, dict[str, float]]:
    """The commonest class, logistic regression and nearest neighbours, learnt from `train`, scored on `test`.

    Args:
        train: pictures to learn from.
        test: pictures to judge with.
        classes: how many there are.

    Example:
        >>> from chainrule.data import digits
        >>> parts = digits()
        >>> found = rivals(parts.train.rows, parts.test.rows, 10)
        >>> found["commonest class"]["accuracy"] < found["logistic regression"]["accuracy"]
        True
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    inputs, questions = features(train.pixels), features(test.pixels)
    counts = torch.bincount(train.labels, minlength=classes).double()
    answers: dict[str, Tensor] = {"commonest class": (counts / counts.sum()).expand(len(test), -1)}
    for name, rival in (
        ("logistic regression", make_pipeline(StandardScaler(), LogisticRegression(max_iter=100, C=0.01, tol=1e-3))),
        (f"{_NEIGHBOURS} nearest neighbours", KNeighborsClassifier(_NEIGHBOURS, algorithm="brute")),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it stops after so many rounds, which is what we want
            found = rival.fit(inputs, train.labels.numpy())
            known = torch.zeros(len(test), classes, dtype=torch.float64)
            known[:, torch.from_numpy(found.classes_)] = torch.from_numpy(found.predict_proba(questions)).double()
        if "neighbours" in name:  # five of five is not certainty
            known = (known * _NEIGHBOURS + 1 / classes) / (_NEIGHBOURS + 1)
        answers[name] = known
    return {name: scored(shares, test.labels) for name, shares in answers.items()}


def features(pixels: Num[Tensor, "picture channel height width"]) -> np.ndarray:
    """Small pictures as rows of numbers.

    Args:
        pixels: of any size.

    Shape:
        pixels: (picture, channel, height, width).

    Example:
        >>> features(torch.zeros(2, 3, 64, 64, dtype=torch.uint8)).shape
        (2, 588)
    """
    sides = min(pixels.shape[2], _SIDE), min(pixels.shape[3], _SIDE)
    return F.adaptive_avg_pool2d(pixels.float(), sides).flatten(1).numpy()


def mirrored_share(train: Images, others: Images) -> tuple[float, float]:
    """How many pictures nearest neighbours recognise, and how many of the mirrored ones.

    Letters and digits mean something else in a mirror, and are not recognised there; photographs are.

    Args:
        train: pictures with neighbours.
        others: pictures to be recognised.

    Example:
        >>> from chainrule.data import digits
        >>> parts = digits()
        >>> upright, mirrored = mirrored_share(parts.train.rows, parts.validation.rows)
        >>> upright > 0.9 > 0.6 > mirrored
        True
    """
    from sklearn.neighbors import KNeighborsClassifier

    rival = KNeighborsClassifier(3, algorithm="brute").fit(features(train.pixels), train.labels.numpy())
    labels = others.labels.numpy()
    upright, mirrored = (rival.score(features(each), labels) for each in (others.pixels, others.pixels.flip(-1)))
    return float(upright), float(mirrored)


def mirrors(upright: float, mirrored: float) -> bool:
    """Whether pictures may be mirrored while learning: two thirds of what is recognised is so in a mirror, too.

    Args:
        upright: share that is recognised.
        mirrored: share that is recognised in a mirror.

    Example:
        >>> mirrors(0.9, 0.4), mirrors(0.3, 0.29)
        (False, True)
    """
    return mirrored >= _RECOGNISED * upright
