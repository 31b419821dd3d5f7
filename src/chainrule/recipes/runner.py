"""From a recipe to a run folder, and from a run folder back."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from chainrule.data import seeded
from chainrule.errors import CheckpointError, InputError
from chainrule.recipes.catalogue import describe, find_recipe, recipe_kind, recipe_name
from chainrule.recipes.fitted import Fitted
from chainrule.recipes.recipe import Recipe
from chainrule.recipes.settings import from_plain, to_plain
from chainrule.recipes.threads import running_on
from chainrule.recipes.trained import Trained
from chainrule.report import About, Outcome, Resources, place, write_report
from chainrule.training import Hook, Learner, Metrics, Run, Save, StopOnSignal, fit, load_model, resume, save_model

SETTINGS = "recipe.json"
_JUDGED = "judged.json"
_TOLD_ELSEWHERE = frozenset({"asked", "data", "notes", "vocabulary"})  # in a report: as the command, and under "Data"
_MOST_BYTES = 1 << 24  # a recipe is a page of settings, or holds the words of a table; a larger file is neither
_SAVES = 10  # checkpoints per run, unless the run is short


def run_recipe(recipe: Recipe, folder: Path, *, hooks: Sequence[Hook] = ()) -> tuple[Run, Outcome | None]:
    """Trains a recipe into a new folder: settings, checkpoints, metrics, model, card and report.

    Args:
        recipe: what to train.
        folder: where; it must not hold a run already.
        hooks: what else should watch.

    Example:
        >>> import tempfile
        >>> from dataclasses import replace
        >>> folder = Path(tempfile.mkdtemp()) / "club"
        >>> run, outcome = run_recipe(replace(find_recipe("karate-gcn"), steps=1, seeds=1), folder)
        >>> sorted(path.name for path in folder.iterdir())[:4]
        ['card.md', 'metrics.jsonl', 'model.safetensors', 'recipe.json']
    """
    if (folder / SETTINGS).exists():
        raise InputError(
            "a run folder is never overwritten",
            advice=f"go on with `chainrule resume {shlex.quote(str(folder))}`, or choose another --out",
            folder=str(folder),
        )
    folder.mkdir(parents=True, exist_ok=True)
    settings = {"recipe": recipe_name(recipe), "settings": to_plain(recipe)}
    place(folder / SETTINGS, json.dumps(settings, indent=1) + "\n")
    return _train(recipe, folder, _learner(recipe), hooks, start=0)


def resume_recipe(folder: Path, *, hooks: Sequence[Hook] = (), again: bool = False) -> tuple[Run, Outcome | None]:
    """Goes on with a run from its newest whole checkpoint, to the same weights as if it had never stopped.

    A run on somebody's own data is judged once: whoever judges again, and changes something in between, has chosen by
    the test split.

    Args:
        folder: of the run.
        hooks: what else should watch.
        again: whether a run that was judged may be judged again; then its card says how often it was.

    Example:
        >>> resume_recipe(Path("nowhere"))
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: this is not the folder of a run. Got folder='nowhere'; ...
    """
    recipe = read_recipe(folder)
    if isinstance(recipe, Fitted) and _judged(folder) and not again:
        raise InputError(
            "this run is finished, and its test split was used: a second look at it would be a choice by it",
            advice="read its report.html; `chainrule resume --again` judges once more, and the card will say so",
            folder=str(folder),
        )
    learner = _learner(recipe)
    with running_on(recipe.threads):
        start = resume(folder, learner)
    return _train(recipe, folder, learner, hooks, start=start)


def read_recipe(folder: Path) -> Recipe:
    """The recipe that a run was made from, with that run's settings.

    Args:
        folder: of the run.

    Example:
        >>> read_recipe(Path("nowhere"))
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: this is not the folder of a run. Got folder='nowhere'; ...
    """
    file = folder / SETTINGS
    if not file.is_file():
        raise InputError(
            "this is not the folder of a run",
            advice=f"a run has a {SETTINGS}; `chainrule runs` lists what there is",
            folder=str(folder),
        )
    if file.stat().st_size > _MOST_BYTES:
        raise CheckpointError(f"`{file}` is too large for a recipe", advice="restore it", bytes=file.stat().st_size)
    try:
        found: Any = json.loads(file.read_text("utf-8"))
        name, plain = found["recipe"], found["settings"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CheckpointError(
            f"`{file}` is no recipe ({type(error).__name__})", advice="restore it, or start a new run"
        ) from error
    if not isinstance(name, str):
        raise CheckpointError(f"`{file}` names no recipe", advice="restore it, or start a new run", recipe=name)
    return from_plain(recipe_kind(name), plain, "settings")


def load(folder: Path | str) -> Trained:
    """The trained network of a run, in evaluation mode, its preprocessing inside: ready to be called, or to predict.

    Args:
        folder: of the run.

    Example:
        >>> load("nowhere")
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: this is not the folder of a run. Got folder='nowhere'; ...
    """
    recipe = read_recipe(Path(folder))
    model = _learner(recipe).model
    load_model(Path(folder) / "model.safetensors", model)
    return Trained(model, recipe)


def command_of(recipe: Recipe, folder: Path) -> str:
    """What to type to repeat a run: every setting that is not the recipe's own.

    Args:
        recipe: with the settings of the run.
        folder: where the run goes.

    Example:
        >>> from dataclasses import replace
        >>> command_of(replace(find_recipe("karate-gcn"), seed=3), Path("runs/club"))
        'chainrule run karate-gcn --out runs/club --seed 3'
    """
    if isinstance(recipe, Fitted):
        return recipe.command(folder)
    name = recipe_name(recipe)
    begin = f"chainrule run {name} --out {shlex.quote(str(folder))}"
    return " ".join([begin, *_changed(find_recipe(name), recipe, "")])


def _changed(before: Any, after: Any, prefix: str) -> list[str]:
    words: list[str] = []
    for field in fields(after):
        old, new = getattr(before, field.name), getattr(after, field.name)
        name = f"{prefix}{field.name.replace('_', '-')}"
        if old == new:
            continue
        if isinstance(to_plain(new), dict) and type(old) is type(new):
            words += _changed(old, new, f"{name}.")
        elif isinstance(new, tuple):
            words.append(f"--{name} " + " ".join(map(str, new)))  # pyright: ignore[reportUnknownArgumentType]
        elif isinstance(new, bool):
            words.append(f"--{name}" if new else f"--{prefix}no-{field.name.replace('_', '-')}")
        else:
            words.append(f"--{name} {new}")
    return words


def _learner(recipe: Recipe) -> Learner:
    with seeded(recipe.seed):
        return recipe.learner()


def _train(
    recipe: Recipe, folder: Path, learner: Learner, hooks: Sequence[Hook], *, start: int
) -> tuple[Run, Outcome | None]:
    """Trains from `start`; the outcome is `None` if the run was stopped before its last step."""
    every = max(1, min(recipe.steps // _SAVES, 1000))
    services = [
        *recipe.hooks(),
        Metrics(folder, every=max(1, min(50, recipe.steps // 20))),
        Save(folder, every=every),
        Resources(),
        StopOnSignal(),
        *hooks,
    ]
    with running_on(recipe.threads):
        run = fit(learner, recipe.batches(), steps=recipe.steps, hooks=services, start=start, seed=recipe.seed)
        if run.stopped is not None:
            return run, None
        model = learner.model.eval()
        if recipe.finish(model):
            save_model(folder / "model.safetensors", model)
        outcome = recipe.outcome(model)
    times = _judged(folder) + 1 if isinstance(recipe, Fitted) else 0
    if times > 1:
        outcome = replace(outcome, note=f"{outcome.note} The test split was used {times} times.".strip())
    write_report(folder, run, outcome, _about(recipe, folder))
    if times:
        place(folder / _JUDGED, json.dumps({"times": times}) + "\n")
    return run, outcome


def _judged(folder: Path) -> int:
    """How often a run was judged on its test split."""
    try:
        times: Any = json.loads((folder / _JUDGED).read_text("utf-8"))["times"]
    except FileNotFoundError:
        return 0
    except (ValueError, KeyError, TypeError, RecursionError):
        return 1  # somebody has been here
    return times if type(times) is int and times > 0 else 1


def _about(recipe: Recipe, folder: Path) -> About:
    sampled = type(recipe).sample is not Recipe.sample
    about = About(
        name=recipe_name(recipe),
        description=describe(recipe_name(recipe)) if not isinstance(recipe, Fitted) else recipe.title,
        command=command_of(recipe, folder),
        limits=recipe.limits,
        data=recipe.provenance(),
        sample=f"chainrule sample {shlex.quote(str(folder))}" if sampled else "",
    )
    if not isinstance(recipe, Fitted):
        return about
    told = {name: value for name, value in _plain_settings(recipe).items() if name not in _TOLD_ELSEWHERE}
    return replace(about, name=Path(recipe.data).name, settings={"recipe": about.name, **told})


def _plain_settings(recipe: Recipe) -> dict[str, Any]:
    plain = to_plain(recipe)
    return plain if isinstance(plain, dict) else {}
