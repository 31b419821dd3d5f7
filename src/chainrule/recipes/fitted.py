"""What `chainrule fit` makes of somebody's data: a recipe that holds everything that was decided."""

import os
import shlex
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn

from chainrule.data import Rows
from chainrule.errors import InputError
from chainrule.recipes.recipe import Recipe
from chainrule.training import evaluating

Task = Literal["classify", "regress", "forecast", "language", "nodes"]
Answers = Mapping[str, Sequence[Any]]
"""One column per answer, one row per example: what `predict` gives and what its CSV holds."""

_CHUNK = 256  # examples that are answered at once
_CORES = min(16, os.cpu_count() or 1)


_MOST_SHARES = 30  # classes whose probabilities are all told


def class_answers(name: str, classes: Sequence[str], scores: Tensor) -> Answers:
    r"""The likeliest class of every example and its probability; of few classes, that of every one.

    $$p = \text{softmax}(z), \qquad \hat y = \arg\max_c p_c$$

    Args:
        name: what the answer is called.
        classes: their names, by number.
        scores: one row per example.

    Shape:
        scores: (example, class).

    Example:
        >>> class_answers("pet", ("cat", "dog"), torch.tensor([[0.0, 0.0], [0.0, 9.0]]))["pet"]
        ['cat', 'dog']
    """
    shares = scores.double().softmax(1)
    sure, best = shares.max(1)
    told: dict[str, Sequence[Any]] = {name: [classes[place] for place in best.tolist()], "probability": sure.tolist()}
    if len(classes) <= _MOST_SHARES:
        told |= {f"p({label})": shares[:, place].tolist() for place, label in enumerate(classes)}
    return told


def unchanged(data: str, found: str, expected: str, said: str) -> None:
    """Raises an `InputError` where the data is no longer that which a run began with.

    Args:
        data: where it lies.
        found: its digest now.
        expected: its digest then.
        said: the fact, if they differ.

    Example:
        >>> unchanged("sales.csv", "ab12", "ab12", "the table is not the one that this run began with")
    """
    if found != expected:
        advice = "put the old data back, or fit anew"
        raise InputError(said, advice=advice, data=data, digest=found[:12], expected=expected[:12])


@dataclass(frozen=True)
class Asked:
    """What a person says about the data beyond the data itself; `None` leaves it to Chainrule.

    Args:
        task: what to learn.
        target: the column to predict.
        time: the column that says when; makes a forecast of a table.
        series: the column that says which of several series a row belongs to.
        group: the column whose rows must stay together: one person's, one patient's.
        horizon: how many time steps to forecast.
        minutes: how long training may take.
        metric: what the model is judged by.
        seed: where every random number begins.
        threads: of the CPU; all that there are, up to 16, unless one says otherwise.

    Example:
        >>> Asked(target="price", minutes=2.0).words()
        ['--target', 'price', '--minutes', '2.0']
    """

    task: Task | None = None
    target: str | None = None
    time: str | None = None
    series: str | None = None
    group: str | None = None
    horizon: int | None = None
    minutes: float = 5.0
    metric: str | None = None
    seed: int = 0
    threads: int = _CORES

    def words(self) -> list[str]:
        """The flags that repeat it: whatever is not the default."""
        said: list[str] = []
        for field in fields(self):
            value = getattr(self, field.name)
            if value != field.default:
                said += [f"--{field.name}", str(value)]
        return said


@dataclass(frozen=True, kw_only=True)
class Fitted(Recipe):
    """A recipe that was made for somebody's data: with it the run is repeated, and the model used without the data.

    Args:
        steps: how long to train.
        seed: where every random number of the run begins.
        threads: of the CPU.
        data: where the data lies, as it was typed.
        digest: of the data's content: a run goes on only with the data that it began with.
        asked: what the person said about it.
        notes: what was decided and why, what was repaired and how often, in sentences.
    """

    source: ClassVar[str] = "Somebody's own data."
    limits: ClassVar[str] = "Examples like those that it learnt from; what it says of others is a guess."

    data: str
    digest: str
    asked: Asked
    notes: tuple[str, ...] = ()

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is, in one sentence: "Tells `income` from 14 columns of adult.csv."."""

    @abstractmethod
    def encoded(self, inputs: Any) -> Rows:
        """New examples as the network takes them: a path, a frame, an array, a list, as this kind of data comes.

        Targets are made up; what is missing or new is treated as it was in training. Needs no training data.
        """

    @abstractmethod
    def read(self, paths: Sequence[Path]) -> Iterator[tuple[list[str], Rows]]:
        """New examples from files and folders, in chunks that fit into memory: their names, and the examples."""

    @abstractmethod
    def answers(self, outputs: Tensor) -> Answers:
        """What the network's outputs say, in the person's own words and units."""

    def predict(self, model: nn.Module, inputs: Any) -> Answers:
        """Answers to new examples."""
        return self.answered(model, self.encoded(inputs))

    def answered(self, model: nn.Module, rows: Rows) -> Answers:
        """Answers to examples as the network takes them."""
        with evaluating(model), torch.inference_mode():
            parts = [model(*rows.select(slice(start, start + _CHUNK)).inputs) for start in range(0, len(rows), _CHUNK)]
        return self.answers(torch.cat(parts))

    def provenance(self) -> str:
        """Where the data lay, and what was decided and repaired, a line each."""
        return "\n".join((f"{self.data} (content {self.digest[:12]}).", *self.notes))

    def command(self, folder: Path) -> str:
        """What to type to repeat the run."""
        return shlex.join(["chainrule", "fit", self.data, "--out", os.fspath(folder), *self.asked.words()])
