"""Oracles: series whose future is known, units that must not matter, a recipe written and read back."""

import datetime
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
from torch import nn

from chainrule.data import InMemory, Table, seeded
from chainrule.errors import InputError
from chainrule.recipes.fit_series import FitSeries, _interval, plan_series
from chainrule.recipes.fitted import Asked
from chainrule.recipes.settings import from_plain, to_plain
from chainrule.training import fit

HORIZON = 12


def sales(folder: Path, *, months: int = 120, noise: float = 0.05, name: str = "sales.csv") -> Path:
    """Two shops of opposite seasons, one a hundred times as large."""
    rng = np.random.default_rng(0)
    lines = ["month,shop,sold"]
    for shop, size, turn in (("Ulm", 1.0, 0.0), ("Kiel", 100.0, np.pi)):
        for month in range(months):
            sold = size * (5 + np.sin(2 * np.pi * month / 12 + turn) + noise * rng.standard_normal())
            lines.append(f"{2010 + month // 12}-{month % 12 + 1:02d}-01,{shop},{sold:.5f}")
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


def planned(folder: Path, **changed: object) -> FitSeries:
    recipe = plan_series(str(sales(folder)), Asked(time="month", series="shop", minutes=0.05, threads=1))
    return replace(recipe, steps=150, members=1, **changed)


def trained(recipe: FitSeries) -> nn.Module:
    with seeded(recipe.seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=recipe.steps, hooks=recipe.hooks(), seed=recipe.seed)
    return learner.model.eval()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[FitSeries, nn.Module]:
    torch.set_num_threads(1)
    recipe = planned(tmp_path_factory.mktemp("shops"))
    return recipe, trained(recipe)


def test_it_says_what_was_decided(tmp_path: Path) -> None:
    recipe = plan_series(str(sales(tmp_path)), Asked(time="month", series="shop", minutes=0.05, threads=1))
    assert recipe.title == "Forecasts 2 series of sales.csv 12 months ahead."
    assert (recipe.shape.horizon, recipe.shape.season, recipe.shape.lag) == (12, 12, 12)
    notes = " ".join(recipe.notes)
    assert "12 months are forecast, as is usual for a step of one month" in notes
    assert "no target of one part is one of another" in notes
    assert "steps of" in notes
    assert recipe.steps > 1


def test_a_recipe_is_written_and_read_and_needs_no_data_to_build_the_network(tmp_path: Path) -> None:
    recipe = planned(tmp_path)
    again = from_plain(FitSeries, to_plain(recipe))
    assert again == recipe
    sales(tmp_path).unlink()
    torch.manual_seed(0)
    assert sum(parameter.numel() for parameter in again.learner().model.parameters()) > 1000


def test_it_beats_the_naive_forecasts_on_noisy_seasons(run: tuple[FitSeries, nn.Module]) -> None:
    recipe, model = run
    outcome = recipe.outcome(model)
    loss = outcome.metrics["weighted quantile loss"]
    assert loss < outcome.baselines["last value"]["weighted quantile loss"] / 3
    assert loss < 0.02
    assert outcome.metrics["MASE"] < 1.6
    assert outcome.reached == (loss <= min(found["weighted quantile loss"] for found in outcome.baselines.values()))
    assert set(outcome.baselines) == {"last value", "seasonal naive", "ridge on lags"}
    titles = [figure.title for figure in outcome.figures]
    assert "Calibration of the quantiles" in titles
    assert any(title.startswith(("Ulm, 20", "Kiel, 20")) for title in titles)
    assert "too few forecasts lie apart for an interval" in outcome.note


def test_what_is_forecast_next_follows_the_last_moment(run: tuple[FitSeries, nn.Module]) -> None:
    recipe, model = run
    said = recipe.predict(model, recipe.data)
    assert list(said) == ["series", "time", *(f"{tenth / 10:g}" for tenth in range(1, 10))]
    assert said["series"] == ["Kiel"] * 12 + ["Ulm"] * 12
    assert said["time"] == [f"2020-{month:02d}-01" for month in range(1, 13)] * 2
    expected = [100 * (5 + math.sin(2 * math.pi * month / 12 + math.pi)) for month in range(12)]
    np.testing.assert_allclose(said["0.5"][:12], expected, rtol=0.08)
    rows = np.array([said[f"{tenth / 10:g}"] for tenth in range(1, 10)])
    assert (np.diff(rows, axis=0) >= 0).all()


