"""`nn.Module` blocks that own parameters (or buffers) and that torch lacks."""

from chainrule.layers.graph_conv import GraphConv
from chainrule.layers.pixels import Pixels
from chainrule.layers.task_norm import TaskNorm

__all__ = ["GraphConv", "Pixels", "TaskNorm"]
