"""Classes or amounts told from the columns of somebody's table."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from chainrule.data import Batches, InMemory, Rows, Table, seeded
from chainrule.errors import InputError
from chainrule.layers import Temperature, best_temperature
from chainrule.learners import Gradient, KeepBest
from chainrule.models import ClassVote, Network, NumberMean, TableEncoder
from chainrule.objectives import Classify, EveryMember, Objective, Regress
from chainrule.optim import AdamW, Ema, WarmupCosine
from chainrule.recipes.budget import budget
from chainrule.recipes.fitted import Answers, Asked, Fitted, class_answers, unchanged
from chainrule.recipes.prepared_table import PreparedTable, named, prepare
from chainrule.recipes.table_importance import importance, importance_figure
from chainrule.recipes.table_outcome import METRICS, scored, table_outcome
from chainrule.recipes.threads import running_on
from chainrule.report import Figure, Outcome
from chainrule.sources import (
    Amount,
    Classes,
    Column,
    Unused,
    amount_of,
    category_sizes,
    classes_of,
    column_kinds,
    describe_columns,
    many,
    number_edges,
    outcomes,
    read_table,
    table_features,
    understand_columns,
)
from chainrule.training import Evaluate, Hook, evaluating, fit

_LOOKS = 40  # measurements on the validation rows per run
_HOOKED = 10  # of which so many are written down
_DOUBT = 10  # mistakes, until which a temperature is half believed
_CHUNK = 4096  # rows that are answered at once
_ROUNDS = 40  # times through the rows after which more does not help
_SMALL = 2000  # rows to learn from below which those to choose by are worth learning from
_LEAST = 1000  # steps that even the smallest table takes


@dataclass(frozen=True, kw_only=True)
class FitTable(Fitted):
    """Settings of a network for a table that `chainrule fit` made.

    Args:
        steps: how long to train.
        seed: where every random number of the run begins.
        threads: of the CPU.
        data: where the table lies.
        digest: of its content.
        asked: what the person said.
        notes: what was decided and repaired.
        test: a file whose rows, and no others, are to judge with.
        columns: what each column is, and how it becomes numbers.
        target: what is to be told.
        metric: what it is judged by.
        width: of the hidden layers.
        depth: how many hidden layers.
        members: of the ensemble inside the network.
        number_width: of the vector that each number becomes.
        dropout: share of the hidden numbers left out at random while training.
        batch_size: rows per step.
        decay: of the average of weights.
        every: steps between two looks at the validation rows, of which the best is kept.
        span: steps that the schedule of the learning rate is made for; those of the run if 0.
        temperature: of the probabilities, if it is learnt from the validation rows, too, and they cannot tell it; a
            trial on the training rows alone has told it, and how many steps are best. `None` if it is not.
        optimizer: how a gradient becomes an update.
    """

    columns: tuple[Column, ...]
    target: Classes | Amount
    test: str | None = None
    metric: str = ""
    width: int = 128
    depth: int = 2
    members: int = 16
    number_width: int = 8
    dropout: float = 0.1
    batch_size: int = 256
    decay: float = 0.98
    every: int = 50
    span: int = 0
    temperature: float | None = None
    optimizer: AdamW = AdamW(lr=8e-3, weight_decay=3e-4, schedule=WarmupCosine(warmup=50), clip=1.0)

    @property
    def title(self) -> str:
        """What it is."""
        used = sum(not isinstance(column, Unused) for column in self.columns)
        return f"Tells `{self.target.name}` from {many(used, 'column')} of {Path(self.data).name}."

    def learner(self) -> KeepBest | Gradient:
        """An ensemble in one network; kept is its best moment on the validation rows, unless it learns from them."""
        encoder = TableEncoder(
            number_edges(self.columns), category_sizes(self.columns), width=self.width, depth=self.depth,
            members=self.members, number_width=self.number_width, dropout=self.dropout,
        )  # fmt: skip
        optimizer = self.optimizer.over(self.span or self.steps)
        objective = EveryMember(self.objective())
        learner = Gradient(Network(encoder, self._head()), objective, optimizer, average=Ema(self.decay))
        if self.temperature is not None:
            return learner
        return KeepBest(learner, self.objective(), lambda: self.part("validation"), every=self.every)

    def _head(self) -> ClassVote | NumberMean:
        if isinstance(self.target, Classes):
            return ClassVote(self.width, len(self.target.names), self.members)
        return NumberMean(self.width, self.members, mean=self.target.mean, deviation=self.target.deviation)

    def objective(self) -> Objective[Table]:
        """Cross-entropy, or the squared error as a share of the answers' variance."""
        return Classify() if isinstance(self.target, Classes) else Regress(scale=self.target.deviation)

    def part(self, name: Literal["train", "validation", "test"]) -> InMemory[Table]:
        """The rows to learn from, to choose by or to judge with."""
        return _parts(self)[("train", "validation", "test").index(name)]

    def prepared(self) -> PreparedTable:
        """The table and its split, read again; an error if it is not the one that the run began with."""
        asked = self.asked
        table = prepare(self.data, self.test, target=asked.target, task=asked.task, group=asked.group, seed=asked.seed)
        unchanged(self.data, table.digest, self.digest, "the table is not the one that this run began with")
        return table

    def batches(self) -> Batches[Table]:
        """The rows to learn from; those to choose by, too, where a trial has chosen already."""
        return self.part("train") if self.temperature is None else _both(self)

    def hooks(self) -> Sequence[Hook]:
        """The validation rows, some ten times, where they are not learnt from."""
        if self.temperature is not None:
            return []
        every = self.every * max(1, round(self.steps / self.every / _HOOKED))
        return [Evaluate(self.objective(), self.part("validation"), every=every)]

    def finish(self, model: nn.Module) -> bool:
        """Calibrates the probabilities on the validation rows."""
        found = [module for module in model.modules() if isinstance(module, Temperature)]
        rows = self.part("validation").rows
        for layer in found:
            if self.temperature is not None:
                layer.set_to(self.temperature)
                continue
            layer.set_to(1.0)
            scores = _outputs(model, rows)
            wrong = int((scores.argmax(1) != rows.outcome).sum())  # from a few mistakes little can be learnt
            layer.set_to(best_temperature(scores, rows.outcome) ** (wrong / (wrong + _DOUBT)))
        return bool(found)

    def outcome(self, model: nn.Module) -> Outcome:
        """Numbers on the rows to judge with, beside the commonest answer, a linear model and boosted trees."""
        seen = [self.part(name).rows for name in ("train", "validation")]
        rows = self.part("test").rows
        table = self.prepared()
        shown = (
            table.frame[table.test.tolist()] if len(rows) == len(table.test) else None
        )  # unknown classes are left out
        judged = table_outcome(_outputs(model, rows), rows, seen, self.columns, self.target, self.metric, shown)
        return replace(judged, figures=(*judged.figures, self._hangs_on(model, rows)))

    def _hangs_on(self, model: nn.Module, rows: Table) -> Figure:
        name = "log loss" if isinstance(self.target, Classes) else "MAE"

        def answer(features: Tensor) -> Tensor:
            outputs = _outputs(model, Table(features, rows.outcome[: len(features)]))
            return outputs.softmax(1) if isinstance(self.target, Classes) else outputs

        return importance_figure(
            importance(answer, rows, self.columns, lambda told, right: scored(told, right)[name]), name
        )

    def encoded(self, inputs: Any) -> Table:
        """Rows from a file, a frame, a dict of columns, a list of dicts, or an array with the columns in order."""
        names = [column.name for column in self.columns]
        table = read_table(_framed(inputs, names), names=names, kinds=column_kinds(self.columns), every_row=True)
        features = table_features(self.columns, table.frame)
        kind = torch.int64 if isinstance(self.target, Classes) else torch.float32
        return Table(features, torch.zeros(len(features), dtype=kind))

    def read(self, paths: Sequence[Path]) -> Iterator[tuple[list[str], Rows]]:
        """The rows of files, each called by its file and number."""
        for path in paths:
            rows = self.encoded(path)
            for start in range(0, len(rows), _CHUNK):
                part = rows.select(slice(start, start + _CHUNK))
                yield [f"{path}:{start + number + 1}" for number in range(len(part))], part

    def answers(self, outputs: Tensor) -> Answers:
        """The class of every row with its probability, or the amount."""
        if not isinstance(self.target, Classes):
            return {self.target.name: outputs.tolist()}
        return class_answers(self.target.name, self.target.names, outputs)


