"""What every recipe promises: the same again from the same settings."""

from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest
import torch

from chainrule.data import seeded
from chainrule.errors import InputError
from chainrule.recipes import RECIPES, Recipe, find_recipe


@pytest.mark.parametrize("name", list(RECIPES))
def test_learner_and_batches_are_functions_of_the_settings(name: str) -> None:
    recipe = find_recipe(name)
    models = []
    for _ in range(2):
        with seeded(recipe.seed):
            models.append(recipe.learner().model)
    for first, second in zip(models[0].state_dict().values(), models[1].state_dict().values(), strict=True):
        assert torch.equal(first, second)
    first, second = recipe.batches()[3].tensors(), recipe.batches()[3].tensors()
    assert all(torch.equal(first[key], second[key]) for key in first)


@pytest.mark.parametrize("name", list(RECIPES))
def test_another_seed_is_another_run(name: str) -> None:
    models = []
    for seed in (0, 1):
        recipe = replace(find_recipe(name), seed=seed)
        with seeded(recipe.seed):
            models.append(recipe.learner().model)
    pairs = zip(models[0].parameters(), models[1].parameters(), strict=True)
    assert any(not torch.equal(first, second) for first, second in pairs)


@pytest.mark.parametrize("name", list(RECIPES))
def test_settings_are_frozen_and_the_card_is_filled(name: str) -> None:
    recipe = find_recipe(name)
    with pytest.raises(FrozenInstanceError):
        recipe.steps = 3  # type: ignore[misc]
    assert len(recipe.source) > 20
    assert len(recipe.limits) > 20


def test_what_generates_nothing_says_so(tmp_path: Path) -> None:
    recipe = find_recipe("karate-gcn")
    assert type(recipe).sample is Recipe.sample
    with pytest.raises(InputError, match="only a generative model can be sampled"):
        recipe.sample(recipe.learner().model, None, 1, tmp_path / "x.png")
