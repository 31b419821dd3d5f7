"""Resume, from every step, by way of the disk: bit for bit the run that was never interrupted."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chainrule.data import Batches
from chainrule.training import Save, fit, resume
from contracts.sameness import made, same


def resumed_otherwise(build: Callable[[], Any], batches: Batches[Any], steps: int, folder: Path) -> list[int]:
    """The steps from which a resumed run ends otherwise than the uninterrupted one: none, if all is well.

    Args:
        build: the learner, with other weights at every call; nothing but its state may carry over.
        batches: what it learns from.
        steps: how long; 2 epochs or more.
        folder: an empty one.
    """
    whole = made(build)
    fit(whole, batches, steps=steps, hooks=[Save(folder / "whole", every=1, keep=steps + 1)])
    wrong = []
    for step in range(1, steps):
        name = f"step-{step:08d}"
        shutil.copytree(folder / "whole" / "state" / name, folder / name / "state" / name)
        learner = made(build, seed=step)
        start = resume(folder / name, learner)
        fit(learner, batches, steps=steps, start=start)
        if start != step or not same(whole.state_dict(), learner.state_dict()) or not same(whole.model, learner.model):
            wrong.append(step)
    return wrong
