"""A checkpoint is whole or not there: what the disk is told, in which order, and what a full disk leaves."""

import errno
import json
import os
import resource
import shutil
import zlib
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from chainrule import CheckpointError, InputError
from chainrule.training import checkpoint as ours
from chainrule.training import load, newest, save
from contracts.sameness import same
from training.disks import filling, volume

STATE = {"w": torch.arange(6.0).view(2, 3), "betas": (0.9, 0.999), 0: None, "on": True}


def test_a_checkpoint_is_a_folder_of_two_files(tmp_path):
    path = save(tmp_path / "new" / "folder", 42, STATE, seed=7)
    assert path == tmp_path / "new" / "folder" / "step-00000042"
    assert sorted(file.name for file in path.iterdir()) == ["manifest.json", "tensors.safetensors"]
    assert torch.equal(load_file(path / "tensors.safetensors")["w"], STATE["w"])
    step, state = load(path)
    assert step == 42
    assert same(state, STATE)


def test_the_manifest_tells_all_of_it(tmp_path):
    path = save(tmp_path, 42, STATE, seed=7)
    raw = (path / "manifest.json").read_bytes()
    manifest = json.loads(raw)
    assert manifest["step"] == 42
    assert manifest["seed"] == 7
    assert manifest["world"] == 1
    assert manifest["threads"] == torch.get_num_threads()
    assert manifest["versions"] == {"chainrule": "0.1.0", "torch": torch.__version__}
    assert manifest["bytes"] == (path / "tensors.safetensors").stat().st_size
    assert manifest["tensors"] == {"w": zlib.crc32(STATE["w"].numpy().tobytes())}
    assert manifest["crc32"] == f"{zlib.crc32(raw[20:]):08x}"
    assert b" " not in raw


def test_equal_states_are_equal_bytes(tmp_path):
    one, other = (save(tmp_path / name, 1, STATE) for name in "ab")
    for name in ("manifest.json", "tensors.safetensors"):
        assert (one / name).read_bytes() == (other / name).read_bytes()


def test_every_step_is_confirmed_by_the_disk_before_the_next(tmp_path, monkeypatch):
    """Files and their folder, then the rename, then the parent: the order that a power failure cannot break."""
    seen = []
    sync, rename = os.fsync, Path.rename

    def note(descriptor):
        seen.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        sync(descriptor)

    def move(path, target):
        seen.append(f"{path.name} -> {Path(target).name}")
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", note)
    monkeypatch.setattr(Path, "rename", move)
    save(tmp_path, 1, STATE)
    step = "step-00000001"
    assert sorted(seen[:3]) == ["manifest.json", f"{step}.tmp", "tensors.safetensors"]
    assert seen[3:] == [f"{step}.tmp -> {step}", tmp_path.name]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_disk_that_does_not_confirm_leaves_the_last_checkpoint(tmp_path, monkeypatch, count):
    """A disk may say only when it is asked to confirm that it is full."""
    older = save(tmp_path, 1, STATE)
    left = iter([False] * count + [True] + [False] * 9)

    def refuse(_descriptor):
        if next(left):
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", refuse)
        with pytest.raises(OSError, match="No space left"):
            save(tmp_path, 2, STATE)
    survives(tmp_path, older)


def test_nothing_is_overwritten(tmp_path):
    save(tmp_path, 1, STATE)
    with pytest.raises(CheckpointError, match="never overwritten"):
        save(tmp_path, 1, {})
    assert same(load(tmp_path / "step-00000001")[1], STATE)


