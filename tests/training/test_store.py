"""What is saved is the state at the call, whatever training does meanwhile; a failed save neither hides nor kills."""

import copy
import errno
import logging
import shutil
import threading

import pytest
import torch

import chainrule as cr
from chainrule.data import InMemory, Table
from chainrule.training import Hook, Save, fit, load, load_model, newest, save, store
from chainrule.training.checkpoint import steps_in
from contracts.sameness import made, same
from families import FAMILIES, bits


def batches():
    return InMemory(Table(torch.arange(16.0).view(8, 2) / 16, torch.ones(8, 1)), batch_size=4)


def learner():
    with cr.data.seeded(0):
        return cr.learners.Gradient(torch.nn.Linear(2, 1), cr.objectives.Regress(), average=cr.optim.Ema(0.9))


def steps(folder):
    return [step for step, _ in steps_in(folder / "state")]


@pytest.mark.parametrize("background", [True, False])
def test_saved_every_so_many_steps_and_at_the_end(tmp_path, background):
    ours = learner()
    run = fit(ours, batches(), steps=10, seed=5, hooks=[Save(tmp_path, every=4, keep=3, background=background)])
    assert steps(tmp_path) == [10, 8, 4]
    assert run.folder == tmp_path
    step, state = load(tmp_path / "state" / "step-00000010")
    assert step == 10
    assert same(state["learner"], ours.state_dict())
    other = torch.nn.Linear(2, 1)
    load_model(tmp_path / "model.safetensors", other)
    assert same(other.state_dict(), ours.model.state_dict())
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_stopped_run_is_saved_and_a_broken_one_is_not(tmp_path):
    class End(Hook):
        def __init__(self, error):
            self.error = error

        def on_step(self, run, metrics):
            if run.step == 3:
                run.stop("enough")
                if self.error:
                    run.stopped = None
                    raise self.error

    fit(learner(), batches(), steps=9, hooks=[Save(tmp_path / "stopped", every=2), End(None)])
    assert steps(tmp_path / "stopped") == [3, 2]
    for error in (RuntimeError("half an update"), cr.NonFiniteError("nothing was changed"), KeyboardInterrupt()):
        folder = tmp_path / type(error).__name__
        with pytest.raises(type(error)):
            fit(learner(), batches(), steps=9, hooks=[Save(folder, every=2), End(error)])
        assert steps(folder) == [2]


class Moving:
    """A learner whose every weight is the number of its steps, and changes while it is written."""

    def __init__(self, size):
        self.model = torch.nn.Linear(size, size)
        self.steps = 0

    def step(self, batch):
        self.steps += 1
        with torch.no_grad():
            for parameter in self.model.parameters():
                parameter.fill_(self.steps)
        return {"loss": torch.zeros(())}

    def state_dict(self):
        return {"model": self.model.state_dict(), "steps": self.steps}

    def load_state_dict(self, state):
        raise NotImplementedError


@pytest.mark.parametrize("saves", [15, pytest.param(100, marks=pytest.mark.soak)])
def test_a_background_save_holds_the_state_at_its_call(tmp_path, saves):
    """R20: every save is that of its own step, though the weights move on while it is written."""
    fit(Moving(300), batches(), steps=5 * saves, hooks=[Save(tmp_path, every=5, keep=saves)])
    kept = steps_in(tmp_path / "state")
    assert len(kept) == saves
    for step, path in kept:
        found, state = load(path)
        assert found == step == state["learner"]["steps"]
        assert all(torch.equal(weight, torch.full_like(weight, step)) for weight in state["learner"]["model"].values())


class Witness(Hook):
    """Notes every bit of the state at the moment of each save; stands before `Save`."""

    def __init__(self, every):
        self.every = every
        self.seen = {}

    def on_step(self, run, metrics):
        if run.step % self.every == 0 or run.step == run.steps:
            self.seen[run.step] = bits(
                {"learner": run.learner.state_dict(), "generators": cr.training.generators_state()}
            )


@pytest.mark.parametrize("saves", [15, pytest.param(100, marks=pytest.mark.soak)])
@pytest.mark.usefixtures("unchecked")  # the type checker draws from Python's generator
def test_a_background_save_of_real_training_holds_every_bit_of_its_moment(tmp_path, saves):
    """R20 with weights, averages, moments and generators of training that does not wait for the disk."""
    family = FAMILIES["lenet"]
    witness, hook = Witness(3), Save(tmp_path, every=3, keep=saves)
    fit(made(family.build), family.batches(), steps=3 * saves, hooks=[witness, hook])
    kept = steps_in(tmp_path / "state")
    assert len(kept) == len(witness.seen) == saves
    assert [step for step, path in kept if bits(load(path)[1]) != witness.seen[step]] == []


def test_training_goes_on_while_the_disk_is_written(tmp_path, monkeypatch):
    """The step after a save is taken before the save is through."""
    stepped = threading.Event()
    write = store.write_checkpoint

    def slow(*arguments, **options):
        assert stepped.wait(60)
        return write(*arguments, **options)

    class Step(Hook):
        def on_step(self, run, metrics):
            if run.step == 3:
                stepped.set()

    monkeypatch.setattr(store, "write_checkpoint", slow)
    fit(learner(), batches(), steps=3, hooks=[Save(tmp_path, every=2), Step()])
    assert steps(tmp_path) == [3, 2]


