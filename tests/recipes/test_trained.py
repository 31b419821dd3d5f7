"""A trained network called on tensors gives what the network gives."""

import pytest
import torch

from chainrule.errors import InputError
from chainrule.recipes import Trained, find_recipe


def test_it_is_the_network_in_evaluation_mode() -> None:
    recipe = find_recipe("digits-lenet")
    network = recipe.learner().model.train()
    trained = Trained(network, recipe)
    pixels = torch.rand(3, 1, 8, 8)
    assert not network.training
    assert torch.equal(trained(pixels), network(pixels))


def test_a_recipe_without_examples_of_its_own_says_so() -> None:
    recipe = find_recipe("karate-gcn")
    with pytest.raises(InputError, match="takes tensors"):
        Trained(recipe.learner().model, recipe).predict([1])
