"""What must be tried in processes of their own: kills, signals, hostile files. One process imports, then forks.

Run as `python drills.py NAME FOLDER COUNT`; prints what was found as JSON.
"""

import contextlib
import json
import os
import random
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

import chainrule as cr
from chainrule.data import InMemory, Table
from chainrule.training import (
    Hook,
    Metrics,
    Save,
    StopOnSignal,
    exit_code,
    fit,
    generators_state,
    load_model,
    newest,
    resume,
    save,
    store,
)
from chainrule.training.checkpoint import steps_in, write_checkpoint
from chainrule.training.reading import read_manifest

STEPS = 20
COUNTED = ("kills", "lost", "torn", "mixed", "runs", "unequal", "left", "saves", "in_a_save", "between_saves")


def learner(seed: int = 0) -> Any:
    with cr.data.seeded(seed):
        model = nn.Sequential(nn.Linear(20, 256), nn.Dropout(0.1), nn.ReLU(), nn.Linear(256, 256), nn.Linear(256, 3))
    return cr.learners.Gradient(model, cr.objectives.Classify(), average=cr.optim.Ema(0.9))


def batches() -> InMemory[Table]:
    draw = torch.Generator().manual_seed(0)
    return InMemory(Table(torch.randn(90, 20, generator=draw), torch.arange(90) % 3), batch_size=9)


class Begun(Hook):
    """Tells the parent that the run has begun."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe

    def on_start(self, run: Any) -> None:
        os.write(self.pipe, b"!")


class Draw(Hook):
    """Draws from the generators that are not reseeded at every step."""

    def on_step(self, run: Any, metrics: Any) -> None:
        run.record(drawn=random.random() + np.random.rand())


class Slow(Hook):
    """Makes a step last, but the first."""

    def __init__(self, seconds: float, path: Path) -> None:
        self.seconds = seconds
        self.path = path

    def on_step(self, run: Any, metrics: Any) -> None:
        self.path.write_text(str(run.step))
        time.sleep(self.seconds if run.step > 1 else 0.0)


@contextlib.contextmanager
def child(work: Callable[[int], int]) -> Iterator[tuple[int, int]]:
    """A forked process that does `work(pipe)` and exits with what it returns: its number, and a pipe from it."""
    read, write = os.pipe()
    process = os.fork()
    if process == 0:
        code = 99
        try:
            code = work(write)
        except KeyboardInterrupt:
            code = 98
        except BaseException:  # noqa: BLE001 (a child must end here, whatever happened)
            traceback.print_exc()
        os._exit(code)
    os.close(write)
    yield process, read
    os.close(read)


def train(folder: Path, keep: int, pipe: int, *, early: bool = False) -> int:
    if early:
        os.write(pipe, b"!")
    random.seed(0)  # a fork draws new seeds
    np.random.seed(0)
    ours = learner(seed=os.getpid())  # nothing but the state on the disk may carry over
    start = resume(folder, ours)
    ours = ours if start else learner()
    hooks = [Draw(), Metrics(folder, every=1), Save(folder, every=1, keep=keep), Begun(pipe)]
    fit(ours, batches(), steps=STEPS, start=start, hooks=hooks)
    return 0


def kills(folder: Path, count: int, write: Any = write_checkpoint) -> dict[str, Any]:
    """R1: so many kills of runs that save at every step; each time what is left is held against a whole run."""
    draw = random.Random(1)
    begun = time.monotonic()
    with child(lambda pipe: train(folder / "whole", STEPS + 1, pipe)) as (process, _):
        os.waitpid(process, 0)
    lasted = time.monotonic() - begun
    store.write_checkpoint = write
    whole = {step: read_manifest(path) for step, path in steps_in(folder / "whole" / "state")}
    results = [(folder / "whole" / name).read_bytes() for name in ("metrics.jsonl", "model.safetensors")]
    told: dict[str, Any] = {**dict.fromkeys(COUNTED, 0), "saves_per_second": STEPS / lasted}
    before, run = 0, folder / "run-0"
    while told["kills"] < count or before:
        alive = killed(
            run, draw.uniform(0, 0.7 * lasted) if told["kills"] < count else 600.0, early=draw.random() < 0.3
        )
        told["kills"] += not alive
        busy = any(path.suffix == ".tmp" for path in run.rglob("*"))
        told["in_a_save"] += busy
        told["between_saves"] += not alive and not busy
        path, refused = newest(run / "state")
        step = int(path.name.split("-")[1]) if path else 0
        told["saves"] += step - before
        told["lost"] += step < before
        told["torn"] += len(refused) + torn_model(run)
        told["mixed"] += bool(path) and read_manifest(path) != whole[step]
        before = step
        if alive:
            told["runs"] += 1
            told["unequal"] += step != STEPS or results != [
                (run / name).read_bytes() for name in ("metrics.jsonl", "model.safetensors")
            ]
            told["left"] += busy
            before, run = 0, folder / f"run-{told['runs']}"
    return told


def torn_model(run: Path) -> bool:
    """Whether the model's file is there but does not load."""
    path = run / "model.safetensors"
    try:
        if path.exists():
            load_model(path, learner().model)
    except cr.CheckpointError:
        return True
    return False


