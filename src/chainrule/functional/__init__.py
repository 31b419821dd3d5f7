"""Pure functions on tensors."""

from chainrule.functional.attention import causal_attention
from chainrule.functional.graph import propagate, symmetric
from chainrule.functional.likeness import frechet_distance, precision_recall

__all__ = ["causal_attention", "frechet_distance", "precision_recall", "propagate", "symmetric"]
