"""The loop: fit, Run, Hook, evaluation, checkpoints, resume."""

from chainrule.training.evaluate import Evaluate, counted, evaluate
from chainrule.training.fit import fit
from chainrule.training.hook import Hook
from chainrule.training.run import Learner, Run

__all__ = ["Evaluate", "Hook", "Learner", "Run", "counted", "evaluate", "fit"]
