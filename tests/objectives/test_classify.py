"""Oracles: the formula written out with loops, torch's cross-entropy, scikit-learn's accuracy."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score
from torch import Tensor, nn

from chainrule.data import IGNORED, Table, generator
from chainrule.errors import InputError
from chainrule.objectives import Classify, accuracy


def slow_cross_entropy(scores: list[list[float]], targets: list[int], smoothing: float) -> float:
    """The docstring's formula, example by example."""
    losses = []
    for row, target in zip(scores, targets, strict=True):
        if target == IGNORED:
            continue
        log_total = math.log(math.fsum(math.exp(score) for score in row))
        shares = [smoothing / len(row) + (1 - smoothing) * (place == target) for place in range(len(row))]
        losses.append(-math.fsum(share * (score - log_total) for share, score in zip(shares, row, strict=True)))
    return math.fsum(losses) / len(losses)


@settings(max_examples=60, deadline=None)
@given(
    classes=st.integers(2, 6),
    rows=st.integers(1, 8),
    smoothing=st.sampled_from([0.0, 0.1, 0.9]),
    seed=st.integers(0, 1000),
    data=st.data(),
)
def test_is_the_formula(classes: int, rows: int, smoothing: float, seed: int, data: st.DataObject) -> None:
    scores = 3 * torch.randn(rows, classes, dtype=torch.float64, generator=generator(seed))
    labels = data.draw(st.lists(st.sampled_from([IGNORED, *range(classes)]), min_size=rows, max_size=rows))
    if all(label == IGNORED for label in labels):
        labels[0] = 0
    loss = Classify(smoothing)(lambda _features: scores, Table(torch.zeros(rows, 1), torch.tensor(labels)))
    assert loss.value.item() == pytest.approx(slow_cross_entropy(scores.tolist(), labels, smoothing), rel=1e-10)
    seen = [place for place, label in enumerate(labels) if label != IGNORED]
    guesses = scores.argmax(1)[seen]
    assert loss.metrics["accuracy"].item() == pytest.approx(accuracy_score([labels[i] for i in seen], guesses))
    assert loss.metrics["loss"].item() == loss.value.item()


def test_the_gradient_is_softmax_less_the_target() -> None:
    """Closed form: (softmax(z) - q) / n."""
    scores = torch.randn(5, 4, dtype=torch.float64, generator=generator(1)).requires_grad_()
    labels = torch.tensor([3, 1, IGNORED, 0, 2])
    Classify(smoothing=0.2)(lambda _features: scores, Table(torch.zeros(5, 1), labels)).value.backward()
    seen = labels != IGNORED
    targets = 0.8 * nn.functional.one_hot(labels.clamp(min=0), 4) + 0.05
    expected = torch.where(seen[:, None], (scores.softmax(1) - targets) / 4, 0.0)
    torch.testing.assert_close(scores.grad, expected.detach())


def test_golden_table_of_the_tuebingen_notes() -> None:
    """The curriculum's worked numbers (tuebingen:E20): four samples of classes 1 to 4; the last costs most."""
    scores = torch.tensor([[3.0, 1, -1, -1], [3, 3, 1, 0], [1, 1, 1, 1], [3, 2, 3, -1]])
    golden = [0.1587, 0.7817, 1.3863, 4.8697]
    for row in range(4):
        batch = Table(scores[row : row + 1], torch.tensor([row]))
        assert Classify()(lambda features: features, batch).value.item() == pytest.approx(golden[row], abs=5e-5)


def test_accuracy_of_nothing_is_not_a_number() -> None:
    assert accuracy(torch.eye(2), torch.tensor([IGNORED, IGNORED])).isnan()


@pytest.mark.parametrize("smoothing", [-0.1, 1.0, float("nan")])
def test_smoothing_is_a_share(smoothing: float) -> None:
    with pytest.raises(InputError, match="`smoothing`"):
        Classify(smoothing)


BATCH = Table(torch.randn(3, 4, generator=generator(2)), torch.tensor([0, 1, 2]))


@pytest.mark.parametrize(
    ("model", "labels", "message"),
    [
        (nn.Linear(4, 3), torch.tensor([0, 1, 3]), r"less one. Got lowest=0, highest=3, classes=3"),
        (nn.Linear(4, 3), torch.tensor([0, -1, 2]), r"less one. Got lowest=-1"),
        (nn.Linear(4, 3), torch.tensor([0.0, 1.0, 2.0]), "whole numbers of 64 bits"),
        (nn.Linear(4, 3), torch.tensor([0, 1, 2], dtype=torch.int32), "whole numbers of 64 bits"),
        (nn.Linear(4, 3), torch.tensor([IGNORED] * 3), "at least one label"),
        (nn.Linear(4, 3), torch.tensor([[0], [1], [2]]), r"scores=\(3, 3\), labels=\(3, 1\)"),
        (nn.Linear(4, 1), torch.tensor([0, 0, 0]), "two at least"),
        (nn.Sequential(nn.Linear(4, 3), nn.Softmax(1)), torch.tensor([0, 1, 2]), "probabilities already"),
    ],
)
def test_check_says_what_does_not_fit(model: nn.Module, labels: Tensor, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Classify().check(model, Table(BATCH.features, labels))


def test_check_passes_what_fits() -> None:
    Classify().check(nn.Linear(4, 3), BATCH)
    Classify().check(nn.Linear(4, 3), Table(BATCH.features, torch.tensor([2, IGNORED, 0])))
    Classify().check(lambda features: features[:, :3] * 0, BATCH)  # an untrained head may well give zeros


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_weights_are_those_of_the_formula(smoothing: float) -> None:
    """Written out with loops; classes that count twice as much do."""
    weights = (1.0, 2.0, 0.5)
    scores, targets = torch.randn(6, 3, generator=generator(5), dtype=torch.float64), torch.tensor([0, 1, 2, 1, 1, 0])
    shares = scores.log_softmax(1).tolist()
    total = 0.0
    for row, target in zip(shares, targets.tolist(), strict=True):
        wanted = [(1 - smoothing) * (c == target) + smoothing / 3 for c in range(3)]
        total -= sum(weight * want * share for weight, want, share in zip(weights, wanted, row, strict=True))
    expected = total / sum(weights[target] for target in targets.tolist())
    batch = Table(scores, targets)
    assert Classify(smoothing, weights)(lambda given: given, batch).value.item() == pytest.approx(expected)
    assert Classify(smoothing, (1.0,) * 3)(lambda given: given, batch).value.item() == pytest.approx(
        Classify(smoothing)(lambda given: given, batch).value.item()
    )


def test_weights_are_positive_and_one_per_class() -> None:
    with pytest.raises(InputError, match="`weights` must be positive"):
        Classify(weights=(1.0, 0.0))
    with pytest.raises(InputError, match="`weights` must be one per class"):
        Classify(weights=(1.0, 1.0)).check(nn.Linear(4, 3), BATCH)
