"""P19: from the start of a process to the first new step, and whether the place in the epoch matters.

A process of its own per measurement: imports, builds an MLP on 640,000 rows (10,000 steps an epoch), takes up the
newest checkpoint and does one step. CPU time of one thread since the process began, and of the part after the imports.
Bars: at most 0.5 x Lightning; the same at the beginning, middle and end of an epoch.

    python bench/resume.py            # Lightning is named and left out where it is not installed
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

EPOCH, BATCH = 10_000, 64
PLACES = {"first 1 %": 100, "half": 5_000, "last 1 %": 9_900}
ROUNDS = 7


def rows() -> tuple[Any, Any]:
    import torch

    torch.manual_seed(0)
    return torch.randn(EPOCH * BATCH, 16), torch.randint(0, 10, (EPOCH * BATCH,))


def network() -> Any:
    from torch import nn

    return nn.Sequential(nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 10))


def ours(folder: Path, place: int, prepare: bool) -> float:
    """Seconds of CPU time between the imports and the end of the first new step."""
    import torch

    import chainrule as cr

    torch.set_num_threads(1)
    features, labels = rows()
    begun = time.process_time()
    learner = cr.learners.Gradient(network(), cr.objectives.Classify())
    batches = cr.data.InMemory(cr.data.Table(features, labels), batch_size=BATCH)
    if prepare:
        cr.fit(learner, batches, steps=place, start=place - 1, hooks=[cr.training.Save(folder)])
        return 0.0
    start = cr.training.resume(folder, learner)
    cr.fit(learner, batches, steps=start + 1, start=start)
    return time.process_time() - begun


def lightning(folder: Path, place: int, prepare: bool) -> float:
    """The same with Lightning, every service off that it can do without."""
    import logging
    import warnings

    import torch
    import torch._dynamo  # torch's first optimiser imports it (1.1 s): no part of the time after
    from lightning.pytorch import LightningModule, Trainer

    warnings.simplefilter("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    torch.set_num_threads(1)
    features, labels = rows()
    begun = time.process_time()

    class Module(LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.network = network()

        def training_step(self, batch: Any, _place: int) -> Any:
            return torch.nn.functional.cross_entropy(self.network(batch[0]), batch[1])

        def configure_optimizers(self) -> Any:
            return torch.optim.AdamW(self.parameters(), fused=True)

    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "accelerator": "cpu"}
    data = torch.utils.data.TensorDataset(features, labels)
    loader = torch.utils.data.DataLoader(data, BATCH, shuffle=True)
    path = folder / "last.ckpt"
    steps = place if prepare else place + 1
    trainer = Trainer(max_steps=steps, enable_model_summary=False, barebones=False, **quiet)
    trainer.fit(Module(), loader, ckpt_path=None if prepare else str(path), weights_only=False)
    if prepare:
        trainer.save_checkpoint(path)
    return time.process_time() - begun


def main() -> None:
    from side_by_side import save, show

    rivals = ["ours"]
    try:
        import lightning as peer
    except ModuleNotFoundError:
        print("Lightning is left out: it is not installed here (pip install lightning -c constraints.txt)")
        versions = {}
    else:
        rivals.append("lightning")
        versions = {"lightning": peer.__version__}
    cases = [(name, place) for name in rivals for place in PLACES]
    whole, after = (dict.fromkeys((f"{name}, {place}" for name, place in cases), float("inf")) for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        for name, place in cases:
            call(name, Path(folder) / f"{name}-{PLACES[place]}", PLACES[place], prepare=True)
        for _ in range(ROUNDS):
            for name, place in random.sample(cases, len(cases)):
                told = call(name, Path(folder) / f"{name}-{PLACES[place]}", PLACES[place], prepare=False)
                key = f"{name}, {place}"
                whole[key] = min(whole[key], told["whole"] * 1e3)
                after[key] = min(after[key], told["after"] * 1e3)
    show("P19 from the start of the process to the first new step, CPU time", whole, unit="ms")
    show("P19 the same without imports and the making of data", after, unit="ms")
    bar = "<= 0.5 x Lightning; the same at every place of an epoch"
    note = "MLP 16-128-10, 640,000 rows, 1 thread"
    save("resume", whole, note=note, unit="ms", bar=bar, after_imports_ms=after, versions=versions)


def call(name: str, folder: Path, place: int, *, prepare: bool) -> dict[str, float]:
    folder.mkdir(exist_ok=True)
    command = [sys.executable, __file__, name, folder, str(place), str(int(prepare))]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        part = {"ours": ours, "lightning": lightning}[sys.argv[1]]
        seconds = part(Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "1")
        print(json.dumps({"whole": time.process_time(), "after": seconds}))
    else:
        main()
