"""The bar of the recipe is measured here whole: it is a matter of seconds."""

import torch

from chainrule.data import IGNORED, karate, seeded
from chainrule.recipes import karate_gcn
from chainrule.recipes.karate_gcn import _nearer, _spread
from chainrule.training import fit


def test_the_bar_is_reached_over_twenty_seeds() -> None:
    recipe = karate_gcn()
    with seeded(recipe.seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=recipe.steps, seed=recipe.seed)
    outcome = recipe.outcome(learner.model)
    assert outcome.reached
    assert outcome.metrics["mean of 20 seeds"] >= 0.94
    assert outcome.baselines["commonest club"]["accuracy"] == 0.5
    assert len(outcome.figures) == 2


def test_the_two_shown_labels_are_those_of_the_leaders() -> None:
    assert torch.nonzero(karate().train[0].labels != IGNORED).flatten().tolist() == [0, 33]


def test_the_rivals_know_the_leaders_and_their_closest_friends() -> None:
    shown = karate().train[0]
    truth = torch.where(karate().test[0].labels == IGNORED, shown.labels, karate().test[0].labels)
    for rival in (_nearer(shown), _spread(shown)):
        assert rival[[0, 33]].tolist() == truth[[0, 33]].tolist()
        assert (rival == truth).double().mean() > 0.8
