"""How the contract suite builds every public name of `chainrule.layers`."""

import torch

from chainrule import layers
from chainrule.layers import GraphConv, Pixels, TaskNorm
from contracts.entry import Function, Module

ENTRIES = {
    "Temperature": Module(
        build=layers.Temperature, inputs=lambda: (torch.randn(4, 3),), skips={"gradient": "it has no parameters"}
    ),
    "best_temperature": Function(example=lambda: layers.best_temperature(torch.randn(9, 3), torch.arange(9) % 3)),
    "MemberLinear": Module(build=lambda: layers.MemberLinear(5, 2, members=4), inputs=lambda: (torch.randn(3, 4, 5),)),
    "Members": Module(build=lambda: layers.Members((2, 3), members=4), inputs=lambda: (torch.randn(3, 5),)),
    "PiecewiseLinear": Module(
        build=lambda: layers.PiecewiseLinear([(0.0, 0.5, 1.0), (-1.0, 1.0)], width=4),
        inputs=lambda: (torch.rand(3, 2),),
    ),
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
