"""`chainrule resume`, `sample` and `runs`: what lies in run folders."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainrule.cli.recipes import tell, watching
from chainrule.cli.words import no_more, table, wants_help
from chainrule.errors import InputError
from chainrule.recipes import load, read_recipe, recipe_name, resume_recipe
from chainrule.report import number
from chainrule.training import read_metrics

_CHECKPOINT = re.compile(r"step-(\d{1,18})")

_SHOWN = 2  # metrics of each run

_RESUME_HELP = """\
chainrule resume DIR [--again]: goes on with a run that was stopped or killed

It takes up the newest whole checkpoint and ends with the same weights as a run that never stopped
(bit for bit on the CPU, with as many threads). A finished run is evaluated again; one that
`chainrule fit` made only with --again, as its test data is for one look: the card then says so.

Example:
  chainrule resume runs/digits-lenet
"""

_SAMPLE_HELP = """\
chainrule sample DIR [--prompt TEXT] [--count N] [--out FILE]: draws from a trained generative model

Text is printed: N characters that follow the prompt. Pictures are written to FILE, N in a grid.

Example:
  chainrule sample runs/python-docs-gpt --prompt "The with statement" --count 400
"""

_RUNS_HELP = """\
chainrule runs [DIR]: lists the runs below a folder (./runs), the newest first, and how they went

Example:
  chainrule runs
"""


def resume(words: Sequence[str]) -> int:
    """Goes on with a run.

    Args:
        words: the rest of the command line: the folder.

    Example:
        >>> resume([])
        chainrule resume DIR [--again]: goes on with a run that was stopped or killed
        ...
        0
    """
    if wants_help(words) or not words:
        print(_RESUME_HELP, end="")
        return 0
    again = "--again" in words
    folder, *others = [word for word in words if word != "--again"] or [""]
    no_more(others, "chainrule resume DIR")
    run, outcome = resume_recipe(Path(folder), hooks=watching(), again=again)
    return tell(run, outcome, Path(folder))


@dataclass(frozen=True)
class Sampling:
    """What `chainrule sample` may be told.

    Args:
        prompt: text to go on from.
        count: characters, or pictures.
        out: where pictures go; `samples.png` in the run's folder if not given.
    """

    prompt: str | None = None
    count: int = 100
    out: Path | None = None


def sample(words: Sequence[str]) -> int:
    """Draws from a trained generative model.

    Args:
        words: the rest of the command line: the folder, and flags.

    Example:
        >>> sample([])
        chainrule sample DIR [--prompt TEXT] [--count N] [--out FILE]: draws from a trained generative model
        ...
        0
    """
    if wants_help(words) or not words:
        print(_SAMPLE_HELP, end="")
        return 0
    import tyro

    folder = Path(words[0])
    recipe = read_recipe(folder)
    wish = tyro.cli(Sampling, args=list(words[1:]), prog="chainrule sample DIR")
    print(recipe.sample(load(folder).network, wish.prompt, wish.count, wish.out or folder / "samples.png"))
    return 0


def runs(words: Sequence[str]) -> int:
    """Lists the runs below a folder.

    Args:
        words: the rest of the command line: the folder, `runs` if none.

    Example:
        >>> runs(["--help"])
        chainrule runs [DIR]: lists the runs below a folder (./runs), the newest first, and how they went
        ...
        0
    """
    if wants_help(words):
        print(_RUNS_HELP, end="")
        return 0
    no_more(words[1:], "chainrule runs DIR")
    root = Path(words[0] if words else "runs")
    if not root.is_dir():
        raise InputError("there is no such folder", advice="`chainrule run NAME` makes the first run", folder=str(root))
    found = sorted(root.rglob("recipe.json"), key=lambda file: file.stat().st_mtime, reverse=True)
    table(("folder", "recipe", "step", "state", "last metrics"), [_row(file.parent) for file in found])
    return 0


def _row(folder: Path) -> tuple[str, str, str, str, str]:
    try:
        recipe = read_recipe(folder)
    except InputError as error:
        return str(folder), "?", "?", "damaged", str(error)
    entries = read_metrics(folder / "metrics.jsonl") if (folder / "metrics.jsonl").is_file() else []
    metrics, state = _outcome(folder)
    metrics = metrics or {name: value for entry in entries[-3:] for name, value in entry.items()}
    shown = [f"{name.replace('_', ' ')} {number(value)}" for name, value in metrics.items() if name != "step"]
    saved = [int(name[1]) for path in (folder / "state").glob("step-*") if (name := _CHECKPOINT.fullmatch(path.name))]
    step = max([int(entries[-1]["step"]) if entries else 0, *saved])
    return (
        str(folder),
        recipe_name(recipe),
        f"{number(step)} of {number(recipe.steps)}",
        state,
        "  ".join(shown[:_SHOWN]),
    )


def _outcome(folder: Path) -> tuple[dict[str, float], str]:
    """The final numbers that stand in the run's summary, where it was finished, and whether they are good enough."""
    try:
        found: Any = json.loads((folder / "summary.json").read_text("utf-8"))["outcome"]
        metrics = {str(name): float(value) for name, value in found["metrics"].items()}
        return metrics, "bar reached" if found["reached"] else "bar missed"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}, "unfinished"
