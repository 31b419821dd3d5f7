"""P18 on one CUDA device: for how long training stands still while a checkpoint of GPT-2 is taken.

1.5 GB: 124 million weights in the shapes of GPT-2 and AdamW's two averages. Ours copies them to pinned memory, which is
kept from one checkpoint to the next, and writes them in the background; torch.save copies and writes while training
waits. Wall time in milliseconds, the device waited for; each save into an empty place.

Bars: at most 1 % of 100 steps (of 60 ms each, what GPT-2 takes at 32 x 1,024 tokens), and 10 x less than torch.save.

    python bench/device_checkpoint.py [FOLDER]      # says so and ends where there is no CUDA device
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from torch import nn

import chainrule as cr
from chainrule.training import Run, Save
from side_by_side import save, show

ROUNDS, INTERVAL = 3, 100 * 60.0  # milliseconds


def trained() -> dict[str, Any]:
    model = cr.models.gpt2_small().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for parameter in model.parameters():
        parameter.grad = torch.randn_like(parameter)
    optimizer.step()
    optimizer.zero_grad()
    return {"model": model.state_dict(), "optimizer": optimizer.state_dict()}


class Still:
    """A learner that does nothing but have a state."""

    model = nn.Linear(1, 1)

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state

    def step(self, batch: Any) -> dict[str, torch.Tensor]:
        return {}

    def state_dict(self) -> dict[str, Any]:
        return self.state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        pass


def milliseconds(act: Any) -> float:
    torch.cuda.synchronize()
    begun = time.perf_counter()
    act()
    torch.cuda.synchronize()
    return (time.perf_counter() - begun) * 1e3


def main() -> None:
    place = Path(tempfile.mkdtemp(dir=sys.argv[1] if len(sys.argv) > 1 else None))
    learner = Still(trained())
    batches = cr.data.Same(cr.data.Table(torch.zeros(1, 1), torch.zeros(1)))
    run, hook = Run(learner, batches, 1_000), Save(place / "run", every=1)
    hook.on_start(run)
    table = dict.fromkeys(("ours: background save", "torch.save"), float("inf"))
    first = None
    try:
        for _ in range(ROUNDS):
            run.step += 1
            still = milliseconds(lambda: hook.on_step(run, {}))
            first = first or still  # makes room: pinned memory is slow to get, once per run
            hook._settle(run)
            table["ours: background save"] = min(table["ours: background save"], still)
            whole = milliseconds(lambda: torch.save(learner.state, place / "state.pt"))
            table["torch.save"] = min(table["torch.save"], whole)
            (place / "state.pt").unlink()
        hook.on_end(run)
    finally:
        shutil.rmtree(place)
    show("P18 on the device: training stands still, wall time", table, unit="ms")
    share, ratio = table["ours: background save"] / INTERVAL, table["torch.save"] / table["ours: background save"]
    print(f"  {share:.2%} of 100 steps of 60 ms (bar: 1 %); {ratio:.1f} x less than torch.save (bar: 10)")
    print(f"  the first save of a run, which makes room: {first:,.0f} ms")
    save(
        "device_checkpoint",
        table,
        note="GPT-2 124M and AdamW's averages, 1.5 GB, float32",
        unit="ms wall",
        bar="<= 1 % of 100 steps; >= 10 x less than torch.save",
        share_of_100_steps=share,
        times_less=ratio,
        first_ms=first,
    )


if __name__ == "__main__":
    if torch.cuda.is_available():
        main()
    else:
        print("no CUDA device: this benchmark needs one")
