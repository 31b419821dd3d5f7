"""A character GPT's step on the CPU: ours beside nanoGPT's model in nanoGPT's own loop, data included.

    CHAINRULE_NANOGPT=path/to/nanoGPT python bench/gpt_step.py     # the folder with its model.py

Sizes are those that nanoGPT's README gives for a CPU: 4 layers, 4 heads, 128 wide, 64 characters of context, batch 12.
Both draw random windows of one text, clip the gradient and follow AdamW; ours also checks for NaN. "hand-written" is
the peer's loop around our model with torch's fused AdamW: what `Gradient` itself costs.
"""

import importlib.util
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path
from types import ModuleType

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)

from chainrule.data import Windows
from chainrule.learners import Compute, Gradient
from chainrule.models import gpt, gpt2
from chainrule.objectives import NextToken
from chainrule.optim import AdamW
from side_by_side import compare, save, show

torch.set_num_threads(1)
LAYERS, HEADS, DIM, CONTEXT, BATCH, VOCABULARY = 4, 4, 128, 64, 12, 65
TEXT = np.random.default_rng(0).integers(0, VOCABULARY, 500_000).astype(np.uint16)
RULE = AdamW(lr=1e-3, betas=(0.9, 0.99), weight_decay=0.1, clip=1.0)
SIZES = {"layers": LAYERS, "dim": DIM, "heads": HEADS, "vocabulary": VOCABULARY, "context": CONTEXT}


def nanogpt() -> ModuleType | None:
    """The peer's model file, if it is on this machine."""
    file = Path(os.environ.get("CHAINRULE_NANOGPT", "nanoGPT")) / "model.py"
    if not file.is_file():
        print(f"left out: nanoGPT (no {file}; set CHAINRULE_NANOGPT to a clone of karpathy/nanoGPT)")
        return None
    spec = importlib.util.spec_from_file_location("nanogpt_model", file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def windows() -> tuple[torch.Tensor, torch.Tensor]:
    """A batch as that loop makes it: window by window from an array."""
    starts = torch.randint(len(TEXT) - CONTEXT, (BATCH,)).tolist()
    ids = torch.stack([torch.from_numpy(TEXT[s : s + CONTEXT].astype(np.int64)) for s in starts])
    following = torch.stack([torch.from_numpy(TEXT[s + 1 : s + 1 + CONTEXT].astype(np.int64)) for s in starts])
    return ids, following


def peer(module: ModuleType, precision: Callable[[], AbstractContextManager[object]]) -> Callable[[], object]:
    sizes = module.GPTConfig(CONTEXT, VOCABULARY, LAYERS, HEADS, DIM, 0.0, True)
    with redirect_stdout(None):
        model = module.GPT(sizes)
        optimizer = model.configure_optimizers(0.1, 1e-3, (0.9, 0.99), "cpu")

    def step() -> float:
        ids, following = windows()
        with precision():
            _, loss = model(ids, following)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.item()

    return step


def by_hand(precision: Callable[[], AbstractContextManager[object]]) -> Callable[[], object]:
    model = gpt2(**SIZES)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.99), weight_decay=0.1, fused=True)

    def step() -> float:
        ids, following = windows()
        with precision():
            loss = F.cross_entropy(model(ids).flatten(0, 1), following.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    return step


def ours(model: torch.nn.Module, precision: str) -> Callable[[], object]:
    batches = Windows(TEXT, CONTEXT, BATCH)
    learner = Gradient(model, NextToken(), RULE, compute=Compute(precision))
    count = iter(range(1 << 40))
    return lambda: learner.step(batches[next(count)])


def main() -> None:
    module = nanogpt()
    rivals: dict[str, Callable[[], object]] = {}
    half = lambda: torch.autocast("cpu", torch.bfloat16)  # noqa: E731
    for name, precision in (("float32", nullcontext), ("bfloat16", half)):
        torch.manual_seed(0)
        if module:
            rivals[f"nanoGPT, its loop, {name}"] = peer(module, precision)
        rivals[f"our GPT-2, hand-written loop, {name}"] = by_hand(precision)
        rivals[f"our GPT-2, Gradient.step, {name}"] = ours(gpt2(**SIZES), name)
        rivals[f"our GPT (rotary), Gradient.step, {name}"] = ours(gpt(**SIZES), name)
    table = compare(rivals, rounds=15, repeat=4)
    show(f"One step of {BATCH} x {CONTEXT} characters, CPU time of one thread", table)
    speed = {name: BATCH * CONTEXT / micro * 1e6 for name, micro in table.items()}
    print()
    for name, value in speed.items():
        print(f"  {name:<44} {value:>10,.0f} characters/s per core")
    best = table["our GPT-2, Gradient.step, bfloat16"]
    for name, micro in table.items():
        if name.startswith("nanoGPT"):
            same = table[f"our GPT-2, Gradient.step, {name.split()[-1]}"]
            print(f"  ratio: {name} / ours, same precision {micro / same:.2f}; / ours in bfloat16 {micro / best:.2f}")
    note = "4 layers, 4 heads, 128 wide, context 64, batch 12, vocabulary 65; data, clipping and AdamW included"
    save("gpt_step", table, note=note, bar="no slower than nanoGPT's loop", characters_per_second=speed)


if __name__ == "__main__":
    main()
