"""R18: after very many steps and saves there is no file, descriptor, thread or memory more than after a few."""

import resource
import threading
import time
from pathlib import Path

import pytest
import torch

from chainrule.data import InMemory, Table
from chainrule.learners import Gradient
from chainrule.objectives import Regress
from chainrule.optim import Ema
from chainrule.training import Hook, Metrics, Save, fit, resume

PAGE = resource.getpagesize()


def batches():
    return InMemory(Table(torch.arange(320.0).view(32, 10) / 320, torch.ones(32, 1)), batch_size=8)


def learner():
    return Gradient(torch.nn.Linear(10, 1), Regress(), average=Ema(0.9))


class Watch(Hook):
    """Notes, at so many places of the run, what the process holds."""

    def __init__(self, folder, places, steps):
        self.folder = folder
        self.every = steps // places
        self.seen = []

    def on_step(self, run, metrics):
        if run.step % self.every == 0:
            memory = int(Path("/proc/self/statm").read_text().split()[1]) * PAGE
            self.seen.append({"memory": memory, **held(self.folder)})


def held(folder):
    time.sleep(0.05)  # a save under way holds a file or two
    return {
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "threads": threading.active_count(),
        "files": len(list(folder.rglob("*"))),
    }


def left(folder):
    return sorted(path.name for path in folder.rglob("*") if path.name.endswith((".tmp", ".refused", ".old")))


@pytest.mark.parametrize("steps", [400, pytest.param(100_000, marks=pytest.mark.soak)])
def test_nothing_grows(tmp_path, steps):
    """A save every 20 steps (in full: 5,000 of them): flat from a tenth of the run on, memory by less than 4 MiB."""
    before = held(tmp_path)
    watch = Watch(tmp_path, 10, steps)
    run = fit(learner(), batches(), steps=steps, hooks=[Metrics(tmp_path, every=100), Save(tmp_path, every=20), watch])
    first, last = watch.seen[0], watch.seen[-1]
    assert max(seen["descriptors"] for seen in watch.seen) <= before["descriptors"] + 4  # metrics, and a save under way
    assert max(seen["threads"] for seen in watch.seen) <= before["threads"] + 5  # the writer and its helpers
    assert max(seen["files"] for seen in watch.seen) <= 12
    history = 400 * len(run.history)  # what was recorded is kept, by intention
    assert last["memory"] - first["memory"] <= (4 << 20) + history
    after = held(tmp_path)
    assert {**after, "files": 0} == {**before, "files": 0}
    assert left(tmp_path) == []
    assert after["files"] == 9  # two checkpoints of two files, in `state`; the model and the metrics


@pytest.mark.parametrize("times", [20, pytest.param(300, marks=pytest.mark.soak)])
def test_resuming_again_and_again_leaves_nothing(tmp_path, times):
    fit(learner(), batches(), steps=1, hooks=[Metrics(tmp_path), Save(tmp_path)])
    before = held(tmp_path)
    for step in range(1, times):
        ours = learner()
        assert resume(tmp_path, ours) == step
        fit(ours, batches(), steps=step + 1, start=step, hooks=[Metrics(tmp_path), Save(tmp_path)])
    after = held(tmp_path)
    assert {**after, "files": 0} == {**before, "files": 0}
    assert left(tmp_path) == []
    assert after["files"] == 9
