"""A batch of short texts: their words in order, and the runs of words and characters that they hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from chainrule.data.axes import Axes
from chainrule.data.batch import Rows
from chainrule.shapes import Int


@dataclass(frozen=True)
class Phrases(Rows):
    """Texts as numbers of words and of grams (runs of words or characters), 0 where a text is over; and their classes.

    Args:
        words: number of each word, in order.
        grams: number of each gram that the text holds, each once, in any order.
        labels: class of each text.

    Shape:
        words: (batch, word); grams: (batch, gram); labels: (batch).

    Example:
        >>> import torch
        >>> batch = Phrases(torch.tensor([[3, 2, 0]]), torch.tensor([[7, 0]]), torch.tensor([1]))
        >>> len(batch), batch.targets.tolist()
        (1, [1])
    """

    axes: ClassVar[Mapping[str, Axes]] = {
        "words": Axes(("batch word",), "whole"),
        "grams": Axes(("batch gram",), "whole"),
        "labels": Axes(("batch",), "whole"),
    }

    words: Int[Tensor, "batch word"]
    grams: Int[Tensor, "batch gram"]
    labels: Int[Tensor, " batch"]

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """Words and grams."""
        return (self.words, self.grams)

    @property
    def targets(self) -> Tensor:
        """The classes."""
        return self.labels
