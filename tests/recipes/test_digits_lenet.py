"""The recipe at a tenth of its length; `make demo` and the soak run it whole."""

from dataclasses import replace

import pytest
import torch

from chainrule.data import digits, seeded
from chainrule.recipes import digits_lenet
from chainrule.training import fit


def trained(steps: int, seed: int) -> torch.nn.Module:
    recipe = replace(digits_lenet(), steps=steps, seed=seed)
    with seeded(seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=steps, seed=seed)
    return learner.model


def test_a_tenth_of_the_way_is_far_already() -> None:
    recipe = digits_lenet()
    outcome = recipe.outcome(trained(120, 0))
    assert outcome.metrics["accuracy"] > 0.85
    assert outcome.reached == (outcome.metrics["accuracy"] >= 0.98)
    assert outcome.baselines["logistic regression"]["accuracy"] > 0.9
    assert {figure.title for figure in outcome.figures} == {
        "Test digits: truth against answer",
        "Most confident mistakes",
    }


def test_the_first_layer_standardises_the_training_digits() -> None:
    pixels = next(digits().train.once(1197)).pixels
    numbers = digits_lenet().learner().model.encoder[0](pixels)
    assert abs(float(numbers.mean())) < 2e-3
    shown = (pixels.float() - 4.884) / 6.017
    assert abs(float(shown.std()) - 1) < 2e-3


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(8))
def test_the_bar_is_reached_by_every_seed(seed: int) -> None:
    torch.set_num_threads(1)
    assert digits_lenet().outcome(trained(digits_lenet().steps, seed)).reached
