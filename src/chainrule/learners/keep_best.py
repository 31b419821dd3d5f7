"""What is kept of a training is its best moment, as examples tell that took no part in it."""

import copy
import math
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from chainrule.data import Batches
from chainrule.errors import InputError
from chainrule.objectives import Objective
from chainrule.training import Learner, evaluate


class KeepBest:
    r"""Wraps a learner: every so many steps its model is measured on held-out examples, and the best one is kept.

    $$t^* = \arg\min_{t \in \{n, 2n, \dots\}} L_{\text{held out}}(w_t), \qquad \text{model} = w_{t^*}$$

    Training itself is not touched, and never stops early: only what is evaluated, saved and used is another.

    Args:
        learner: what learns.
        objective: by whose `metric` the model is judged.
        held_out: gives the examples to judge by, which must not be those to learn from nor those of the final test;
            called before the first measurement, not before.
        every: $n$, steps between two measurements.
        metric: what is to be small.

    Example:
        >>> from chainrule import data, models, objectives
        >>> from chainrule.learners import Gradient
        >>> digits = data.digits()
        >>> learner = Gradient(models.lenet5(), objectives.Classify())
        >>> best = KeepBest(learner, objectives.Classify(), lambda: digits.validation, every=2)
        >>> for k in range(4):
        ...     metrics = best.step(digits.train[k])
        >>> best.kept in (2, 4)
        True

    Reference:
        Prechelt, Early Stopping - But When?, 1998.

    Differs:
        Training goes on to its last step.
    """

    def __init__(
        self,
        learner: Learner,
        objective: Objective[Any],
        held_out: Callable[[], Batches[Any]],
        *,
        every: int = 100,
        metric: str = "loss",
    ) -> None:
        if every < 1:
            raise InputError("`every` must be at least 1 step", advice="try 100", every=every)
        self.learner = learner
        self.objective = objective
        self.every = every
        self.metric = metric
        self.steps = 0
        self.kept = 0
        self.least = math.inf
        self._held_out = held_out
        self._best: nn.Module | None = None

    @property
    def model(self) -> nn.Module:
        """The best model so far; before the first measurement, the learner's own."""
        return self.learner.model if self._best is None else self._best

    def step(self, batch: Any) -> dict[str, Tensor]:
        """One step of the wrapped learner, and a look at its model when it is time."""
        metrics = self.learner.step(batch)
        self.steps += 1
        if self.steps % self.every == 0:
            self._look()
        return metrics

    def _look(self) -> None:
        found = evaluate(self.learner.model, self.objective, self._held_out())[self.metric]
        if not found < self.least:
            return
        self.least, self.kept = found, self.steps
        if self._best is None:
            self._best = copy.deepcopy(self.learner.model)
        else:
            self._best.load_state_dict(self.learner.model.state_dict())

    def state_dict(self) -> dict[str, Any]:
        """The learner's state, the best weights, and how good they were."""
        return {
            "learner": self.learner.state_dict(),
            "best": None if self._best is None else self._best.state_dict(),
            "least": self.least,
            "kept": self.kept,
            "steps": self.steps,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up where `state_dict` left off."""
        self.learner.load_state_dict(state["learner"])
        self._best = None
        if state["best"] is not None:
            self._best = copy.deepcopy(self.learner.model)
            self._best.load_state_dict(state["best"])
        self.least, self.kept, self.steps = float(state["least"]), int(state["kept"]), int(state["steps"])
