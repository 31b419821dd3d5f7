"""P1 on one CUDA device: what `fit` costs per step, data included, beside hand-written loops and Lightning.

Two networks: an MLP 784-128-10 in float32 at a batch of 64, where starting the work costs more than the work; and
ResNet-18 on bytes of 32 x 32 pixels in bfloat16 at a batch of 1,024, flipped and shifted. All of ours run with every
service on: metrics logged every 50 steps, a checkpoint written about every second, signals watched, loss and gradient
checked. Wall time of whole runs that end with a wait for the device; compiling and capturing come before, and a short
run is taken off a long one, so that starting and ending are not counted; the least of interleaved rounds.

Bars, on one H200: the MLP <= 65 us per step; ResNet-18 >= 92,000 pictures per second.

    python bench/device_loop.py     # says so and ends where there is no CUDA device
"""

import logging
import random
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

import chainrule as cr
from side_by_side import save, show

ROWS = 51_200
Run = Callable[[int], None]


def with_fit(batches: cr.data.Batches[Any], learner: cr.learners.Gradient, saves: int) -> Run:
    def run(steps: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            metrics, save = cr.training.Metrics(Path(folder), every=50), cr.training.Save(Path(folder), every=saves)
            start = learner.steps
            hooks = [metrics, save, cr.training.StopOnSignal()]
            cr.fit(learner, batches, steps=start + steps, start=start, hooks=hooks)

    return run


def perceptron() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10)).cuda()


def resnet() -> nn.Module:
    torch.manual_seed(0)
    pixels = cr.layers.Pixels((125.3, 123.0, 113.9), (63.0, 62.1, 66.7))
    return cr.models.resnet18(10, stem=cr.models.thumbnail_stem, pixels=pixels).cuda()


def by_hand(step: Callable[[Tensor, Tensor], Tensor], inputs: Tensor, labels: Tensor, batch: int) -> Run:
    """A loop that draws an order per epoch on the device and takes rows of it."""

    def run(steps: int) -> None:
        per_epoch = len(inputs) // batch
        for number in range(steps):
            if number % per_epoch == 0:
                order = torch.randperm(len(inputs), device="cuda")
            start = number % per_epoch * batch
            rows = order[start : start + batch]
            step(inputs[rows], labels[rows])

    return run


def plain_step(model: nn.Module, *, half: bool) -> Callable[[Tensor, Tensor], Tensor]:
    optimizer = torch.optim.AdamW(model.parameters(), fused=True, capturable=True)

    def step(inputs: Tensor, labels: Tensor) -> Tensor:
        with torch.autocast("cuda", torch.bfloat16, enabled=half):
            loss = F.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    return step


