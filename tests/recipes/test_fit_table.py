"""From a table to a model that can be used: planted truths, scikit-learn's sets, and what people do to their data."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import torch

from chainrule import InputError
from chainrule.data import data_directory, seeded
from chainrule.recipes import Asked, FitTable, from_plain, plan_table, to_plain
from chainrule.sources import Amount, Category, Classes, Unused
from chainrule.training import fit

RANDOM = np.random.default_rng(0)


def quick(data, test: str | None = None, **said: object) -> FitTable:
    return plan_table(data, Asked(minutes=0.01, threads=1, **said), test)  # pyright: ignore[reportArgumentType]


def trained(recipe: FitTable, steps: int = 150):
    """Trained as a large table is: the best moment on the validation rows is kept."""
    recipe = replace(recipe, steps=steps, span=0, temperature=None, every=min(recipe.every, 25))
    with seeded(recipe.seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=recipe.steps, hooks=recipe.hooks(), seed=recipe.seed)
    model = learner.model.eval()
    recipe.finish(model)
    return recipe, model


def town_prices(rows: int = 400) -> pl.DataFrame:
    """Amounts that hang on a number, a category and a gap."""
    size, town = RANDOM.uniform(20, 200, rows), RANDOM.choice(["Ulm", "Kiel", "Bonn"], rows)
    gap = RANDOM.random(rows) < 0.1
    price = 3000 * size + 100_000 * (town == "Kiel") - 50_000 * gap
    return pl.DataFrame({"size": np.where(gap, None, size).tolist(), "town": town, "price": price}, strict=False)


def test_a_recipe_is_plain_data_and_back():
    recipe = quick(town_prices(), target="price")
    assert from_plain(FitTable, json.loads(json.dumps(to_plain(recipe)))) == recipe


def test_amounts_are_told_in_their_own_units():
    recipe, model = trained(quick(town_prices()))
    assert isinstance(recipe.target, Amount)
    outcome = recipe.outcome(model)
    assert outcome.metrics["R2"] > 0.8  # where the size is missing, nobody can tell
    told = recipe.predict(model, {"size": 100.0, "town": "Kiel"})["price"][0]
    assert told == pytest.approx(400_000, rel=0.2)


def test_classes_are_told_with_probabilities_that_sum_to_one():
    recipe, model = trained(quick("iris"))
    assert recipe.outcome(model).metrics["accuracy"] >= 0.9
    rows = [{"sepal length (cm)": 5.1, "sepal width (cm)": 3.5, "petal length (cm)": 1.4, "petal width (cm)": 0.2}]
    answers = recipe.predict(model, rows)
    assert answers["target"] == ["setosa"]
    assert sum(answers[f"p({name})"][0] for name in recipe.target.names) == pytest.approx(1.0)
    assert answers["probability"][0] == max(answers[f"p({name})"][0] for name in recipe.target.names)


def test_the_network_is_built_without_the_data(tmp_path):
    file = tmp_path / "prices.csv"
    town_prices().write_csv(file)
    recipe = quick(str(file))
    file.unlink()
    recipe.learner()
    assert len(recipe.encoded(town_prices(20))) == 20


def test_new_rows_in_every_form_are_the_same_rows(tmp_path):
    frame = town_prices(30)
    recipe = quick(town_prices())
    expected = recipe.encoded(frame).features
    asked = frame.drop("price")
    asked.write_csv(tmp_path / "new.csv", separator=";")
    asked.write_parquet(tmp_path / "new.parquet")
    forms = [tmp_path / "new.csv", tmp_path / "new.parquet", asked.to_dicts(), asked.to_dict(as_series=False),
             np.array(asked.rows(), dtype=object)]  # fmt: skip
    for form in forms:
        torch.testing.assert_close(recipe.encoded(form).features, expected)
    names, rows = next(recipe.read([tmp_path / "new.csv"]))
    assert names[0].endswith("new.csv:1")
    torch.testing.assert_close(rows.features, expected)


def test_new_categories_gaps_and_nonsense_have_an_answer():
    recipe, model = trained(quick(town_prices()), steps=25)
    rows = [{"size": None, "town": "Rome"}, {"size": 1e300, "town": None}, {"size": "large", "town": 7}]
    told = recipe.predict(model, rows)["price"]
    assert all(np.isfinite(told))


def test_changed_data_is_told(tmp_path):
    file = tmp_path / "prices.csv"
    town_prices().write_csv(file)
    recipe = quick(str(file))
    town_prices().write_csv(file)
    with pytest.raises(InputError, match="not the one that this run began with"):
        replace(recipe, seed=1).batches()


def test_leaks_identifiers_and_constants_are_left_out_and_told():
    frame = town_prices().with_columns(
        cents=pl.col("price") * 100, number=pl.int_range(0, 400), land=pl.lit("de"), empty=pl.lit(None, pl.String)
    )
    recipe = quick(frame, target="price")
    why = {column.name: column.why for column in recipe.columns if isinstance(column, Unused)}
    assert why == {"cents": "leak", "number": "identifier", "land": "constant", "empty": "gaps"}
    assert "`cents` was left out: it says the answer itself (a leak)" in " ".join(recipe.notes)


def test_nothing_left_to_learn_from():
    frame = pl.DataFrame({"a": ["x"] * 40, "y": ["u", "v"] * 20})
    with pytest.raises(InputError, match="no column is left to learn from"):
        quick(frame)


def test_a_group_is_not_learnt_from():
    frame = town_prices().with_columns(who=pl.Series([f"p{place // 4}" for place in range(400)]))
    recipe = quick(frame, target="price", group="who")
    assert Unused("who", "group") in recipe.columns


def test_metrics_by_name():
    assert quick("iris", metric="log loss").metric == "log loss"
    assert quick("iris", metric="balanced_accuracy").metric == "balanced accuracy"
    with pytest.raises(InputError, match="not one of those for this task"):
        quick("iris", metric="RMSE")
    with pytest.raises(InputError, match="AUROC is for two classes"):
        quick("iris", metric="auroc")
    with pytest.raises(InputError, match="as classes or as amounts"):
        quick("iris", task="forecast")


def test_rare_classes_are_told():
    rare = ["common"] * 380 + ["rare"] * 20
    frame = town_prices().with_columns(price=pl.Series(RANDOM.permutation(rare)))
    assert "The classes are skewed" in " ".join(quick(frame).notes)
    single = town_prices().with_columns(price=pl.Series(["a", "b"] * 199 + ["a", "single"]))
    assert "fewer than 5 rows" in " ".join(quick(single).notes)


def test_calibration_changes_no_answer_and_believes_few_mistakes_little():
    recipe, model = trained(quick("iris"))
    rows = recipe.part("test").rows
    before = model(*rows.inputs).argmax(1)
    assert recipe.finish(model)
    assert torch.equal(model(*rows.inputs).argmax(1), before)
    assert 0.5 < float(model.head.temperature.temperature) < 2.0  # of 22 rows nearly all are right


def test_a_small_table_is_learnt_whole_after_a_trial():
    """What chose the number of steps is learnt from afterwards; the rows to judge with never are."""
    recipe = quick("iris")
    assert recipe.temperature is not None
    assert 1 <= recipe.steps <= recipe.span
    assert recipe.batches().size == recipe.part("train").size + recipe.part("validation").size == 127
    assert list(recipe.hooks()) == []
    with seeded(recipe.seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=recipe.steps, seed=recipe.seed)
    model = learner.model.eval()
    assert recipe.finish(model)
    assert float(model.head.temperature.temperature) == pytest.approx(recipe.temperature)
    seen = {tuple(row) for row in recipe.batches().rows.features.tolist()}
    assert not seen & {tuple(row) for row in recipe.part("test").rows.features.tolist()}


@pytest.mark.data
def test_adult_is_read_as_it_lies():
    try:
        folder = data_directory() / "adult"
    except InputError:
        pytest.skip("the shared data sets are not here")
    recipe = quick(str(folder / "adult-train.csv.xz"), str(folder / "adult-test.csv.xz"))
    assert recipe.target == Classes("column_15", ("<=50K", ">50K"))
    assert sum(isinstance(column, Category) for column in recipe.columns) == 8
    assert recipe.part("test").size == 16_281
    assert recipe.part("train").size + recipe.part("validation").size == 32_561
