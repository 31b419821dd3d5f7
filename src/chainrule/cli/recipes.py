"""`chainrule recipes`, `show` and `run`: experiments by name."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

from chainrule.cli.settings import setting_rows
from chainrule.cli.words import no_more, table, wants_help
from chainrule.data import seeded
from chainrule.errors import InputError
from chainrule.recipes import RECIPES, Recipe, describe, find_recipe, recipe_name, run_recipe
from chainrule.report import Outcome, Progress, number
from chainrule.training import Hook, Run, exit_code

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

_RUN_HELP = """\
chainrule run NAME [--out DIR] [settings]: trains an experiment into a new folder

`chainrule run NAME --help` lists the settings of that experiment, `chainrule recipes` the experiments.
Without --out the folder is runs/NAME, or runs/NAME-2 and so on where that is taken.
Ctrl-C stops and saves; `chainrule resume DIR` goes on.

Example:
  chainrule run digits-lenet --out runs/digits --steps 500 --optimizer.lr 3e-4
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
    no_more(words, "chainrule recipes")
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
    no_more(words[1:], f"chainrule show {words[0]}")
    print(_told(words[0]))
    print(f"\nData: {recipe.source}\nLimits: {recipe.limits}\n")
    table(("setting", "value"), [row[:2] for row in setting_rows(recipe)])
    print(f"\nWhat each means: chainrule run {words[0]} --help\nTrain it: chainrule run {words[0]}")
    return 0


def _told(name: str) -> str:
    """The page of a recipe up to its example, which is Python's."""
    lines = [line.strip() for line in (RECIPES[name].__doc__ or "").strip().splitlines()]
    return "\n".join(lines[: lines.index("Example:")] if "Example:" in lines else lines).strip()


def run(words: Sequence[str]) -> int:
    """Trains a recipe into a new folder.

    Args:
        words: the rest of the command line: the recipe's name, `--out`, and settings.

    Example:
        >>> run([])
        chainrule run NAME [--out DIR] [settings]: trains an experiment into a new folder
        ...
        0
    """
    if not words or words[0] in {"-h", "--help"}:
        print(_RUN_HELP, end="")
        return 0
    if words[0].startswith("-"):
        advice = "write `chainrule run NAME --out DIR`"
        raise InputError("the first word says what to train", advice=advice, word=words[0])
    recipe = find_recipe(words[0])
    if wants_help(words):
        return _explain(recipe)
    recipe, folder = _parsed(recipe, words[1:])
    _buildable(recipe, folder)
    trained, outcome = run_recipe(recipe, folder, hooks=watching())
    return tell(trained, outcome, folder)


def _explain(recipe: Recipe) -> int:
    """What can be changed about a recipe, one line each."""
    name = recipe_name(recipe)
    print(f"chainrule run {name} [--out DIR] [settings]\n\n{fill(describe(name), 79)}")
    out = ("--out", "", f"a new folder for the run; runs/{name} if not given.")
    table(("setting", "default", "meaning"), [out, *setting_rows(recipe)])
    print(f"Example:\n  chainrule run {name} --out runs/mine --steps 500 --seed 1")
    return 0


def _parsed(recipe: Recipe, words: Sequence[str]) -> tuple[Recipe, Path]:
    """The recipe with the settings that were typed, and the folder; flags are typed by the recipe's own fields."""
    import tyro

    name = recipe_name(recipe)

    def command(settings: Any = recipe, out: Path | None = None) -> tuple[Recipe, Path | None]:
        return settings, out

    command.__annotations__["settings"] = Annotated[type(recipe), tyro.conf.arg(name="")]
    config = (tyro.conf.ConsolidateSubcommandArgs, tyro.conf.AvoidSubcommands)
    changed, folder = tyro.cli(command, args=list(words), prog=f"chainrule run {name}", config=config)
    return changed, folder or free(Path("runs") / name)


def _buildable(recipe: Recipe, folder: Path) -> None:
    """Refuses what cannot be trained while there is no folder yet: a typing error must not take its name."""
    for name in ("steps", "threads"):
        if (value := getattr(recipe, name)) < 1:
            raise InputError(f"`--{name}` must be at least 1", advice="leave it out", **{name: value})
    if folder.exists() and not folder.is_dir():
        raise InputError("a run needs a folder of its own", advice="choose another --out", file=str(folder))
    with seeded(recipe.seed):
        recipe.learner()
    recipe.batches()


class _Measures(Hook):
    """Says that there is more to wait for: the rivals of some recipes are trained, too."""

    def on_end(self, run: Run) -> None:
        """Tells it once the last step is taken."""
        if run.done and run.stopped is None:
            print("Trained. Measuring it, beside its baselines ...", file=sys.stderr)


def watching() -> list[Hook]:
    """What a person at a terminal sees of a run."""
    return [_Measures(), Progress()]  # hooks end in the opposite order


def free(folder: Path) -> Path:
    """The folder, or the first of `folder-2`, `folder-3`, ... that is not taken.

    Args:
        folder: where a run would like to lie.

    Example:
        >>> free(Path("no/such/run")).name
        'run'
    """
    if not folder.exists():
        return folder
    number = 2
    while (taken := folder.with_name(f"{folder.name}-{number}")).exists():
        number += 1
    return taken


def _last(run: Run, prefix: str) -> str:
    """The numbers of that prefix that were recorded last, in words."""
    entry = next((entry for entry in reversed(run.history) if any(name.startswith(prefix) for name in entry)), {})
    return ", ".join(
        f"{name.replace('_', ' ')} {number(value)}" for name, value in entry.items() if name.startswith(prefix)
    )


def tell(run: Run, outcome: Outcome | None, folder: Path) -> int:
    """Prints how a run ended and where it lies, and returns the exit status.

    Args:
        run: how far it got.
        outcome: its final numbers, or `None` if it was stopped.
        folder: where it lies.
    """
    if outcome is None:
        print(f"Stopped at step {run.step} of {run.steps} ({run.stopped}); saved.")
        if so_far := _last(run, "validation_"):
            print(f"So far: {so_far}.")
        print(f"Go on: chainrule resume {shlex.quote(str(folder))}")
        return exit_code(run)
    table(("", *outcome.metrics), [(name, *numbers) for name, numbers in outcome.written().items()])
    print(f"Bar: {outcome.bar}: {'reached' if outcome.reached else 'NOT reached'}.")
    print(f"Report: {(folder / 'report.html').resolve()}")
    return 0
