"""Chainrule: deep learning as the courses teach it, under one roof."""

from chainrule import data, functional, layers, learners, models, objectives, optim, training
from chainrule.errors import CheckpointError, InputError, NonFiniteError, SampleError
from chainrule.training import fit

__version__ = "0.1.0"

__all__ = [
    "CheckpointError",
    "InputError",
    "NonFiniteError",
    "SampleError",
    "data",
    "fit",
    "functional",
    "layers",
    "learners",
    "models",
    "objectives",
    "optim",
    "training",
]
