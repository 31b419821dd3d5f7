"""The sine waves of the MAML paper: what is measured, and (soak) the paper's errors."""

from dataclasses import replace

import pytest
import torch

from chainrule.data import seeded
from chainrule.objectives import Adapted, Regress
from chainrule.optim import AdamW
from chainrule.recipes.sinusoid_maml import SinusoidMaml, _key, _spread, sinusoid_maml
from chainrule.training import evaluate, fit


def _trained(recipe: SinusoidMaml) -> torch.nn.Module:
    with seeded(recipe.seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=recipe.steps, seed=recipe.seed)
    return learner.model


def test_it_is_the_papers_setting() -> None:
    recipe = sinusoid_maml()
    batch = recipe.batches()[0]
    assert (len(batch), len(batch.support), len(batch.query)) == (25, 250, 250)
    shapes = [tuple(parameter.shape) for parameter in recipe.learner().model.parameters()]
    assert shapes == [(40, 1), (40,), (40, 40), (40,), (1, 40), (1,)]
    assert (recipe.inner_rate, recipe.learner().objective.steps, recipe.first_order) == (0.01, 1, False)


def test_the_outcome_names_the_steps_of_the_papers_table() -> None:
    recipe = replace(sinusoid_maml(), steps=3, tasks=4, waves=20, optimizer=AdamW(weight_decay=0.0))
    outcome = recipe.outcome(_trained(recipe))
    places = {_key(steps) for steps in (1, 5, 10)}
    assert set(outcome.metrics) == places
    assert set(outcome.baselines) == {
        "MAML, first order",
        "pretrained",
        "paper",
        "paper, pretrained",
    }
    assert all(set(numbers) == places for numbers in outcome.baselines.values())
    assert not outcome.reached
    assert [bool(figure.svg or figure.html) for figure in outcome.figures] == [True] * 3


def test_errors_of_every_wave_average_to_what_evaluate_says() -> None:
    from chainrule.data import Sinusoids

    recipe = replace(sinusoid_maml(), waves=30)
    model = recipe.learner().model
    errors = recipe._errors(model, "MAML", 5)
    waves = Sinusoids(10, 5, 100, seed=2, size=30)
    for steps in (0, 3):
        whole = evaluate(model, Adapted(Regress(), steps, recipe.inner_rate), waves)["loss"]
        assert errors[steps].mean().item() == pytest.approx(whole, rel=1e-4)
    assert errors.shape == (11, 30)


def test_a_wave_on_which_descent_diverges_does_not_drown_the_others() -> None:
    recipe = replace(sinusoid_maml(), waves=30, inner_rate=1e6)
    errors = recipe._errors(recipe.learner().model, "MAML", 5)
    assert bool(torch.isfinite(errors).all())
    assert errors[-1].max().item() == 25.0


def test_the_interval_is_that_of_a_mean() -> None:
    torch.manual_seed(0)
    means = torch.randn(2000, 400).mean(1)
    assert _spread(torch.randn(400)).item() == pytest.approx(1.96 * means.std().item(), rel=0.15)


@pytest.mark.soak
def test_the_papers_errors_are_reached() -> None:
    recipe = sinusoid_maml()
    outcome = recipe.outcome(_trained(recipe))
    assert outcome.reached
    rivals = outcome.baselines
    assert rivals["MAML, first order"][_key(10)] < 0.45
    assert abs(rivals["pretrained"][_key(1)] - 2.41) < 0.25
