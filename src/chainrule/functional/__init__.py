"""Pure functions on tensors."""

from chainrule.functional.attention import causal_attention
from chainrule.functional.graph import propagate, symmetric

__all__ = ["causal_attention", "propagate", "symmetric"]
