"""P2: one AdamW update. CPU time of one thread, microseconds per update; on a CUDA device, time of the device.

Three sizes: 16.8 million numbers in 2 tensors (memory speed: 28 bytes per number are read and written), 200 small
tensors, and the 4 tensors of an MLP 784-128-10 (book-keeping). Bar: at most 1.05 x torch's own fused step; on one H200,
16.8 million numbers in at most 1.15 x the time in which a copy takes 28 bytes of each through its memory.

    python bench/optimizer_step.py
"""

import math
from collections.abc import Callable

import torch
from torch import nn

from chainrule.optim import AdamW, Stepper
from side_by_side import compare, save, show

torch.set_num_threads(1)
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
COPY = "limit: a copy that reads and writes as many bytes"
SIZES = {
    "16.8M in 2": ([(4096, 2048)] * 2, 3),
    "200 small": ([(64, 64)] * 200, 30),
    "MLP 784-128-10": ([(128, 784), (128,), (10, 128), (10,)], 300),
}


class Bag(nn.Module):
    """Parameters of these shapes, with random gradients."""

    def __init__(self, shapes: list[tuple[int, ...]]) -> None:
        super().__init__()
        self.each = nn.ParameterList(torch.randn(shape, device=DEVICE) for shape in shapes)
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


def as_recorded(shapes: list[tuple[int, ...]]) -> Callable[[], object]:
    """As a learner on a CUDA device has it: rate and verdict on the device, the whole a part of one graph."""
    bag = Bag(shapes)
    stepper = Stepper(AdamW(lr=1e-3), bag)
    rate, bad, good = torch.tensor(1e-3, device=DEVICE), torch.zeros((), device=DEVICE), torch.ones((), device=DEVICE)

    def step() -> None:
        for counter in stepper.counters():
            counter.add_(good)
        stepper.step(rate, bad)

    step()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()

    def replay() -> None:
        graph.replay()

    replay.held = stepper, rate, bad, good  # what the graph reads and writes must live as long as it
    return replay


def copying(shapes: list[tuple[int, ...]]) -> Callable[[], object]:
    """28 bytes per number: weight, gradient and two averages are read, and all but the gradient are written."""
    source = torch.randn(sum(map(math.prod, shapes)) * 28 // 8, device=DEVICE)
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def main() -> None:
    tables, ratios = {}, {}
    for name, (shapes, repeat) in SIZES.items():
        rivals = {
            "torch, default": theirs(shapes),
            "torch, foreach": theirs(shapes, foreach=True),
            "torch, fused": theirs(shapes, fused=True),
            "chainrule": ours(shapes),
        }
        if DEVICE == "cuda":
            rivals |= {"chainrule, recorded": as_recorded(shapes), COPY: copying(shapes)}
        table = compare(rivals, rounds=9, repeat=max(30, repeat) if DEVICE == "cuda" else repeat, device=DEVICE)
        show(f"P2: AdamW, {name}", table)
        ratios[name] = round(table["chainrule"] / table["torch, fused"], 3)
        print(f"  ours / torch fused: {ratios[name]:.3f} (bar: 1.05)")
        tables |= {f"{name}: {rival}": value for rival, value in table.items()}
        if DEVICE == "cuda":
            ratios[f"{name}, recorded over a copy"] = round(table["chainrule, recorded"] / table[COPY], 3)
            print(f"  recorded / a copy: {ratios[f'{name}, recorded over a copy']:.3f} (bar, of the largest: 1.15)")
    title = "optimizer_step_cuda" if DEVICE == "cuda" else "optimizer_step"
    save(title, tables, note=f"one AdamW update ({DEVICE})", bar="<= 1.05 x torch fused", ratios=ratios)


if __name__ == "__main__":
    main()
