"""`chainrule COMMAND`: finds the command, and turns what went wrong into one sentence and an exit status."""

import difflib
import errno
import logging
import os
import sys
from collections.abc import Callable, Sequence

from chainrule.cli.export import export
from chainrule.cli.fit import fit
from chainrule.cli.predict import predict
from chainrule.cli.recipes import recipes, run, show
from chainrule.cli.runs import resume, runs, sample
from chainrule.cli.serve import serve
from chainrule.errors import InputError, NonFiniteError

COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "fit": fit,
    "predict": predict,
    "serve": serve,
    "export": export,
    "recipes": recipes,
    "show": show,
    "run": run,
    "resume": resume,
    "sample": sample,
    "runs": runs,
}

_FLAGS = ("--help", "--version")

HELP = """\
chainrule: deep learning as the courses teach it, under one roof

  chainrule fit DATA               train a model on your own data: a table, pictures, text
  chainrule predict RUN INPUTS     what a fitted model says of new examples, as CSV
  chainrule serve RUN              ask it on a page in the browser, or from programs in JSON
  chainrule export RUN             a trained network for other programs: ONNX, or torch alone
  chainrule recipes                list the experiments that are ready to run
  chainrule show NAME              one experiment: what it is, and all its settings
  chainrule run NAME --out DIR     train it into a new folder; any setting can be changed:
                                   --steps 500  --optimizer.lr 3e-4
  chainrule resume DIR             go on with a run that was stopped or killed
  chainrule sample DIR             draw text or pictures from a trained generative model
  chainrule runs                   list the runs below ./runs and how they went

Examples:
  chainrule fit sales.csv --target units
  chainrule run digits-lenet --out runs/digits

`chainrule COMMAND --help` tells more of each, `chainrule run NAME --help` the settings of an experiment.
Exit status: 0 done, 1 wrong input (one sentence says what), 2 wrong flags, 3 a loss that is not finite,
128 + N stopped by signal N after saving.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status.

    Args:
        arguments: the words after `chainrule`; the process's own if `None`.

    Example:
        >>> main(["recipe"])
        1
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    try:
        return _obey(words)
    except BrokenPipeError:  # `chainrule runs | head` is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (InputError, OSError, NonFiniteError, KeyboardInterrupt) as error:
        said, status = _told(error)
        print(f"chainrule: {said}", file=sys.stderr)
        return status


def run_process() -> None:
    """What the `chainrule` script calls: the process ends with the command's exit status."""
    sys.exit(main())


def _obey(words: Sequence[str]) -> int:
    if not words or words[0] in {"-h", "--help"}:
        print(HELP, end="")
        return 0
    if words[0] == "--version":
        from chainrule import __version__

        print(__version__)
        return 0
    return _command(words[0])(words[1:])


def _command(name: str) -> Callable[[Sequence[str]], int]:
    if name not in COMMANDS:
        near = difflib.get_close_matches(name, [*COMMANDS, *_FLAGS], n=1)
        advice = f"did you mean {near[0]!r}" if near else "choose one of " + ", ".join(COMMANDS)
        raise InputError("there is no command of this name", advice=advice, name=name)
    return COMMANDS[name]


def _told(error: BaseException) -> tuple[str, int]:
    """What went wrong as one sentence, and the exit status."""
    if isinstance(error, NonFiniteError):
        return str(error), 3
    if isinstance(error, KeyboardInterrupt):  # before the first step or after the last: between them a run saves
        return "interrupted; what a run has saved stays, and `chainrule resume DIR` goes on from it.", 130
    return _refused(error) if isinstance(error, OSError) else str(error), 1


def _refused(error: OSError) -> str:
    """What the system said, without its number, and what to do about it."""
    fact = f"the system refused: {(error.strerror or str(error) or type(error).__name__).lower()}"
    if isinstance(error, PermissionError):
        advice = "choose a folder that you may write in"
    elif error.errno == errno.ENOSPC:
        advice = "make room, then go on with `chainrule resume DIR`"
    else:
        advice = "look at this path, then try again"
    received = {} if error.filename is None else {"path": str(error.filename)}
    return str(InputError(fact, advice=advice, **received))
