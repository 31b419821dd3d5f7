"""What is to be minimised: `objective(model, batch) -> Loss`; objectives wrap objectives."""

from chainrule.objectives.adapted import Adapted
from chainrule.objectives.classify import Classify, accuracy
from chainrule.objectives.next_token import NextToken
from chainrule.objectives.objective import Loss, Model, Objective
from chainrule.objectives.regress import Regress

__all__ = ["Adapted", "Classify", "Loss", "Model", "NextToken", "Objective", "Regress", "accuracy"]
