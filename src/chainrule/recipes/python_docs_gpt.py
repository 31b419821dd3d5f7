"""A character language model on Python's own reference text."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import torch
from torch import nn

from chainrule.data import Batches, Text, Tokens, python_docs
from chainrule.generate import text as draw
from chainrule.learners import Compute, Gradient
from chainrule.models import gpt
from chainrule.objectives import NextToken
from chainrule.optim import AdamW, WarmupCosine
from chainrule.recipes.recipe import Recipe
from chainrule.recipes.text_rivals import BITS, compressed, counted
from chainrule.report import Outcome, bars, text_figure
from chainrule.training import Evaluate, Hook, evaluate

_PROMPT = "The with statement\n******************\n\n"
_ORDERS = range(1, 7)
_RIVAL = "5-gram"


@dataclass(frozen=True)
class PythonDocsGpt(Recipe):
    """Settings of `python-docs-gpt`.

    Args:
        steps: how long to train.
        seed: where every random number of the run begins.
        threads: of the CPU.
        layers: how many blocks.
        dim: numbers per character in the stream.
        heads: how many kinds of attention per block; must divide `dim`.
        context: how many characters it can see.
        dropout: share of numbers set to zero while training.
        batch_size: windows of `context` characters per step.
        precision: bfloat16 halves the time where the processor multiplies in it, and is slow where it doesn't.
        optimizer: how a gradient becomes an update.
    """

    source: ClassVar[str] = "The text of `pydoc_data.topics`, which ships with Python (PSF licence), split 90 / 5 / 5."
    limits: ClassVar[str] = "It writes what looks like Python's reference, and what it says of Python is often wrong."

    steps: int = 4000
    seed: int = 0
    threads: int = 2
    layers: int = 4
    dim: int = 192
    heads: int = 4
    context: int = 256
    dropout: float = 0.2
    batch_size: int = 8
    precision: Literal["float32", "bfloat16"] = "float32"
    optimizer: AdamW = AdamW(lr=2e-3, betas=(0.9, 0.99), weight_decay=0.1, schedule=WarmupCosine(warmup=100), clip=1.0)

    def parts(self) -> Text:
        """The text, its first nine tenths to learn from."""
        return python_docs(self.context, self.batch_size, seed=self.seed)

    def learner(self) -> Gradient:
        """A small GPT by gradient descent."""
        vocabulary = self.parts().vocabulary
        model = gpt(self.layers, self.dim, self.heads, vocabulary, self.context, dropout=self.dropout)
        return Gradient(model, NextToken(), self.optimizer.over(self.steps), compute=Compute(self.precision))

    def batches(self) -> Batches[Tokens]:
        """Random windows of the training text."""
        return self.parts().train

    def hooks(self) -> Sequence[Hook]:
        """The validation loss ten times."""
        return [Evaluate(NextToken(), self.parts().validation, every=max(1, self.steps // 10))]

    def outcome(self, model: nn.Module) -> Outcome:
        """Bits per character of validation and test text, beside n-gram models and file compressors."""
        parts = self.parts()
        judged = {"validation": parts.validation, "test": parts.test}
        measured = {name: evaluate(model, NextToken(), part)["loss"] for name, part in judged.items()}
        ours = {f"{name} {BITS}": loss / math.log(2) for name, loss in measured.items()}
        rivals = {**counted(parts, _ORDERS), **compressed(parts)}
        headline = f"validation {BITS}"
        sample = self._write(model, _PROMPT, 1000, seed=self.seed)
        return Outcome(
            metrics={**ours, "test perplexity": math.exp(measured["test"])},
            baselines=rivals,
            bar=f"fewer validation {BITS} than an interpolated 5-gram model ({rivals[_RIVAL][headline]:.3f})",
            reached=ours[headline] < rivals[_RIVAL][headline],
            figures=(
                text_figure(
                    sample,
                    title="What it writes",
                    caption="Characters drawn one after another at temperature 0.8; nothing was chosen.",
                    prompt=_PROMPT,
                ),
                bars(
                    {"this model": ours[headline], **{name: rival[headline] for name, rival in rivals.items()}},
                    title="Beside models that count",
                    caption="The n-gram models are shown all text before each character, this one windows of "
                    f"{self.context}; the compressors' cost is what the validation text adds to the training text's.",
                    label=headline,
                    reference=(_RIVAL, rivals[_RIVAL][headline]),
                ),
            ),
        )

    def sample(self, model: nn.Module, prompt: str | None, count: int, path: Path) -> str:
        """The prompt and so many characters that follow it."""
        start = prompt or _PROMPT
        return start + self._write(model, start, count, seed=int(torch.randint(1 << 31, ())))

    def _write(self, model: nn.Module, prompt: str, count: int, *, seed: int) -> str:
        tokenizer = self.parts().tokenizer
        drawn = draw(model, tokenizer.encode(prompt), count, context=self.context, temperature=0.8, seed=seed)
        return tokenizer.decode(list(drawn))


def python_docs_gpt() -> PythonDocsGpt:
    """A character language model on Python's own reference text.

    `chainrule run python-docs-gpt`: about 8 minutes on 2 idle cores, fewer validation bits per character than an
    interpolated 5-gram model.

    Example:
        >>> python_docs_gpt().parts().validation.size
        91
    """
    return PythonDocsGpt(precision="bfloat16" if torch.cpu._is_avx512_bf16_supported() else "float32")
