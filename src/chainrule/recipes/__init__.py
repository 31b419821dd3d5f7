"""Whole experiments: functions that return a frozen dataclass."""

from chainrule.recipes.budget import Budget, budget
from chainrule.recipes.catalogue import FITTED, RECIPES, describe, find_recipe, recipe_kind, recipe_name
from chainrule.recipes.digits_gan import DigitsGan, digits_gan
from chainrule.recipes.digits_lenet import DigitsLenet, digits_lenet
from chainrule.recipes.export import Exported, Form, export
from chainrule.recipes.fit_nodes import FitNodes, plan_nodes
from chainrule.recipes.fit_phrases import FitPhrases, plan_phrases
from chainrule.recipes.fit_pictures import FitPictures, plan_pictures
from chainrule.recipes.fit_series import FitSeries, plan_series
from chainrule.recipes.fit_table import FitTable, plan_table
from chainrule.recipes.fit_text import FitText, plan_text
from chainrule.recipes.fitted import Answers, Asked, Fitted
from chainrule.recipes.karate_gcn import KarateGcn, karate_gcn
from chainrule.recipes.python_docs_gpt import PythonDocsGpt, python_docs_gpt
from chainrule.recipes.recipe import Recipe
from chainrule.recipes.runner import command_of, load, read_recipe, resume_recipe, run_recipe
from chainrule.recipes.settings import from_plain, to_plain
from chainrule.recipes.sinusoid_maml import SinusoidMaml, sinusoid_maml
from chainrule.recipes.trained import Trained
from chainrule.recipes.understanding import kind_of, understand

__all__ = [
    "FITTED",
    "RECIPES",
    "Answers",
    "Asked",
    "Budget",
    "DigitsGan",
    "DigitsLenet",
    "Exported",
    "FitNodes",
    "FitPhrases",
    "FitPictures",
    "FitSeries",
    "FitTable",
    "FitText",
    "Fitted",
    "Form",
    "KarateGcn",
    "PythonDocsGpt",
    "Recipe",
    "SinusoidMaml",
    "Trained",
    "budget",
    "command_of",
    "describe",
    "digits_gan",
    "digits_lenet",
    "export",
    "find_recipe",
    "from_plain",
    "karate_gcn",
    "kind_of",
    "load",
    "plan_nodes",
    "plan_phrases",
    "plan_pictures",
    "plan_series",
    "plan_table",
    "plan_text",
    "python_docs_gpt",
    "read_recipe",
    "recipe_kind",
    "recipe_name",
    "resume_recipe",
    "run_recipe",
    "sinusoid_maml",
    "to_plain",
    "understand",
]
