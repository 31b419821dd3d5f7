"""Oracle: the safetensors package, and the module that was saved."""

import errno
import random
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from safetensors.torch import load_model as load_theirs
from torch import nn

from chainrule import CheckpointError
from chainrule.training import load_model, save_model
from chainrule.training import model_file as ours
from contracts.sameness import same


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(5, 3)
        self.norm = nn.BatchNorm1d(3)
        self.head = nn.Linear(3, 5, bias=False)
        self.head.weight = self.embed.weight


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "model.safetensors"


def test_weights_and_buffers_come_back(path):
    first, second = Tied(), Tied()
    save_model(path, first)
    load_model(path, second)
    assert same(first.state_dict(), second.state_dict())
    assert second.head.weight is second.embed.weight
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_the_safetensors_package_reads_it(path):
    first, second = Tied(), Tied()
    save_model(path, first)
    assert sorted(load_file(path)) == sorted(set(first.state_dict()) - {"head.weight"})
    load_theirs(second, path)
    assert same(first.state_dict(), second.state_dict())


def test_layout_and_dtype_of_the_module_stay(path):
    first = nn.Conv2d(3, 4, 2).to(memory_format=torch.channels_last)
    save_model(path, first)
    second = nn.Conv2d(3, 4, 2).to(memory_format=torch.channels_last, dtype=torch.float64)
    load_model(path, second)
    assert torch.equal(second.weight, first.weight.double())
    assert second.weight.is_contiguous(memory_format=torch.channels_last)


def test_another_model_is_refused_and_left_alone(path):
    save_model(path, nn.Linear(2, 1))
    other = nn.Linear(2, 3)
    before = other.weight.clone()
    with pytest.raises(CheckpointError, match=r"first_that_differs='bias', in_file=\(1,\), in_model=\(3,\)"):
        load_model(path, other)
    assert torch.equal(before, other.weight)
    with pytest.raises(CheckpointError, match="in_model='missing'"):
        load_model(path, nn.Linear(2, 1, bias=False))


@pytest.mark.parametrize("count", [150, pytest.param(1000, marks=pytest.mark.soak)])
def test_a_flipped_bit_is_found(path, count):
    """R6 for a model's file: any bit of header and weights."""
    save_model(path, Tied())
    raw, draw = path.read_bytes(), random.Random(0)
    for byte in (draw.randrange(len(raw)) for _ in range(count)):
        spoiled = bytearray(raw)
        spoiled[byte] ^= 1 << draw.randrange(8)
        path.write_bytes(spoiled)
        with pytest.raises(CheckpointError, match=path.name):
            load_model(path, Tied())


@pytest.mark.parametrize("offsets", [25, pytest.param(200, marks=pytest.mark.soak)])
def test_a_truncated_longer_or_missing_file_is_refused_by_name(path, offsets):
    """R7 for a model's file: cut off at so many places."""
    save_model(path, Tied())
    raw = path.read_bytes()
    for spoiled in (*(raw[: len(raw) * place // offsets] for place in range(offsets)), raw + b" "):
        path.write_bytes(spoiled)
        with pytest.raises(CheckpointError, match=path.name):
            load_model(path, Tied())
    path.unlink()
    with pytest.raises(CheckpointError, match=f"{path.name}` cannot be used: no such file"):
        load_model(path, Tied())


def test_a_file_without_checksums_is_refused(path, tmp_path):
    from safetensors.torch import save_file

    save_file({"weight": torch.zeros(1, 2)}, tmp_path / "theirs", {"format": "pt"})
    with pytest.raises(CheckpointError, match="did not write it"):
        load_model(tmp_path / "theirs", nn.Linear(2, 1, bias=False))


@pytest.mark.parametrize("odd", ["\ud800", "é" * 8, "{}"])
def test_odd_checksums_are_refused(path, odd):
    header = ours.encode_header({}, {"crc32": odd, "header_crc32": odd})
    path.parent.mkdir()
    path.write_bytes(header)
    with pytest.raises(CheckpointError, match=path.name):
        load_model(path, nn.Linear(2, 1))


def test_a_failed_write_leaves_the_old_file(path, monkeypatch):
    first = nn.Linear(2, 1)
    save_model(path, first)

    def refuse(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(ours, "write_tensors", refuse)
        with pytest.raises(OSError, match="No space"):
            save_model(path, nn.Linear(2, 1))
    assert [file.name for file in Path(path.parent).iterdir()] == [path.name]
    second = nn.Linear(2, 1)
    load_model(path, second)
    assert same(first.state_dict(), second.state_dict())
