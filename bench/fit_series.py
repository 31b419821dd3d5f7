"""Probabilistic forecasts: `chainrule fit` beside GluonTS's DeepAR and beside forecasts without a network.

    python bench/fit_series.py [--deepar PYTHON] [etth1] [exchange] [m4]

The same series, the same windows, every forecast made of what lay before it alone: ETTh1 (7 series, 24 hours ahead, the
last 20 windows), exchange rates (8 series, 30 working days ahead, the last 20 windows), M4 hourly (414 series, 48 hours
ahead, the competition's own test window). The number is the weighted quantile loss over the quantiles 0.1 ... 0.9, as
GluonTS defines it.

GluonTS wants an older numpy and an older lightning than ours, so it lives in an environment of its own, whose Python is
given: `pip install --no-deps gluonts==0.16.2` beside torch, lightning, "pandas<3", pydantic and toolz. DeepAR has
GluonTS's defaults (2 layers of 40, context = horizon, Student-t, 100 epochs of 50 batches of 32, 100 samples) and may
learn from the validation part too. Its forecasts are kept in the folder of temporary files and used again.
"""

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

QUANTILES = tuple(tenth / 10 for tenth in range(1, 10))
DEEPAR = "DeepAR of GluonTS 0.16.2"
KEPT = Path(tempfile.gettempdir()) / "chainrule-deepar"
Rows = list[np.ndarray]


@dataclass(frozen=True)
class Case:
    """Series, how far they are forecast, how often, and how often they are measured."""

    read: Callable[[], Rows]
    horizon: int
    windows: int
    frequency: str


def _text(name: str) -> list[str]:
    import gzip
    import lzma

    from chainrule.data import data_directory

    path = data_directory() / name
    unpack = lzma.decompress if path.suffix == ".xz" else gzip.decompress
    return unpack(path.read_bytes()).decode().splitlines()


def etth1() -> Rows:
    rows = [line.split(",")[1:] for line in _text("ett/ETTh1.csv.xz")[1:]]
    return list(np.array(rows, dtype=np.float32).T)


def exchange() -> Rows:
    return list(np.array([line.split(",") for line in _text("exchange_rate/exchange_rate.txt.gz")], np.float32).T)


def m4() -> Rows:
    def part(name: str) -> list[list[float]]:
        lines = [line.replace('"', "").split(",")[1:] for line in _text(f"m4/Hourly-{name}.csv.xz")[1:]]
        return [[float(value) for value in line if value] for line in lines]

    return [np.array(past + future, np.float32) for past, future in zip(part("train"), part("test"), strict=True)]


CASES = {
    "etth1": Case(etth1, 24, 20, "h"),
    "exchange": Case(exchange, 30, 20, "B"),
    "m4": Case(m4, 48, 1, "h"),
}


