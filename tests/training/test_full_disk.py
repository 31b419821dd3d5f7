"""R5: a run whose disk fills up at any byte of a save trains on, keeps what it had, and saves when there is room."""

import logging
import shutil
import time
from pathlib import Path

import pytest
import torch

from chainrule.data import InMemory, Table, seeded
from chainrule.learners import Gradient
from chainrule.objectives import Regress
from chainrule.optim import Ema
from chainrule.training import Hook, Save, fit, load, load_model, model_file, newest
from chainrule.training import checkpoint as checkpoints
from families import bits
from training.disks import filling, volume

STEPS = 12


def batches():
    draw = torch.Generator().manual_seed(0)
    return InMemory(Table(torch.randn(40, 30, generator=draw), torch.randn(40, 1, generator=draw)), batch_size=8)


def learner():
    with seeded(0):
        return Gradient(torch.nn.Linear(30, 1), Regress(), average=Ema(0.9))


class Disk(Hook):
    """Fills the disk after step 3, and makes room once a save has failed: whatever was there before is whole."""

    def __init__(self, save, fill, free):
        self.save = save
        self.fill = fill
        self.free = free
        self.full = False
        self.failures = 0

    def on_step(self, run, metrics):
        if run.step == 3:
            while not (self.save.folder / "model.safetensors").exists():
                time.sleep(0.001)  # the save of step 2 ends with it
            self.fill()
            self.full = True
        if self.full and self.save.failures:
            self.failures = self.save.failures
            stands(self.save.folder)
            self.free()
            self.full = False


def stands(folder):
    """The checkpoint of step 2 loads, none is broken, and the model's file is whole."""
    assert load(folder / "state" / "step-00000002")[0] == 2
    path, refused = newest(folder / "state")
    assert path is not None
    assert refused == []
    load_model(folder / "model.safetensors", torch.nn.Linear(30, 1))


def survives(folder, background, fill, free, caplog):
    """One run: it loses nothing, says that a save failed, and what it saves in the end is what it has learnt."""
    caplog.clear()
    ours, hook = learner(), Save(folder, every=2, keep=STEPS, background=background)
    disk = Disk(hook, fill, free)
    with caplog.at_level(logging.WARNING):
        run = fit(ours, batches(), steps=STEPS, hooks=[hook, disk])
    assert disk.failures >= 1
    assert run.step == STEPS
    assert "No space left on device" in caplog.text
    assert not [path for path in folder.rglob("*") if path.suffix == ".tmp"]
    stands(folder)
    step, state = load(folder / "state" / f"step-{STEPS:08d}")
    assert (step, bits(state["learner"])) == (STEPS, bits(ours.state_dict()))
    kept = learner().model
    load_model(folder / "model.safetensors", kept)
    assert bits(dict(kept.state_dict())) == bits(dict(ours.model.state_dict()))
    return bits(ours.state_dict())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nothing disturbs: what it ends with, and how many bytes one of its saves takes."""
    ours, folder = learner(), tmp_path_factory.mktemp("whole")
    fit(ours, batches(), steps=STEPS, hooks=[Save(folder, every=2)])
    files = [*newest(folder / "state")[0].iterdir(), folder / "model.safetensors"]
    return bits(ours.state_dict()), sum(file.stat().st_size for file in files)


@pytest.mark.parametrize("place", range(20))
def test_a_disk_that_fills_up_at_any_byte_of_a_save(whole, place, tmp_path, monkeypatch, caplog):
    """20 offsets over tensors, manifest and model's file, by turns in the background and not."""
    expected, size = whole

    def fill():
        monkeypatch.setattr(Path, "open", filling(size * place // 20))

    assert survives(tmp_path, place % 2 == 0, fill, monkeypatch.undo, caplog) == expected


@pytest.mark.soak
def test_a_truly_full_disk(whole, tmp_path, monkeypatch, caplog):
    """The same on a real small volume, with the look for space switched off, so that the system itself refuses."""
    expected, size = whole
    for module in (checkpoints, model_file):
        monkeypatch.setattr(module, "check_space", lambda _folder, _needed: None)
    with volume(tmp_path / "volume", 4) as disk:
        ballast = disk / "ballast"

        def fill(place):
            block = 4096  # what the volume counts in
            ballast.write_bytes(bytes(shutil.disk_usage(disk).free - block * (size * place // 20 // block)))

        for place in range(20):
            run = disk / str(place)
            assert survives(run, place % 2 == 0, lambda place=place: fill(place), ballast.unlink, caplog) == expected
            shutil.rmtree(run)


def test_a_model_file_that_failed_alone_is_written_at_the_end(tmp_path, monkeypatch):
    """The checkpoint of the last step is there already, and is not written again."""
    from chainrule.training import store

    write, left = store.write_model, [1]

    def fail_once(path, weights):
        left[0] -= 1
        if left[0] == 0:
            raise OSError(28, "No space left on device")
        write(path, weights)

    class Stop(Hook):
        def on_step(self, run, metrics):
            if run.step == 2:
                run.stop("enough")

    monkeypatch.setattr(store, "write_model", fail_once)
    ours = learner()
    fit(ours, batches(), steps=9, hooks=[Save(tmp_path, every=2), Stop()])
    kept = learner().model
    load_model(tmp_path / "model.safetensors", kept)
    assert bits(dict(kept.state_dict())) == bits(dict(ours.model.state_dict()))
    assert newest(tmp_path / "state") == (tmp_path / "state" / "step-00000002", [])


@pytest.mark.parametrize("background", [True, False])
def test_what_is_not_the_disks_fault_is_an_error_at_once(tmp_path, monkeypatch, background):
    from chainrule.training import store

    def fail(*_arguments, **_options):
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(store, "write_checkpoint", fail)
    with pytest.raises(RuntimeError, match="a fault of ours"):
        fit(learner(), batches(), steps=9, hooks=[Save(tmp_path, every=2, background=background)])
