"""Signals: the handler only sets a flag; the run stops where it is whole."""

import logging
import signal
import threading
from types import FrameType
from typing import Any

from torch import Tensor

from chainrule.training.hook import Hook
from chainrule.training.run import Run

log = logging.getLogger(__name__)
_REASON = "received "


class StopOnSignal(Hook):
    """Ends a run at the next step when the process is told to end; `Save` then saves it.

    SIGTERM (a machine goes down) and SIGINT (Ctrl-C) stop the run; so does SIGUSR1, which SLURM sends ahead of a time
    limit (`sbatch --signal=USR1@90`): the run is saved, and the job queued again resumes it. A second SIGINT raises
    `KeyboardInterrupt` at once, and the last checkpoint stands. `exit_code` is what the process should return then.
    Put this hook first: it then ends last, and the signals are still held off while the others save.

    Only the main thread may listen to signals; in another one this hook does nothing.

    Example:
        >>> import chainrule as cr
        >>> learner = cr.learners.Gradient(cr.models.lenet5(), cr.objectives.Classify())
        >>> run = cr.fit(learner, cr.data.digits().train, steps=1, hooks=[StopOnSignal()])
        >>> exit_code(run)
        0
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._interrupted = False
        self._before: dict[signal.Signals, Any] = {}

    def on_start(self, run: Run) -> None:
        """Listens."""
        self.received, self._interrupted = None, False
        if threading.current_thread() is not threading.main_thread():
            log.info("signals are not listened to outside of the main thread")
            return
        for number in _listened():
            self._before[number] = signal.signal(number, self._handle)

    def on_step(self, run: Run, metrics: dict[str, Tensor]) -> None:
        """Asks the run to end if a signal came."""
        self._pass_on(run)

    def on_end(self, run: Run) -> None:
        """Gives the signals back to whom they belonged."""
        self._pass_on(run)
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._before = {}

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT and self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = self._interrupted or number == signal.SIGINT
        self.received = self.received or signal.Signals(number)

    def _pass_on(self, run: Run) -> None:
        if self.received is not None:
            run.stop(f"{_REASON}{self.received.name}")


def exit_code(run: Run) -> int:
    """What a process should return after a run: 128 + the signal that stopped it (143, 130, 138), otherwise 0.

    Args:
        run: that has ended.

    Example:
        >>> import chainrule as cr
        >>> learner = cr.learners.Gradient(cr.models.lenet5(), cr.objectives.Classify())
        >>> run = cr.fit(learner, cr.data.digits().train, steps=1)
        >>> run.stop("received SIGTERM")
        >>> exit_code(run)
        143
    """
    reasons = {f"{_REASON}{number.name}": 128 + number for number in _listened()}
    return int(reasons.get(run.stopped or "", 0))


def _listened() -> list[signal.Signals]:
    members = signal.Signals.__members__
    return [members[name] for name in ("SIGTERM", "SIGINT", "SIGUSR1") if name in members]
