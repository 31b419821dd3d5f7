"""`chainrule predict`: what a trained model says of new examples."""

import csv
import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainrule.cli.words import wants_help
from chainrule.errors import InputError
from chainrule.recipes import Fitted, Trained, load

_HELP = """\
chainrule predict RUN INPUTS... [--out FILE]: answers to new examples, as CSV

RUN is a folder that `chainrule fit` made; INPUTS are files or folders of the kind that it learnt from.
Without --out the answers are printed. They are written as they come: inputs may be of any size.

Example:
  chainrule predict runs/photos new/1.jpg new/2.jpg --out answers.csv
"""


@dataclass(frozen=True)
class _Wish:
    out: Path | None = None


def predict(words: Sequence[str]) -> int:
    """Answers to new examples.

    Args:
        words: the rest of the command line: the run's folder, the inputs, and flags.

    Example:
        >>> predict([])
        chainrule predict RUN INPUTS... [--out FILE]: answers to new examples, as CSV
        ...
        0
    """
    if wants_help(words) or not words:
        print(_HELP, end="")
        return 0
    import tyro

    given = list(itertools.takewhile(lambda word: not word.startswith("-"), words))
    wish = tyro.cli(_Wish, args=list(words[len(given) :]), prog="chainrule predict RUN INPUTS...")
    if len(given) < 2:
        advice = "write `chainrule predict RUN INPUTS...`"
        raise InputError("say which run, and which files to answer for", advice=advice, words=list(words))
    model = load(given[0])
    paths = [Path(word) for word in given[1:]]
    for path in paths:
        if not path.exists():
            raise InputError("an input must exist", advice="check the name and the folder", path=str(path))
    with ExitStack() as opened:
        file = opened.enter_context(wish.out.open("w", encoding="utf-8", newline="")) if wish.out else sys.stdout
        count = _write(file, _answers(model, paths))
    if wish.out:
        print(f"{count:,} answers: {wish.out.resolve()}")
    return 0


def _answers(model: Trained, paths: Sequence[Path]) -> Iterator[Mapping[str, Sequence[Any]]]:
    recipe = model.recipe
    if not isinstance(recipe, Fitted):
        advice = "`chainrule sample` draws from a generative model; in Python, call the model itself"
        raise InputError("only what `chainrule fit` made can predict", advice=advice, recipe=type(recipe).__name__)
    for names, rows in recipe.read(paths):
        answers = recipe.answered(model.network, rows)
        yield answers if len(next(iter(answers.values()))) != len(names) else {"input": names, **answers}


def _write(file: Any, parts: Iterator[Mapping[str, Sequence[Any]]]) -> int:
    """One line per answer, to whatever can be written to; how many there were."""
    count, writer = 0, csv.writer(file, lineterminator="\n")
    for part in parts:
        if not count:
            writer.writerow(part)
        lines = list(zip(*part.values(), strict=True))
        writer.writerows([_short(value) for value in line] for line in lines)
        count += len(lines)
    return count


def _short(value: Any) -> Any:
    return f"{value:.6g}" if isinstance(value, float) else value
