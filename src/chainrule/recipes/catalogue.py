"""The recipes by name, and the kinds that `chainrule fit` makes: all that a run folder may name."""

import difflib
from collections.abc import Callable

from chainrule.errors import InputError
from chainrule.recipes.digits_gan import digits_gan
from chainrule.recipes.digits_lenet import digits_lenet
from chainrule.recipes.fit_nodes import FitNodes
from chainrule.recipes.fit_phrases import FitPhrases
from chainrule.recipes.fit_pictures import FitPictures
from chainrule.recipes.fit_series import FitSeries
from chainrule.recipes.fit_table import FitTable
from chainrule.recipes.fit_text import FitText
from chainrule.recipes.fitted import Fitted
from chainrule.recipes.karate_gcn import karate_gcn
from chainrule.recipes.python_docs_gpt import python_docs_gpt
from chainrule.recipes.recipe import Recipe
from chainrule.recipes.sinusoid_maml import sinusoid_maml

_FUNCTIONS: tuple[Callable[[], Recipe], ...] = (digits_gan, digits_lenet, karate_gcn, python_docs_gpt, sinusoid_maml)

RECIPES: dict[str, Callable[[], Recipe]] = {function.__name__.replace("_", "-"): function for function in _FUNCTIONS}

FITTED: dict[str, type[Fitted]] = {
    "fit-nodes": FitNodes,
    "fit-phrases": FitPhrases,
    "fit-pictures": FitPictures,
    "fit-series": FitSeries,
    "fit-table": FitTable,
    "fit-text": FitText,
}


def recipe_kind(name: str) -> type[Recipe]:
    """The class of a recipe that a run folder names: one of the catalogue's, or one that `chainrule fit` made.

    Args:
        name: as `recipe.json` has it.

    Example:
        >>> recipe_kind("karate-gcn").__name__
        'KarateGcn'
    """
    return FITTED[name] if name in FITTED else type(find_recipe(name))


def find_recipe(name: str) -> Recipe:
    """The recipe of that name, with its own settings.

    Args:
        name: as `chainrule recipes` lists it.

    Example:
        >>> find_recipe("karate-gcn").steps
        200
        >>> find_recipe("karate-gnc")
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: there is no recipe of this name. Got name='karate-gnc'; did you mean 'karate-gcn'.
    """
    if name not in RECIPES:
        near = difflib.get_close_matches(name, RECIPES, n=1)
        advice = f"did you mean {near[0]!r}" if near else "choose one of " + ", ".join(RECIPES)
        raise InputError("there is no recipe of this name", advice=advice, name=name)
    return RECIPES[name]()


def recipe_name(recipe: Recipe) -> str:
    """What a recipe is called, whatever its settings.

    Args:
        recipe: one of the catalogue's, or one that `chainrule fit` made.

    Example:
        >>> recipe_name(find_recipe("karate-gcn"))
        'karate-gcn'
    """
    made = [name for name, kind in FITTED.items() if type(recipe) is kind]
    return made[0] if made else next(name for name, function in RECIPES.items() if type(function()) is type(recipe))


def describe(name: str) -> str:
    """A recipe's first sentence.

    Args:
        name: as `chainrule recipes` lists it.

    Example:
        >>> describe("digits-lenet")
        "LeNet-5 on scikit-learn's 1,797 handwritten digits."
    """
    return (RECIPES[name].__doc__ or "").strip().splitlines()[0]
