"""A trained network in a form that other programs run, compared with itself before anybody is told that it is done."""

import logging
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.recipes.runner import load
from chainrule.recipes.trained import Trained

Form = Literal["onnx", "torch"]

_ENDINGS: dict[Form, str] = {"onnx": ".onnx", "torch": ".pt2"}
_COUNTS = (1, 2, 5)  # examples at once, when it is compared
_CLOSE = 1e-3  # of the largest output: float32 sums in another order, through many layers


@dataclass(frozen=True)
class Exported:
    """A network that was written and compared.

    Args:
        path: the file.
        difference: the largest between its outputs and the network's, as a share of the largest output.
        examples: how many it was compared on.

    Example:
        >>> Exported(Path("model.onnx"), 1e-7, 8).examples
        8
    """

    path: Path
    difference: float
    examples: int


def export(folder: Path, to: Form, out: Path | None = None) -> Exported:
    r"""Writes a run's network, preprocessing inside, for any number of examples at once; and compares.

    $$\frac{\max_i |y_i - \hat y_i|}{\max_i |y_i|} \le 10^{-3}$$

    Args:
        folder: of the run.
        to: "onnx" for onnxruntime and its kin, "torch" for `torch.export.load`, which needs no code of ours.
        out: the file; `model.onnx` or `model.pt2` in the run's folder if `None`.

    Example:
        >>> export(Path("nowhere"), "onnx")
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: this is not the folder of a run. Got folder='nowhere'; ...
    """
    if to not in get_args(Form):
        raise InputError("a network can be exported to onnx or torch", advice="try --to onnx", to=to)
    trained = load(folder)
    examples = trained.recipe.batches()[0].inputs
    if len(examples[0]) < 2 or any(len(part) != len(examples[0]) for part in examples):
        raise InputError(
            "only a network that takes examples side by side can be exported",
            advice="a graph is one example; use it in Python",
            recipe=type(trained.recipe).__name__,
        )
    path = out or folder / f"model{_ENDINGS[to]}"
    write = {"onnx": _to_onnx, "torch": _to_torch}[to]
    with _quiet():
        run = write(trained, tuple(part[:2] for part in examples), path)
        return _compared(trained, run, examples, path)


def _to_onnx(network: Trained, examples: tuple[Tensor, ...], path: Path) -> Callable[..., Any]:
    try:
        import onnxruntime
        import onnxscript  # noqa: F401  # pyright: ignore[reportUnusedImport] (torch's exporter needs it)
    except ImportError as error:
        raise InputError(
            "exporting to ONNX needs three packages more", advice="pip install 'chainrule[export]'", missing=error.name
        ) from error
    torch.onnx.export(
        network, examples, path, dynamo=True, dynamic_shapes=_any_count(examples), external_data=False, verbose=False
    )
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_inputs()]

    def run(*inputs: Tensor) -> Tensor:
        given = {name: part.numpy() for name, part in zip(names, inputs, strict=True)}
        return torch.from_numpy(session.run(None, given)[0])

    return run


def _to_torch(network: Trained, examples: tuple[Tensor, ...], path: Path) -> Callable[..., Any]:
    program = torch.export.export(network, examples, dynamic_shapes=_any_count(examples), strict=True)
    torch.export.save(program, path)
    return torch.export.load(path).module()


def _any_count(examples: tuple[Tensor, ...]) -> tuple[Any, ...]:
    return (tuple({0: torch.export.Dim.DYNAMIC} for _ in examples),)  # one argument, `*inputs`


@torch.no_grad()
def _compared(network: Trained, run: Callable[..., Any], examples: tuple[Tensor, ...], path: Path) -> Exported:
    worst, count = 0.0, 0
    for number in _COUNTS:
        some = tuple(part[count : count + number] for part in examples)
        if not len(some[0]):
            break
        ours, theirs = network(*some), run(*some)
        worst = max(worst, float((ours - theirs).abs().max() / ours.abs().max().clamp(min=1e-9)))
        count += len(some[0])
    if not worst <= _CLOSE:
        path.unlink(missing_ok=True)
        raise InputError(
            "the exported network does not answer as the network does, so it was not kept",
            advice="use the run itself, with chainrule.load; and tell us",
            difference=f"{worst:.3g}",
            of_the_largest_output_at_most=_CLOSE,
        )
    return Exported(path, worst, count)


@contextmanager
def _quiet() -> Generator[None]:
    """What torch's exporter says of its own inner life is of no use to who exports."""
    before = {name: logging.getLogger(name).level for name in ("torch.onnx", "onnxscript", "onnx_ir")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for name in before:
                logging.getLogger(name).setLevel(logging.ERROR)
            yield
        finally:
            for name, level in before.items():
                logging.getLogger(name).setLevel(level)
