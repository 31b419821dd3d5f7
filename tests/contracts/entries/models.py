"""How the contract suite builds every public name of `chainrule.models`."""

import torch
from torch import nn

from chainrule.models import Network, conv4, lenet5, mlp
from contracts.entry import Module

ENTRIES = {
    "Network": Module(
        build=lambda: Network(nn.Linear(3, 4), nn.Linear(4, 2)),
        inputs=lambda: (torch.randn(5, 3),),
    ),
    "conv4": Module(build=lambda: conv4(3, width=4, side=16), inputs=lambda: (torch.rand(2, 1, 16, 16),)),
    "lenet5": Module(build=lenet5, inputs=lambda: (torch.rand(2, 1, 8, 8),)),
    "mlp": Module(build=lambda: mlp((6, 5, 4)), inputs=lambda: (torch.randn(3, 2, 3),)),
}