def test_files_give_the_same_answers_as_frames(run: tuple[FitSeries, nn.Module]) -> None:
    recipe, model = run
    ((names, rows),) = recipe.read([Path(recipe.data)])
    from_file = recipe.answered(model, rows)
    from_frame = recipe.predict(model, pl.read_csv(recipe.data))
    assert names == from_frame["series"]
    assert {name: from_frame[name] for name in from_file} == from_file
    with pytest.raises(InputError, match="ends of series"):
        recipe.answered(model, InMemory(Table(torch.ones(2, 1), torch.ones(2)), 1)[0])


def test_a_new_short_series_with_a_gap_is_forecast_too(run: tuple[FitSeries, nn.Module]) -> None:
    recipe, model = run
    frame = pl.DataFrame(
        {"month": [datetime.date(2021, month, 1) for month in (1, 2, 4, 5)], "shop": ["Bonn"] * 4, "sold": [5.0] * 4}
    )
    said = recipe.predict(model, frame)
    assert said["time"][0] == "2021-06-01"
    assert all(math.isfinite(value) for value in said["0.5"])
    with pytest.raises(InputError, match="must be in the table"):
        recipe.predict(model, frame.rename({"shop": "shops"}))


def test_a_hundred_times_as_much_is_forecast_a_hundred_times_as_high(run: tuple[FitSeries, nn.Module]) -> None:
    recipe, model = run
    frame = pl.read_csv(recipe.data)
    small = recipe.predict(model, frame)
    large = recipe.predict(model, frame.with_columns(pl.col("sold") * 100))
    np.testing.assert_allclose(large["0.9"], np.array(small["0.9"]) * 100, rtol=1e-3)


def test_calibration_lowers_the_validation_loss_and_moves_the_bands_alone(run: tuple[FitSeries, nn.Module]) -> None:
    recipe, _ = run
    model = trained(replace(recipe, steps=20))
    before = recipe.predict(model, recipe.data)
    changed = recipe.finish(model)
    after = recipe.predict(model, recipe.data)
    np.testing.assert_allclose(after["0.5"], before["0.5"], rtol=1e-5)
    assert changed == (after["0.9"] != before["0.9"])


def test_nothing_of_the_end_is_seen_before_the_outcome(tmp_path: Path) -> None:
    """Other test values: the same plan but for the digest, the same batches, the same weights."""
    one = planned(tmp_path)
    text = sales(tmp_path).read_text().splitlines()
    spoiled = [line.rpartition(",")[0] + ",999" if line.startswith("2019") else line for line in text]
    other_path = tmp_path / "other"
    other_path.mkdir()
    (other_path / "sales.csv").write_text("\n".join(spoiled))
    other = plan_series(str(other_path / "sales.csv"), Asked(time="month", series="shop", minutes=0.05, threads=1))
    assert other.shape == one.shape
    assert torch.equal(one.batches()[3].past, replace(other, batch_size=one.batch_size).batches()[3].past)
    validation = [recipe.windows("validation").at(torch.arange(2)).future for recipe in (one, other)]
    assert torch.equal(*validation)


def test_changed_data_is_refused(tmp_path: Path) -> None:
    recipe = planned(tmp_path)
    path = Path(recipe.data)
    path.write_text(path.read_text().replace("2015-01-01,Ulm,", "2015-01-01,Ulm,1"))
    with pytest.raises(InputError, match="not what this run began with"):
        replace(recipe, targets=("sold",)).windows("train")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (Asked(time="when"), "`--time` must be in the table"),
        (Asked(time="month", series="shop", horizon=60), "three times as long as the horizon"),
        (Asked(time="month", series="shop", target="shop"), "a column of numbers"),
        (Asked(time="month", series="shop", minutes=0.0), "`--minutes`"),
    ],
)
def test_what_cannot_be_is_said_before_training(tmp_path: Path, asked: Asked, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan_series(str(sales(tmp_path)), asked)


def test_the_interval_is_that_of_a_mean_of_groups() -> None:
    """Of groups of equal size the loss is a mean, whose standard error is known; copies in a group add no certainty."""
    each = torch.randn(200, generator=torch.Generator().manual_seed(0)) + 10
    said = re.findall(r"[\d.]+", _interval(each.repeat(5), torch.ones(1000), torch.arange(200).repeat(5)))
    error = 1.96 * float(each.std()) / 200**0.5
    low, high = float(said[1]), float(said[2])
    assert low == pytest.approx(float(each.mean()) - error, abs=0.2 * error)
    assert high == pytest.approx(float(each.mean()) + error, abs=0.2 * error)
