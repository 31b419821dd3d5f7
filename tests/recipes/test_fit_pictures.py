"""What `chainrule fit` makes of pictures: plans that are honest and whole, and a network that learns from them."""

import importlib
from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from chainrule import InputError
from chainrule.data import seeded
from chainrule.layers import Temperature
from chainrule.objectives import Classify
from chainrule.recipes import Asked, FitPictures, from_plain, plan_pictures, to_plain
from chainrule.training import evaluate, fit

QUICK = Asked(minutes=0.01, threads=1)


@pytest.fixture(scope="module", autouse=True)
def quickly():
    """Steps are timed for a moment only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.import_module("chainrule.recipes.budget"), "_SECONDS", 0.02)
        yield


@pytest.fixture(scope="module")
def plan(quickly) -> FitPictures:
    return plan_pictures("digits", QUICK)


@pytest.fixture
def folder(tmp_path):
    """Bright at the left or at the right: which is which is lost in a mirror."""
    drawn = np.random.default_rng(0)
    for name, side, count in (("left", slice(0, 6), 60), ("right", slice(6, 12), 16)):
        (tmp_path / name).mkdir()
        for k in range(count):
            values = drawn.integers(0, 60, (12, 12), np.uint8)
            values[:, side] += 150
            Image.fromarray(values).save(tmp_path / name / f"{k:02}.png")
    return tmp_path


def learnt(recipe: FitPictures):
    with seeded(recipe.seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=recipe.steps, hooks=recipe.hooks(), seed=recipe.seed)
    return learner.model.eval()


def test_a_plan_is_plain_data_and_says_what_was_decided(plan):
    assert from_plain(FitPictures, to_plain(plan)) == plan
    said = " ".join(plan.notes)
    assert "10 classes of grey pictures, 8 x 8 pixels each." in said
    assert "1,258 pictures to learn from, 270 to choose by, 269 to judge with" in said
    assert "not mirrored: nearest neighbours recognise" in said
    assert not plan.mirror
    assert plan.title == "Tells 10 kinds of pictures of digits apart: 0, 1, 2 and so on."


def test_statistics_are_those_of_training_pictures_alone(plan):
    pictures = plan.pictures()
    train = pictures.pixels[pictures.split.parts[0]].float()
    assert plan.mean[0] == pytest.approx(float(train.mean()), rel=1e-4)
    assert plan.deviation[0] == pytest.approx(float(train.std()), rel=1e-4)


def test_digits_are_learnt_and_calibrated(plan):
    recipe = replace(plan, steps=150, width=32)
    model = learnt(recipe)
    before = evaluate(model, Classify(), recipe.splits().validation)
    assert recipe.finish(model)
    after = evaluate(model, Classify(), recipe.splits().validation)
    assert after["accuracy"] == before["accuracy"] > 0.9  # a temperature changes no answer
    assert after["loss"] <= before["loss"] + 1e-6
    outcome = recipe.outcome(model)
    assert outcome.metrics["accuracy"] > 0.9
    assert set(outcome.baselines) == {"commonest class", "logistic regression", "5 nearest neighbours"}
    assert len(outcome.figures) == 4
    from sklearn.datasets import load_digits

    answers = recipe.predict(model, load_digits().images[:50])
    shares = np.array([answers[f"p({k})"] for k in range(10)])
    assert answers["prediction"] == [str(k) for k in shares.argmax(0)]
    np.testing.assert_allclose(shares.sum(0), 1, rtol=1e-5)


def test_the_network_needs_no_data(plan):
    model = replace(plan, data="nowhere", digest="").learner().model
    assert model(torch.zeros(2, 1, 8, 8, dtype=torch.uint8)).shape == (2, 10)
    assert any(isinstance(module, Temperature) for module in model.modules())


def test_skewed_classes_are_weighted_and_sides_are_kept(folder):
    plan = plan_pictures(str(folder), QUICK)
    assert not plan.mirror
    labels = plan.pictures().split.labels[plan.pictures().split.parts[0]]
    counts = torch.bincount(labels).double()
    assert plan.weights[1] / plan.weights[0] == pytest.approx(float((counts[0] / counts[1]).sqrt()))
    assert sum(weight * float(count) for weight, count in zip(plan.weights, counts, strict=True)) == pytest.approx(
        float(counts.sum())
    )
    assert f"rare ones count up to {plan.weights[1] / plan.weights[0]:.1f} times as much" in " ".join(plan.notes)


def test_new_files_are_read_and_answered(folder, tmp_path):
    plan = plan_pictures(str(folder), QUICK)
    model = learnt(replace(plan, steps=30, width=16))
    for names, rows in plan.read([folder / "left"]):
        answers = plan.answered(model, rows)
        assert len(names) == len(answers["prediction"]) == 60
        assert answers["prediction"].count("left") > 55


def test_other_pictures_than_planned_are_refused(folder):
    plan = plan_pictures(str(folder), QUICK)
    Image.new("L", (12, 12), 9).save(folder / "left" / "00.png")
    plan_pictures("digits", QUICK)  # something else is kept now
    with pytest.raises(InputError, match="are not those that this run began with"):
        plan.batches()


def test_more_minutes_are_more_steps_up_to_what_is_enough(folder):
    short, long = (plan_pictures(str(folder), Asked(minutes=minutes, threads=1)) for minutes in (0.001, 60.0))
    assert short.steps < long.steps
    assert long.steps * long.batch_size <= 121 * len(long.pictures().split.parts[0])
    assert "More would not help" in " ".join(long.notes)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (Asked(task="forecast"), "pictures can be told apart"),
        (Asked(metric="log loss"), "judged by its accuracy"),
        (Asked(group="person", time="day"), "leave out --time --group"),
    ],
)
def test_what_cannot_be_asked_of_pictures(asked, said):
    with pytest.raises(InputError, match=said):
        plan_pictures("digits", asked)
