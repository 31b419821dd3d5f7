"""P18: what a checkpoint of 96 MiB costs: the whole save, and for how long training stands still.

Ours writes every byte's checksum and waits until the disk has confirmed files, folder and parent; peers do neither
(torch.save, safetensors) or sync the files alone (DCP), and get the settings that their own manuals use. Each save goes
into an empty place on one disk, interleaved and shuffled; wall time and CPU time are both kept, because a save waits.
Bars: whole save <= 140 ms and >= 1.9 x faster than Lightning; standing still <= 15 ms.

    python bench/checkpoint.py [FOLDER]        # on the disk of FOLDER; peers that are not installed are named
"""

import os
import random
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
import torch.distributed.checkpoint as dcp
from torch import nn

import chainrule as cr
from chainrule.training import Run, Save
from side_by_side import save as keep
from side_by_side import show

torch.set_num_threads(1)
ROUNDS = 15
Saver = Callable[[Path], object]


def trained() -> tuple[nn.Module, torch.optim.Optimizer]:
    """8.4 million parameters in 48 tensors, and AdamW's two averages: 96 MiB."""
    torch.manual_seed(0)
    sizes = [(512, 512), (512, 128), (128,), (512,)] * 24 + [(512, 512), (512, 256)]
    model = nn.ParameterList([nn.Parameter(torch.randn(size)) for size in sizes])
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)
    optimizer.step()
    optimizer.zero_grad()
    return model, optimizer


MODEL, OPTIMIZER = trained()


class Still:
    """A learner that does nothing but have a state."""

    model = MODEL

    def step(self, batch: Any) -> dict[str, torch.Tensor]:
        return {}

    def state_dict(self) -> dict[str, Any]:
        return {"model": MODEL.state_dict(), "optimizer": OPTIMIZER.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        pass


STATE = Still().state_dict()


def flat() -> dict[str, torch.Tensor]:
    """Only the tensors: safetensors holds nothing else."""
    averages = {
        f"{key}.{name}": value for key, each in STATE["optimizer"]["state"].items() for name, value in each.items()
    }
    return {**STATE["model"], **averages}


def confirm(path: Path) -> None:
    """What a peer would cost if it, too, waited for the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def rivals() -> dict[str, Saver]:
    found: dict[str, Saver] = {
        "ours (fsync, crc32, manifest)": lambda folder: cr.training.save(folder, 1, STATE),
        "torch.save (no fsync)": lambda folder: torch.save(STATE, folder / "state.pt"),
        "safetensors save_file (no fsync)": lambda folder: safetensors.torch.save_file(
            flat(), folder / "a.safetensors"
        ),
        "safetensors save_file + fsync of the file": lambda folder: (
            safetensors.torch.save_file(flat(), folder / "a.safetensors"),
            confirm(folder / "a.safetensors"),
        ),
        "torch.distributed.checkpoint": lambda folder: dcp.save(STATE, checkpoint_id=folder / "dcp", no_dist=True),
    }
    try:
        from lightning.fabric.utilities.cloud_io import _atomic_save
    except ModuleNotFoundError:
        print("Lightning is left out: it is not installed here (pip install lightning -c constraints.txt)")
    else:
        found["Lightning _atomic_save (no fsync)"] = lambda folder: _atomic_save(STATE, str(folder / "state.ckpt"))
        found["Lightning _atomic_save + fsync of the file"] = lambda folder: (
            _atomic_save(STATE, str(folder / "state.ckpt")),
            confirm(folder / "state.ckpt"),
        )
    return found


def measured(acts: dict[str, Saver], place: Path) -> tuple[dict[str, float], dict[str, float]]:
    """Milliseconds of wall time and of CPU time: the least of all rounds."""
    wall, cpu = dict.fromkeys(acts, float("inf")), dict.fromkeys(acts, float("inf"))
    for turn in range(ROUNDS + 1):
        for name in random.sample(list(acts), len(acts)):
            folder = Path(tempfile.mkdtemp(dir=place))
            begun, worked = time.perf_counter(), time.process_time()
            acts[name](folder)
            if turn:  # the first allocates and imports
                cpu[name] = min(cpu[name], (time.process_time() - worked) * 1e3)
                wall[name] = min(wall[name], (time.perf_counter() - begun) * 1e3)
            shutil.rmtree(folder)
    return wall, cpu


def standing_still(place: Path) -> dict[str, float]:
    """Milliseconds that the training thread itself works for a save in the background (the disk is then waited for)."""
    hook, batches = Save(place / "run", every=1), cr.data.Same(cr.data.Table(torch.zeros(1, 1), torch.zeros(1)))
    run = Run(Still(), batches, 1_000)
    hook.on_start(run)
    weights = flat()
    room = {name: torch.empty_like(tensor) for name, tensor in weights.items()}
    table = dict.fromkeys(("ours: background save", "limit: copy 96 MiB", "copy into fresh memory"), float("inf"))
    for _ in range(ROUNDS + 1):
        run.step += 1
        begun = time.thread_time()
        hook.on_step(run, {})
        first = time.thread_time() - begun
        hook._settle(run)  # waits, outside of the time
        begun = time.thread_time()
        for name, tensor in weights.items():
            room[name].copy_(tensor)
        second = time.thread_time() - begun
        begun = time.thread_time()
        fresh = {name: tensor.clone() for name, tensor in weights.items()}
        third = time.thread_time() - begun
        del fresh
        for name, seconds in zip(table, (first, second, third), strict=True):
            table[name] = min(table[name], seconds * 1e3)
    hook.on_end(run)
    return table


def main() -> None:
    warnings.simplefilter("ignore")
    place = Path(tempfile.mkdtemp(dir=sys.argv[1] if len(sys.argv) > 1 else None))
    size = sum(tensor.nbytes for tensor in flat().values()) / 2**20
    try:
        wall, cpu = measured(rivals(), place)
        still = standing_still(place)
    finally:
        shutil.rmtree(place)
    show(f"P18 whole save of {size:.0f} MiB, wall time", wall, unit="ms")
    show("P18 whole save, CPU time", cpu, unit="ms")
    show("P18 training stands still, CPU time of its thread", still, unit="ms")
    bar = "whole save <= 140 ms, >= 1.9 x faster than Lightning; standing still <= 15 ms"
    versions = {"safetensors": safetensors.__version__, **lightning_version()}
    note = f"{size:.0f} MiB in {len(flat())} tensors, 1 thread"
    keep("checkpoint", wall, note=note, unit="ms wall", bar=bar, cpu_ms=cpu, still_ms=still, versions=versions)


def lightning_version() -> dict[str, str]:
    try:
        import lightning
    except ModuleNotFoundError:
        return {}
    return {"lightning": lightning.__version__}


if __name__ == "__main__":
    main()
