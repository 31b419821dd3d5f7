"""R8: files that mean harm, each opened in a process of its own that watches what the interpreter does.

Run as `python hostile.py FOLDER`; prints one JSON object per file.
"""

import io
import json
import os
import pickle
import resource
import struct
import sys
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

import chainrule as cr
from chainrule.recipes import find_recipe
from chainrule.training import load, load_model, newest, read_metrics, resume, save, save_model
from chainrule.training.checkpoint import sealed
from chainrule.training.reading import read_manifest
from training.drills import child, learner

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
FORBIDDEN = (
    "exec",
    "compile",
    "import",
    "marshal.",
    "pickle.",
    "subprocess.",
    "socket.",
    "ctypes.",
    "shutil.",
    "code.",
)
FORBIDDEN_OS = (
    "system",
    "exec",
    "fork",
    "posix_spawn",
    "spawn",
    "remove",
    "rename",
    "mkdir",
    "rmdir",
    "link",
    "symlink",
)
MARK = "was-here"


class Harm:
    """Unpickled, it leaves a mark."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (MARK,)


def header(entries: Any, data: bytes = b"", length: int | None = None) -> bytes:
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(shape: Any = (2,), offsets: Any = (0, 8), dtype: Any = "F32", **more: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets), **more}


def torch_zip() -> bytes:
    buffer = io.BytesIO()
    torch.save({"a": Harm()}, buffer)
    return buffer.getvalue()


def zip_bomb() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("archive/data.pkl", bytes(1 << 26))
    return buffer.getvalue()


Build = Callable[[Path], None]


def tensors(raw: bytes) -> Build:
    """Replaces the tensors, and signs a manifest that agrees with them as far as one can."""

    def build(path: Path) -> None:
        (path / "tensors.safetensors").write_bytes(raw)
        length = struct.unpack("<Q", raw[:8])[0] if len(raw) >= 8 else 0
        forge(path, bytes=len(raw), header=zlib.crc32(raw[: 8 + length]) if length < len(raw) else 0)

    return build


def forge(path: Path, **changes: Any) -> None:
    manifest = read_manifest(path)
    manifest.pop("crc32")
    (path / "manifest.json").write_bytes(sealed({**manifest, **changes}))


def forged(**changes: Any) -> Build:
    return lambda path: forge(path, **changes)


def signed(text: bytes) -> Build:
    """A manifest of any text behind the right checksum, past the limits that `sealed` keeps."""
    raw = b'{"crc32":"%08x",%b' % (zlib.crc32(text), text)
    return lambda path: (path / "manifest.json").write_bytes(raw) and None


def replaced(name: str, make: Build) -> Build:
    def build(path: Path) -> None:
        (path / name).unlink()
        make(path / name)

    return build


def giant(path: Path) -> None:
    raw = header({"w": entry([1 << 41], [0, 1 << 43])})
    with (path / "tensors.safetensors").open("wb") as file:
        file.write(raw)
        file.truncate(len(raw) + (1 << 43))
    forge(path, bytes=len(raw) + (1 << 43))


def dcp(path: Path) -> None:
    (path / "manifest.json").unlink()
    (path / ".metadata").write_bytes(pickle.dumps(Harm()))
    (path / "__0_0.distcp").write_bytes(pickle.dumps(Harm()))


def deep(opening: bytes, count: int) -> bytes:
    return b'"format":1,"state":' + opening * count


CHECKPOINTS: dict[str, Build] = {
    "pickle as tensors": tensors(pickle.dumps(Harm())),
    "pickle as manifest": lambda path: (path / "manifest.json").write_bytes(pickle.dumps(Harm())) and None,
    "pickle in .metadata": dcp,
    "torch.save as tensors": tensors(torch_zip()),
    "zip bomb as tensors": tensors(zip_bomb()),
    "header of 2^60 bytes": tensors(header({}, length=1 << 60)),
    "header of 100 MB": tensors(header({}, length=100 << 20)),
    "header of all bytes": tensors(header(b" " * 4096)),
    "overlapping offsets": tensors(header({"w": entry(), "v": entry(offsets=(4, 12))}, bytes(12))),
    "all tensors in one place": tensors(header({f"w{k}": entry() for k in range(1000)}, bytes(8))),
    "a hole": tensors(header({"w": entry(offsets=(8, 16))}, bytes(16))),
    "offsets past the end": tensors(header({"w": entry([1 << 30], [0, 1 << 32])}, bytes(8))),
    "NaN dimension": tensors(header(b'{"w":{"dtype":"F32","shape":[NaN],"data_offsets":[0,8]}}', bytes(8))),
    "infinite dimension": tensors(header(b'{"w":{"dtype":"F32","shape":[1e999],"data_offsets":[0,8]}}', bytes(8))),
    "negative dimension": tensors(header({"w": entry((-2, -1))}, bytes(8))),
    "huge shape": tensors(header({"w": entry((1 << 62, 1 << 62))}, bytes(8))),
    "huge and empty shape": tensors(header({"w": entry((0, 1 << 61, 1 << 61), (0, 0))})),
    "1,000 dimensions": tensors(header({"w": entry([1] * 1000, (0, 4))}, bytes(4))),
    "object dtype": tensors(header({"w": entry(dtype="O")}, bytes(8))),
    "deep header": tensors(header(b'{"w":' * 200_000)),
    "number of a million digits": tensors(header(b'{"w":' + b"9" * 1_000_000 + b"}")),
    "_instantiator in the header": tensors(header({"w": entry(_instantiator="os.mkdir")}, bytes(8))),
    "../ as a name": forged(tensors={"../../../../etc/passwd": 0}, state={"tensor": "../../../../etc/passwd"}),
    "../ as a step": forged(step="../../../../etc"),
    "_instantiator as a state": forged(state={"_instantiator": "os.mkdir", "args": [MARK]}),
    "python/object/apply as a state": forged(state={"python/object/apply:os.mkdir": [MARK]}),
    "__reduce__ as a state": forged(state={"dict": {"__reduce__": {"call": "os.mkdir"}}}),
    "deep state": signed(deep(b'{"tuple":[', 100_000)),
    "state 90 deep per level": forged(state=json.loads(b'{"tuple":[' * 450 + b"]}" * 450)),
    "a million empty lists": signed(b'"state":[' + b"[]," * 1_000_000 + b"[]]}"),
    "17 MiB of manifest": signed(b'"state":"' + b"a" * (17 << 20) + b'"}'),
    "manifest in UTF-16": signed('"state":{}}'.encode("utf-16")),
    "lone surrogates": forged(state={"dict": {"\ud800": {"tensor": "\udfff"}}}),
    "names of other files": forged(files=["/etc/passwd"], tensors_file="/etc/passwd"),
    "manifest is a link": replaced("manifest.json", lambda path: path.symlink_to("/etc/passwd")),
    "tensors are a link": replaced("tensors.safetensors", lambda path: path.symlink_to("/dev/zero")),
    "manifest is a pipe": replaced("manifest.json", os.mkfifo),
    "tensors are a pipe": replaced("tensors.safetensors", os.mkfifo),
    "manifest is a folder": replaced("manifest.json", lambda path: path.mkdir()),
    "8 TiB of nothing": giant,
}


def watched(act: Callable[[], Any]) -> dict[str, Any]:
    """What an act raises, does and costs."""
    seen: list[str] = []

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING:
            seen.append(f"open {arguments[0]} for writing")
        elif event.startswith(FORBIDDEN) or event.startswith(tuple(f"os.{name}" for name in FORBIDDEN_OS)):
            seen.append(event)

    Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
    before = peak()
    begun = time.perf_counter()
    sys.addaudithook(note)
    error = None
    try:
        act()
    except Exception as raised:  # noqa: BLE001 (which one is what is to be found out)
        error = raised
    events = list(seen)
    seconds = time.perf_counter() - begun
    grown = peak() - before
    return {"error": type(error).__name__, "says": str(error)[:200], "events": events, "seconds": seconds, "rss": grown}


def peak() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def size(path: Path) -> int:
    return sum(os.lstat(file).st_size for file in path.rglob("*"))


def acts(folder: Path) -> dict[str, tuple[Path, Callable[[], Any]]]:
    """Every hostile file, and what opens it."""
    made: dict[str, tuple[Path, Callable[[], Any]]] = {}
    for place, (name, build) in enumerate(CHECKPOINTS.items()):
        run = folder / str(place)
        path = save(run / "state", 7, {"learner": {"w": torch.zeros(2)}, "generators": {}})
        build(path)
        made[name] = (path, lambda path=path: load(path))
        made[f"{name}: resumed"] = (path, lambda run=run: resume(run, learner()))
    loop = save(folder / "loop" / "state", 7, {})
    (folder / "loop" / "state" / "step-00000008").symlink_to(".")
    made["a folder that links to itself"] = (loop, lambda: load(folder / "loop" / "state" / "step-00000008"))
    plain = {"learner": {"_instantiator": "os.mkdir", "model": "os.mkdir"}, "generators": {"python": ("os.mkdir",)}}
    path = save(folder / "plain" / "state", 7, plain)
    made["plain data that names code: resumed"] = (path, lambda: resume(folder / "plain", learner()))
    wrong = {**cr.training.generators_state(), "torch": torch.zeros(3, dtype=torch.uint8)}
    path = save(folder / "generators" / "state", 7, {"learner": learner().state_dict(), "generators": wrong})
    made["generators of another size: resumed"] = (path, lambda: resume(folder / "generators", learner()))
    for name, raw in {
        "model that is a pickle": pickle.dumps(Harm()),
        "model by torch.save": torch_zip(),
        "model tied to itself": header({"__metadata__": {"a": "a", "crc32": "{}", "header_crc32": "00000000"}}),
        "model whose checksums are deep": header({"__metadata__": {"crc32": "[" * 100_000, "header_crc32": "0" * 8}}),
    }.items():
        path = folder / f"{name}.safetensors"
        path.write_bytes(raw)
        made[name] = (path, lambda path=path: load_model(path, nn.Linear(2, 1)))
    lines = folder / "metrics.jsonl"
    lines.write_bytes(pickle.dumps(Harm()) + b'\n{"step":1,"_instantiator":"os.mkdir"}\n' + b"[" * 100_000)
    made["metrics that are no numbers"] = (lines, lambda: read_metrics(lines))
    for name, text in {
        "recipe that names a function": {"recipe": "os.mkdir", "settings": [MARK]},
        "recipe with an _instantiator": {"recipe": "karate-gcn", "settings": {"_instantiator": "os.mkdir"}},
    }.items():
        (folder / name).mkdir()
        (folder / name / "recipe.json").write_text(json.dumps(text))
        made[name] = (folder / name, lambda name=name: cr.load(folder / name))
    return made


def controls(folder: Path) -> dict[str, tuple[Path, Callable[[], Any]]]:
    """What the others are held against: a good checkpoint, and a reader that does what no reader may."""
    state = {"learner": learner().state_dict(), "generators": cr.training.generators_state()}
    good = save(folder / "good" / "state", 7, state)
    evil = folder / "harm.pickle"
    evil.write_bytes(pickle.dumps(Harm()))
    return {
        "control: a good checkpoint": (good, lambda: resume(folder / "good", learner())),
        "control: unpickled": (evil, lambda: pickle.loads(evil.read_bytes())),  # noqa: S301 (it is what must be seen)
        "control: much memory": (evil, lambda: len(b"1" * (64 << 20))),
    }


def harmless(folder: Path) -> None:
    """Once, so that whatever Python loads late is there before anybody watches."""
    path = save(folder / "state", 1, {"learner": learner().state_dict(), "generators": cr.training.generators_state()})
    resume(folder, learner())
    save_model(folder / "model.safetensors", nn.Linear(2, 1))
    load_model(folder / "model.safetensors", nn.Linear(2, 1))
    read_metrics(folder / "metrics.jsonl")
    find_recipe("karate-gcn")
    for name in ("manifest.json", "tensors.safetensors"):
        (path / name).write_bytes(b"")
        newest(folder / "state")


def main(folder: Path) -> None:
    harmless(folder / "harmless")
    os.chdir(folder)  # where harm would leave its mark
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name, (path, act) in {**acts(folder), **controls(folder)}.items():  # harm is done last, and leaves its mark

        def report(pipe: int, act: Callable[[], Any] = act) -> int:
            return os.write(pipe, json.dumps(watched(act)).encode()) and 0

        bytes_there = size(path) if path.is_dir() else path.stat().st_size
        with child(report) as (process, pipe):
            found = json.loads(os.read(pipe, 1 << 16) or b"{}")
            os.waitpid(process, 0)
        print(json.dumps({"name": name, "bytes": bytes_there, "mark": Path(MARK).exists(), **found}))


if __name__ == "__main__":
    torch.set_num_threads(1)

    main(Path(sys.argv[1]).resolve())
