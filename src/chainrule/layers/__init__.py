"""`nn.Module` blocks that own parameters (or buffers) and that torch lacks."""

from chainrule.layers.pixels import Pixels

__all__ = ["Pixels"]
