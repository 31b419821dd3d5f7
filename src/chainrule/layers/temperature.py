"""Scores made as sure of themselves as they are right, by one number."""

import math

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.shapes import Float, Int

_LONGEST = math.log(20.0)  # temperatures from 1/20 to 20
_HALVINGS = 40


class Temperature(nn.Module):
    r"""Divides scores by a temperature: the order of classes stays, how sure the answer is changes.

    $$p = \text{softmax}(z / T)$$

    A network's last layer. It learns nothing while the network does; afterwards `set_to` gives it the temperature at
    which scores that took no part in training have the least cross-entropy.

    Args:
        (none).

    Shape:
        scores: (batch, class); returns (batch, class).

    Example:
        >>> layer = Temperature()
        >>> layer.set_to(2.0)
        >>> layer(torch.tensor([[1.0, 3.0]])).tolist()
        [[0.5, 1.5]]

    Reference:
        Guo, Pleiss, Sun and Weinberger, On Calibration of Modern Neural Networks, 2017, section 4.2.
        https://arxiv.org/abs/1706.04599

    Differs:
        Nothing.
    """

    temperature: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("temperature", torch.ones(()))

    def set_to(self, temperature: float) -> None:
        """A new temperature."""
        if not 0 < temperature < math.inf:
            raise InputError("a temperature must be positive", advice="1 changes nothing", temperature=temperature)
        self.temperature.fill_(temperature)

    def forward(self, scores: Float[Tensor, "batch class"]) -> Float[Tensor, "batch class"]:
        """The scores, divided."""
        return scores / self.temperature

    def extra_repr(self) -> str:
        """The temperature, for `print(model)`; unknown where there are no numbers."""
        return "" if self.temperature.is_meta else f"{float(self.temperature):.4g}"


@torch.no_grad()
def best_temperature(scores: Float[Tensor, "example class"], labels: Int[Tensor, " example"]) -> float:
    r"""The temperature that makes right answers likeliest, of scores that took no part in training.

    $$T^* = \arg\min_T -\frac1n \sum_i \log \text{softmax}(z_i / T)_{y_i}$$

    As a function of $1/T$ this is convex, so halving an interval finds the least.

    Args:
        scores: of the network, at temperature 1.
        labels: the right class of each.

    Shape:
        scores: (example, class); labels: (example).

    Example:
        >>> scores = torch.tensor([[2.0, 0.0]] * 4)     # too sure: says 88 %, is right in 3 of 4
        >>> round(best_temperature(scores, torch.tensor([0, 0, 0, 1])), 3)    # 2 / log(3)
        1.82
    """
    if not len(labels) or len(scores) != len(labels):
        raise InputError(
            "`scores` and `labels` must pair up", advice="give some", scores=len(scores), labels=len(labels)
        )
    logits = scores.double().cpu()
    labels = labels.cpu()
    low, high = -_LONGEST, _LONGEST  # of log 1/T
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _slope(logits * math.exp(middle), labels) > 0:
            high = middle
        else:
            low = middle
    return math.exp(-(low + high) / 2)


def _slope(logits: Tensor, labels: Tensor) -> float:
    """Which way the cross-entropy goes as the scores grow."""
    expected = (F.softmax(logits, 1) * logits).sum(1)
    right = logits.gather(1, labels[:, None])[:, 0]
    return float((expected - right).mean())
