"""How many steps fit into somebody's minutes."""

import time
from dataclasses import dataclass
from typing import Any

from chainrule.data import Batches
from chainrule.errors import InputError
from chainrule.recipes.threads import running_on
from chainrule.report import duration
from chainrule.training import Learner

_WARM, _SECONDS, _MOST = 2, 1.5, 30  # steps before the clock runs, how long it runs, steps it sees at most
_SHARE = 0.85  # of the time goes into steps; the rest into reading, validating and saving


@dataclass(frozen=True)
class Budget:
    """How long training takes.

    Args:
        steps: that are taken.
        seconds: per step, as measured on this machine.
        spared: whether fewer are taken than the minutes would allow, because they are enough.

    Example:
        >>> Budget(steps=100, seconds=0.1, spared=False).told()
        '100 steps of 100 ms: about 10.0 s.'
    """

    steps: int
    seconds: float
    spared: bool

    def told(self) -> str:
        """It in a sentence."""
        whole = duration(self.steps * self.seconds)
        enough = " More would not help data of this size." if self.spared else ""
        return f"{self.steps:,} steps of {duration(self.seconds)}: about {whole}.{enough}"


def budget(learner: Learner, batches: Batches[Any], minutes: float, *, threads: int, enough: int) -> Budget:
    """Takes a few steps, to see how long they last, and says how many fit; the learner is used up by it.

    Args:
        learner: to take the steps with.
        batches: what of.
        minutes: how long training may take.
        threads: of the CPU.
        enough: more steps than these are never taken.

    Example:
        >>> import torch, chainrule as cr
        >>> batches = cr.data.InMemory(cr.data.Table(torch.zeros(8, 2), torch.zeros(8, 1)), 4)
        >>> learner = cr.learners.Gradient(torch.nn.Linear(2, 1), cr.objectives.Regress())
        >>> budget(learner, batches, 1.0, threads=1, enough=10).steps
        10
    """
    if not minutes > 0:
        raise InputError("`--minutes` must be more than 0", advice="try --minutes 5", minutes=minutes)
    with running_on(threads):
        seconds = _timed(learner, batches)
    fitting = max(1, int(minutes * 60 * _SHARE / seconds))
    return Budget(min(fitting, enough), seconds, spared=enough < fitting)


def _timed(learner: Learner, batches: Batches[Any]) -> float:
    for k in range(_WARM):
        learner.step(batches[k])
    taken: list[float] = []
    while len(taken) < _MOST and sum(taken) < _SECONDS:
        start = time.perf_counter()
        metrics = learner.step(batches[_WARM + len(taken)])
        _ = [float(value) for value in metrics.values()]  # waits for a device
        taken.append(time.perf_counter() - start)
    return sum(taken) / len(taken)
