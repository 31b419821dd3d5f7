"""Oracles: the bar itself (soak), PIL reading back what was written, and rivals of known statistics."""

import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from PIL import Image

from chainrule.data import digits, generator, seeded
from chainrule.errors import InputError
from chainrule.models import Players
from chainrule.recipes import DigitsGan, DigitsLenet, digits_gan
from chainrule.training import fit

TOY = DigitsGan(steps=3, width=2, noise=4, batch_size=8)


def _trained(recipe: DigitsGan) -> Players:
    with seeded(recipe.seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=recipe.steps, seed=recipe.seed)
    return learner.model


@pytest.fixture
def quick_judge(monkeypatch):
    """A classifier of fifty steps instead of twelve hundred."""
    file = sys.modules[DigitsGan.__module__]  # its name in the package is the function's
    monkeypatch.setattr(file, "DigitsLenet", lambda: DigitsLenet(steps=50, shift=0))


def test_the_function_gives_the_defaults():
    assert digits_gan() == DigitsGan()


def test_toy_run_repeats_itself_and_follows_its_seed():
    first, second, other = _trained(TOY), _trained(TOY), _trained(replace(TOY, seed=1))
    draws = [model.sample(4, generator(0)) for model in (first, second, other)]
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])


def test_labels_are_not_looked_at():
    """The same pictures under other labels make the same players, bit for bit."""
    recipe = TOY
    batches = recipe.batches()
    with seeded(recipe.seed):
        learner, blind = recipe.learner(), None
    with seeded(recipe.seed):
        blind = recipe.learner()
    batch = batches[0]
    for one, given in ((learner, batch), (blind, replace(batch, labels=torch.zeros_like(batch.labels)))):
        with seeded(5):
            one.step(given)
    for one, other in zip(learner.model.parameters(), blind.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_samples_are_digits_in_the_units_of_the_data():
    samples = _trained(TOY).sample(5)
    assert samples.shape == (5, 1, 8, 8)
    assert 0.0 <= samples.min() <= samples.max() <= 16.0


@pytest.mark.usefixtures("quick_judge")
def test_outcome_of_an_untrained_generator():
    outcome = TOY.outcome(_trained(TOY))
    assert not outcome.reached
    assert outcome.metrics["smallest share"] < 0.05
    assert [figure.title for figure in outcome.figures] == [
        "A hundred samples",
        "What the classifier sees",
        "Learnt, not copied",
    ]
    real = outcome.baselines["held-out digits"]
    for name, rival in (*outcome.baselines.items(), ("ours", outcome.metrics)):
        assert set(rival) == set(outcome.metrics)
        assert all(0.0 <= rival[share] <= 1.0 for share in ("smallest share", "precision", "recall"))
        if name != "held-out digits":
            assert rival["Frechet"] > real["Frechet"]
    assert real["smallest share"] > 0.05
    order = ["joint normal", "pixelwise normal", "uniform noise"]
    for better, worse in pairwise(order):
        distance = "Frechet"
        assert outcome.baselines[better][distance] < outcome.baselines[worse][distance]


def test_rivals_have_the_statistics_that_their_names_say():
    from chainrule.recipes.digits_gan import _rivals

    real = digits().train.rows.pixels.float()
    drawn = _rivals(real)
    middle = (slice(None), 0, 4, 4)
    for name in ("joint normal", "pixelwise normal"):
        assert drawn[name][middle].median().item() == pytest.approx(
            real[middle].mean().item(), abs=0.5
        )  # clipping spares it

    def correlation(pictures: torch.Tensor) -> float:
        return torch.corrcoef(pictures.flatten(1)[:, [28, 36]].T)[0, 1].item()

    assert correlation(drawn["joint normal"]) == pytest.approx(correlation(real), abs=0.1)
    assert abs(correlation(drawn["pixelwise normal"])) < 0.1


def test_sample_writes_one_png(tmp_path):
    model = _trained(TOY)
    with seeded(0):
        name = TOY.sample(model, None, 23, tmp_path / "digits.png")
    with seeded(0):
        pictures = model.sample(23)
    assert name == str(tmp_path / "digits.png")
    with Image.open(name) as file:
        assert file.size == (10 * 50, 3 * 50)
        shown = torch.from_numpy(np.array(file)).double()
    second_row_third = shown[51 + 3 : 51 + 48 : 6, 101 + 3 : 101 + 48 : 6]
    torch.testing.assert_close(second_row_third, (pictures[12, 0].double() / 16 * 255).round())


def test_sample_refuses_a_prompt_and_nothing(tmp_path):
    model = _trained(TOY)
    with pytest.raises(InputError, match="no prompt"):
        TOY.sample(model, "seven", 1, tmp_path / "one.png")
    with pytest.raises(InputError, match="count=0"):
        TOY.sample(model, None, 0, tmp_path / "none.png")


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(5))
def test_all_ten_digits(seed):
    """The bar: every digit at least 5 % of 2,000 samples; and no worse than a simple model anywhere that counts."""
    recipe = DigitsGan(seed=seed)
    outcome = recipe.outcome(_trained(recipe))
    assert outcome.reached, outcome.metrics
    assert outcome.metrics["smallest share"] >= 0.05
    simple = outcome.baselines["joint normal"]
    assert outcome.metrics["Frechet"] < 0.5 * simple["Frechet"]
    assert outcome.metrics["precision"] > simple["precision"]
    held_out = outcome.baselines["held-out digits"]
    assert outcome.metrics["nearest digit"] > 0.9 * held_out["nearest digit"]