def plan_table(data: Any, asked: Asked, test: str | None = None) -> FitTable:
    """Looks at a table and decides how to learn from it.

    Args:
        data: a file, the name of a table that ships with scikit-learn, or a frame of polars or pandas.
        asked: what the person says about it.
        test: a second file whose rows, and no others, are to judge with.

    Example:
        >>> recipe = plan_table("iris", Asked(minutes=0.01, threads=1))
        >>> recipe.title, recipe.target.names
        ('Tells `target` from 4 columns of iris.', ('setosa', 'versicolor', 'virginica'))
    """
    if asked.task not in (None, "classify", "regress"):
        raise InputError(
            "a table can be learnt as classes or as amounts", advice="try --task classify", task=asked.task
        )
    name = named(data)
    table = prepare(name, test, target=asked.target, task=asked.task, group=asked.group, seed=asked.seed)
    target = classes_of(table.answers[table.train.tolist()]) if table.task == "classify" else None
    target = target or amount_of(table.answers[table.train.tolist()])
    columns = understand_columns(table.frame, table.train, table.answers, dict(table.written))
    if asked.group is not None:
        columns = tuple(Unused(column.name, "group") if column.name == asked.group else column for column in columns)
    if all(isinstance(column, Unused) for column in columns):
        said = " ".join(describe_columns(columns))
        raise InputError("no column is left to learn from", advice="see why each was left out", why=said)
    recipe = FitTable(
        steps=1, seed=asked.seed, threads=asked.threads, data=name, digest=table.digest, asked=asked, test=test,
        columns=columns, target=target, metric=_metric(asked.metric, target),
    )  # fmt: skip
    return _sized(recipe, len(table.train), [*table.notes, *_remarks(table, target), *describe_columns(columns)])


