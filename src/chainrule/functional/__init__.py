"""Pure functions on tensors."""

from chainrule.functional.graph import propagate, symmetric

__all__ = ["propagate", "symmetric"]
