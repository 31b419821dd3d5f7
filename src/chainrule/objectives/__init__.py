"""What is to be minimised: `objective(model, batch) -> Loss`; objectives wrap objectives."""

from chainrule.objectives.adapted import Adapted
from chainrule.objectives.adversarial import (
    Game,
    Hinge,
    LeastSquares,
    Minimax,
    NonSaturating,
    gradient_penalty,
)
from chainrule.objectives.classify import Classify, accuracy
from chainrule.objectives.every_member import EveryMember
from chainrule.objectives.next_token import NextToken
from chainrule.objectives.objective import Loss, Model, Objective, tried
from chainrule.objectives.quantile import Quantile
from chainrule.objectives.regress import Regress

__all__ = [
    "Adapted",
    "Classify",
    "EveryMember",
    "Game",
    "Hinge",
    "LeastSquares",
    "Loss",
    "Minimax",
    "Model",
    "NextToken",
    "NonSaturating",
    "Objective",
    "Quantile",
    "Regress",
    "accuracy",
    "gradient_penalty",
    "tried",
]