def _metric(wanted: str | None, target: Classes | Amount) -> str:
    """What the model is judged by."""
    allowed = METRICS["classify" if isinstance(target, Classes) else "regress"]
    if wanted is None:
        return allowed[0]
    found = [name for name in allowed if name.lower() == wanted.lower().replace("_", " ")]
    if not found:
        raise InputError("`--metric` is not one of those for this task", advice=f"try {allowed}", metric=wanted)
    if found[0] == "AUROC" and isinstance(target, Classes) and len(target.names) != 2:
        raise InputError("AUROC is for two classes", advice="try --metric accuracy", classes=len(target.names))
    return found[0]


def _remarks(table: PreparedTable, target: Classes | Amount) -> list[str]:
    """What a person should know of the answers."""
    if isinstance(target, Amount):
        return []
    found = outcomes(target, table.answers)
    counts = torch.bincount(found[found >= 0], minlength=len(target.names))
    said: list[str] = []
    few = [f"`{name}`" for name, count in zip(target.names, counts.tolist(), strict=True) if count < 5]
    if few:
        shown = ", ".join(few[:5])
        said.append(f"Of {shown} there are fewer than 5 rows: too few to learn, and to judge.")
    rarest = float(counts.min() / counts.sum()) * len(target.names)
    if rarest < 0.2:
        said.append(
            "The classes are skewed: accuracy hides the rare ones, so look at recall by class "
            '(--metric "balanced accuracy" judges by it). Probabilities stay honest: no class was weighted.'
        )
    unknown = int((found < 0).sum())
    if unknown:
        said.append(f"{many(unknown, 'row')} to choose by or to judge with of a class that none to learn from has.")
    return said


