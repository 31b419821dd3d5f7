"""`chainrule COMMAND`: finds the command, and turns what went wrong into one sentence and an exit status."""

import difflib
import logging
import os
import sys
from collections.abc import Callable, Sequence

from chainrule.cli.recipes import recipes, run, show
from chainrule.cli.runs import resume, runs, sample
from chainrule.errors import InputError, NonFiniteError

COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "recipes": recipes,
    "show": show,
    "run": run,
    "resume": resume,
    "sample": sample,
    "runs": runs,
}

HELP = """\
chainrule: deep learning as the courses teach it, under one roof

  chainrule recipes                list the experiments that are ready to run
  chainrule show NAME              one experiment: what it is, and all its settings
  chainrule run NAME --out DIR     train it into a new folder; any setting can be changed:
                                   --steps 500  --optimizer.lr 3e-4
  chainrule resume DIR             go on with a run that was stopped or killed
  chainrule sample DIR             draw text or pictures from a trained generative model
  chainrule runs                   list the runs below ./runs and how they went

Example:
  chainrule run digits-lenet --out runs/digits

`chainrule COMMAND --help` tells more of each. Exit status: 0 done, 1 wrong input (one sentence says what),
2 wrong flags, 3 a loss that is not finite, 128 + N stopped by signal N after saving.
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
    if not words or words[0] in {"-h", "--help", "help"}:
        print(HELP, end="")
        return 0
    if words[0] == "--version":
        from chainrule import __version__

        print(__version__)
        return 0
    try:
        return _command(words[0])(words[1:])
    except BrokenPipeError:  # `chainrule runs | head` is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (InputError, OSError) as error:
        print(f"chainrule: {error}", file=sys.stderr)
        return 1
    except NonFiniteError as error:
        print(f"chainrule: {error}", file=sys.stderr)
        return 3


def run_process() -> None:
    """What the `chainrule` script calls: the process ends with the command's exit status."""
    sys.exit(main())


def _command(name: str) -> Callable[[Sequence[str]], int]:
    if name not in COMMANDS:
        near = difflib.get_close_matches(name, COMMANDS, n=1)
        advice = f"did you mean {near[0]!r}" if near else "choose one of " + ", ".join(COMMANDS)
        raise InputError("there is no command of this name", advice=advice, name=name)
    return COMMANDS[name]
