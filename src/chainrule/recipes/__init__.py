"""Whole experiments: functions that return a frozen dataclass."""

from chainrule.recipes.catalogue import RECIPES, describe, find_recipe, recipe_name
from chainrule.recipes.digits_gan import DigitsGan, digits_gan
from chainrule.recipes.digits_lenet import DigitsLenet, digits_lenet
from chainrule.recipes.karate_gcn import KarateGcn, karate_gcn
from chainrule.recipes.python_docs_gpt import PythonDocsGpt, python_docs_gpt
from chainrule.recipes.recipe import Recipe
from chainrule.recipes.runner import command_of, load, read_recipe, resume_recipe, run_recipe
from chainrule.recipes.settings import from_plain, to_plain
from chainrule.recipes.sinusoid_maml import SinusoidMaml, sinusoid_maml

__all__ = [
    "RECIPES",
    "DigitsGan",
    "DigitsLenet",
    "KarateGcn",
    "PythonDocsGpt",
    "Recipe",
    "SinusoidMaml",
    "command_of",
    "describe",
    "digits_gan",
    "digits_lenet",
    "find_recipe",
    "from_plain",
    "karate_gcn",
    "load",
    "python_docs_gpt",
    "read_recipe",
    "recipe_name",
    "resume_recipe",
    "run_recipe",
    "sinusoid_maml",
    "to_plain",
]