def _sized(recipe: FitTable, rows: int, notes: list[str]) -> FitTable:
    """The same recipe, sized to the rows and the minutes, with its notes."""
    batch_size = 256 if rows < 100_000 else 1024
    batch_size = min(batch_size, max(16, 2 ** int(math.log2(max(16, rows / 8)))))
    rate = recipe.optimizer.lr * min(1.0, batch_size / 256) ** 0.5  # few rows give a rough gradient: shorter steps
    recipe = replace(recipe, batch_size=batch_size, optimizer=replace(recipe.optimizer, lr=rate))
    enough = max(_LEAST, _ROUNDS * rows // batch_size)
    small = rows < _SMALL
    if small:
        recipe = replace(recipe, members=2 * recipe.members)
    timed = replace(recipe, temperature=1.0).learner()
    minutes = recipe.asked.minutes / (2 if small else 1)  # the other half is for the trial
    spent = budget(timed, recipe.batches(), minutes, threads=recipe.threads, enough=enough)
    every = max(1, spent.steps // _LOOKS)
    steps = every * max(1, spent.steps // every)
    notes.append(
        f"{recipe.members} networks of {recipe.depth} layers with {recipe.width} hidden numbers in one, which share "
        "most weights; numbers go in as places between quantiles."
    )
    recipe = replace(recipe, steps=steps, every=every)
    notes.append(spent.told())
    if small:
        recipe = _tried(recipe, notes)
    else:
        notes.append("What is kept is the moment that was best on the rows to choose by.")
    return replace(recipe, notes=tuple(notes))


@lru_cache(maxsize=4)
def _parts(recipe: FitTable) -> tuple[InMemory[Table], InMemory[Table], InMemory[Table]]:
    table = recipe.prepared()
    rows = Table(table_features(recipe.columns, table.frame), outcomes(recipe.target, table.answers))
    known = rows.outcome >= 0 if isinstance(recipe.target, Classes) else torch.isfinite(rows.outcome)
    train, validation, test = (
        InMemory(rows.select(places[known[places]]), recipe.batch_size, recipe.seed)
        for places in (table.train, table.validation, table.test)
    )
    return train, validation, test


@lru_cache(maxsize=4)
def _both(recipe: FitTable) -> InMemory[Table]:
    train, validation, _ = _parts(recipe)
    features = torch.cat([train.rows.features, validation.rows.features])
    outcome = torch.cat([train.rows.outcome, validation.rows.outcome])
    return InMemory(Table(features, outcome), recipe.batch_size, recipe.seed)


def _tried(recipe: FitTable, notes: list[str]) -> FitTable:
    """The recipe that learns from the validation rows, too, for as many steps as a trial without them found best."""
    with running_on(recipe.threads):
        with seeded(recipe.seed):
            learner = recipe.learner()
        fit(learner, recipe.batches(), steps=recipe.steps, seed=recipe.seed)
    if not isinstance(learner, KeepBest):
        return recipe
    model = learner.model.eval()
    recipe.finish(model)
    told = [float(module.temperature) for module in model.modules() if isinstance(module, Temperature)]
    steps = max(learner.kept, 1)
    notes.append(
        f"The table is small: a trial without the rows to choose by was best on them after {steps:,} of "
        f"{recipe.steps:,} steps, so it is learnt from both, for {steps:,} steps."
    )
    return replace(recipe, steps=steps, span=recipe.steps, temperature=told[0] if told else 1.0)


@torch.no_grad()
def _outputs(model: nn.Module, rows: Table) -> Tensor:
    with evaluating(model):
        parts = [model(*rows.select(slice(start, start + _CHUNK)).inputs) for start in range(0, len(rows), _CHUNK)]
    return torch.cat(parts).float()


def _framed(inputs: Any, names: Sequence[str]) -> Any:
    """What was given, as something that `read_table` takes."""
    import numpy as np
    import polars as pl

    if isinstance(inputs, dict):
        single = not any(isinstance(value, list | tuple | np.ndarray) for value in inputs.values())
        return pl.DataFrame([inputs] if single else inputs, strict=False)
    if isinstance(inputs, list) and inputs and all(isinstance(row, dict) for row in inputs):
        return pl.DataFrame(inputs, strict=False)
    if isinstance(inputs, list | tuple | np.ndarray | Tensor):
        array = np.asarray(inputs)
        if array.ndim != 2 or array.shape[1] != len(names):
            raise InputError(
                "an array of rows must have one value per column",
                advice="give a frame, or a dict for each row", shape=array.shape, columns=list(names)[:20],
            )  # fmt: skip
        return pl.DataFrame({name: array[:, place].tolist() for place, name in enumerate(names)}, strict=False)
    return inputs
