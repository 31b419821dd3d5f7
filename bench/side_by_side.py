"""Measures rivals beside each other: interleaved rounds, the minimum of each, the ratio to the best.

A number without its peer in the same run is not a result. CPU work is timed as process CPU time on one thread
(wall time on a shared machine is off by up to ten times); GPU work by events around a synchronised region.

    from side_by_side import compare, save
    table = compare({"plain torch": step_a, "ours": step_b}, rounds=7, repeat=200)
    save("loop", table, note="MLP 784-128-10, batch 64")
"""

import datetime
import json
import platform
import random
import time
from collections.abc import Callable
from pathlib import Path

import torch

RESULTS = Path(__file__).parent / "results"


def compare(
    rivals: dict[str, Callable[[], object]], *, rounds: int = 7, repeat: int = 1, device: str = "cpu"
) -> dict[str, float]:
    """Microseconds per call of each rival: the minimum over rounds, the order shuffled in each."""
    best = dict.fromkeys(rivals, float("inf"))
    clock = _gpu_seconds if device == "cuda" else _cpu_seconds
    for call in rivals.values():
        call()  # first calls allocate, compile and fault pages in
    for _ in range(rounds):
        for name in random.sample(list(rivals), len(rivals)):
            best[name] = min(best[name], clock(rivals[name], repeat) / repeat * 1e6)
    return best


def _cpu_seconds(call: Callable[[], object], repeat: int) -> float:
    start = time.process_time()
    for _ in range(repeat):
        call()
    return time.process_time() - start


def _gpu_seconds(call: Callable[[], object], repeat: int) -> float:
    before, after = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    before.record()
    for _ in range(repeat):
        call()
    after.record()
    torch.cuda.synchronize()
    return before.elapsed_time(after) / 1e3


def show(title: str, table: dict[str, float], *, unit: str = "us") -> None:
    """Prints one line per rival, the fastest first, with its ratio to the fastest."""
    print(f"\n{title}")
    least = min(table.values())
    for name, value in sorted(table.items(), key=lambda entry: entry[1]):
        print(f"  {name:<44} {value:>12,.1f} {unit}   {value / least:>6.2f} x")


def save(name: str, table: dict[str, float], *, note: str, unit: str = "us", bar: str = "", **extra: object) -> None:
    """Keeps both sides of every ratio with date, machine and versions in results/NAME.json."""
    RESULTS.mkdir(exist_ok=True)
    record = {
        "name": name,
        "note": note,
        "unit": unit,
        "bar": bar,
        "table": table,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "processor": _processor(),
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        **extra,
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")
