"""Chainrule: deep learning as the courses teach it, under one roof."""

from pathlib import Path
from typing import TYPE_CHECKING

from chainrule import data, functional, generate, layers, learners, models, objectives, optim, training
from chainrule.errors import CheckpointError, InputError, NonFiniteError, SampleError
from chainrule.training import fit

if TYPE_CHECKING:
    from chainrule.recipes import Trained

__version__ = "0.1.0"

__all__ = [
    "CheckpointError",
    "InputError",
    "NonFiniteError",
    "SampleError",
    "data",
    "fit",
    "functional",
    "generate",
    "layers",
    "learners",
    "load",
    "models",
    "objectives",
    "optim",
    "training",
]


def load(folder: Path | str) -> "Trained":
    """The trained network of a run, in evaluation mode, its preprocessing inside: ready to be called, or to predict.

    Args:
        folder: of the run.

    Example:
        >>> load("nowhere")
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: this is not the folder of a run. Got folder='nowhere'; ...
    """
    from chainrule.recipes import load  # recipes bring in reports, which take a while to import

    return load(folder)
