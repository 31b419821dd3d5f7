"""A probabilistic forecast of somebody's series."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from chainrule.data import Batches, Outlook, OutlookWindows, Rows, generator
from chainrule.errors import InputError
from chainrule.functional import coverage, level_and_scale, pinball, weighted_quantile_loss
from chainrule.learners import Gradient
from chainrule.models import MeanOfHeads, Network, QuantileHead, forecaster
from chainrule.objectives import EveryMember, Quantile
from chainrule.optim import AdamW, Ema, WarmupCosine
from chainrule.recipes.budget import budget
from chainrule.recipes.fitted import Answers, Asked, Fitted, unchanged
from chainrule.recipes.series_plan import SeriesShape, series_shape, time_column
from chainrule.recipes.series_rivals import mase, rivals, seasonal_changes
from chainrule.report import Figure, Outcome, bars, coverage_figure, forecast_figure
from chainrule.sources import SeriesTable, many, panel_of, read_series, split_ahead
from chainrule.training import Evaluate, Hook, evaluating

_WQL, _MASE = "weighted quantile loss", "MASE"
_CHUNK = 512  # windows that are forecast at once
_DRAWS, _ENOUGH = 1000, 8  # of the bootstrap, and how many groups of forecasts it needs
_FACTORS = tuple(0.5 + 0.05 * step for step in range(51))  # by which bands are made narrower or wider
_DOUBT = 30  # targets whose weight keeps the bands as they are
_FEWEST, _MOST, _PER_ROOT = 150, 6000, 8  # steps that are enough, and how they grow with the root of the windows
_SIZES = ((1000, 32, 4.0), (30_000, 64, 0.3), (math.inf, 128, 0.01))  # below so many windows: width and weight decay
_SAID = {(0, True): "The only test forecast", (0, False): "The worst of the test forecasts"}
_SHOWN = (0.25, 0.5, 0.75, 1.0)  # places of the forecasts in the report, from the best to the worst


@dataclass(frozen=True, kw_only=True)
class FitSeries(Fitted):
    """Settings of a forecaster that `chainrule fit` made.

    Args:
        steps: how long to train.
        seed: where every random number of the run begins.
        threads: of the CPU.
        data: where the table lies.
        digest: of its content.
        asked: what the person said.
        notes: what was decided and repaired.
        time: the column that says when.
        series: the column that tells series apart, or `None`.
        targets: the columns of values.
        names: the series that it knows by number.
        shape: step, season, horizon and context.
        quantiles: which it forecasts.
        width: numbers per hidden layer.
        members: networks side by side, whose mean is the answer.
        batch_size: windows per step.
        optimizer: how a gradient becomes an update.
        average: of the weights, which is what is used.
    """

    time: str
    series: str | None
    targets: tuple[str, ...]
    names: tuple[str, ...]
    shape: SeriesShape
    quantiles: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    width: int = 128
    members: int = 3
    batch_size: int = 128
    optimizer: AdamW = AdamW(lr=2e-3, weight_decay=0.01, schedule=WarmupCosine(warmup=100), clip=1.0)
    average: Ema = Ema(0.99)

    @property
    def title(self) -> str:
        """What it is."""
        what = self.names[0] if len(self.names) == 1 else f"{len(self.names)} series"
        return f"Forecasts {what} of {Path(self.data).name} {self.shape.horizon} {self.shape.step.name}s ahead."

    def windows(self, part: str) -> OutlookWindows:
        """The windows of "train", "validation" or "test"."""
        return _windows(self)[part]

    def learner(self) -> Gradient:
        """Lines and residual networks by gradient descent; every member learns by itself."""
        shape = self.shape
        model = forecaster(
            shape.context, shape.horizon, len(self.quantiles), calendar=shape.features, series=len(self.names),
            width=self.width, lag=shape.lag, members=self.members,
        )  # fmt: skip
        objective = EveryMember(Quantile(self.quantiles))
        return Gradient(model, objective, self.optimizer.over(self.steps), average=self.average)

    def batches(self) -> Batches[Outlook]:
        """Random windows of the training part."""
        return self.windows("train")

    def hooks(self) -> Sequence[Hook]:
        """The validation loss, twelve times."""
        return [Evaluate(Quantile(self.quantiles), self.windows("validation"), every=max(1, self.steps // 12))]

    def finish(self, model: nn.Module) -> bool:
        """Bands are made as wide as the validation windows say, the less so the fewer there are."""
        windows = self.windows("validation")
        answers, targets, scale = self._forecast(model, windows)
        centre = answers[..., len(self.quantiles) // 2, None]
        losses = [
            float(_scaled(centre + factor * (answers - centre), targets, scale, self.quantiles)) for factor in _FACTORS
        ]
        best = _FACTORS[losses.index(min(losses))]
        count = targets.numel()
        factor = 1 + (best - 1) * count / (count + _DOUBT)
        for head in _heads(model):
            head.widen(factor)
        return factor != 1.0

    def outcome(self, model: nn.Module) -> Outcome:
        """Errors on the last horizons of every series, beside naive forecasts and a linear one."""
        test = self.windows("test")
        answers, targets, _ = self._forecast(model, test)
        numbers = test.series(torch.arange(test.size))
        changes = seasonal_changes(self.windows("train"), self.shape.season)[numbers]
        metrics = self._measured(answers, targets, changes)
        others = rivals(self.windows("train"), test, self.quantiles, self.shape.season)
        baselines = {name: self._measured(said, targets, changes) for name, said in others.items()}
        best = min(baselines, key=lambda name: baselines[name][_WQL])
        return Outcome(
            metrics=metrics,
            baselines=baselines,
            bar=f"a {_WQL} no higher than that of the best rival ({best}, {baselines[best][_WQL]:.4g})",
            reached=metrics[_WQL] <= baselines[best][_WQL],
            figures=self._figures(answers, targets, test, baselines, metrics),
            note=f"Of {many(test.size, 'forecast')} of {self.shape.horizon} {self.shape.step.name}s at the end of "
            f"{len(numbers.unique()):,} series; {_WQL} {metrics[_WQL]:.4g} ({self._sure(answers, targets, test)}). "
            f"It is twice the pinball losses over the sum of absolute values; {_MASE} is the error in seasonal changes "
            "of the past, 1 for a naive forecast there. Rivals' bands come from their past mistakes.",
        )

    def encoded(self, inputs: Any) -> Outlook:
        """The end of every series of a table, and the calendar of what comes next."""
        return self._endings(inputs)[1]

    def read(self, paths: Sequence[Path]) -> Iterator[tuple[list[str], Rows]]:
        """The end of every series of each file, and its name once for every moment that is forecast."""
        for path in paths:
            names, rows = self._endings(path)
            for start in range(0, len(names), _CHUNK):
                some = names[start : start + _CHUNK]
                repeated = [name for name in some for _ in range(self.shape.horizon)]
                yield repeated, rows.select(slice(start, start + _CHUNK))

    def answers(self, outputs: Tensor) -> Answers:
        """How many steps ahead, and the quantiles: one row per series and moment."""
        steps = list(range(1, self.shape.horizon + 1)) * len(outputs)
        columns = {f"{quantile:g}": outputs[..., place].flatten().tolist()
                   for place, quantile in enumerate(self.quantiles)}  # fmt: skip
        return {"ahead": steps, **columns}

    def answered(self, model: nn.Module, rows: Rows) -> Answers:
        """The quantiles of every moment, with its time."""
        outlook = rows if isinstance(rows, Outlook) else None
        if outlook is None:
            raise InputError("forecasts are made of the ends of series", advice="use `predict` on a table",
                             rows=type(rows).__name__)  # fmt: skip
        with evaluating(model), torch.inference_mode():
            parts = [
                model(*outlook.select(slice(start, start + _CHUNK)).inputs) for start in range(0, len(outlook), _CHUNK)
            ]
        shape, columns = self.shape, dict(self.answers(torch.cat(parts)))
        first = [moment for moment in outlook.moment.tolist() for _ in range(shape.horizon)]
        times = [shape.step.written(moment + ahead - 1, shape.way)
                 for moment, ahead in zip(first, columns.pop("ahead"), strict=True)]  # fmt: skip
        return {"time": times, **columns}

    def predict(self, model: nn.Module, inputs: Any) -> Answers:
        """The next horizon of every series of a table: its name, the time, the quantiles."""
        names, rows = self._endings(inputs)
        repeated = [name for name in names for _ in range(self.shape.horizon)]
        return {"series": repeated, **self.answered(model, rows)}

    def _endings(self, inputs: Any) -> tuple[list[str], Outlook]:
        shape = self.shape
        table = read_series(inputs, time=self.time, series=self.series, targets=self.targets, step=shape.step)
        panel = panel_of(table, shape.horizon, cycles=shape.cycles, season=shape.season, known=self.names)
        ends = OutlookWindows(panel, shape.context, shape.horizon, panel.lengths, panel.lengths)
        return list(table.names), ends.at(torch.arange(ends.size))

    def _forecast(self, model: nn.Module, windows: OutlookWindows) -> tuple[Tensor, Tensor, Tensor]:
        """Quantiles, what came, and the scale of each window."""
        parts: list[tuple[Tensor, Tensor, Tensor]] = []
        with evaluating(model), torch.inference_mode():
            for batch in windows.once(_CHUNK):
                scale = level_and_scale(batch.past, batch.observed)[1]
                parts.append((model(*batch.inputs), batch.future, scale))
        answers, targets, scales = (torch.cat(each) for each in zip(*parts, strict=True))
        return answers, targets, scales

    def _measured(self, answers: Tensor, targets: Tensor, changes: Tensor) -> dict[str, float]:
        shares = coverage(answers, targets)
        width = round(100 * (self.quantiles[-1] - self.quantiles[0]))
        return {
            _WQL: float(weighted_quantile_loss(answers, targets, self.quantiles)),
            _MASE: float(mase(answers, targets, changes, len(self.quantiles) // 2)),
            f"within the {width} % band": float(shares[-1] - shares[0]),
        }

    def _sure(self, answers: Tensor, targets: Tensor, test: OutlookWindows) -> str:
        """How sure the loss is: forecasts of one moment have much in common, and so have those of one series."""
        costs = 2 * torch.nan_to_num(pinball(answers, targets, self.quantiles).mean(-1)).sum(1)
        numbers = torch.arange(test.size)
        moments, series = test.at(numbers).moment, test.series(numbers)
        apart = moments if len(moments.unique()) >= _ENOUGH else series
        return _interval(costs, torch.nan_to_num(targets).abs().sum(1), apart)

    def _figures(
        self,
        answers: Tensor,
        targets: Tensor,
        test: OutlookWindows,
        baselines: dict[str, dict[str, float]],
        metrics: dict[str, float],
    ) -> tuple[Figure, ...]:
        beside = bars(
            {"this model": metrics[_WQL], **{name: found[_WQL] for name, found in baselines.items()}},
            title="Beside forecasts without a network",
            caption="Shorter is better.",
            label=_WQL,
        )
        return (
            *self._drawn(answers, targets, test),
            coverage_figure(self.quantiles, coverage(answers, targets)),
            beside,
        )

    def _drawn(self, answers: Tensor, targets: Tensor, test: OutlookWindows) -> list[Figure]:
        """Forecasts from a good one to the worst."""
        whole, series = test.at(torch.arange(test.size)), test.series(torch.arange(test.size))
        scale = level_and_scale(whole.past, whole.observed)[1]
        costs = pinball(answers, targets, self.quantiles).mean(-1).nanmean(1) / scale[:, 0]
        order, shape, names = costs.nan_to_num(torch.inf).argsort(), self.shape, _table(self).names
        past = torch.where(whole.observed > 0, whole.past, torch.nan)[:, -4 * shape.horizon :]
        figures: list[Figure] = []
        for place in sorted({round(share * (test.size - 1)) for share in _SHOWN}):
            row = int(order[place])
            better = f"Better than {100 * (1 - (place + 1) / test.size):.0f} % of the test forecasts"
            figures.append(
                forecast_figure(
                    past[row], targets[row], answers[row], self.quantiles, unit=shape.step.name,
                    title=f"{names[int(series[row])]}, {shape.step.written(int(whole.moment[row]), shape.way)}",
                    caption=f"{_SAID.get((place + 1 - test.size, test.size == 1), better)}, by its loss in scales of "
                    "its own past. Left of 0 what the model saw.",
                )
            )  # fmt: skip
        return figures


def plan_series(data: str, asked: Asked) -> FitSeries:
    """Looks at a table of series and decides how to forecast them.

    Args:
        data: a file with a column that says when.
        asked: what the person says about it.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "sold.csv"
        ...     rows = [f"{2000 + month // 12}-{month % 12 + 1:02d},{month % 12 + month / 9}" for month in range(120)]
        ...     _ = path.write_text("month,sold\\n" + "\\n".join(rows))
        ...     recipe = plan_series(str(path), Asked(time="month", minutes=0.01, threads=1))
        >>> recipe.title, recipe.shape.season
        ('Forecasts sold of sold.csv 12 months ahead.', 12)
    """
    time = asked.time or time_column(data)
    targets = (asked.target,) if asked.target else ()
    table = read_series(data, time=time, series=asked.series, targets=targets)
    shape, notes = series_shape(table, asked.horizon)
    columns = targets or (table.names if asked.series is None else ())
    recipe = FitSeries(
        steps=1, seed=asked.seed, threads=asked.threads, data=data, digest=table.digest, asked=asked,
        time=time, series=asked.series, targets=tuple(columns), names=table.names[:2000], shape=shape,
    )  # fmt: skip
    size = recipe.batches().size
    width, decay = next((width, decay) for most, width, decay in _SIZES if size < most)
    recipe = replace(recipe, width=width, optimizer=replace(recipe.optimizer, weight_decay=decay))
    enough = min(_MOST, max(_FEWEST, int(_PER_ROOT * math.sqrt(size))))
    spent = budget(recipe.learner(), recipe.batches(), asked.minutes, threads=asked.threads, enough=enough)
    told = (
        *table.notes,
        f"A forecast of {len(table.names):,} series, as `{time}` says when.",
        *notes,
        f"Learns from {size:,} windows, chooses by {recipe.windows('validation').size:,} and is judged by the last "
        f"{recipe.windows('test').size:,}; no target of one part is one of another, and parts follow in time.",
        spent.told(),
    )
    return replace(recipe, steps=spent.steps, notes=told)


@lru_cache(maxsize=4)
def _read(data: str, time: str, series: str | None, targets: tuple[str, ...], digest: str) -> SeriesTable:
    table = read_series(data, time=time, series=series, targets=targets)
    unchanged(data, table.digest, digest, "the data is not what this run began with")
    return table


def _table(recipe: FitSeries) -> SeriesTable:
    return _read(recipe.data, recipe.time, recipe.series, recipe.targets, recipe.digest)


@lru_cache(maxsize=4)
def _windows(recipe: FitSeries) -> dict[str, OutlookWindows]:
    table, shape = _table(recipe), recipe.shape
    panel = panel_of(table, shape.horizon, cycles=shape.cycles, season=shape.season, known=recipe.names)
    ranges = split_ahead(panel.lengths, shape.horizon, least=shape.least, windows=shape.windows)
    made = (("train", ranges.train, 1), ("validation", ranges.validation, shape.horizon),
            ("test", ranges.test, shape.horizon))  # fmt: skip
    return {
        name: OutlookWindows(
            panel, shape.context, shape.horizon, *part, stride=stride, batch_size=recipe.batch_size, seed=recipe.seed
        )
        for name, part, stride in made
    }


def _heads(model: nn.Module) -> list[QuantileHead]:
    heads = model.head.members if isinstance(model, Network) and isinstance(model.head, MeanOfHeads) else ()
    return [head for head in heads if isinstance(head, QuantileHead)]


def _scaled(answers: Tensor, targets: Tensor, scale: Tensor, quantiles: tuple[float, ...]) -> Tensor:
    return (pinball(answers, targets, quantiles).mean(-1) / scale).clamp(max=30.0).nanmean()


def _interval(costs: Tensor, sizes: Tensor, apart: Tensor) -> str:
    """The middle 95 % of the loss when all forecasts of a moment, or of a series, are drawn anew with replacement."""
    groups, rows = apart.unique(return_inverse=True)
    if len(groups) < _ENOUGH:
        return "too few forecasts lie apart for an interval"
    losses, known = (torch.zeros(len(groups)).index_add(0, rows, each) for each in (costs, sizes))
    drawn = torch.randint(len(groups), (_DRAWS, len(groups)), generator=generator(0))
    low, high = (losses[drawn].sum(1) / known[drawn].sum(1)).quantile(torch.tensor([0.025, 0.975])).tolist()
    return f"95 % from {low:.4g} to {high:.4g}"
