"""`nn.Module` blocks that own parameters (or buffers) and that torch lacks."""

from chainrule.layers.graph_conv import GraphConv
from chainrule.layers.members import MemberLinear, Members
from chainrule.layers.piecewise_linear import PiecewiseLinear
from chainrule.layers.pixels import Pixels
from chainrule.layers.task_norm import TaskNorm
from chainrule.layers.temperature import Temperature, best_temperature

__all__ = [
    "GraphConv",
    "MemberLinear",
    "Members",
    "PiecewiseLinear",
    "Pixels",
    "TaskNorm",
    "Temperature",
    "best_temperature",
]
