"""Rivals and scores: scikit-learn's own metrics, and mirrors that change what a digit means."""

import pytest
import torch
from sklearn import metrics

from chainrule.data import Images, digits
from chainrule.recipes.picture_rivals import features, mirrored_share, mirrors, rivals, scored


def test_scores_are_those_of_scikit_learn():
    torch.manual_seed(0)
    shares = torch.randn(200, 4, dtype=torch.float64).softmax(1)
    labels = torch.randint(3, (200,))  # the fourth class never comes
    answers = shares.argmax(1)
    found = scored(shares, labels)
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(labels, answers))
    assert found["log loss"] == pytest.approx(metrics.log_loss(labels, shares, labels=range(4)), rel=1e-5)
    truth = metrics.f1_score(labels, answers, labels=[0, 1, 2], average="macro")
    assert found["macro F1"] == pytest.approx(truth)


def test_rivals_on_digits():
    parts = digits()
    found = rivals(parts.train.rows, parts.test.rows, 10)
    counts = torch.bincount(parts.train.rows.labels)
    commonest = float((parts.test.rows.labels == counts.argmax()).double().mean())
    assert found["commonest class"]["accuracy"] == pytest.approx(commonest)
    assert found["logistic regression"]["accuracy"] > 0.9
    assert found["5 nearest neighbours"]["accuracy"] > 0.95
    assert all(rival["log loss"] < 2.4 for rival in found.values())  # nothing is ruled out


def test_a_class_that_the_rivals_never_see():
    pixels = torch.randint(256, (30, 1, 4, 4), dtype=torch.uint8)
    train, test = Images(pixels, torch.arange(30) % 2), Images(pixels, torch.arange(30) % 3)
    assert set(rivals(train, test, 3)) == {"commonest class", "logistic regression", "5 nearest neighbours"}


def test_small_pictures_keep_their_pixels():
    pixels = torch.randint(256, (2, 1, 8, 8), dtype=torch.uint8)
    assert features(pixels).tolist() == pixels.flatten(1).tolist()


def test_digits_are_not_mirrored_and_what_has_no_sides_is():
    parts = digits()
    assert not mirrors(*mirrored_share(parts.train.rows, parts.validation.rows))
    rows = torch.rand(200, 1, 8, 1).expand(-1, -1, -1, 8)  # stripes look the same in a mirror
    striped = Images(rows, (rows[:, 0, 0, 0] > 0.5).long())
    assert mirrors(*mirrored_share(striped, striped))
