"""Classification: the negative log-probability of the right class."""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor

from chainrule.data import IGNORED, BatchT
from chainrule.errors import InputError
from chainrule.objectives.objective import Loss, Model, Objective, tried


class Classify(Objective[BatchT]):
    r"""Cross-entropy between the network's scores (logits) and the right class.

    $$L = -\frac{1}{\sum_i w_{y_i}} \sum_i \sum_c w_c\, q_{ic} \log \text{softmax}(z_i)_c, \qquad
      q_{ic} = (1-\varepsilon)\,[c = y_i] + \varepsilon / K$$

    Args:
        smoothing: $\varepsilon$, the share of the target that is spread over all $K$ classes.
        weights: $w_c$, how much each class counts; all the same if empty.

    Shape:
        model(*batch.inputs): (example, class); batch.targets: (example), `IGNORED` where hidden.

    Example:
        >>> from chainrule.data import Table
        >>> batch = Table(torch.eye(3), torch.tensor([0, 1, 2]))
        >>> loss = Classify()(lambda features: 100 * features, batch)
        >>> loss.value.item(), loss.metrics["accuracy"].item()
        (0.0, 1.0)

    Reference:
        Szegedy et al., Rethinking the Inception Architecture for Computer Vision, 2016 (label smoothing).
        https://arxiv.org/abs/1512.00567

    Differs:
        Nothing.
    """

    def __init__(self, smoothing: float = 0.0, weights: Sequence[float] = ()) -> None:
        if not 0.0 <= smoothing < 1.0:
            raise InputError("`smoothing` is a share from 0 up to 1", advice="try 0.1", smoothing=smoothing)
        if not all(0.0 < weight < math.inf for weight in weights):
            raise InputError("`weights` must be positive, one per class", advice="1 changes nothing", weights=weights)
        self.smoothing = smoothing
        self._weights = torch.tensor(list(weights)) if weights else None

    def __call__(self, model: Model, batch: BatchT) -> Loss:
        """Mean cross-entropy, and the share of right answers."""
        scores, targets = model(*batch.inputs), batch.targets
        if self._weights is not None:
            self._weights = self._weights.to(scores)  # once: then they are where the scores are
        value = F.cross_entropy(scores, targets, self._weights, ignore_index=IGNORED, label_smoothing=self.smoothing)
        return Loss(value, {"loss": value.detach(), "accuracy": accuracy(scores, targets)})

    def check(self, model: Model, batch: BatchT) -> None:
        """Scores must be one row per example, and every label must name one of their columns."""
        scores, targets = tried(model, batch), batch.targets
        if scores.ndim != 2 or targets.ndim != 1 or len(scores) != len(targets):
            raise InputError(
                "Classify compares scores (example, class) with labels (example)",
                advice="let the network end in one column per class, and give one whole number per example",
                scores=tuple(scores.shape),
                labels=tuple(targets.shape),
            )
        if targets.dtype != torch.int64:
            raise InputError("labels must be whole numbers of 64 bits", advice="use .long()", labels=targets.dtype)
        if scores.shape[1] < 2:
            raise InputError(
                "Classify needs one column of scores per class, two at least",
                advice="widen the network's last layer",
                scores=tuple(scores.shape),
            )
        if bool((scores >= 0).all()) and torch.allclose(scores.sum(1), scores.new_ones(()), atol=1e-3):
            raise InputError(
                "Classify takes scores (logits), and these are probabilities already",
                advice="drop the network's last softmax",
                lowest=float(scores.min()),
                highest=float(scores.max()),
            )
        if self._weights is not None and len(self._weights) != scores.shape[1]:
            raise InputError(
                "`weights` must be one per class",
                advice="leave them out, or give as many as the network's last layer has columns",
                weights=len(self._weights),
                classes=scores.shape[1],
            )
        seen = targets[targets != IGNORED]
        if len(seen) == 0:
            raise InputError("a batch needs at least one label", advice="unmask some", labels=len(targets))
        if int(seen.min()) < 0 or int(seen.max()) >= scores.shape[1]:
            raise InputError(
                "labels must lie between 0 and the number of classes less one",
                advice="count classes from 0, or widen the network's last layer",
                lowest=int(seen.min()),
                highest=int(seen.max()),
                classes=scores.shape[1],
            )


def accuracy(scores: Tensor, targets: Tensor) -> Tensor:
    r"""The share of examples whose highest score is the right class.

    $$\frac1n \sum_i [\arg\max_c z_{ic} = y_i], \qquad \text{over the } i \text{ that are not ignored}$$

    Args:
        scores: one row of class scores per example.
        targets: the right class, `IGNORED` where hidden.

    Shape:
        scores: (example, class); targets: (example); returns a scalar.

    Example:
        >>> accuracy(torch.eye(2), torch.tensor([0, 0])).item()
        0.5
    """
    right = scores.detach().argmax(-1) == targets  # never at a hidden target: no column is called IGNORED
    return right.sum() / (targets != IGNORED).sum()