def kills_in_place(folder: Path, count: int) -> dict[str, Any]:
    """The same where a checkpoint is written under its own name, file by file, and the one before is removed first."""

    def write(states: Path, step: int, skeleton: Any, tensors: Any, *, seed: int) -> Path:
        aside = write_checkpoint(states / "aside", step, skeleton, tensors, seed=seed)
        for _, path in steps_in(states):
            shutil.rmtree(path)
        final = states / aside.name
        final.mkdir()
        for file in sorted(aside.iterdir(), reverse=True):
            (final / file.name).write_bytes(file.read_bytes()[:100])
            time.sleep(0.02)
            (final / file.name).write_bytes(file.read_bytes())
        shutil.rmtree(aside)
        return final

    return kills(folder, count, write)


def killed(run: Path, patience: float, *, early: bool) -> bool:
    """Starts or resumes a run and kills it after so many seconds, unless it ended before: then it is alive.

    The seconds count from the first step, or `early` from where the process begins to look for a checkpoint.
    """
    with child(lambda pipe: train(run, 2, pipe, early=early)) as (process, pipe):
        os.read(pipe, 1)
        ready, _, _ = select.select([pipe], [], [], patience)  # the pipe's end is the process's
        if not ready:
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
    return not os.WIFSIGNALED(status)


def stopping(folder: Path, step_seconds: float, every: int, pipe: int) -> int:
    hooks = [StopOnSignal(), Save(folder, every=every), Slow(step_seconds, folder / "at"), Begun(pipe)]
    folder.mkdir(parents=True, exist_ok=True)
    return exit_code(fit(learner(), batches(), steps=100_000, hooks=hooks))


def signals(folder: Path, count: int) -> list[dict[str, Any]]:
    """R14: each signal once, and SIGINT twice, at random moments: exit code, seconds until the end, what was saved.

    Once: steps of 0.05 s, and no save until the signal. Twice: steps of 3 s, so that both fall into one step, and a
    save after every step.
    """
    told, draw = [], random.Random(2)
    begun = time.monotonic()
    save(folder / "measured", 1, {"learner": learner().state_dict(), "generators": generators_state()})
    saving = time.monotonic() - begun
    cases = [("SIGTERM",), ("SIGUSR1",), ("SIGINT",), ("SIGINT", "SIGINT")]
    for place, names in enumerate(cases * count):
        run, twice = folder / str(place), len(names) > 1
        step, every = (3.0, 1) if twice else (0.05, 1000)
        with child(lambda pipe, run=run, step=step, every=every: stopping(run, step, every, pipe)) as (process, pipe):
            os.read(pipe, 1)
            time.sleep(draw.uniform(0.3, 0.8))
            begun = time.monotonic()
            for name in names:
                os.kill(process, signal.Signals[name])
                time.sleep(0.1 if twice else 0)
            _, status = os.waitpid(process, 0)
            lasted = time.monotonic() - begun
        found = {"code": os.waitstatus_to_exitcode(status), "seconds": lasted, "step": step, "saving": saving}
        path, refused = newest(run / "state")
        whole = path is not None and not refused and not any((run / "state").glob("*.tmp"))
        saved = [step for step, _ in steps_in(run / "state")]
        told.append({"signals": names, **found, "saved": saved, "whole": whole, "at": int((run / "at").read_text())})
    return told


if __name__ == "__main__":
    torch.set_num_threads(1)  # a fork of a process with more threads may hang
    fit(learner(), batches(), steps=2)  # what torch imports at its first step, it imports once, before the forks
    name, place, number = sys.argv[1:]
    drill: Any = {"kills": kills, "kills_in_place": kills_in_place, "signals": signals}[name]
    print(json.dumps(drill(Path(place), int(number))))
