"""How an update is made: rules, schedules, averages; torch's own optimisers wherever torch has them."""

from chainrule.optim.average import Ema
from chainrule.optim.rules import AdamW, Rule, Sgd
from chainrule.optim.schedules import Constant, Schedule, WarmupCosine
from chainrule.optim.stepper import Stepper

__all__ = ["AdamW", "Constant", "Ema", "Rule", "Schedule", "Sgd", "Stepper", "WarmupCosine"]
