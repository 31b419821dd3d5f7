"""P2: one AdamW update. CPU time of one thread, microseconds per update.

Three sizes: 16.8 million numbers in 2 tensors (memory speed: 28 bytes per number are read and written), 200 small
tensors, and the 4 tensors of an MLP 784-128-10 (book-keeping). Bar: at most 1.05 x torch's own fused step.

    python bench/optimizer_step.py
"""

from collections.abc import Callable

import torch
from torch import nn

from chainrule.optim import AdamW, Stepper
from side_by_side import compare, save, show

torch.set_num_threads(1)
SIZES = {
    "16.8M in 2": ([(4096, 2048)] * 2, 3),
    "200 small": ([(64, 64)] * 200, 30),
    "MLP 784-128-10": ([(128, 784), (128,), (10, 128), (10,)], 300),
}


class Bag(nn.Module):
    """Parameters of these shapes, with random gradients."""

    def __init__(self, shapes: list[tuple[int, ...]]) -> None:
        super().__init__()
        self.each = nn.ParameterList(torch.randn(shape) for shape in shapes)
        for parameter in self.each:
            parameter.grad = torch.randn_like(parameter)


def theirs(shapes: list[tuple[int, ...]], **choice: bool) -> Callable[[], object]:
    bag = Bag(shapes)
    optimizer = torch.optim.AdamW(bag.parameters(), lr=1e-3, **choice)
    return optimizer.step


def ours(shapes: list[tuple[int, ...]]) -> Callable[[], object]:
    bag = Bag(shapes)
    stepper = Stepper(AdamW(lr=1e-3), bag)
    return lambda: stepper.step(1e-3)


def main() -> None:
    tables, ratios = {}, {}
    for name, (shapes, repeat) in SIZES.items():
        rivals = {
            "torch, default": theirs(shapes),
            "torch, foreach": theirs(shapes, foreach=True),
            "torch, fused": theirs(shapes, fused=True),
            "chainrule": ours(shapes),
        }
        table = compare(rivals, rounds=9, repeat=repeat)
        show(f"P2: AdamW, {name}", table)
        ratios[name] = round(table["chainrule"] / table["torch, fused"], 3)
        print(f"  ours / torch fused: {ratios[name]:.3f} (bar: 1.05)")
        tables |= {f"{name}: {rival}": value for rival, value in table.items()}
    save("optimizer_step", tables, note="one AdamW update", bar="<= 1.05 x torch fused", ratios=ratios)


if __name__ == "__main__":
    main()
