"""A damaged checkpoint is never loaded: the next older one is, and one line says why."""

import logging
import random
import shutil

import pytest
import torch

from chainrule import CheckpointError
from chainrule.training import Save, fit, load, newest, resume, save
from chainrule.training.checkpoint import sealed
from chainrule.training.reading import newest_by, read, read_manifest
from contracts.sameness import made, same
from families import FAMILIES

FILES = ("manifest.json", "tensors.safetensors")


def state(seed=0):
    draw = torch.Generator().manual_seed(seed)
    return {
        "model": {"w": torch.randn(7, 9, generator=draw), "b": torch.randn(3, generator=draw).bfloat16()},
        "groups": [{"lr": 0.1, "betas": (0.9, 0.999), "params": [0, 1]}],
        "average": None,
    }


@pytest.fixture
def path(tmp_path):
    return save(tmp_path, 2, state())


def flips_found(path, count, seed):
    """How many of so many single flipped bits are found, and told by the file's name, over all bits of both files."""
    draw = random.Random(seed)
    raws = {name: (path / name).read_bytes() for name in FILES}
    places = [(name, bit) for name, raw in raws.items() for bit in range(8 * len(raw))]
    found = 0
    for name, bit in draw.sample(places, count):
        raw = bytearray(raws[name])
        raw[bit // 8] ^= 1 << bit % 8
        (path / name).write_bytes(raw)
        try:
            load(path)
        except CheckpointError as error:
            found += f"`{path.name}/{name}`" in str(error)
        (path / name).write_bytes(raws[name])
    return found


def test_a_flipped_bit_is_found(path):
    """R6, short."""
    assert flips_found(path, 150, seed=0) == 150
    assert same(load(path)[1], state())


@pytest.mark.soak
def test_a_thousand_flipped_bits_are_found(path):
    """R6, in full: of the checkpoint of a real run, too, which then goes on from the one before."""
    assert flips_found(path, 1000, seed=1) == 1000
    folder = path.parent / "run"
    learner = made(FAMILIES["lenet"].build)
    fit(learner, FAMILIES["lenet"].batches(), steps=2, hooks=[Save(folder, every=1)])
    latest = folder / "state" / "step-00000002"
    assert flips_found(latest, 1000, seed=2) == 1000
    raw = bytearray((latest / FILES[1]).read_bytes())
    raw[len(raw) // 2] ^= 1
    (latest / FILES[1]).write_bytes(raw)
    assert resume(folder, learner) == 1


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("offsets", [25, pytest.param(200, marks=pytest.mark.soak)])
def test_a_truncated_file_is_refused_by_name(path, name, offsets):
    """R7: cut off at so many places."""
    raw = (path / name).read_bytes()
    for place in range(offsets):
        (path / name).write_bytes(raw[: len(raw) * place // offsets])
        with pytest.raises(CheckpointError, match=f"step-00000002/{name}"):
            load(path)


@pytest.mark.parametrize("name", FILES)
def test_a_longer_or_missing_file_is_refused_by_name(path, name):
    (path / name).write_bytes((path / name).read_bytes() + b" ")
    with pytest.raises(CheckpointError, match=f"step-00000002/{name}"):
        load(path)
    (path / name).unlink()
    with pytest.raises(CheckpointError, match=f"step-00000002/{name}` cannot be used: no such file"):
        load(path)


@pytest.mark.parametrize("name", FILES)
def test_swapped_files_are_refused(path, name):
    """R7: of two checkpoints that look alike, one file changes places."""
    other = save(path.parent, 3, state(seed=1))
    (path / name).rename(path.parent / "kept")
    (other / name).rename(path / name)
    (path.parent / "kept").rename(other / name)
    for broken in (path, other):
        with pytest.raises(CheckpointError, match=f"`{broken.name}/{name}` cannot be used"):
            load(broken)


def test_the_two_files_of_one_checkpoint_swapped_are_refused(path):
    manifest, tensors = ((path / name).read_bytes() for name in FILES)
    (path / FILES[0]).write_bytes(tensors)
    (path / FILES[1]).write_bytes(manifest)
    with pytest.raises(CheckpointError, match=r"`step-00000002/manifest\.json` cannot be used"):
        load(path)


def test_a_renamed_checkpoint_is_refused(path):
    other = path.rename(path.with_name("step-00000009"))
    with pytest.raises(CheckpointError, match="it is that of step 2"):
        load(other)


def test_one_that_is_a_link_is_refused(path):
    link = path.with_name("step-00000009")
    link.symlink_to(path.name)
    with pytest.raises(CheckpointError, match="symbolic link"):
        load(link)


def test_the_newest_whole_one_is_taken_and_one_line_says_why(tmp_path, caplog):
    for step in (1, 2, 3, 4):
        save(tmp_path, step, state(step))
    (tmp_path / "step-00000004" / "manifest.json").unlink()
    raw = bytearray((tmp_path / "step-00000003" / "tensors.safetensors").read_bytes())
    raw[-1] ^= 1
    (tmp_path / "step-00000003" / "tensors.safetensors").write_bytes(raw)
    (tmp_path / "step-00000005.tmp").mkdir()
    with caplog.at_level(logging.INFO):
        path, refused = newest(tmp_path)
    assert path == tmp_path / "step-00000002"
    assert [line.split("`")[1] for line in refused] == [
        "step-00000004/manifest.json",
        "step-00000003/tensors.safetensors",
    ]
    (line,) = caplog.messages
    assert line.startswith("took step-00000002; refused `step-00000004/manifest.json`")
    assert "tensor `model/b` differs from its checksum" in line


def test_one_that_the_system_cannot_read_is_refused_too(tmp_path):
    save(tmp_path, 1, {})
    save(tmp_path, 2, {})

    def attempt(path):
        if path.name.endswith("2"):
            raise PermissionError(13, "not yours")
        return read(path).step

    assert newest_by(tmp_path, attempt) == (tmp_path / "step-00000001", 1, ["[Errno 13] not yours"])


def test_no_checkpoint_and_no_whole_one(tmp_path, caplog):
    assert newest(tmp_path / "nowhere") == (None, [])
    (tmp_path / "step-00000001").mkdir()
    path, refused = newest(tmp_path)
    assert path is None
    assert len(refused) == 1
    assert "no checkpoint in" in caplog.text


def forged(path, **changes):
    manifest = read_manifest(path)
    manifest.pop("crc32")
    (path / "manifest.json").write_bytes(sealed({**manifest, **changes}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "a newer Chainrule wrote"),
        ({"step": 3}, "it is that of step 3"),
        ({"step": True}, "lacks a field"),
        ({"step": "../../2"}, "lacks a field"),
        ({"bytes": 1 << 50}, "bytes instead of"),
        ({"bytes": 2.5}, "lacks a field"),
        ({"header": 1}, "its header differs"),
        ({"tensors": {}}, "are not those that were written"),
        ({"tensors": {"../../w": 1}}, "are not those that were written"),
        ({"tensors": {"model/w": "1", "model/b": 2}}, "no whole numbers"),
        ({"tensors": [1]}, "no whole numbers"),
        ({"state": [1]}, "no dict"),
        ({"state": {"_instantiator": "os.system"}}, "no part of a state"),
        ({"state": None}, "no dict"),
    ],
)
def test_a_forged_manifest_is_refused(path, changes, message):
    forged(path, **changes)
    with pytest.raises(CheckpointError, match=message):
        load(path)


def test_a_manifest_that_is_not_one(path):
    for raw, message in ((b"[1]", "size"), (sealed({"a": 1}), "lacks a field"), (b"\x80\x04" * 50, "checksum")):
        (path / "manifest.json").write_bytes(raw)
        with pytest.raises(CheckpointError, match=message):
            load(path)
    shutil.rmtree(path)
    with pytest.raises(CheckpointError, match="no such file"):
        load(path)
