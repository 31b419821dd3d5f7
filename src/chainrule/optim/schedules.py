"""How the learning rate goes: a pure function of the step, as a factor of the optimiser's rate."""

import math
from dataclasses import dataclass, replace
from typing import Self

from chainrule.errors import InputError


@dataclass(frozen=True)
class Constant:
    r"""The same rate throughout.

    $$s(t) = 1$$

    Example:
        >>> Constant().scale(10)
        1.0
    """

    def scale(self, step: int) -> float:
        """The factor at `step`."""
        return 1.0

    def over(self, steps: int) -> Self:
        """The same schedule: it has no end."""
        return self


@dataclass(frozen=True)
class WarmupCosine:
    r"""Up in a straight line, then down along half a cosine.

    $$s(t) = \min\!\Big(1, \frac{t+1}{W}\Big) \cdot
      \Big(f + (1-f)\,\tfrac12\big(1+\cos \pi \tfrac{\max(0,\,t-W)}{\max(1,\,T-W)}\big)\Big)$$

    Args:
        steps: T, where the cosine ends, and the rate stays at its floor; `None` ends it with the run (`over`).
        warmup: W, steps until the full rate.
        floor: f, the factor at the end.

    Example:
        >>> cosine = WarmupCosine(steps=100, warmup=10)
        >>> cosine.scale(0), cosine.scale(9), round(cosine.scale(100), 3)
        (0.1, 1.0, 0.0)

    Reference:
        Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, 2017.
        https://arxiv.org/abs/1608.03983

    Differs:
        No restarts; the first step already moves (its factor is 1 / warmup, not 0).
    """

    steps: int | None = None
    warmup: int = 0
    floor: float = 0.0

    def __post_init__(self) -> None:
        """A schedule needs steps to run over."""
        if self.warmup < 0 or (self.steps is not None and not max(1, self.warmup) <= self.steps):
            raise InputError(
                "`warmup` must lie between 0 and `steps`, and `steps` be at least 1",
                advice="set steps to those of the run",
                steps=self.steps,
                warmup=self.warmup,
            )
        if not 0.0 <= self.floor <= 1.0:
            raise InputError("`floor` is a share from 0 to 1", advice="try 0.1", floor=self.floor)

    def scale(self, step: int) -> float:
        """The factor at `step`."""
        if self.steps is None:
            raise InputError(
                "a cosine needs its end", advice="give `steps`, or stretch it with `over(steps)`", step=step
            )
        rise = min(1.0, (step + 1) / self.warmup) if self.warmup else 1.0
        done = min(1.0, max(0, step - self.warmup) / max(1, self.steps - self.warmup))
        return rise * (self.floor + (1 - self.floor) * 0.5 * (1 + math.cos(math.pi * done)))

    def over(self, steps: int) -> Self:
        """The same schedule, ending after so many steps if it names no end itself."""
        if self.steps is not None:
            return self
        return replace(self, steps=steps, warmup=min(self.warmup, steps))


Schedule = Constant | WarmupCosine
