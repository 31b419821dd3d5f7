"""One class per way of learning: what changes the numbers."""

from chainrule.learners.gradient import Gradient
from chainrule.learners.maml import Maml
from chainrule.learners.nonfinite import blame

__all__ = ["Gradient", "Maml", "blame"]