def test_what_is_left_of_an_interrupted_save_is_written_anew_or_removed(tmp_path):
    left = tmp_path / "step-00000001.tmp"
    left.mkdir()
    (left / "tensors.safetensors").write_bytes(b"half")
    save(tmp_path, 1, STATE)
    assert not left.exists()
    left.mkdir()
    ours.clean(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000001"]


def test_pruning_keeps_the_newest_two_or_more(tmp_path):
    for step in (5, 100_000_000, 20, 3):
        save(tmp_path, step, {})
    (tmp_path / "step-00000099.refused").mkdir()
    (tmp_path / "notes").mkdir()
    ours.prune(tmp_path, 3)
    assert [step for step, _ in ours.steps_in(tmp_path)] == [100_000_000, 20, 5]
    ours.prune(tmp_path)
    assert [step for step, _ in ours.steps_in(tmp_path)] == [100_000_000, 20]
    with pytest.raises(InputError, match="at least 2"):
        ours.prune(tmp_path, 1)
    assert (tmp_path / "notes").is_dir()


def test_pruning_survives_what_cannot_be_removed(tmp_path, monkeypatch):
    for step in (1, 2, 3):
        save(tmp_path, step, {})

    def refuse(*_arguments, **_options):
        raise PermissionError(errno.EPERM, "no")

    monkeypatch.setattr(shutil, "rmtree", refuse)
    ours.prune(tmp_path)
    assert [step for step, _ in ours.steps_in(tmp_path)] == [3, 2]


def test_space_is_looked_for_before_anything_is_written(tmp_path, monkeypatch):
    save(tmp_path, 1, STATE)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(100, 99, 1))
    with pytest.raises(OSError, match=r"MiB are needed and 0\.0 MiB are free") as caught:
        save(tmp_path, 2, STATE)
    assert caught.value.errno == errno.ENOSPC
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000001"]


def big():
    return {"w": torch.randn(3, 5000), "v": torch.randn(999), "plain": list(range(2000))}


def survives(folder, older):
    """The checkpoint before a failed save is whole, nothing is left of the failed one, and the next save succeeds."""
    assert newest(folder) == (older, [])
    assert [path.name for path in folder.iterdir()] == [older.name]
    later = save(folder, 3, STATE)
    assert newest(folder) == (later, [])
    shutil.rmtree(later)


def test_a_disk_that_fills_up_at_any_byte_leaves_the_last_checkpoint(tmp_path, monkeypatch):
    """R5: 20 offsets over both files; the disk refuses the byte after."""
    older = save(tmp_path, 1, STATE)
    state = big()
    whole = save(tmp_path / "whole", 2, state)
    sizes = [(whole / name).stat().st_size for name in ("tensors.safetensors", "manifest.json")]
    shutil.rmtree(tmp_path / "whole")
    for place in range(20):
        room = int(sum(sizes) * place / 20)
        with monkeypatch.context() as patched:
            patched.setattr(Path, "open", filling(room))
            with pytest.raises(OSError, match="No space left") as caught:
                save(tmp_path, 2, state)
        assert caught.value.errno == errno.ENOSPC
        survives(tmp_path, older)


def test_a_kernel_that_refuses_to_write_on_leaves_the_last_checkpoint(tmp_path):
    """R5 with a true refusal of the kernel: a limit on the size of files."""
    older = save(tmp_path, 1, STATE)
    state = big()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for place in range(20):
        resource.setrlimit(resource.RLIMIT_FSIZE, (3200 * place, before[1]))
        try:
            with pytest.raises(OSError, match="File too large"):
                save(tmp_path, 2, state)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        survives(tmp_path, older)


@pytest.mark.soak
def test_a_truly_full_disk_leaves_the_last_checkpoint(tmp_path, monkeypatch):
    """R5 on a real small volume, filled up to 20 levels, with the look for space switched off."""
    with volume(tmp_path / "volume", 4) as disk:
        older = save(disk / "state", 1, STATE)
        state = {"w": torch.randn(200_000)}
        for place in range(20):
            ballast = disk / "ballast"
            ballast.write_bytes(bytes(shutil.disk_usage(disk).free - 40_000 * place))
            with monkeypatch.context() as patched:
                patched.setattr(ours, "check_space", lambda _folder, _needed: None)
                with pytest.raises(OSError, match="No space left"):
                    save(disk / "state", 2, state)
            ballast.unlink()
            survives(disk / "state", older)
