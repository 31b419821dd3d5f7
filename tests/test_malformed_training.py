"""R15: what is malformed in a batch, a model or a call of the loop is told before any update: nothing has changed."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from chainrule import layers, training
from chainrule.data import IGNORED, Images, InMemory, Table, Tokens
from chainrule.learners import Gradient
from chainrule.models import lenet5, mlp
from chainrule.objectives import Classify, NextToken, Regress
from malformed import refused, table
from test_malformed import ROOMS, SETTINGS

pytestmark = pytest.mark.usefixtures("unchecked")


def loader() -> Any:
    rows = table()
    return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(rows.features, rows.outcome), batch_size=2)


class Changed(nn.Module):
    """A network whose answer is changed into something that cannot be learnt from."""

    def __init__(self, change: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 3)
        self.change = change

    def forward(self, features: Tensor) -> Any:
        return self.change(self.inner(features))


Step = tuple[Callable[[], nn.Module], Any, Callable[[], Any], str]
STEPS: dict[str, Step] = {
    "pair for a batch": (
        lambda: mlp((4, 3)),
        Classify(),
        lambda: (torch.ones(2, 4), torch.zeros(2)),
        r"`batch` must be of the kind Batch. Got batch='tuple'",
    ),
    "too many features": (
        lambda: mlp((4, 3)),
        Classify(),
        lambda: table(width=5),
        r"`model` cannot take this `batch`.*\(6, 5\) torch.float32.*6x5 and 4x3",
    ),
    "too precise features": (
        lambda: mlp((4, 3)),
        Classify(),
        lambda: Table(torch.ones(6, 4, dtype=torch.float64), torch.arange(6) % 3),
        r"`model` cannot take this `batch`.*float64",
    ),
    "colour for grey": (
        lenet5,
        Classify(),
        lambda: Images(torch.zeros(2, 3, 8, 8, dtype=torch.uint8), torch.tensor([0, 1])),
        r"`model` cannot take this `batch`.*\(2, 3, 8, 8\) torch.uint8.*1 channel",
    ),
    "channels that were not measured": (
        lambda: lenet5(channels=3, pixels=layers.Pixels((1.0, 2.0, 3.0), (1.0, 1.0, 1.0), side=32)),
        Classify(),
        lambda: Images(torch.zeros(2, 1, 8, 8, dtype=torch.uint8), torch.tensor([0, 1])),
        r"`mean` needs one number per channel.*mean=3, pixels=\(2, 1, 8, 8\)",
    ),
    "model elsewhere": (
        lambda: mlp((4, 3)),
        Classify(),
        lambda: table().to("meta"),
        r"`model` and `batch` must lie on one device. Got model=\['cpu'\].* on meta",
    ),
    "label too high": (
        lambda: mlp((4, 3)),
        Classify(),
        lambda: table(torch.tensor([0, 1, 2, 3, 0, 1])),
        r"labels must lie between 0 and.*lowest=0, highest=3, classes=3",
    ),
    "label below zero": (
        lambda: mlp((4, 3)),
        Classify(),
        lambda: table(torch.tensor([0, 1, 2, -1, 0, 1])),
        r"labels must lie between 0 and.*lowest=-1",
    ),
    "labels with a fraction": (
        lambda: mlp((4, 3)),
        Classify(),
        lambda: table(torch.ones(6)),
        r"labels must be whole numbers.*labels=torch.float32",
    ),
    "labels too short": (
        lambda: mlp((4, 3)),
        Classify(),
        lambda: table(torch.ones(6, dtype=torch.int32)),
        r"labels must be whole numbers of 64 bits. Got labels=torch.int32",
    ),
    "a column of labels": (
        lambda: mlp((4, 3)),
        Classify(),
        lambda: table(torch.zeros(6, 1, dtype=torch.int64)),
        r"Classify compares scores.*scores=\(6, 3\), labels=\(6, 1\)",
    ),
    "all labels hidden": (
        lambda: mlp((4, 3)),
        Classify(),
        lambda: table(torch.full((6,), IGNORED)),
        r"a batch needs at least one label.*labels=6",
    ),
    "one column of scores": (
        lambda: mlp((4, 1)),
        Classify(),
        lambda: table(torch.zeros(6, dtype=torch.int64)),
        r"one column of scores per class.*scores=\(6, 1\)",
    ),
    "probabilities for scores": (
        lambda: nn.Sequential(nn.Linear(4, 3), nn.Softmax(1)),
        Classify(),
        table,
        r"takes scores \(logits\).*probabilities already.*highest=0",
    ),
    "a pair of answers": (
        lambda: Changed(lambda answer: (answer, answer)),
        Classify(),
        table,
        r"`model` must answer with one tensor.*answer='tuple'",
    ),
    "whole-number answers": (
        lambda: Changed(lambda answer: answer.argmax(1)),
        Classify(),
        table,
        r"`model` must answer with one tensor of floating point.*answer=torch.int64",
    ),
    "answers without a gradient": (
        lambda: Changed(lambda answer: answer.detach()),
        Classify(),
        table,
        r"the loss must depend on a trainable parameter of `model`.*model='Changed'",
    ),
    "one answer for a column": (
        lambda: mlp((4, 1)),
        Regress(),
        lambda: table(torch.zeros(6)),
        r"one shape. Got answers=\(6, 1\), targets=\(6,\)",
    ),
    "targets with gaps": (
        lambda: mlp((4, 1)),
        Regress(),
        lambda: table(torch.tensor([[0.0], [1.0], [torch.nan], [3.0], [torch.inf], [5.0]])),
        r"targets must be finite. Got rows=\[2, 4\]",
    ),
    "counts for measurements": (
        lambda: mlp((4, 1)),
        Regress(),
        lambda: table(torch.zeros(6, 1, dtype=torch.int64)),
        r"targets must be floating point.*targets=torch.int64",
    ),
    "token outside the vocabulary": (
        lambda: nn.Embedding(5, 5),
        NextToken(),
        lambda: Tokens(torch.tensor([[1, 5]]), torch.tensor([[2, 3]])),
        r"tokens must lie between 0 and.*highest=5, vocabulary=5",
    ),
    "target outside the vocabulary": (
        lambda: nn.Embedding(5, 5),
        NextToken(),
        lambda: Tokens(torch.tensor([[1, 2]]), torch.tensor([[2, 9]])),
        r"tokens must lie between 0 and.*highest=9, vocabulary=5",
    ),
    "token below zero": (
        lambda: nn.Embedding(5, 5),
        NextToken(),
        lambda: Tokens(torch.tensor([[1, -2]]), torch.tensor([[2, 3]])),
        r"tokens must lie between 0 and.*lowest=-2",
    ),
    "table for text": (
        lambda: nn.Embedding(5, 5),
        NextToken(),
        table,
        r"`batch` must be of the kind Tokens. Got batch='Table'",
    ),
    "one answer per text": (
        lambda: nn.Sequential(nn.Embedding(5, 4), nn.Flatten(), nn.Linear(8, 5)),
        NextToken(),
        lambda: Tokens(torch.tensor([[1, 2]]), torch.tensor([[2, 3]])),
        r"NextToken compares scores.*scores=\(1, 5\), tokens=\(1, 2\)",
    ),
    "nothing to predict": (
        lambda: nn.Embedding(5, 5),
        NextToken(),
        lambda: Tokens(torch.tensor([[1, 2]]), torch.tensor([[IGNORED, IGNORED]])),
        r"a batch needs at least one target.*targets=2",
    ),
}


def learner() -> Gradient:
    return Gradient(mlp((4, 3)), Classify())


def batches() -> InMemory[Table]:
    return InMemory(table(), batch_size=2)


LOOPS: dict[str, tuple[Callable[[Gradient], Any], str]] = {
    "model for a learner": (
        lambda subject: training.fit(subject.model, batches(), steps=1),
        r"`learner` must be of the kind Learner. Got learner='Network'",
    ),
    "loader for batches": (
        lambda subject: training.fit(subject, loader(), steps=1),
        r"`batches` must be of the kind Batches. Got batches='DataLoader'; wrap the tensors",
    ),
    "list for batches": (
        lambda subject: training.fit(subject, [table()], steps=1),
        r"`batches` must be of the kind Batches. Got batches='list'",
    ),
    "steps behind start": (
        lambda subject: training.fit(subject, batches(), steps=3, start=5),
        r"`steps` must reach at least `start`. Got start=5, steps=3",
    ),
    "negative steps": (lambda subject: training.fit(subject, batches(), steps=-1), r"`steps` must reach.*steps=-1"),
    "steps as text": (
        lambda subject: training.fit(subject, batches(), steps="100"),
        r"`steps` must be of the kind int. Got steps='str'",
    ),
    "function for a hook": (
        lambda subject: training.fit(subject, batches(), steps=1, hooks=[print]),
        r"`hooks` must be of the kind Hook. Got hooks='builtin_function_or_method'",
    ),
    "unequal parts": (
        lambda subject: Gradient(subject.model, Classify(), accumulate=4).step(table()),
        r"`accumulate` must divide.*accumulate=4, batch=6",
    ),
    "loader to evaluate": (
        lambda subject: training.evaluate(subject.model, Classify(), loader()),
        r"`batches` must be of the kind Batches. Got batches='DataLoader'",
    ),
    "nothing to evaluate": (
        lambda subject: training.evaluate(
            subject.model, Classify(), InMemory(table(torch.full((6,), IGNORED)), batch_size=2)
        ),
        r"`batches` needs at least one target",
    ),
}


def unchanged(model: nn.Module, action: Callable[[], Any], says: str) -> None:
    before = {name: value.clone() for name, value in model.state_dict().items()}
    random = torch.get_rng_state()
    refused(action, says)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert torch.equal(torch.get_rng_state(), random)


@pytest.mark.parametrize("case", STEPS)
def test_first_batch(case: str) -> None:
    build, objective, batch, says = STEPS[case]
    subject = Gradient(build(), objective)
    unchanged(subject.model, lambda: subject.step(batch()), says)
    assert subject.steps == 0


LATER = [name for name in STEPS if name.startswith(("label too", "label below", "too many", "token ", "target out"))]


@pytest.mark.parametrize("case", LATER)
def test_a_later_batch_is_told_in_the_same_words(case: str) -> None:
    build, objective, batch, says = STEPS[case]
    subject = Gradient(build(), objective)
    good = Tokens(*torch.zeros(2, 2, 2).long()) if isinstance(objective, NextToken) else table()
    subject.step(good)
    unchanged(subject.model, lambda: subject.step(batch()), says)
    subject.step(good)
    assert subject.steps == 2


@pytest.mark.parametrize("case", LOOPS)
def test_loop(case: str) -> None:
    act, says = LOOPS[case]
    subject = learner()
    unchanged(subject.model, lambda: act(subject), says)


def test_there_are_sixty_and_of_every_kind() -> None:
    """R15 asks for sixty: shapes, numbers, devices, labels, classes, gaps, edges, rates; sets in the data room."""
    cases = {**SETTINGS, **ROOMS, **STEPS, **LOOPS}
    assert len(cases) == len(SETTINGS) + len(ROOMS) + len(STEPS) + len(LOOPS) >= 60
    kinds = ("too many features", "too precise features", "model elsewhere", "label too high", "one column of scores")
    kinds += ("targets with gaps", "isolated node number", "negative rate", "token outside the vocabulary")
    assert [kind for kind in kinds if kind not in cases] == []
