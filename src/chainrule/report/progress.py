"""A bar that tells how far a run is."""

import os
import time
from typing import TYPE_CHECKING, Any

from torch import Tensor

from chainrule.report.numbers import duration, number
from chainrule.training import Hook, Run

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

_SHARE = 0.005  # of the time may go into drawing
_LEAST = 0.1  # seconds between two drawings
_SHORTEST = 12  # letters of bar: a shorter one shows nothing


class Progress(Hook):
    """Shows steps, loss, speed, remaining time and the last validation: a bar on a terminal, else a few plain lines.

    It looks at the clock every step and at a tensor only when it draws: at most ten times per second, and less often
    where drawing is slow, so that it never takes more than half a percent of the time. Off a terminal, and where `CI`
    is set, it prints a line per tenth of the way. `NO_COLOR` is respected.

    Args:
        console: where to draw; a new one on standard error if `None`.

    Example:
        >>> import io, chainrule as cr
        >>> from rich.console import Console
        >>> learner = cr.learners.Gradient(cr.models.lenet5(), cr.objectives.Classify())
        >>> page = io.StringIO()
        >>> hook = Progress(Console(file=page, width=100))
        >>> run = cr.fit(learner, cr.data.digits().train, steps=2, hooks=[hook])
        >>> page.getvalue().splitlines()[-1].split(" · ")[0]
        'step 2 of 2'
    """

    def __init__(self, console: "Console | None" = None) -> None:
        self._console = console
        self._bar: Bar | None = None
        self._task: Any = None
        self._due = 0.0
        self._line = 0
        self._begun = 0.0
        self._first = 0
        self._seen = 0
        self._noted: dict[str, float] = {}
        self._last: dict[str, Tensor] = {}

    def on_start(self, run: Run) -> None:
        """Draws the empty bar."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._console = self._console or Console(stderr=True)
        self._begun, self._first, self._seen = time.perf_counter(), run.step, len(run.history)
        self._line = run.step
        self._due = 0.0
        if not self._console.is_terminal or os.environ.get("CI"):
            self._bar, self._line = None, _after(run)
            return
        self._bar = Progress(
            TextColumn("{task.completed:,}/{task.total:,}"),
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.description}", markup=False),
            console=self._console,
            auto_refresh=False,
            expand=True,
        )
        self._task = self._bar.add_task("", total=run.steps, completed=run.step)
        self._bar.start()

    def on_step(self, run: Run, metrics: dict[str, Tensor]) -> None:
        """Draws when it is time."""
        self._last = metrics
        if self._bar is None:
            if run.step >= self._line:
                self._print(run)
                self._line = _after(run)
            return
        now = time.perf_counter()
        if now >= self._due:
            self._draw(run)
            done = time.perf_counter()
            self._due = done + max(_LEAST, (done - now) / _SHARE)

    def on_end(self, run: Run) -> None:
        """Draws the last state and lets go of the terminal."""
        if self._bar is not None:
            self._draw(run)
            self._bar.stop()
        elif run.step < self._line and run.step > self._first and not run.done:
            self._print(run)  # it ended between two lines, by an error
        if self._console is not None and run.stopped:
            self._console.print(f"stopped at step {run.step}: {run.stopped}", markup=False, highlight=False)
        self._last = {}

    def _draw(self, run: Run) -> None:
        if self._bar is not None:
            taken = len(f"{run.step:,}/{run.steps:,}") + _SHORTEST + len("100 %") + 3  # spaces between four columns
            room = self._bar.console.width - taken
            self._bar.update(self._task, completed=run.step, description=self._said(run, room))
            self._bar.refresh()

    def _print(self, run: Run) -> None:
        if self._console is not None:
            text = f"step {run.step:,} of {run.steps:,} · {self._said(run)}"
            self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _said(self, run: Run, room: int | None = None) -> str:
        """What there is to tell, in as many letters: the time left before the loss, that before the rest."""
        taken, steps = time.perf_counter() - self._begun, run.step - self._first
        for entry in run.history[self._seen :]:
            self._noted |= {name: value for name, value in entry.items() if name.startswith("validation_")}
        self._seen = len(run.history)
        first = ["loss"] if "loss" in self._last else list(self._last)[:2]  # two players have a loss each
        loss = [f"{name.replace('_', ' ')} {number(float(self._last[name]), digits=3)}" for name in first]
        noted = [f"{name.replace('_', ' ')} {number(float(value), digits=3)}" for name, value in self._noted.items()]
        speed, left = [], []
        if steps and taken > 0:
            speed = [f"{number(steps / taken, digits=3)} steps/s"]
            left = [f"{duration((run.steps - run.step) * taken / steps)} left" if not run.done else duration(taken)]
        parts = [*loss, *noted, *speed, *left]
        least = [*speed, *noted, *loss, *left]  # what goes first where room is short
        while room is not None and parts and len(" · ".join(parts)) > room:
            parts.remove(least.pop(0))
        return " · ".join(parts)


def _after(run: Run) -> int:
    """The next step at which a plain line is due: the next tenth of the way, and the end."""
    return min(run.steps, -(-(run.step * 10 // run.steps + 1) * run.steps // 10)) if run.steps else 0
