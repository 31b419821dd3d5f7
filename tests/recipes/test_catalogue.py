"""Recipes are found by name, and a slip of the finger is met with a suggestion."""

import pytest

from chainrule.errors import InputError
from chainrule.recipes import RECIPES, describe, find_recipe, recipe_name


@pytest.mark.parametrize("name", list(RECIPES))
def test_every_recipe_is_found_by_its_functions_name(name: str) -> None:
    assert recipe_name(find_recipe(name)) == name == RECIPES[name].__name__.replace("_", "-")
    assert find_recipe(name) == find_recipe(name)


@pytest.mark.parametrize("name", list(RECIPES))
def test_every_recipe_states_command_time_and_metric(name: str) -> None:
    text = RECIPES[name].__doc__ or ""
    assert describe(name).endswith(".")
    assert f"`chainrule run {name}`" in text
    assert "core" in text, "the expected time, and on how many cores"


@pytest.mark.parametrize(("slip", "meant"), [("digits-lente", "digits-lenet"), ("karate", "karate-gcn")])
def test_a_slip_suggests_the_nearest(slip: str, meant: str) -> None:
    with pytest.raises(InputError, match=f"did you mean '{meant}'"):
        find_recipe(slip)


def test_what_is_near_nothing_lists_everything() -> None:
    with pytest.raises(InputError, match="choose one of digits-gan, digits-lenet"):
        find_recipe("zzz")
