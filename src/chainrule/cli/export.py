"""`chainrule export`: a trained network for other programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chainrule.cli.words import wants_help
from chainrule.recipes import Form
from chainrule.recipes import export as write

_HELP = """\
chainrule export RUN [--to onnx|torch] [--out FILE]: the network, its preprocessing inside, for other programs

It takes any number of examples at once. Before it says done, the file is run (by onnxruntime, or by torch
without any code of ours) and its answers are compared with the network's.

Example:
  chainrule export runs/digits --to onnx
"""


@dataclass(frozen=True)
class _Wish:
    to: Form = "onnx"
    out: Path | None = None


def export(words: Sequence[str]) -> int:
    """Writes a run's network in another form.

    Args:
        words: the rest of the command line: the run's folder, and flags.

    Example:
        >>> export([])
        chainrule export RUN [--to onnx|torch] [--out FILE]: the network, its preprocessing inside, for other programs
        ...
        0
    """
    if wants_help(words) or not words:
        print(_HELP, end="")
        return 0
    import tyro

    wish = tyro.cli(_Wish, args=list(words[1:]), prog="chainrule export RUN")
    done = write(Path(words[0]), wish.to, wish.out)
    size = done.path.stat().st_size / 1e6
    print(f"On {done.examples} examples its answers differ by at most {done.difference:.1g} of the largest.")
    print(f"{size:.1f} MB: {done.path.resolve()}")
    return 0
