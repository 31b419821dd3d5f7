"""P20: what `import` costs, and the first compiled step with a warm cache.

Every import is timed in a process of its own, as CPU time from the interpreter's start, interleaved and shuffled; the
minimum of the rounds counts. The compiled step is the first one of `Gradient` with `execution="compiled"`, compilers it
starts included, once with an empty cache and then with what that left behind; on a CUDA device in wall time.
Bars: `import chainrule` at most 0.2 s more than `import torch`, and 1.05 s in all; first compiled step <= 5 s.

    python bench/startup.py         # peers that are not installed are named
"""

import importlib.util
import os
import random
import subprocess
import sys
import tempfile

import torch

from side_by_side import save, show

ROUNDS = 7
IMPORT = "import time; import {name}; print(time.process_time())"
STEP = """
import resource, time, torch
import chainrule as cr

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

def spent():
    if DEVICE == "cuda":
        torch.cuda.synchronize()
        return time.perf_counter()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime

torch.set_num_threads(1)
batch = cr.data.Table(torch.randn(64, 32), torch.arange(64) % 10).to(DEVICE)
compiled = cr.learners.Compute(execution="compiled")
learner = cr.learners.Gradient(cr.models.mlp((32, 64, 10)).to(DEVICE), cr.objectives.Classify(), compute=compiled)
before = spent()
learner.step(batch)
print(spent() - before)
"""


def seconds(code: str, **environment: str) -> float:
    """What the code prints last, run in a fresh interpreter on one thread."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[-1])


def imports() -> dict[str, float]:
    """CPU seconds of each import, the least of the rounds."""
    names = [name for name in ("torch", "chainrule", "lightning", "transformers.trainer") if installed(name)]
    best = dict.fromkeys(names, float("inf"))
    for _ in range(ROUNDS):
        for name in random.sample(names, len(names)):
            best[name] = min(best[name], seconds(IMPORT.format(name=name)))
    return {f"import {name}": value for name, value in best.items()}


def installed(name: str) -> bool:
    """Says so where a peer is missing."""
    found = importlib.util.find_spec(name.split(".", maxsplit=1)[0]) is not None
    if not found:
        print(f"{name} is not installed: left out")
    return found


def first_steps() -> dict[str, float]:
    """Seconds of the first compiled step, with an empty cache and with a warm one."""
    with tempfile.TemporaryDirectory() as cache:
        cold = seconds(STEP, TORCHINDUCTOR_CACHE_DIR=cache)
        warm = min(seconds(STEP, TORCHINDUCTOR_CACHE_DIR=cache) for _ in range(3))
    return {"first compiled step, empty cache": cold, "first compiled step, warm cache": warm}


if __name__ == "__main__":
    table = imports()
    show("P20 imports, CPU seconds of the whole process", table, unit="s")
    over = table["import chainrule"] - table["import torch"]
    print(f"  chainrule over torch: {over:.2f} s (bar 0.20)")
    steps = first_steps()
    show("P20 first compiled step", steps, unit="s")
    bar = "chainrule <= 0.2 s over torch, <= 1.05 s in all; warm step <= 5 s"
    name, note = ("startup_cuda", "the step in wall time") if torch.cuda.is_available() else ("startup", "CPU time")
    save(name, table | steps, note=f"{note}, fresh processes", unit="s", bar=bar, over_torch=over)