def captured(model: nn.Module, inputs: Tensor, labels: Tensor, batch: int) -> Run:
    """The whole step, choice of rows included, as one CUDA graph: the fastest hand-written form."""
    step, rows = plain_step(model, half=False), torch.randint(len(inputs), (batch,), device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step(inputs[rows], labels[rows])
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step(inputs[rows], labels[rows])

    def run(steps: int) -> None:
        for _ in range(steps):
            graph.replay()

    run.held = step, rows  # what the graph reads and writes must live as long as it
    return run


def lightning(build: Callable[[], nn.Module], inputs: Tensor, labels: Tensor, batch: int, precision: str) -> Run:
    try:
        import lightning as pl
    except ImportError:
        import pytorch_lightning as pl  # the same, under its older name

    class Module(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = build()

        def training_step(self, batch: list[Tensor], _: int) -> Tensor:
            loss = F.cross_entropy(self.net(batch[0]), batch[1])
            self.log("loss", loss)
            return loss

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.AdamW(self.parameters(), fused=True)

    class Batched(torch.utils.data.Dataset):
        """Whole batches, chosen on the device: the least that a loader can do."""

        def __len__(self) -> int:
            return len(inputs) // batch

        def __getitem__(self, k: int) -> tuple[Tensor, Tensor]:
            rows = torch.randint(len(inputs), (batch,), device="cuda")
            return inputs[rows], labels[rows]

    def run(steps: int) -> None:
        loader = torch.utils.data.DataLoader(Batched(), batch_size=None)
        quiet: dict[str, Any] = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
        trainer = pl.Trainer(
            max_steps=steps, accelerator="gpu", devices=1, precision=precision, enable_checkpointing=False, **quiet
        )
        trainer.fit(Module(), loader)

    return run


def microseconds(rivals: dict[str, Run], rounds: int, length: float) -> dict[str, float]:
    """Wall time per step, starting taken off: the least of the rounds, long enough that clocks count for nothing."""
    counts = {name: around(run, length) for name, run in rivals.items()}
    least = {name: [float("inf"), float("inf")] for name in rivals}
    for _ in range(rounds):
        for name in random.sample(list(rivals), len(rivals)):
            for place, steps in enumerate((counts[name] // 5, counts[name] // 5 + counts[name])):
                least[name][place] = min(least[name][place], seconds(rivals[name], steps))
    return {name: (late - early) / counts[name] * 1e6 for name, (early, late) in least.items()}


def around(run: Run, length: float) -> int:
    """How many steps take about so many seconds; the first steps, which record and compile, are not counted."""
    seconds(run, 8)
    short, long = seconds(run, 20), seconds(run, 60)
    return min(10_000, max(30, round(length * 40 / max(long - short, 1e-4))))


def seconds(run: Run, steps: int) -> float:
    torch.cuda.synchronize()
    start = time.perf_counter()
    run(steps)
    torch.cuda.synchronize()
    return time.perf_counter() - start


def small() -> dict[str, Run]:
    inputs, labels = torch.randn(ROWS, 784, device="cuda"), torch.randint(0, 10, (ROWS,), device="cuda")
    batches = cr.data.InMemory(cr.data.Table(inputs, labels), 64)

    def ours(execution: str, precision: str = "float32") -> Run:
        how = cr.learners.Compute(precision, execution)
        return with_fit(batches, cr.learners.Gradient(perceptron(), cr.objectives.Classify(), compute=how), 10_000)

    return {
        "chainrule (captured)": ours("auto"),
        "chainrule, compiled": ours("compiled"),
        "chainrule, compiled, TF32": ours("compiled", "tf32"),
        "chainrule, eager": ours("eager"),
        "by hand, eager": by_hand(plain_step(perceptron(), half=False), inputs, labels, 64),
        "by hand, one CUDA graph": captured(perceptron(), inputs, labels, 64),
        "Lightning": lightning(perceptron, inputs, labels, 64, "32-true"),
    }


def large() -> dict[str, Run]:
    pixels = torch.randint(0, 256, (ROWS, 3, 32, 32), dtype=torch.uint8, device="cuda")
    labels = torch.randint(0, 10, (ROWS,), device="cuda")
    rows = cr.data.Images(pixels, labels)
    plain, changed = cr.data.InMemory(rows, 1024), cr.data.InMemory(rows, 1024, augment=cr.data.Shift(4, mirror=True))

    def ours(batches: cr.data.Batches[Any], execution: str) -> Run:
        how = cr.learners.Compute("bfloat16", execution)
        return with_fit(batches, cr.learners.Gradient(resnet(), cr.objectives.Classify(), compute=how), 100)

    compiled = plain_step(torch.compile(resnet()), half=True)
    return {
        "chainrule, compiled, flipped and shifted": ours(changed, "compiled"),
        "chainrule, compiled": ours(plain, "compiled"),
        "chainrule (captured)": ours(plain, "auto"),
        "by hand, compiled": by_hand(compiled, pixels, labels, 1024),
        "by hand, eager, channels last": by_hand(
            plain_step(resnet().to(memory_format=torch.channels_last), half=True), pixels, labels, 1024
        ),
        "Lightning": lightning(resnet, pixels, labels, 1024, "bf16-mixed"),
    }


def measure_small(rivals: dict[str, Run]) -> None:
    table = microseconds(rivals, rounds=3, length=0.5)
    show("MLP 784-128-10, batch 64, float32, wall time per step", table)
    save("device_loop_mlp", table, note="MLP 784-128-10, batch 64, float32, AdamW; wall time", bar="<= 65 us")


def measure_large(rivals: dict[str, Run]) -> None:
    table = microseconds(rivals, rounds=2, length=1.5)
    show("ResNet-18, 32 x 32, batch 1024, bfloat16, wall time per step", table)
    rates = {name: 1024e6 / value for name, value in table.items()}
    for name, rate in rates.items():
        print(f"  {name:<44} {rate:>12,.0f} pictures/s")
    note = "ResNet-18 on 32 x 32 bytes, batch 1024, bfloat16, AdamW; wall time"
    save("device_loop_resnet", table, note=note, bar=">= 92,000 pictures/s", pictures_per_second=rates)


def main() -> None:
    warnings.filterwarnings("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    measure_small(small())
    measure_large(large())


if __name__ == "__main__":
    if torch.cuda.is_available():
        main()
    else:
        print("no CUDA device: this benchmark needs one")
