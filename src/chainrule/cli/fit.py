"""`chainrule fit`: from somebody's data to a trained model."""

import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from chainrule.cli.recipes import free, tell, watching
from chainrule.cli.words import wants_help
from chainrule.errors import InputError
from chainrule.recipes import Asked, Fitted, run_recipe, understand

_HELP = """\
chainrule fit DATA: trains a model on your data and tells honestly how good it is

DATA is a table (.csv, .tsv, .parquet), a folder of pictures with one sub-folder per class, a text or
a folder of texts, MNIST's kind of files, or `digits`. What was decided is printed and can be corrected:

  --target COLUMN    what to predict            --minutes 5       how long training may take
  --time COLUMN      makes it a forecast        --out DIR         a new folder for the run
  --series COLUMN    which series a row is of   --dry-run         says the plan and stops
  --horizon N        steps to forecast          --seed 0          where every random number begins
  --group COLUMN     rows that stay together    --threads 2       of the CPU
  --task TASK        classify, regress, forecast, language or nodes

Ctrl-C stops and saves; `chainrule resume DIR` goes on.

Example:
  chainrule fit sales.csv --target units --minutes 2
"""


@dataclass(frozen=True)
class _Wish:
    out: Path | None = None
    dry_run: bool = False


def fit(words: Sequence[str]) -> int:
    """Trains a model on somebody's data.

    Args:
        words: the rest of the command line: the data, and flags.

    Example:
        >>> fit([])
        chainrule fit DATA: trains a model on your data and tells honestly how good it is
        ...
        0
    """
    if wants_help(words) or not words:
        print(_HELP, end="")
        return 0
    if words[0].startswith("-"):
        raise InputError("the first word says where the data lies", advice="write `chainrule fit DATA`", word=words[0])
    asked, wish = _parsed(words[1:])
    folder = wish.out or free(Path("runs") / _name(words[0]))
    if not wish.dry_run:
        _refuse_taken(folder)
    recipe = understand(words[0], asked)
    _say(recipe)
    if wish.dry_run:
        return 0
    trained, outcome = run_recipe(recipe, folder, hooks=watching())
    status = tell(trained, outcome, folder)
    if outcome is not None:
        print(f"Next: chainrule predict {shlex.quote(str(folder))} NEW_DATA --out answers.csv")
    return status


def _parsed(words: Sequence[str]) -> tuple[Asked, _Wish]:
    import tyro

    def command(asked: Any = Asked(), wish: Any = _Wish()) -> tuple[Asked, _Wish]:  # noqa: B008 (frozen values)
        return asked, wish

    command.__annotations__ |= {
        "asked": Annotated[Asked, tyro.conf.arg(name="")],
        "wish": Annotated[_Wish, tyro.conf.arg(name="")],
    }
    return tyro.cli(command, args=list(words), prog="chainrule fit DATA")


def _name(data: str) -> str:
    """A folder's name from the data's: `sales` of `../files/sales.csv.gz`."""
    stem = Path(data).resolve().name.split(".")[0]
    return re.sub(r"[^\w-]+", "-", stem).strip("-") or "fit"


def _refuse_taken(folder: Path) -> None:
    """A folder that cannot be used is refused before the data is looked at, which may take a while."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError("a run needs a new folder of its own", advice="choose another --out", out=str(folder))


def _say(recipe: Fitted) -> None:
    """The plan, one decision per line."""
    print(recipe.title)
    for note in recipe.notes:
        print(f"  - {note}")
    sys.stdout.flush()
