"""What it costs to ask a model through `chainrule predict` and `chainrule serve`, beside the bare network.

The bare network is given tensors that are ready, in the same chunks. `predict` reads files, prepares them, asks the
network and writes the answers as CSV. `serve` runs as a process of its own; requests of one example each are sent at
even times over some connections, and are timed from the moment at which they should have been sent, so that a server
that falls behind cannot hide it. The networks have their default sizes and random weights.

    python bench/serve.py
"""

import asyncio
import base64
import io
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from chainrule.cli.predict import _answers, _write
from chainrule.data import seeded
from chainrule.recipes import Asked, FitPictures, Fitted, Trained, load, plan_table, recipe_name, to_plain
from chainrule.training import save_model
from side_by_side import compare, save, show

ROWS, PICTURES, CHUNK = 20_000, 1_000, 256
RATE, SECONDS, CONNECTIONS = 100, 10, 16
ROUNDS = 3
BAR = "predict >= 0.9 of the bare network's throughput; serve p99 <= 20 ms over the network's time at 100 requests/s"


def saved(recipe: Fitted, folder: Path) -> Path:
    """A run's folder, as `chainrule fit` leaves it, without the training."""
    folder.mkdir()
    (folder / "recipe.json").write_text(json.dumps({"recipe": recipe_name(recipe), "settings": to_plain(recipe)}))
    with seeded(0):
        save_model(folder / "model.safetensors", recipe.learner().model)
    return folder


def table_case(place: Path) -> tuple[Path, list[Path], Any]:
    """A run on 30 columns, a file of rows for it, and one row as a request has it."""
    from sklearn.datasets import load_breast_cancer

    found = load_breast_cancer()
    names = [str(name) for name in found.feature_names]
    rows = np.resize(found.data, (ROWS, len(names)))
    lines = [",".join(names), *(",".join(f"{value:g}" for value in row) for row in rows.tolist())]
    (place / "rows.csv").write_text("\n".join(lines) + "\n")
    run = saved(plan_table("breast_cancer", Asked(minutes=0.01, threads=1)), place / "table")
    return run, [place / "rows.csv"], dict(zip(names, rows[0].tolist(), strict=True))


def picture_case(place: Path) -> tuple[Path, list[Path], Any]:
    """A run on pictures of 28 x 28, a folder of files for it, and one picture as a request has it."""
    recipe = FitPictures(
        steps=1, seed=0, threads=1, data="digits", digest="", asked=Asked(), size=(28, 28), channels=1, mean=(33.0,),
        classes=tuple("0123456789"), deviation=(79.0,),
    )  # fmt: skip
    random = np.random.default_rng(0)
    (place / "files").mkdir()
    for number in range(PICTURES):
        pixels = random.integers(0, 256, (28, 28), dtype=np.uint8)
        Image.fromarray(pixels).save(place / "files" / f"{number:05d}.png")
    page = io.BytesIO()
    Image.fromarray(pixels).save(page, "PNG")
    return saved(recipe, place / "pictures"), [place / "files"], base64.b64encode(page.getvalue()).decode()


def throughput(name: str, model: Trained, paths: list[Path]) -> tuple[dict[str, float], float]:
    """Microseconds of CPU time per example of both, and the share of the bare network's throughput."""
    recipe = model.recipe
    assert isinstance(recipe, Fitted)
    chunks = [rows for _, rows in recipe.read(paths)]
    parts = [rows.select(slice(start, start + CHUNK)) for rows in chunks for start in range(0, len(rows), CHUNK)]
    count = sum(map(len, parts))

    @torch.inference_mode()
    def bare() -> None:
        for part in parts:
            model.network(*part.inputs)

    def predict() -> None:
        assert _write(io.StringIO(), _answers(model, paths)) == count

    measured = compare({f"{name}, bare network": bare, f"{name}, chainrule predict": predict}, rounds=ROUNDS)
    table = {each: value / count for each, value in measured.items()}
    show(f"{name}: microseconds of CPU time per example, of {count:,}", table)
    return table, table[f"{name}, bare network"] / table[f"{name}, chainrule predict"]


