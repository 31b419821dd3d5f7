"""Draws samples from trained models."""

from chainrule.generate.cut import top_k, top_p
from chainrule.generate.text import text

__all__ = ["text", "top_k", "top_p"]
