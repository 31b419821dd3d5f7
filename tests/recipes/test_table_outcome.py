"""Metrics beside scikit-learn's, the interval beside its closed form."""

import math
import re

import numpy as np
import pytest
import torch
from sklearn import metrics

from chainrule.data import Table
from chainrule.recipes.table_outcome import scored, table_outcome
from chainrule.sources import Amount, Classes, Number

RANDOM = np.random.default_rng(0)


def shares(rows: int, classes: int) -> torch.Tensor:
    return torch.from_numpy(RANDOM.dirichlet(np.ones(classes), rows)).round(decimals=2).clamp(min=0.01)


@pytest.mark.parametrize("classes", [2, 4])
def test_metrics_of_classes_are_scikit_learns(classes):
    told = shares(300, classes)
    told = told / told.sum(1, keepdim=True)
    right = torch.from_numpy(RANDOM.integers(0, classes, 300))
    found = scored(told, right)
    answers = told.argmax(1)
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(right, answers))
    assert found["balanced accuracy"] == pytest.approx(metrics.balanced_accuracy_score(right, answers))
    assert found["log loss"] == pytest.approx(metrics.log_loss(right, told.numpy()))
    if classes == 2:
        assert found["AUROC"] == pytest.approx(metrics.roc_auc_score(right, told[:, 1]))  # with ties, by rounding
    else:
        assert "AUROC" not in found


def test_metrics_of_amounts_are_scikit_learns():
    told, right = (torch.from_numpy(RANDOM.normal(size=200)) for _ in range(2))
    found = scored(told, right)
    assert found["RMSE"] == pytest.approx(metrics.root_mean_squared_error(right, told))
    assert found["MAE"] == pytest.approx(metrics.mean_absolute_error(right, told))
    assert found["R2"] == pytest.approx(metrics.r2_score(right, told))


def judged(rows: Table, outputs: torch.Tensor, target: Classes | Amount, metric: str):
    return table_outcome(outputs, rows, [rows], [Number("x", (0.0, 400.0), 200.0)], target, metric, None)


def test_the_interval_is_that_of_a_share():
    """Of 400 rows 300 are right: the bootstrap's interval is the normal one, to its own noise."""
    rows = Table(torch.rand(400, 1), torch.arange(400) % 2)
    answers = torch.where(torch.arange(400) < 300, rows.outcome, 1 - rows.outcome)
    outcome = judged(rows, torch.nn.functional.one_hot(answers) * 3.0, Classes("y", ("a", "b")), "accuracy")
    low, high = (float(edge) for edge in re.findall(r"between ([\d.]+) and ([\d.]+) \(95 %\)", outcome.note)[0])
    half = 1.96 * math.sqrt(0.75 * 0.25 / 400)
    assert outcome.metrics["accuracy"] == 0.75
    assert low == pytest.approx(0.75 - half, abs=0.01)
    assert high == pytest.approx(0.75 + half, abs=0.01)


def test_who_answers_the_truth_is_better_and_who_answers_nothing_is_worse():
    rows = Table(torch.rand(300, 1), torch.randn(300))
    target = Amount("y", 0.0, 1.0)
    good, bad = judged(rows, rows.outcome.clone(), target, "RMSE"), judged(rows, rows.outcome + 9, target, "RMSE")
    assert good.reached
    assert "better than" in good.note
    assert not bad.reached
    assert "worse than" in bad.note
    assert good.metrics["R2"] == 1.0


def test_what_decides_is_what_was_asked_for():
    rows = Table(torch.rand(300, 1), torch.arange(300) % 2)
    sure = torch.nn.functional.one_hot(rows.outcome) * 9.0
    outcome = judged(rows, sure, Classes("y", ("a", "b")), "log loss")
    assert outcome.bar.startswith("log loss of at most that of the best rival")
    assert outcome.reached