def full_disk(monkeypatch, times):
    """The first so many writes fail."""
    write, left = store.write_checkpoint, [times]

    def fail(*arguments, **options):
        left[0] -= 1
        if left[0] >= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(*arguments, **options)

    monkeypatch.setattr(store, "write_checkpoint", fail)


@pytest.mark.parametrize("background", [True, False])
def test_a_full_disk_is_told_and_tried_again(tmp_path, monkeypatch, caplog, background):
    """R5: training goes on, the failure is one warning, and the save succeeds once there is room.

    Two failures fit in however late a writer in the background is noticed: at step 8, and at step 16 at the latest.
    """
    reference = learner()
    fit(reference, batches(), steps=20)
    full_disk(monkeypatch, 2)
    ours = learner()
    with caplog.at_level(logging.WARNING):
        run = fit(ours, batches(), steps=20, hooks=[Save(tmp_path, every=8, background=background)])
    assert run.step == 20
    assert same(ours.state_dict(), reference.state_dict())
    assert len(caplog.messages) == 2
    assert all(
        "could not be saved: [Errno 28] No space left on device; tried again at" in line for line in caplog.messages
    )
    assert steps(tmp_path)[0] == 20
    assert newest(tmp_path / "state") == (tmp_path / "state" / "step-00000020", [])


def test_the_checkpoint_before_a_full_disk_stands(tmp_path, monkeypatch):
    fit(learner(), batches(), steps=4, hooks=[Save(tmp_path, every=2)])
    resumed = learner()
    start = cr.training.resume(tmp_path, resumed)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(100, 99, 1))
    with pytest.raises(OSError, match="are free"):
        fit(resumed, batches(), steps=9, start=start, hooks=[Save(tmp_path, every=2)])
    assert steps(tmp_path) == [4, 2]


def test_a_folder_belongs_to_one_run(tmp_path):
    fit(learner(), batches(), steps=4, hooks=[Save(tmp_path)])
    with pytest.raises(cr.InputError, match=r"folder of its own.*saved_step=4, start=0"):
        fit(learner(), batches(), steps=4, hooks=[Save(tmp_path)])
    with pytest.raises(cr.InputError, match="saved_seed=0, seed=1"):
        fit(learner(), batches(), steps=5, start=4, seed=1, hooks=[Save(tmp_path)])
    with pytest.raises(cr.InputError, match="start=2"):  # which is over before it begins, and still not saved
        fit(learner(), batches(), steps=2, start=2, hooks=[Save(tmp_path)])
    fit(learner(), batches(), steps=4, start=4, hooks=[Save(tmp_path)])
    assert steps(tmp_path) == [4]


def test_a_run_killed_between_its_last_checkpoint_and_its_model_file_gets_it(tmp_path):
    fit(learner(), batches(), steps=3, hooks=[Save(tmp_path)])
    older = (tmp_path / "model.safetensors").read_bytes()
    ours = learner()
    fit(ours, batches(), steps=4, start=cr.training.resume(tmp_path, ours), hooks=[Save(tmp_path)])
    newer = (tmp_path / "model.safetensors").read_bytes()
    assert newer != older
    (tmp_path / "model.safetensors").write_bytes(older)
    (tmp_path / ".model.safetensors.tmp").write_bytes(newer[:50])
    again = learner()
    fit(again, batches(), steps=4, start=cr.training.resume(tmp_path, again), hooks=[Save(tmp_path)])
    assert (tmp_path / "model.safetensors").read_bytes() == newer
    assert steps(tmp_path) == [4, 3]
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_damaged_later_checkpoint_is_set_aside(tmp_path):
    fit(learner(), batches(), steps=4, hooks=[Save(tmp_path, every=2)])
    for _ in range(2):
        (tmp_path / "state" / "step-00000004" / "manifest.json").unlink()
        ours = learner()
        assert cr.training.resume(tmp_path, ours) == 2
        fit(ours, batches(), steps=4, start=2, hooks=[Save(tmp_path, every=2)])
    assert sorted(path.name for path in (tmp_path / "state").iterdir()) == [
        "step-00000002",
        "step-00000004",
        "step-00000004.refused",
        "step-00000004.refused1",
    ]


def test_a_state_that_no_file_can_hold_is_refused_before_the_first_step(tmp_path):
    ours = Moving(2)
    ours.state_dict = lambda: {"odd": object()}
    with pytest.raises(cr.InputError, match="plain data only"):
        fit(ours, batches(), steps=1, hooks=[Save(tmp_path)])
    assert ours.steps == 0


def test_saving_changes_nothing(tmp_path):
    bare, saved = learner(), learner()
    fit(bare, batches(), steps=7)
    generators = copy.deepcopy(cr.training.generators_state()["torch"])
    fit(saved, batches(), steps=7, hooks=[Save(tmp_path, every=1)])
    assert same(bare.state_dict(), saved.state_dict())
    assert torch.equal(generators, torch.get_rng_state())


def test_settings_are_checked(tmp_path):
    for wrong in ({"every": 0}, {"keep": 1}):
        with pytest.raises(cr.InputError, match="`every` must be at least 1 and `keep` at least 2"):
            Save(tmp_path, **wrong)
    assert save(tmp_path, 1, {}).exists()
