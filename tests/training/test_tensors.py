"""Oracle: the safetensors package reads what is written here, and what it writes is read here."""

import json
import os
import struct
import zlib

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from chainrule import CheckpointError, InputError
from chainrule.training import tensors as ours

DTYPES = [
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex64, torch.int64, torch.int32,
    torch.int16, torch.int8, torch.uint64, torch.uint32, torch.uint16, torch.uint8, torch.bool,
    torch.float8_e4m3fn, torch.float8_e5m2,
]  # fmt: skip


def example(dtype, shape=(2, 3)):
    return torch.randint(0, 2, shape).to(dtype)


def write(path, tensors, metadata=None):
    ready = ours.portable(tensors)
    with path.open("wb") as file:
        ours.write_tensors(file, ours.encode_header(ready, metadata or {}), ready)
    return {name: ours.checksum(tensor) for name, tensor in ready.items()}


def read(path, checksums):
    with ours.open_regular(path) as file:
        return dict(ours.read_tensors(file, ours.read_header(file, path), checksums, path))


def bits(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8).tolist()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_safetensors_reads_ours_and_we_read_theirs(tmp_path, dtype):
    wanted = {
        "a": example(dtype),
        "b": example(dtype, ()),
        "c": example(dtype, (0, 2)),
        "d": example(torch.uint8, (3,)),
    }
    checksums = write(tmp_path / "ours", wanted)
    save_file(wanted, tmp_path / "theirs", {"format": "pt"})
    for found in (
        load_file(tmp_path / "ours"),
        read(tmp_path / "ours", checksums),
        read(tmp_path / "theirs", checksums),
    ):
        assert sorted(found) == sorted(wanted)
        for name, tensor in wanted.items():
            assert found[name].dtype == tensor.dtype
            assert found[name].shape == tensor.shape
            assert bits(found[name]) == bits(tensor)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.text(max_size=8), st.lists(st.integers(0, 3), max_size=4), max_size=5))
def test_any_names_and_shapes(tmp_path_factory, shapes):
    shapes.pop("__metadata__", None)
    path = tmp_path_factory.mktemp("any") / "file"
    wanted = {name: torch.randn(shape) for name, shape in shapes.items()}
    found = read(path, write(path, wanted))
    assert sorted(found) == sorted(wanted)
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)


def test_views_are_written_as_they_look(tmp_path):
    wanted = {
        "turned": torch.randn(3, 4).T,
        "wide": torch.randn(1, 4).expand(3, 4),
        "conj": torch.randn(2, dtype=torch.complex64).conj(),
    }
    write(tmp_path / "file", wanted)
    found = load_file(tmp_path / "file")
    assert all(torch.equal(found[name], wanted[name].resolve_conj()) for name in wanted)


@pytest.mark.parametrize(
    "odd", [torch.zeros(2, dtype=torch.complex128), torch.zeros(2, device="meta"), torch.eye(2).to_sparse()]
)
def test_what_no_file_can_hold_is_refused(odd):
    with pytest.raises(InputError, match="dense tensors"):
        ours.portable({"odd": odd})


def test_too_many_names_are_refused_before_they_are_written():
    with pytest.raises(InputError, match="commas and brackets"):
        ours.encode_header({f"w{place}": torch.zeros(1) for place in range(60_000)}, {})


def header(entries, data=b"", length=None):
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def one(**changes):
    return {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **changes}}


HOSTILE = {
    "empty": (b"", "ends 8 bytes early"),
    "no header": (b"1234567", "ends 1 bytes early"),
    "oversized header": (header({}, length=1 << 60), "claims"),
    "header longer than the file": (header({}, length=100), "claims"),
    "a list": (header([1]), "no table"),
    "no JSON": (header(b"{]"), "no JSON"),
    "not UTF-8": (header(b'{"\xff\xfe":1}'), "no JSON"),
    "deep": (header(b'{"a":' * 5000), "no JSON"),
    "many values": (header(b"[" + b"0," * 500_000 + b"0]"), "more values"),
    "NaN dimension": (header(b'{"a":{"dtype":"F32","shape":[NaN],"data_offsets":[0,0]}}'), "NaN"),
    "huge number": (header(b'{"a":{"dtype":"F32","shape":[' + b"9" * 5000 + b'],"data_offsets":[0,0]}}'), "no JSON"),
    "negative dimension": (header(one(shape=[-2]), bytes(8)), "no whole numbers"),
    "fractional dimension": (header(one(shape=[2.0]), bytes(8)), "no whole numbers"),
    "boolean dimension": (header(one(shape=[True, 2]), bytes(8)), "no whole numbers"),
    "huge shape": (header(one(shape=[1 << 61, 1 << 61])), "do not fit its shape"),
    "huge and empty shape": (header(one(shape=[0, 1 << 61, 1 << 61], data_offsets=[0, 0])), "shape|checksum"),
    "many dimensions": (header(one(shape=[1] * 65, data_offsets=[0, 4]), bytes(4)), "no whole numbers"),
    "unknown dtype": (header(one(dtype="PICKLE"), bytes(8)), "unknown dtype"),
    "dtype that is a list": (header(one(dtype=["F32"]), bytes(8)), "unknown dtype"),
    "a field more": (header(one(_instantiator="os.system"), bytes(8)), "lacks"),
    "a field less": (header({"a": {"dtype": "F32"}}), "lacks"),
    "an entry that is text": (header({"a": "os.system"}), "lacks"),
    "offsets that overlap": (header({**one(), "b": one(data_offsets=[4, 12])["a"]}, bytes(12)), "starts at byte 4"),
    "a hole": (header({**one(), "b": one(data_offsets=[12, 20])["a"]}, bytes(20)), "starts at byte 12"),
    "offsets backwards": (header(one(data_offsets=[8, 0]), bytes(8)), "do not fit"),
    "offsets past the end": (header(one(), bytes(4)), "4 bytes of tensors"),
    "bytes to spare": (header(one(), bytes(9)), "9 bytes of tensors"),
    "metadata that is no text": (header({"__metadata__": {"a": 1}}), "metadata"),
    "metadata that is a list": (header({"__metadata__": ["a"]}), "metadata"),
    "neither false nor true": (header(one(dtype="BOOL", data_offsets=[0, 2]), b"\x02\x00"), "false nor true|checksum"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused(tmp_path, name):
    raw, message = HOSTILE[name]
    path = tmp_path / "file"
    path.write_bytes(raw)
    with pytest.raises(CheckpointError, match=message):
        read(path, {"a": 0})


def test_a_boolean_is_false_or_true_even_with_the_right_checksum(tmp_path):
    (tmp_path / "file").write_bytes(HOSTILE["neither false nor true"][0])
    with pytest.raises(CheckpointError, match="neither false nor true"):
        read(tmp_path / "file", {"a": zlib.crc32(b"\x02\x00")})


def test_a_sparse_giant_is_refused_at_once(tmp_path):
    path = tmp_path / "giant"
    size = 1 << 43
    head = header(one(shape=[size // 4], data_offsets=[0, size]))
    with path.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + size)
    with pytest.raises(CheckpointError, match="more than this machine's memory"):
        read(path, {"a": 0})


def test_neither_links_nor_pipes_nor_folders_are_opened(tmp_path):
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "link").symlink_to("real")
    os.mkfifo(tmp_path / "pipe")
    for name, message in (("link", "symbolic"), ("pipe", "ordinary"), (".", "ordinary"), ("missing", "no such file")):
        with pytest.raises(CheckpointError, match=message):
            ours.open_regular(tmp_path / name)
