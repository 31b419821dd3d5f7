"""Run folders of every kind, made in moments: as `chainrule fit` leaves them, with weights that nobody trained."""

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from chainrule.data import seeded
from chainrule.recipes import (
    FITTED,
    Asked,
    FitPhrases,
    FitPictures,
    FitTable,
    Fitted,
    FitText,
    plan_phrases,
    plan_series,
    recipe_name,
    to_plain,
)
from chainrule.sources import Amount, Category, Classes, Moment, Number, Words
from chainrule.training import save_model

COLUMNS = (
    Number("age", (17.0, 30.0, 45.0, 90.0), usual=38.0, gaps=True),
    Category("town", ("Ulm", "Kiel", "Bonn")),
    Moment("seen", "%d.%m.%Y", (Number("year", (2000.0, 2010.0, 2024.0), 2012.0),)),
    Words("said", ("good", "bad"), Number("length", (1.0, 5.0, 50.0), 6.0)),
)
ROWS = [
    {"age": 20 + number, "town": ("Ulm", "Kiel", "Rome")[number % 3], "seen": f"{number % 28 + 1:02d}.03.2015",
     "said": "good " * (number % 4)}
    for number in range(40)
]  # fmt: skip


def _saved(recipe: Fitted, folder: Path) -> Path:
    """A run's folder with random weights, so that answers hang on the inputs."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"recipe": recipe_name(recipe), "settings": to_plain(recipe)}
    (folder / "recipe.json").write_text(json.dumps(settings))
    with seeded(0):
        model = recipe.learner().model
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.normal_(0, 0.3)
    save_model(folder / "model.safetensors", model)
    return folder


def table_run(folder: Path) -> Path:
    """Three classes from a number, a category, a date and a text."""
    target = Classes("verdict", ("yes", "no", "<b>perhaps</b>"))
    return _saved(_table(target), folder)


def amount_run(folder: Path) -> Path:
    """A price from the same columns."""
    return _saved(_table(Amount("price", mean=100.0, deviation=20.0)), folder)


def _table(target: Classes | Amount) -> FitTable:
    return FitTable(
        steps=1, seed=0, threads=1, data="people.csv", digest="", asked=Asked(), columns=COLUMNS, target=target,
        width=16, members=2,
    )  # fmt: skip


def picture_run(folder: Path) -> Path:
    """Four classes of grey pictures."""
    recipe = FitPictures(
        steps=1, seed=0, threads=1, data="shapes", digest="", asked=Asked(), classes=("disc", "ring", "cross", "bar"),
        size=(16, 16), channels=1, mean=(120.0,), deviation=(80.0,), width=8,
    )  # fmt: skip
    return _saved(recipe, folder)


def text_run(folder: Path) -> Path:
    """A language model of seven characters and the one that stands for all others."""
    recipe = FitText(
        steps=1, seed=0, threads=1, data="sea.txt", digest="", asked=Asked(), alphabet=" .aehst\ufffd", layers=1,
        dim=16, heads=2, context=32,
    )  # fmt: skip
    return _saved(recipe, folder)


def phrase_run(folder: Path) -> Path:
    """Ham and spam, by the words of short texts."""
    if FitPhrases not in FITTED.values():
        pytest.skip("no run of short texts can be loaded yet")
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{word} number {n} came {'again ' * (n % 5)}today,{word}" for n in range(40) for word in ("ham", "spam")]
    (folder / "mails.csv").write_text("\n".join(["mail,kind", *lines]) + "\n")
    recipe = plan_phrases(folder / "mails.csv", Asked(target="kind", minutes=0.001, threads=1))
    return _saved(replace(recipe, steps=1), folder)


def series_run(folder: Path) -> Path:
    """Two shops, a year of days ahead of which a week is forecast."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sold.csv").write_text(past(120))
    asked = Asked(time="day", series="shop", target="sold", horizon=7, minutes=0.001, threads=1)
    return _saved(replace(plan_series(str(folder / "sold.csv"), asked), steps=1), folder)


def past(days: int) -> str:
    """What two shops sold, as CSV."""
    first = np.datetime64("2024-01-01")
    rows = [f"{first + day},{shop},{10 * shop + day % 7}" for day in range(days) for shop in (1, 2)]
    return "day,shop,sold\n" + "\n".join(rows) + "\n"


def png(seed: int, size: tuple[int, int] = (20, 24)) -> bytes:
    """A picture file of noise."""
    page = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)
    Image.fromarray(pixels).save(page, "PNG")
    return page.getvalue()
