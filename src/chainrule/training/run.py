"""What happens while training: the step it is at, what was measured, why it stopped."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from torch import Tensor, nn

from chainrule.data import Batches


@runtime_checkable
class Learner(Protocol):
    """What changes the numbers: one step at a time. The loop knows nothing else of it.

    `model` is what was learnt and what is evaluated, saved and used: the averaged weights where the learner
    averages, the generator and its critic together where two play.
    """

    @property
    def model(self) -> nn.Module:
        """The network to evaluate, save and use."""
        ...

    def step(self, batch: Any) -> dict[str, Tensor]:
        """Learns from one batch; returns scalars that stay tensors until somebody reads them."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Everything that the next step depends on: plain data and tensors, nested."""
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up where `state_dict` left off."""
        ...


@dataclass
class Run:
    """One training in progress, or finished: what hooks are shown.

    Args:
        learner: what learns.
        batches: what it learns from.
        steps: where it ends.
        step: how many steps are done.
        seed: from which, with the step's number, every step's random numbers are drawn.
        history: what was recorded, in order: one dict per `record`, with its step.
        stopped: why it ended before its last step, or `None`.
        folder: where it is kept on disk, once a hook has said so.

    Example:
        >>> import chainrule as cr
        >>> learner = cr.learners.Gradient(cr.models.lenet5(), cr.objectives.Classify())
        >>> run = Run(learner, cr.data.digits().train, steps=10, step=4)
        >>> run.record(loss=0.5)
        >>> run.stop("it was only an example")
        >>> run.curve("loss"), run.done
        (([4], [0.5]), True)
    """

    learner: Learner
    batches: Batches[Any]
    steps: int
    step: int = 0
    seed: int = 0
    history: list[dict[str, float | int]] = field(default_factory=list[dict[str, float | int]])
    stopped: str | None = None
    folder: Path | None = None

    @property
    def done(self) -> bool:
        """Whether there is nothing more to do."""
        return self.step >= self.steps or self.stopped is not None

    def record(self, **numbers: float) -> None:
        """Writes numbers down under the present step."""
        self.history.append({"step": self.step, **numbers})

    def stop(self, reason: str) -> None:
        """Asks the loop to end after this step; the first reason stands."""
        self.stopped = self.stopped or reason

    def curve(self, name: str) -> tuple[list[int], list[float]]:
        """Steps and values at which `name` was recorded."""
        points = [(int(entry["step"]), entry[name]) for entry in self.history if name in entry]
        return [step for step, _ in points], [value for _, value in points]
