"""One class per way of learning: what changes the numbers."""

from chainrule.learners.adversarial import Adversarial
from chainrule.learners.compute import Compute
from chainrule.learners.gradient import Gradient
from chainrule.learners.keep_best import KeepBest
from chainrule.learners.maml import Maml
from chainrule.learners.nonfinite import blame
from chainrule.learners.rollback import Rollback

__all__ = ["Adversarial", "Compute", "Gradient", "KeepBest", "Maml", "Rollback", "blame"]
