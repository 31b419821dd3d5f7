"""`chainrule recipes`, `show` and `run`: experiments by name."""

import io
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

from chainrule.cli.words import table, wants_help
from chainrule.recipes import RECIPES, Recipe, describe, find_recipe, recipe_name, run_recipe
from chainrule.report import Outcome, Progress, number
from chainrule.training import Run, exit_code

_RECIPES_HELP = """\
chainrule recipes: lists the experiments that are ready to run

Example:
  chainrule recipes
"""

_SHOW_HELP = """\
chainrule show NAME: what an experiment is, and all its settings

Example:
  chainrule show digits-lenet
"""


def recipes(words: Sequence[str]) -> int:
    """Lists the recipes.

    Args:
        words: the rest of the command line.

    Example:
        >>> recipes(["--help"])
        chainrule recipes: lists the experiments that are ready to run
        ...
        0
    """
    if wants_help(words):
        print(_RECIPES_HELP, end="")
        return 0
    table(("recipe", "what it is"), [(name, describe(name)) for name in RECIPES])
    return 0


def show(words: Sequence[str]) -> int:
    """Tells what a recipe is, and its settings.

    Args:
        words: the rest of the command line.

    Example:
        >>> show(["--help"])
        chainrule show NAME: what an experiment is, and all its settings
        ...
        0
    """
    if wants_help(words) or not words:
        print(_SHOW_HELP, end="")
        return 0
    recipe = find_recipe(words[0])
    print("\n".join(line.strip() for line in (RECIPES[words[0]].__doc__ or "").strip().splitlines()))
    print(f"\nData: {recipe.source}\nLimits: {recipe.limits}\n")
    table(("setting", "value"), _settings(recipe, ""))
    print(f"\nchainrule run {words[0]} --out runs/{words[0]}")
    return 0


def _settings(value: Any, prefix: str) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for field in fields(value):
        inner = getattr(value, field.name)
        name = f"{prefix}{field.name.replace('_', '-')}"
        if getattr(type(inner), "__dataclass_fields__", None):
            rows += [(name, type(inner).__name__), *_settings(inner, f"{name}.")]
        else:
            rows.append((f"--{name}", " ".join(map(str, inner)) if isinstance(inner, tuple) else str(inner)))
    return rows


def run(words: Sequence[str]) -> int:
    """Trains a recipe into a new folder.

    Args:
        words: the rest of the command line: the recipe's name, `--out`, and settings.

    Example:
        >>> run([])
        chainrule run NAME --out DIR [settings]: trains an experiment into a new folder
        ...
        0
    """
    if not words or words[0] in {"-h", "--help"}:
        print(_RUN_HELP, end="")
        return 0
    recipe, folder = _parsed(find_recipe(words[0]), words[1:])
    trained, outcome = run_recipe(recipe, folder, hooks=[Progress()])
    return tell(trained, outcome, folder)


_RUN_HELP = """\
chainrule run NAME --out DIR [settings]: trains an experiment into a new folder

`chainrule run NAME --help` lists the settings of that experiment, `chainrule recipes` the experiments.
Without --out the folder is runs/NAME, or runs/NAME-2 and so on where that is taken.

Example:
  chainrule run digits-lenet --out runs/digits --steps 500 --optimizer.lr 3e-4
"""


def _parsed(recipe: Recipe, words: Sequence[str]) -> tuple[Recipe, Path]:
    """The recipe with the settings that were typed, and the folder; flags are typed by the recipe's own fields."""
    import tyro

    name = recipe_name(recipe)

    def command(settings: Any, out: Path | None = None) -> tuple[Recipe, Path | None]:
        return settings, out

    command.__annotations__["settings"] = Annotated[type(recipe), tyro.conf.arg(name="")]
    command.__defaults__ = (recipe, None)
    command.__doc__ = (
        f"{describe(name)}\n\nExample: chainrule run {name} --out runs/mine --steps 500 --optimizer.lr 3e-4\n\n"
        f"Args:\n    settings: of the experiment.\n    out: the folder of the run, a new one."
    )
    config = (tyro.conf.ConsolidateSubcommandArgs, tyro.conf.AvoidSubcommands, tyro.conf.FlagConversionOff)
    with _without_formulas():
        changed, folder = tyro.cli(command, args=list(words), prog=f"chainrule run {name}", config=config)
    return changed, folder or _free(Path("runs") / name)


@contextmanager
def _without_formulas() -> Generator[None]:
    """Help is made from docstrings; their formulas belong on a page, not in a terminal."""
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            yield
    finally:
        print(re.sub(r"^[^\n]*\$\$.*?\$\$[^\n]*\n", "", printed.getvalue(), flags=re.DOTALL | re.MULTILINE), end="")


def _free(folder: Path) -> Path:
    """The folder, or the first of `folder-2`, `folder-3`, ... that is not taken."""
    if not folder.exists():
        return folder
    number = 2
    while (taken := folder.with_name(f"{folder.name}-{number}")).exists():
        number += 1
    return taken


def tell(run: Run, outcome: Outcome | None, folder: Path) -> int:
    """Prints how a run ended and where it lies, and returns the exit status.

    Args:
        run: how far it got.
        outcome: its final numbers, or `None` if it was stopped.
        folder: where it lies.
    """
    if outcome is None:
        print(f"Stopped at step {run.step} of {run.steps} ({run.stopped}); saved. Go on: chainrule resume {folder}")
        return exit_code(run)
    names = list(outcome.metrics)
    rows = [("this run", *(number(outcome.metrics[name]) for name in names))]
    for rival, metrics in outcome.baselines.items():
        rows.append((rival, *(number(metrics[name]) if name in metrics else "" for name in names)))
    table(("", *names), rows)
    print(f"Bar: {outcome.bar}: {'reached' if outcome.reached else 'NOT reached'}.")
    print(f"Report: {(folder / 'report.html').resolve()}")
    return 0
