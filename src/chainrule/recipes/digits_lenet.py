"""LeNet-5 on handwritten digits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from chainrule.data import Batches, Images, Shift, Splits, digits
from chainrule.layers import Pixels
from chainrule.learners import Gradient
from chainrule.models import lenet5
from chainrule.objectives import Classify
from chainrule.optim import AdamW, WarmupCosine
from chainrule.recipes.recipe import Recipe
from chainrule.report import Outcome, confusion, worst_mistakes
from chainrule.training import Evaluate, Hook, evaluate

_BAR = 0.98


@dataclass(frozen=True)
class DigitsLenet(Recipe):
    """Settings of `digits-lenet`.

    Args:
        steps: how long to train.
        seed: where every random number of the run begins.
        threads: of the CPU.
        batch_size: digits per step.
        shift: training digits are moved by up to so many pixels; 0 leaves them.
        smoothing: share of the target spread over all classes.
        optimizer: how a gradient becomes an update.
    """

    source: ClassVar[str] = "1,797 digits of 8 x 8 pixels from scikit-learn (UCI, CC BY 4.0), split 1,197 / 300 / 300."
    limits: ClassVar[str] = "Single, centred digits in the style of 43 writers of 1998; not for cheques or post."

    steps: int = 1200
    seed: int = 0
    threads: int = 1
    batch_size: int = 64
    shift: int = 1
    smoothing: float = 0.05
    optimizer: AdamW = AdamW(lr=3e-3, weight_decay=0.05, schedule=WarmupCosine(warmup=50))

    def splits(self) -> Splits[Images]:
        """The digits, training digits moved about."""
        augment = Shift(self.shift) if self.shift else None
        return digits(self.batch_size, seed=self.seed, augment=augment)

    def learner(self) -> Gradient:
        """LeNet-5 by gradient descent."""
        model = lenet5(classes=10, pixels=Pixels(mean=(4.884,), deviation=(6.017,), side=32))
        return Gradient(model, Classify(smoothing=self.smoothing), self.optimizer.over(self.steps))

    def batches(self) -> Batches[Images]:
        """The training digits."""
        return self.splits().train

    def hooks(self) -> Sequence[Hook]:
        """Validation accuracy every hundred steps."""
        return [Evaluate(Classify(), self.splits().validation, every=100)]

    def outcome(self, model: nn.Module) -> Outcome:
        """Accuracy on the test digits, beside the commonest class, a linear model and nearest neighbours."""
        parts = self.splits()
        measured = evaluate(model, Classify(), parts.test)
        test = next(parts.test.once(parts.test.size))
        with torch.no_grad():
            shares = model.eval()(test.pixels).softmax(-1)
        confidence, predicted = shares.max(-1)
        names = [str(digit) for digit in range(10)]
        return Outcome(
            metrics=measured,
            baselines=_baselines(next(parts.train.once(parts.train.size)), test),
            bar=f"test accuracy of at least {100 * _BAR:.0f} %",
            reached=measured["accuracy"] >= _BAR,
            figures=(
                confusion(test.labels, predicted, names, title="Test digits: truth against answer"),
                worst_mistakes(test.pixels[:, 0], test.labels, predicted, confidence),
            ),
            note=f"Of {len(test.labels)} test digits; the loss is their mean cross-entropy in nats.",
        )


def digits_lenet() -> DigitsLenet:
    """LeNet-5 on scikit-learn's 1,797 handwritten digits.

    `chainrule run digits-lenet`: about 15 s on 2 cores, test accuracy of at least 98 %.
    """
    return DigitsLenet()


def _baselines(train: Images, test: Images) -> dict[str, dict[str, float]]:
    """Rivals that need no tuning, fitted on the same training digits."""
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier

    rivals = {
        "commonest class": DummyClassifier(),
        "logistic regression": LogisticRegression(max_iter=2000, C=0.01),
        "3 nearest neighbours": KNeighborsClassifier(3),
    }
    inputs, answers = train.pixels.flatten(1).numpy(), train.labels.numpy()
    return {
        name: {"accuracy": float(rival.fit(inputs, answers).score(test.pixels.flatten(1).numpy(), test.labels.numpy()))}
        for name, rival in rivals.items()
    }