def moments(count: int, frequency: str) -> list[str]:
    first = datetime.datetime(1990, 1, 1)  # a Monday; the files of two of the sets hold no times
    if frequency == "B":
        days = (index // 5 * 7 + index % 5 for index in range(count))
        return [(first + datetime.timedelta(days=day)).date().isoformat() for day in days]
    return [(first + datetime.timedelta(hours=hour)).isoformat(sep=" ") for hour in range(count)]


def ours(case: Case, series: Rows, folder: Path) -> tuple[dict[str, float], str]:
    """Weighted quantile losses of this library and of the rivals that its report shows."""
    import torch

    from chainrule.data import seeded
    from chainrule.recipes import Asked, plan_series
    from chainrule.training import fit

    path = folder / "series.csv"
    with path.open("w") as file:
        file.write("time,series,value\n")
        for number, values in enumerate(series):
            times = moments(len(values), case.frequency)
            file.writelines(f"{at},{number:04d}s,{value!r}\n" for at, value in zip(times, values.tolist(), strict=True))
    torch.set_num_threads(1)
    start = time.process_time()
    recipe = plan_series(str(path), Asked(time="time", series="series", horizon=case.horizon, threads=1))
    recipe = replace(recipe, shape=replace(recipe.shape, windows=case.windows))
    with seeded(recipe.seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=recipe.steps, seed=recipe.seed)
    model = learner.model.eval()
    recipe.finish(model)
    seconds = time.process_time() - start
    outcome = recipe.outcome(model)
    windows = recipe.windows("test").size
    assert windows == case.windows * len(series), windows
    rivals = {name: float(found["weighted quantile loss"]) for name, found in outcome.baselines.items()}
    losses = {"chainrule fit": float(outcome.metrics["weighted quantile loss"]), **rivals}
    return losses, f"{windows} forecasts; ours {recipe.steps} steps, {seconds:.0f} s of one core; {outcome.note}"


def deepar(name: str, python: str | None, series: Rows) -> dict[str, float]:
    """The weighted quantile loss of GluonTS's DeepAR, run by another Python unless its forecasts are there already."""
    case, kept = CASES[name], KEPT / f"{name}.npz"
    if not kept.exists():
        if python is None:
            print(f"  no DeepAR for {name}: give --deepar PYTHON, one that has gluonts")
            return {}
        KEPT.mkdir(exist_ok=True)
        np.savez(KEPT / f"{name}-series.npz", *series)
        trusted = {"TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1"}  # it reads back its own checkpoint, as older torch did
        subprocess.run(
            [python, __file__, "--inside", name], check=True, env={**os.environ, **trusted}, cwd=tempfile.gettempdir()
        )
    with np.load(kept) as found:
        answers, targets = found["f"], found["y"]
    expected = [values[len(values) - (case.windows - window) * case.horizon :][: case.horizon]
                for values in series for window in range(case.windows)]  # fmt: skip
    np.testing.assert_allclose(targets, np.stack(expected))
    missed, shares = targets[..., None] - answers, np.array(QUANTILES)
    costs = 2 * np.maximum(shares * missed, (shares - 1) * missed).sum((0, 1)).mean()
    return {DEEPAR: float(costs / np.abs(targets).sum())}


def inside(name: str) -> None:
    """What the other Python does."""
    import lightning.pytorch as pl
    import pandas as pd
    import torch
    from gluonts.dataset.common import ListDataset
    from gluonts.torch import DeepAREstimator

    torch.set_num_threads(1)
    case = CASES[name]
    with np.load(KEPT / f"{name}-series.npz") as stored:
        series = [stored[key] for key in stored.files]
    start = pd.Period("2016-07-01 00:00" if name == "etth1" else "1990-01-01", freq=case.frequency)
    pl.seed_everything(0)

    def part(horizons: tuple[int, ...]) -> ListDataset:
        entries = [{"start": start, "target": values[: len(values) - left * case.horizon]}
                   for values in series for left in horizons]  # fmt: skip
        return ListDataset(entries, freq=case.frequency)

    settings = {"max_epochs": 100, "accelerator": "cpu", "enable_progress_bar": False, "logger": False}
    estimator = DeepAREstimator(
        freq=case.frequency, prediction_length=case.horizon, trainer_kwargs={**settings, "default_root_dir": str(KEPT)}
    )
    predictor = estimator.train(part((case.windows,)))
    forecasts = predictor.predict(part(tuple(range(case.windows, 0, -1))))
    answers = np.stack([np.stack([each.quantile(share) for share in QUANTILES], -1) for each in forecasts])
    ends = [(values, len(values) - left * case.horizon) for values in series for left in range(case.windows, 0, -1)]
    targets = np.stack([values[end : end + case.horizon] for values, end in ends])
    np.savez(KEPT / f"{name}.npz", f=answers, y=targets)


def main() -> None:
    parser = argparse.ArgumentParser(description="Forecasts beside DeepAR.")
    parser.add_argument("names", nargs="*", default=list(CASES))
    parser.add_argument("--deepar", help="a Python that has gluonts")
    parser.add_argument("--inside")
    asked = parser.parse_args()
    if asked.inside:
        inside(asked.inside)
        return
    from side_by_side import save

    for name in asked.names:
        series = CASES[name].read()
        with tempfile.TemporaryDirectory() as folder:
            losses, note = ours(CASES[name], series, Path(folder))
        losses |= deepar(name, asked.deepar, series)
        print(f"\n{name}: weighted quantile loss, less is better")
        for rival, loss in sorted(losses.items(), key=lambda entry: entry[1]):
            print(f"  {rival:<28} {loss:8.5f}   {loss / losses['chainrule fit']:6.3f} x ours")
        if DEEPAR not in losses:
            print("  not saved: without its peer a number is no result")
            continue
        save(f"fit_series_{name}", losses, note=note, unit="weighted quantile loss", bar="<= DeepAR, < seasonal naive")


if __name__ == "__main__":
    sys.exit(main())