@contextmanager
def serving(run: Path) -> Iterator[int]:
    """The port of `chainrule serve`, as a process of its own."""
    start = "from chainrule.cli import run_process; run_process()"
    command = [sys.executable, "-c", start, "serve", str(run), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r":(\d+) ", process.stdout.readline())
        assert found is not None
        try:
            yield int(found.group(1))
        finally:
            process.kill()


async def asked_evenly(port: int, example: Any, seconds: float) -> list[float]:
    """Milliseconds from when each request was due until its answer was there."""
    body = json.dumps({"inputs": [example]}).encode()
    head = f"POST /predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    request = head.encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body
    free: asyncio.Queue[Any] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        free.put_nowait(await asyncio.open_connection("127.0.0.1", port))
    begin = time.perf_counter() + 0.1

    async def one(due: float) -> float:
        await asyncio.sleep(due - time.perf_counter())
        connection = await free.get()
        reader, writer = connection
        writer.write(request)
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200"), answer
        length = re.search(rb"content-length: (\d+)", answer)
        assert length is not None
        await reader.readexactly(int(length.group(1)))
        free.put_nowait(connection)
        return 1e3 * (time.perf_counter() - due)

    times = await asyncio.gather(*(one(begin + number / RATE) for number in range(int(seconds * RATE))))
    while not free.empty():
        free.get_nowait()[1].close()
    return times


def latency(name: str, run: Path, example: Any) -> dict[str, float]:
    """Milliseconds: the network's own time for one example, and the middle and the 99th percentile of serve."""
    model = load(run)
    recipe = model.recipe
    assert isinstance(recipe, Fitted)
    if isinstance(recipe, FitPictures):
        rows = recipe.encoded(np.zeros((28, 28), np.uint8))
    else:
        rows = recipe.encoded([example])
    alone: list[float] = []
    with torch.inference_mode():
        for _ in range(200):
            begin = time.perf_counter()
            model.network(*rows.inputs)
            alone.append(1e3 * (time.perf_counter() - begin))
    with serving(run) as port:
        asyncio.run(asked_evenly(port, example, 1.0))  # the first requests fault pages in
        times = asyncio.run(asked_evenly(port, example, SECONDS))
    own, middle, late = float(np.median(alone)), float(np.median(times)), float(np.percentile(times, 99))
    print(f"\n{name}, {RATE} requests/s: network {own:.2f} ms, p50 {middle:.2f} ms, p99 {late:.2f} ms")
    return {"network": own, "p50": middle, "p99": late}


def main() -> None:
    torch.set_num_threads(1)
    table: dict[str, float] = {}
    shares: dict[str, float] = {}
    waits: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        for kind, make in (("table", table_case), ("pictures", picture_case)):
            run, paths, example = make(Path(name))
            measured, shares[kind] = throughput(kind, load(run), paths)
            table |= measured
            waits[kind] = latency(kind, run, example)
    over = {kind: found["p99"] - found["network"] for kind, found in waits.items()}
    for kind, share in shares.items():
        print(f"{kind}: predict {share:.2f} of the bare network (bar 0.9), p99 {over[kind]:.1f} ms over it (bar 20)")
    save(
        "serve",
        table,
        note=f"{ROWS:,} rows of 30 columns, {PICTURES:,} pictures of 28 x 28; {RATE} requests/s for {SECONDS} s",
        unit="us of CPU time per example",
        bar=BAR,
        share_of_bare={kind: round(share, 3) for kind, share in shares.items()},
        milliseconds={kind: {each: round(value, 2) for each, value in found.items()} for kind, found in waits.items()},
        p99_over_network={kind: round(value, 2) for kind, value in over.items()},
    )


if __name__ == "__main__":
    main()
