"""Pure functions on tensors."""

from chainrule.functional.attention import causal_attention
from chainrule.functional.forecasting import coverage, level_and_scale, pinball, weighted_quantile_loss
from chainrule.functional.graph import propagate, symmetric
from chainrule.functional.likeness import frechet_distance, precision_recall

__all__ = [
    "causal_attention",
    "coverage",
    "frechet_distance",
    "level_and_scale",
    "pinball",
    "precision_recall",
    "propagate",
    "symmetric",
    "weighted_quantile_loss",
]
