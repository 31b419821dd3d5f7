"""Going back to where training was still healthy, and on from there with other batches."""

import copy
import math
from collections import deque
from dataclasses import dataclass
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn

from chainrule.errors import InputError, NonFiniteError
from chainrule.training import Learner


@dataclass(frozen=True)
class _Snapshot:
    step: int
    state: dict[str, Any]
    losses: tuple[float, ...]


class Rollback:
    r"""Wraps a learner: when its loss breaks down, takes an earlier state and leaves the bad batches behind.

    $$L_t \notin \mathbb{R} \ \text{ or }\ L_t > \kappa \cdot \operatorname{median}(L_{t-n}, \dots, L_{t-1})
      \quad\Rightarrow\quad w \leftarrow w_s, \qquad s = \max\{s' \in \text{kept} : s' \le t - n\}$$

    The state comes from at least `every` steps before, because what breaks a loss down usually began earlier. Batches
    are not turned back: the next one follows the bad ones, which so are skipped. When it happens again before `every`
    healthy steps have passed, an older state is taken, as far as one is kept; after `patience` times in a row the
    learner gives up with the error that it was given.

    Args:
        learner: what learns; its `NonFiniteError` is what is caught.
        every: $n$, steps between two snapshots, which are kept in memory.
        keep: how many snapshots.
        spike: $\kappa$, how many times the running median a loss may be; `None` reacts to `NonFiniteError` alone.
        patience: how many times in a row.
        metric: what the learner calls its loss.

    Example:
        >>> from chainrule import data, models, objectives
        >>> from chainrule.learners import Gradient
        >>> learner = Rollback(Gradient(models.lenet5(), objectives.Classify()), every=2)
        >>> batches = data.digits().train
        >>> for k in range(5):
        ...     metrics = learner.step(batches[k])
        >>> learner.steps, learner.rollbacks
        (5, 0)

    Reference:
        Chowdhery et al., PaLM: Scaling Language Modeling with Pathways, 2022, section 5.1.
        https://arxiv.org/abs/2204.02311

    Differs:
        There a person restarted from about 100 steps before and skipped 200 to 500 batches; here it happens by
        itself, from memory, and as many batches are skipped as are bad. Updates that were undone are not made up for.
    """

    def __init__(
        self,
        learner: Learner,
        *,
        every: int = 50,
        keep: int = 2,
        spike: float | None = None,
        patience: int = 10,
        metric: str = "loss",
    ) -> None:
        if every < 1 or keep < 2 or patience < 1:
            raise InputError(
                "`every` and `patience` must be at least 1 and `keep` at least 2",
                advice="with one snapshot, the one before `every` steps is already gone",
                every=every,
                keep=keep,
                patience=patience,
            )
        if spike is not None and not spike > 1.0:
            raise InputError("`spike` must be above 1", advice="try 3.0", spike=spike)
        self.learner = learner
        self.every = every
        self.keep = keep
        self.spike = spike
        self.patience = patience
        self.metric = metric
        self.steps = 0
        self.rollbacks = 0
        self.lost = 0
        self._row = 0
        self._healthy = 0
        self._losses: deque[float] = deque(maxlen=every)
        self._snapshots: list[_Snapshot] = []

    @property
    def model(self) -> nn.Module:
        """The wrapped learner's."""
        return self.learner.model

    def step(self, batch: Any) -> dict[str, Tensor]:
        """One step of the wrapped learner, or a way back; the metrics then tell of the loss that was refused."""
        try:
            if self.steps % self.every == 0:
                self._remember()  # the state may tell, too, that a step was not finite: on a device, a while later
            metrics = self.learner.step(batch)
        except NonFiniteError as error:
            self._back(error)
            return {self.metric: torch.tensor(math.nan)}
        if self.spike is not None and self._spikes(float(metrics[self.metric])):
            limit = f"{self.spike} times the median of the last {len(self._losses)}"
            self._back(NonFiniteError(f"The loss of {float(metrics[self.metric]):.4g} is above {limit}."))
            return metrics
        self.steps += 1
        self._healthy += 1
        if self._healthy >= self.every:
            self._row = 0
        return metrics

    def _spikes(self, loss: float) -> bool:
        enough = len(self._losses) >= min(self.every, 10)
        usual = median(self._losses) if enough else math.inf
        if not math.isfinite(loss) or (enough and usual > 0 and loss > usual * (self.spike or math.inf)):
            return True
        self._losses.append(loss)
        return False

    def _remember(self) -> None:
        if self._snapshots and self._snapshots[-1].step == self.steps:
            return
        state = copy.deepcopy(self.learner.state_dict())
        self._snapshots.append(_Snapshot(self.steps, state, tuple(self._losses)))
        del self._snapshots[: -self.keep]

    def _back(self, error: NonFiniteError) -> None:
        self._row += 1
        if self._row > self.patience:
            raise error
        old = [place for place, kept in enumerate(self._snapshots) if kept.step <= self.steps - self.every]
        del self._snapshots[(old[-1] if old else 0) + 1 :]
        kept = self._snapshots[-1]
        self.learner.load_state_dict(copy.deepcopy(kept.state))
        self._losses = deque(kept.losses, maxlen=self.every)
        self.rollbacks += 1
        self.lost += self.steps - kept.step
        self.steps = kept.step
        self._healthy = 0

    def state_dict(self) -> dict[str, Any]:
        """The learner's state, the snapshots, and what was counted."""
        return {
            "learner": self.learner.state_dict(),
            "snapshots": [(kept.step, kept.state, kept.losses) for kept in self._snapshots],
            "losses": list(self._losses),
            "steps": self.steps,
            "rollbacks": self.rollbacks,
            "lost": self.lost,
            "row": self._row,
            "healthy": self._healthy,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up where `state_dict` left off."""
        self.learner.load_state_dict(state["learner"])
        kept = copy.deepcopy(state["snapshots"])
        self._snapshots = [_Snapshot(step, inner, tuple(losses)) for step, inner, losses in kept]
        self._losses = deque(state["losses"], maxlen=self.every)
        self.steps, self.rollbacks, self.lost = state["steps"], state["rollbacks"], state["lost"]
        self._row, self._healthy = state["row"], state["healthy"]
