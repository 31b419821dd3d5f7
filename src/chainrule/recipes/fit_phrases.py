"""A classifier of somebody's short texts."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from chainrule.data import Batches, InMemory, Phrases, Rows
from chainrule.errors import InputError
from chainrule.layers import Temperature, best_temperature
from chainrule.learners import Gradient, KeepBest
from chainrule.models import phrase_net
from chainrule.objectives import Classify, EveryMember
from chainrule.optim import AdamW, WarmupCosine
from chainrule.recipes.budget import budget
from chainrule.recipes.fitted import Answers, Asked, Fitted, class_answers, unchanged
from chainrule.recipes.phrase_outcome import phrase_outcome
from chainrule.recipes.prepared_phrases import PreparedPhrases, part_of, prepare_phrases
from chainrule.report import Outcome
from chainrule.sources import (
    Vocabulary,
    build_vocabulary,
    encode_phrases,
    gram_ratios,
    read_phrases,
)
from chainrule.training import Evaluate, Hook, evaluating

_LOOKS = 20  # measurements on the validation texts per run
_HOOKED = 10  # of which so many are written down
_CHUNK = 500  # texts that are answered at once
_COUNTED = 100_000  # texts whose words and grams are counted, at most
_READ = 2_000  # rows of a file that are encoded at once
_ROUNDS, _FEWEST = 4, 300  # times through the texts that are enough, and steps that even few texts take
_DOUBT = 10  # mistakes, until which a temperature is half believed: few texts, all right, would ask for one of 0


@dataclass(frozen=True, kw_only=True)
class FitPhrases(Fitted):
    """Settings of a classifier of short texts that `chainrule fit` made.

    Args:
        steps: how long to train.
        seed: where every random number of the run begins.
        threads: of the CPU.
        data: where the texts lie.
        digest: of the texts and their classes.
        asked: what the person said.
        notes: what was decided and repaired.
        validation: another file whose texts are to choose by.
        test: another file whose texts, and no others, are to judge with.
        columns: what the text and its class are called.
        classes: names, by number.
        vocabulary: the words and grams that it knows, and what each gram says at first.
        members: of the ensemble inside the network.
        width: numbers in a word's vector.
        features: numbers that each convolution makes of them.
        forgotten: share of the words left out at random while training.
        dropout: share of grams and hidden numbers left out at random while training.
        smoothing: share of the target spread over all classes.
        batch_size: texts per step.
        every: steps between two looks at the validation texts, of which the best is kept.
        optimizer: how a gradient becomes an update.
    """

    limits: ClassVar[str] = (
        "Texts like those that it learnt from: in the same language, about the same things. It looks at words and "
        "short runs of them, so irony and long arguments escape it; it always answers with one of its classes."
    )

    columns: tuple[str, str]
    classes: tuple[str, ...]
    vocabulary: Vocabulary
    validation: str | None = None
    test: str | None = None
    members: int = 4
    width: int = 24
    features: int = 96
    forgotten: float = 0.3
    dropout: float = 0.5
    smoothing: float = 0.1
    batch_size: int = 64
    every: int = 50
    optimizer: AdamW = AdamW(lr=3e-3, weight_decay=0.1, schedule=WarmupCosine(warmup=50))

    @property
    def title(self) -> str:
        """What it is."""
        return f"Tells `{self.columns[1]}` from the texts of {Path(self.data).name}."

    def learner(self) -> KeepBest:
        """An ensemble in one network, of which the moment that was best on the validation texts is kept."""
        model = phrase_net(
            len(self.vocabulary.words) + 2, gram_ratios(self.vocabulary, len(self.classes)), members=self.members,
            width=self.width, features=self.features, forgotten=self.forgotten, dropout=self.dropout,
        )  # fmt: skip
        objective = EveryMember(Classify(smoothing=self.smoothing))
        learner = Gradient(model, objective, self.optimizer.over(self.steps))
        return KeepBest(learner, Classify(), lambda: self.part(1), every=self.every)

    def prepared(self) -> PreparedPhrases:
        """The texts and their split, read again; an error if they are not those that the run began with."""
        found = prepare_phrases(
            self.data, target=self.asked.target, seed=self.asked.seed, validation=self.validation, test=self.test
        )
        unchanged(self.data, found.digest, self.digest, "the texts are not those that this run began with")
        return found

    def part(self, number: int) -> InMemory[Phrases]:
        """The texts to learn from (0), to choose by (1) or to judge with (2)."""
        rows = _encoded(self.prepared(), self.vocabulary, number)
        return InMemory(rows, self.batch_size if number == 0 else _CHUNK, self.seed, shuffle=number == 0)

    def batches(self) -> Batches[Phrases]:
        """The texts to learn from."""
        return self.part(0)

    def hooks(self) -> Sequence[Hook]:
        """Validation loss and accuracy, some ten times."""
        every = self.every * max(1, round(self.steps / self.every / _HOOKED))
        return [Evaluate(Classify(), self.part(1), every=every)]

    def finish(self, model: nn.Module) -> bool:
        """Calibrates the probabilities on the validation texts."""
        last = _temperature_of(model)
        last.set_to(1.0)
        rows = self.part(1).rows
        scores = _outputs(model, rows)
        wrong = int((scores.argmax(1) != rows.labels).sum())
        last.set_to(best_temperature(scores, rows.labels) ** (wrong / (wrong + _DOUBT)))
        return True

    def outcome(self, model: nn.Module) -> Outcome:
        """Numbers of the test texts, beside the commonest class and a linear model of counted words."""
        prepared = self.prepared()
        train, validation, test = (part_of(prepared, number) for number in range(3))
        scores = _outputs(model, self.part(2).rows)
        return phrase_outcome(scores, test, train, validation, self.classes, float(_temperature_of(model).temperature))

    def encoded(self, inputs: Any) -> Phrases:
        """Texts as the network takes them: one, a list, a file or frame that has the column of texts."""
        texts = _texts(inputs, self.columns)
        words, grams = encode_phrases(self.vocabulary, texts)
        return Phrases(words, grams, torch.zeros(len(texts), dtype=torch.int64))

    def read(self, paths: Sequence[Path]) -> Iterator[tuple[list[str], Rows]]:
        """Every row of a table, every line of a text file, every `.txt` of a folder."""
        for path in paths:
            names, texts = _named_texts(path, self.columns)
            for start in range(0, len(texts), _READ):
                yield names[start : start + _READ], self.encoded(texts[start : start + _READ])

    def answers(self, outputs: Tensor) -> Answers:
        """The class of every text with its probability and, of few classes, that of every one."""
        return class_answers(self.columns[1], self.classes, outputs)


def plan_phrases(
    data: str | Path, asked: Asked, *, validation: str | None = None, test: str | None = None
) -> FitPhrases:
    """Looks at somebody's texts and decides how to learn to tell their classes.

    Args:
        data: a table with one column of free text, or a folder with a folder of `.txt` files per class.
        asked: what the person says about it.
        validation: another file whose texts are to choose by.
        test: another file whose texts, and no others, are to judge with.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "mails.tsv"
        ...     lines = [f"{word} number {n} came today\\t{word}" for n in range(40) for word in ("ham", "spam")]
        ...     _ = path.write_text("\\n".join(lines))
        ...     recipe = plan_phrases(path, Asked(minutes=0.01, threads=1))
        >>> recipe.title, recipe.classes
        ('Tells `column_2` from the texts of mails.tsv.', ('ham', 'spam'))
    """
    _check(asked)
    data = os.fspath(data)
    prepared = prepare_phrases(data, target=asked.target, seed=asked.seed, validation=validation, test=test)
    texts, labels = part_of(prepared, 0)
    each = -(-len(texts) // _COUNTED)
    vocabulary = build_vocabulary(texts[::each], labels[::each], len(prepared.classes))
    recipe = FitPhrases(
        steps=1, seed=asked.seed, threads=asked.threads, data=data, digest=prepared.digest, asked=asked,
        columns=prepared.columns, classes=prepared.classes, vocabulary=vocabulary, validation=validation, test=test,
        batch_size=128 if len(texts) > 20_000 else 64 if len(texts) > 1000 else 16,
    )  # fmt: skip
    enough = max(_FEWEST, math.ceil(_ROUNDS * len(texts) / recipe.batch_size))
    spent = budget(recipe.learner().learner, recipe.batches(), asked.minutes, threads=asked.threads, enough=enough)
    every = max(1, spent.steps // _LOOKS)
    steps = every * max(1, spent.steps // every)
    notes = (
        f"Texts of {len(prepared.classes)} classes: {_shown(prepared.classes)}.",
        *prepared.notes,
        *_remarks(labels, prepared.classes),
        f"It knows {len(vocabulary.words):,} words and {len(vocabulary.grams):,} grams: words, pairs of words and "
        f"pieces of words. Of a text it looks at {vocabulary.long} words.",
        f"{recipe.members} small convolutions in one network, which begins as naive Bayes over the grams.",
        f"{spent.told()} That is {steps * recipe.batch_size / len(texts):.1f} times through the texts; what is kept is "
        "the moment that was best on the texts to choose by.",
    )
    rule = replace(recipe.optimizer, schedule=WarmupCosine(warmup=max(1, min(50, steps // 5))))
    return replace(recipe, steps=steps, every=every, optimizer=rule, notes=notes)


def _check(asked: Asked) -> None:
    """Whatever cannot be done with texts is said, not left out in silence."""
    if asked.task not in (None, "classify"):
        raise InputError("texts with classes can be told apart", advice="leave --task out", task=asked.task)
    if asked.metric not in (None, "accuracy"):
        raise InputError("texts are judged by accuracy", advice="leave --metric out", metric=asked.metric)
    columns: Mapping[str, object] = {
        "time": asked.time, "series": asked.series, "group": asked.group, "horizon": asked.horizon,
    }  # fmt: skip
    named = [name for name, value in columns.items() if value is not None]
    if named:
        raise InputError("texts have no such column", advice=f"leave out --{' --'.join(named)}", asked=named)


def _shown(classes: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in classes[:5]) + (", ..." if len(classes) > 5 else "")


def _remarks(labels: Tensor, classes: Sequence[str]) -> list[str]:
    counts = torch.bincount(labels, minlength=len(classes))
    if float(counts.min()) * len(classes) >= 0.2 * len(labels):
        return []
    return [
        f"The classes are skewed: from {int(counts.min()):,} to {int(counts.max()):,} texts each. Accuracy hides the "
        "rare ones, so look at macro F1. Probabilities stay honest: no class was weighted."
    ]


def _temperature_of(model: nn.Module) -> Temperature:
    return next(module for module in model.modules() if isinstance(module, Temperature))


@lru_cache(maxsize=4)
def _encoded(prepared: PreparedPhrases, vocabulary: Vocabulary, number: int) -> Phrases:
    texts, labels = part_of(prepared, number)
    return Phrases(*encode_phrases(vocabulary, texts), labels)


@torch.no_grad()
def _outputs(model: nn.Module, rows: Phrases) -> Tensor:
    with evaluating(model):
        parts = [model(*rows.select(slice(start, start + _CHUNK)).inputs) for start in range(0, len(rows), _CHUNK)]
    return torch.cat(parts).float()


def _texts(inputs: Any, columns: tuple[str, str]) -> list[str]:
    """The texts in whatever was given."""
    if isinstance(inputs, str):
        return [inputs]
    if isinstance(inputs, Path):
        return _named_texts(inputs, columns)[1]
    if isinstance(inputs, Mapping):
        inputs = inputs.get(columns[0], ())
        return _texts(inputs, columns)
    if isinstance(inputs, Sequence):
        found: list[Any] = [each.get(columns[0]) if isinstance(each, Mapping) else each for each in inputs]
        strange = [each for each in found if not isinstance(each, str)]
        if strange or not found:
            raise InputError("texts are strings", advice='give a list, as ["good", "bad"]', got=strange[:3])
        return found
    return list(read_phrases(inputs, known=columns, every_row=True).texts)


def _named_texts(path: Path, columns: tuple[str, str]) -> tuple[list[str], list[str]]:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*.txt") if not file.name.startswith("."))
        return [str(file) for file in files], [file.read_text("utf-8", "replace") for file in files]
    if path.suffix.lower() == ".txt":
        lines = [(n, line) for n, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1) if line.strip()]
        return [f"{path}:{number}" for number, _ in lines], [line for _, line in lines]
    texts = read_phrases(path, known=columns, every_row=True).texts
    return [f"{path}:{number}" for number in range(1, len(texts) + 1)], list(texts)
