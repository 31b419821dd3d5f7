"""How the contract suite builds every public name of `chainrule.layers`."""

import torch

from chainrule.layers import GraphConv, Pixels, TaskNorm
from contracts.entry import Module

ENTRIES = {
    "GraphConv": Module(
        build=lambda: GraphConv(3, 4),
        inputs=lambda: (torch.rand(5, 3), torch.tensor([[0, 1, 1, 3], [1, 0, 2, 4]])),
    ),
    "Pixels": Module(
        build=lambda: Pixels(mean=(0.5, 0.4, 0.3), deviation=(0.2, 0.2, 0.1), side=6),
        inputs=lambda: (torch.rand(2, 3, 8, 8),),
    ),
    "TaskNorm": Module(build=lambda: TaskNorm(3), inputs=lambda: (torch.rand(2, 3, 4, 4),)),
}
