"""The loop: fit, Run, Hook, evaluation, checkpoints, resume."""

from chainrule.training.checkpoint import save
from chainrule.training.evaluate import Evaluate, counted, evaluate, evaluating
from chainrule.training.fit import fit
from chainrule.training.generators import generators_state, restore_generators
from chainrule.training.hook import Hook
from chainrule.training.metrics import Metrics, read_metrics
from chainrule.training.model_file import load_model, save_model
from chainrule.training.reading import load, newest
from chainrule.training.resume import resume
from chainrule.training.run import Learner, Run
from chainrule.training.signals import StopOnSignal, exit_code
from chainrule.training.store import Save

__all__ = [
    "Evaluate",
    "Hook",
    "Learner",
    "Metrics",
    "Run",
    "Save",
    "StopOnSignal",
    "counted",
    "evaluate",
    "evaluating",
    "exit_code",
    "fit",
    "generators_state",
    "load",
    "load_model",
    "newest",
    "read_metrics",
    "restore_generators",
    "resume",
    "save",
    "save_model",
]
