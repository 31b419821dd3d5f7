"""A language model of somebody's text."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from chainrule.data import Batches, Characters, Rows, Text, Tokens
from chainrule.errors import InputError
from chainrule.generate import text as draw
from chainrule.learners import Compute, Gradient
from chainrule.models import gpt
from chainrule.objectives import NextToken
from chainrule.optim import AdamW, WarmupCosine
from chainrule.recipes.budget import budget
from chainrule.recipes.fitted import Answers, Asked, Fitted, unchanged
from chainrule.recipes.text_rivals import BITS, compressed, counted
from chainrule.report import Outcome, bars, text_figure
from chainrule.sources import UNKNOWN, known, read_writing
from chainrule.training import Evaluate, Hook, evaluate, evaluating

_ORDERS = (1, 3, 5)
_ENOUGH = 60  # times through the text
_SIZES = (  # up to so many minutes: layers, numbers per character, heads, context
    (1.0, (3, 96, 3, 128)),
    (4.0, (4, 128, 4, 192)),
    (20.0, (4, 192, 4, 256)),
    (math.inf, (6, 256, 8, 256)),
)
_CONTINUED = 200  # characters that follow a prompt


@dataclass(frozen=True, kw_only=True)
class FitText(Fitted):
    """Settings of a language model that `chainrule fit` made.

    Args:
        steps: how long to train.
        seed: where every random number of the run begins.
        threads: of the CPU.
        data: where the text lies.
        digest: of the text.
        asked: what the person said.
        notes: what was decided and repaired.
        alphabet: the characters it knows: those of the training part, and one that stands for all others.
        layers: how many blocks.
        dim: numbers per character in the stream.
        heads: how many kinds of attention per block.
        context: how many characters it can see.
        dropout: share of numbers set to zero while training.
        batch_size: windows of `context` characters per step.
        precision: in which the network is computed.
        optimizer: how a gradient becomes an update.
    """

    alphabet: str
    layers: int
    dim: int
    heads: int
    context: int
    dropout: float = 0.0
    batch_size: int = 8
    precision: Literal["float32", "bfloat16"] = "float32"
    optimizer: AdamW = AdamW(lr=2e-3, betas=(0.9, 0.99), weight_decay=0.1, schedule=WarmupCosine(warmup=100), clip=1.0)

    @property
    def title(self) -> str:
        """What it is."""
        return f"Writes like {Path(self.data).name}, character by character."

    def parts(self) -> Text:
        """The text, its first nine tenths to learn from."""
        return _parts(self.data, self.digest, self.alphabet, self.context, self.batch_size, self.seed)

    def learner(self) -> Gradient:
        """A GPT by gradient descent; built from the alphabet alone."""
        model = gpt(self.layers, self.dim, self.heads, len(self.alphabet), self.context, dropout=self.dropout)
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
        bits = {name: evaluate(model, NextToken(), part)["loss"] / math.log(2) for name, part in
                (("validation", parts.validation), ("test", parts.test))}  # fmt: skip
        rivals = {**counted(parts, _ORDERS), **compressed(parts)}
        headline = f"test {BITS}"
        best = min(rivals, key=lambda name: rivals[name][headline])
        prompt = parts.tokenizer.decode(next(parts.test.once(1)).ids[0, :64])
        return Outcome(
            metrics={f"{name} {BITS}": value for name, value in bits.items()},
            baselines=rivals,
            bar=f"fewer test {BITS} than the best that counts or compresses ({best}, {rivals[best][headline]:.3f})",
            reached=bits["test"] < rivals[best][headline],
            figures=(
                text_figure(
                    prompt + self._write(model, prompt, 600, seed=self.seed),
                    title="What it writes",
                    caption="Characters drawn one after another at temperature 0.8; nothing was chosen.",
                    prompt=prompt,
                ),
                bars(
                    {"this model": bits["test"], **{name: rival[headline] for name, rival in rivals.items()}},
                    title="Beside models that count",
                    caption="The n-gram models are shown all text before each character, this one windows of "
                    f"{self.context}; the compressors' cost is what the test text adds to the training text's.",
                    label=headline,
                    reference=(best, rivals[best][headline]),
                ),
            ),
            note=f"Of the last 5 % of the text: {_interval(model, parts.test)}",
        )

    def encoded(self, inputs: Any) -> Tokens:
        """One text as token numbers; characters that it never saw become one that stands for them."""
        if not isinstance(inputs, str) or not inputs:
            raise InputError("a language model goes on from text", advice='give a string, as "Once"', inputs=inputs)
        ids = Characters(self.alphabet).encode(known(inputs, self.alphabet)[0])[None]
        return Tokens(ids, ids)

    def read(self, paths: Sequence[Path]) -> Iterator[tuple[list[str], Rows]]:
        """Every line of the files, as a text to go on from."""
        for path in paths:
            for number, line in enumerate(read_writing(path).characters.splitlines(), 1):
                if line:
                    yield [f"{path}:{number}"], self.encoded(line)

    def answers(self, outputs: Tensor) -> Answers:
        """The likeliest next character."""
        return {"next": [self.alphabet[int(place)] for place in outputs[:, -1].argmax(-1)]}

    def predict(self, model: nn.Module, inputs: Any) -> Answers:
        """How each text goes on."""
        prompts = [inputs] if isinstance(inputs, str) else list(inputs)
        return {
            "prompt": prompts,
            "continuation": [self._write(model, prompt, _CONTINUED, seed=self.seed) for prompt in prompts],
        }

    def answered(self, model: nn.Module, rows: Rows) -> Answers:
        """How texts as token numbers go on."""
        return self.predict(model, [Characters(self.alphabet).decode(ids) for ids in rows.inputs[0]])

    def sample(self, model: nn.Module, prompt: str | None, count: int, path: Path) -> str:
        """The prompt and so many characters that follow it."""
        start = prompt or "\n"
        return start + self._write(model, start, count, seed=int(torch.randint(1 << 31, ())))

    def _write(self, model: nn.Module, prompt: str, count: int, *, seed: int) -> str:
        ids = self.encoded(prompt).ids[0]
        drawn = draw(model, ids, count, context=self.context, temperature=0.8, seed=seed)
        return Characters(self.alphabet).decode(list(drawn))


def plan_text(data: str, asked: Asked) -> FitText:
    """Looks at a text and decides how to learn it.

    Args:
        data: a file or a folder of files.
        asked: what the person says about it.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "sea.txt"
        ...     _ = path.write_text("The sea, the sea, the open sea! " * 400)
        ...     recipe = plan_text(str(path), Asked(minutes=0.01, threads=1))
        >>> recipe.title, recipe.context
        ('Writes like sea.txt, character by character.', 128)
    """
    writing = read_writing(data)
    length = len(writing.characters)
    layers, dim, heads, context = next(size for minutes, size in _SIZES if asked.minutes <= minutes)
    context = min(context, length // 40)
    if context < 8:
        raise InputError(
            "a text must have at least 320 characters", advice="give a longer one", path=data, characters=length
        )
    alphabet = "".join(sorted({*writing.characters[: length * 90 // 100], UNKNOWN}))
    _, strange = known(writing.characters, alphabet)
    precision = "bfloat16" if torch.cpu._is_avx512_bf16_supported() else "float32"
    recipe = FitText(
        steps=1, seed=asked.seed, threads=asked.threads, data=data, digest=writing.digest, asked=asked,
        alphabet=alphabet, layers=layers, dim=dim, heads=heads, context=context, precision=precision,
    )  # fmt: skip
    once_through = math.ceil(length * 0.9 / (recipe.batch_size * context))
    spent = budget(
        recipe.learner(), recipe.batches(), asked.minutes, threads=asked.threads, enough=_ENOUGH * once_through
    )
    times = spent.steps / once_through
    notes = [
        *writing.notes,
        f"A language model of {length:,} characters ({len(alphabet) - 1} different ones), as it is text.",
        "The first 90 % are to learn from, the next 5 % to choose by, the last 5 % to judge with.",
        f"{layers} blocks of {dim} numbers, a context of {context} characters: sized to {asked.minutes:g} minutes.",
        f"{spent.told()} That is {times:.1f} times through the text.",
    ]
    if strange:
        notes.append(f"{strange:,} characters of the last tenth stand nowhere before it and count as one unknown.")
    dropout = 0.2 if times > 8 else 0.1 if times > 2 else 0.0
    rule = replace(recipe.optimizer, schedule=WarmupCosine(warmup=min(100, 1 + spent.steps // 10)))
    return replace(recipe, steps=spent.steps, dropout=dropout, optimizer=rule, notes=tuple(notes))


@lru_cache(maxsize=2)
def _parts(data: str, digest: str, alphabet: str, context: int, batch_size: int, seed: int) -> Text:
    writing = read_writing(data)
    unchanged(data, writing.digest, digest, "the text is not the one that this run began with")
    characters, _ = known(writing.characters, alphabet)
    return Text.of(characters, context=context, batch_size=batch_size, seed=seed, tokenizer=Characters(alphabet))


@torch.no_grad()
def _interval(model: nn.Module, part: Batches[Tokens]) -> str:
    """Mean and 95 % interval over windows, which are nearly independent."""
    with evaluating(model):
        each = [float(NextToken()(model, window).value) / math.log(2) for window in part.once(1)]
    mean = sum(each) / len(each)
    spread = math.sqrt(sum((bits - mean) ** 2 for bits in each) / max(1, len(each) - 1) / len(each))
    return f"{mean:.3f} ± {1.96 * spread:.3f} {BITS} (95 %, over {len(each)} windows)."
