"""How the contract suite builds every public name of `chainrule.sources`."""

import torch

from chainrule import sources
from contracts.entry import Function, Name

ENTRIES = {
    "SHARES": Name("how much of the data learns, chooses and judges unless one says otherwise"),
    "honest_split": Function(lambda: [part.tolist() for part in sources.honest_split(torch.arange(20) // 2)]),
    "split_by_time": Function(lambda: [part.tolist() for part in sources.split_by_time(torch.tensor([3, 1, 2]))]),
}
