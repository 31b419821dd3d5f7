"""P1: what the loop costs. MLP 784-128-10, batch 64, AdamW; CPU time of one thread, microseconds per step.

Ours runs with every service on: metrics logged, checkpoints written in the background, signals watched, loss and
gradients checked for NaN. Peers get their own best settings (fused AdamW, no workers, no bar, no checkpoints where
they allow it). Bar: at most 1.10 x the best hand-written loop, and at least 2 x faster than Lightning and the
transformers Trainer.

    python bench/loop.py            # peers that are not installed are named and left out
"""

import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

import chainrule as cr
from side_by_side import save, show

torch.set_num_threads(1)
BATCH, ROWS, STEPS, ROUNDS = 64, 12_800, 1_000, 9
PIXELS = torch.randn(ROWS, 784)
LABELS = torch.randint(0, 10, (ROWS,))


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))


def gather_per_epoch(steps: int) -> None:
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    per_epoch = ROWS // BATCH
    for _ in range(steps // per_epoch):
        order = torch.randperm(ROWS)
        pixels, labels = PIXELS[order], LABELS[order]
        for start in range(0, ROWS, BATCH):
            loss = F.cross_entropy(model(pixels[start : start + BATCH]), labels[start : start + BATCH])
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


def index_per_step(steps: int) -> None:
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    per_epoch = ROWS // BATCH
    for _ in range(steps // per_epoch):
        order = torch.randperm(ROWS)
        for start in range(0, ROWS, BATCH):
            rows = order[start : start + BATCH]
            loss = F.cross_entropy(model(PIXELS[rows]), LABELS[rows])
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


def loader_loop(steps: int) -> None:
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    data = torch.utils.data.TensorDataset(PIXELS, LABELS)
    loader = torch.utils.data.DataLoader(data, BATCH, shuffle=True)
    for _ in range(steps // len(loader)):
        for pixels, labels in loader:
            loss = F.cross_entropy(model(pixels), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


def ours(steps: int) -> None:
    rows = cr.data.Table(PIXELS, LABELS)
    batches = cr.data.InMemory(rows, BATCH)
    learner = cr.learners.Gradient(network(), cr.objectives.Classify(), cr.optim.AdamW())
    with tempfile.TemporaryDirectory() as folder:
        hooks = [
            cr.training.Metrics(Path(folder), every=50),
            cr.training.Save(Path(folder), every=500),
            cr.training.StopOnSignal(),
        ]
        cr.fit(learner, batches, steps=steps, hooks=hooks)


def ours_bare(steps: int) -> None:
    batches = cr.data.InMemory(cr.data.Table(PIXELS, LABELS), BATCH)
    cr.fit(cr.learners.Gradient(network(), cr.objectives.Classify(), cr.optim.AdamW()), batches, steps=steps)


def lightning(*, services: bool) -> Callable[[int], None]:
    import lightning as pl
    from lightning.pytorch.callbacks import ModelCheckpoint
    from lightning.pytorch.loggers import CSVLogger

    class Module(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = network()

        def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
            loss = F.cross_entropy(self.net(batch[0]), batch[1])
            if services:
                self.log("loss", loss)
            return loss

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.AdamW(self.parameters(), fused=True)

    def run(steps: int) -> None:
        data = torch.utils.data.TensorDataset(PIXELS, LABELS)
        loader = torch.utils.data.DataLoader(data, BATCH, shuffle=True)
        with tempfile.TemporaryDirectory() as folder:
            quiet: dict[str, Any] = {"barebones": True, "logger": False}
            if services:
                saving = ModelCheckpoint(folder, every_n_train_steps=500)
                quiet = {"logger": CSVLogger(folder), "callbacks": [saving], "log_every_n_steps": 50}
                quiet |= {"enable_progress_bar": False, "enable_model_summary": False}
            pl.Trainer(max_steps=steps, accelerator="cpu", **quiet).fit(Module(), loader)

    return run


def trainer(*, services: bool) -> Callable[[int], None]:
    import transformers

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.net = network()

        def forward(self, pixels: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
            return {"loss": F.cross_entropy(self.net(pixels), labels)}

    class Rows(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return ROWS

        def __getitem__(self, row: int) -> dict[str, torch.Tensor]:
            return {"pixels": PIXELS[row], "labels": LABELS[row]}

        def __getitems__(self, rows: list[int]) -> dict[str, torch.Tensor]:
            return {"pixels": PIXELS[rows], "labels": LABELS[rows]}

    def run(steps: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            settings = transformers.TrainingArguments(
                output_dir=folder,
                max_steps=steps,
                per_device_train_batch_size=BATCH,
                use_cpu=True,
                save_strategy="steps" if services else "no",
                save_steps=500,
                report_to=[],
                logging_steps=50,
                disable_tqdm=True,
                remove_unused_columns=False,
                optim="adamw_torch_fused",
                dataloader_pin_memory=False,
            )
            transformers.Trainer(Model(), settings, data_collator=lambda rows: rows, train_dataset=Rows()).train()

    return run


def seconds(run: Callable[[int], None], steps: int) -> float:
    start = time.process_time()
    run(steps)
    return time.process_time() - start


def per_step(rivals: dict[str, Callable[[int], None]], rounds: int) -> dict[str, float]:
    """CPU microseconds per step; the fixed cost of starting is taken out by a short run beside the long one."""
    short, long = dict.fromkeys(rivals, float("inf")), dict.fromkeys(rivals, float("inf"))
    for _ in range(rounds):
        for name, run in rivals.items():
            short[name] = min(short[name], seconds(run, 200))
            long[name] = min(long[name], seconds(run, 200 + STEPS))
    return {name: (long[name] - short[name]) / STEPS * 1e6 for name in rivals}


PEERS = (
    ("Lightning, barebones", lightning, False),
    ("Lightning, logging and saving", lightning, True),
    ("transformers Trainer, logging", trainer, False),
    ("transformers Trainer, logging and saving", trainer, True),
)


def main() -> None:
    rivals: dict[str, Callable[[int], None]] = {
        "by hand, one gather per epoch": gather_per_epoch,
        "by hand, index per step": index_per_step,
        "by hand, DataLoader": loader_loop,
        "chainrule, all services on": ours,
        "chainrule, no hooks": ours_bare,
    }
    for name, build, services in PEERS:
        try:
            rivals[name] = build(services=services)
        except ImportError as missing:
            print(f"{name}: left out ({missing}); pip install -c constraints.txt -e '.[peers]'")
    table = per_step(rivals, ROUNDS)
    show("P1: one step of an MLP 784-128-10, batch 64, CPU time", table)
    best = min(table["by hand, one gather per epoch"], table["by hand, index per step"])
    ratio = table["chainrule, all services on"] / best
    print(f"  ours / best by hand: {ratio:.2f} (bar: 1.10)")
    for name, _, _ in PEERS:
        if name in table:
            print(f"  {name} / ours: {table[name] / table['chainrule, all services on']:.2f} (bar: 2.0)")
    save("loop", table, note="MLP 784-128-10, batch 64, AdamW fused", bar="<= 1.10 x best by hand; >= 2 x peers")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main()
