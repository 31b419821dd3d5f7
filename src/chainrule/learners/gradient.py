"""Learning by gradient descent: the ordinary way."""

import copy
import math
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from chainrule.data import Batch, Rows
from chainrule.errors import InputError, NonFiniteError, expect
from chainrule.learners.nonfinite import Before, blame
from chainrule.learners.update import NonFinite, follow, length
from chainrule.objectives import Loss, Objective
from chainrule.optim import AdamW, Ema, Rule, Stepper
from chainrule.training import counted, evaluating

Precision = Literal["float32", "bfloat16"]


class Gradient:
    r"""Follows the gradient of one objective with one optimiser.

    $$w \leftarrow \text{rule}\big(w, \nabla_w L(\text{model}_w, \text{batch})\big)$$

    Args:
        model: the network that learns.
        objective: what is to be minimised.
        optimizer: how a gradient becomes an update.
        accumulate: into how many equal parts a batch is cut when it does not fit; the update is the same.
        precision: "bfloat16" computes the network in half the bits; weights and loss stay float32.
        average: an average of the weights, which then is what is evaluated, saved and used.
        nonfinite: what to do when loss or gradient is infinite or NaN: `raise` before anything is changed,
            or `skip` this batch and count it.
        compile: whether to compile the network with `torch.compile`.

    Example:
        >>> from chainrule import data, models, objectives
        >>> batch = data.digits().train[0]
        >>> learner = Gradient(models.lenet5(), objectives.Classify())
        >>> before = learner.step(batch)["loss"]
        >>> bool(learner.step(batch)["loss"] < before)
        True

    Reference:
        Robbins and Monro, A Stochastic Approximation Method, 1951.

    Differs:
        Nothing.
    """

    def __init__(
        self,
        model: nn.Module,
        objective: Objective[Any],
        optimizer: Rule = AdamW(),  # noqa: B008 (a frozen value)
        *,
        accumulate: int = 1,
        precision: Precision = "float32",
        average: Ema | None = None,
        nonfinite: NonFinite = "raise",
        compile: bool = False,
    ) -> None:
        expect("model", model, nn.Module, advice="pass the network itself")
        expect("objective", objective, Objective, advice="pass for instance Classify(), not a loss of torch")
        expect("optimizer", optimizer, Rule, advice="pass a rule, for instance AdamW(lr=1e-3), not torch's optimiser")
        _one_of("precision", precision, get_args(Precision))
        _one_of("nonfinite", nonfinite, get_args(NonFinite))
        if accumulate < 1:
            raise InputError("`accumulate` must be at least 1", advice="1 takes the batch whole", accumulate=accumulate)
        self.objective = objective
        self.rule = optimizer
        self.stepper = Stepper(optimizer, model)
        self.accumulate = accumulate
        self.precision = precision
        self.average = average
        self.nonfinite = nonfinite
        self.steps = 0
        self.skipped = 0
        self._trained = model
        self._called = torch.compile(model) if compile else model
        self._averaged = copy.deepcopy(model) if average else None
        self._before = Before(model)
        self._checked = False

    @property
    def model(self) -> nn.Module:
        """The network to evaluate, save and use: the averaged one where weights are averaged."""
        return self._averaged or self._trained

    def step(self, batch: Batch) -> dict[str, Tensor]:
        """One update from one batch."""
        if not self._checked:
            self._check(batch)
        self._before.keep()
        try:
            metrics = self._backward(batch)
        except (RuntimeError, IndexError):
            self._before.restore()
            self.stepper.clear()
            self._check(batch)  # says it in our words if it is the batch
            raise
        norm = length(self.stepper.parameters)
        if math.isfinite(norm.item() + metrics["loss"].item()):
            self._update(norm)
        else:
            self._refuse(batch)
        self.steps += 1
        self.stepper.clear()
        return metrics

    def _backward(self, batch: Batch) -> dict[str, Tensor]:
        if self.accumulate == 1:
            loss = self._loss(batch)
            loss.value.backward()
            return loss.metrics
        parts, metrics = _parts(batch, self.accumulate), {}
        counts = [int(counted(part)) for part in parts]
        for part, count in zip(parts, counts, strict=True):
            if count == 0 < sum(counts):
                continue  # nothing to learn from, and its mean would be 0 / 0
            share = count / max(1, sum(counts))  # of the targets, not of the parts: the update of the whole batch
            loss = self._loss(part)
            (loss.value * share).backward()
            for name, value in loss.metrics.items():
                metrics[name] = metrics.get(name, 0.0) + value * share
        return metrics

    def _loss(self, batch: Batch) -> Loss:
        if self.precision == "float32":
            loss = self.objective(self._called, batch)
        else:
            with torch.autocast(batch.targets.device.type, torch.bfloat16):
                loss = self.objective(self._called, batch)
        if not loss.value.requires_grad:
            raise InputError(
                "the loss must depend on a trainable parameter of `model`",
                advice="unfreeze a layer, and look for detach() or no_grad() in the network",
                model=type(self._trained).__name__,
                objective=type(self.objective).__name__,
            )
        return loss

    def _update(self, norm: Tensor) -> None:
        follow(self.stepper, norm, self.steps)
        if self.average and self._averaged:
            self.average.update(self._averaged, self._trained, self.steps + 1 - self.skipped)

    def _refuse(self, batch: Batch) -> None:
        self._before.restore()
        if self.nonfinite == "skip":
            self.skipped += 1
            return
        self.stepper.clear()
        fault = blame(self._trained, self.objective, batch)
        self.stepper.clear()
        self._before.restore()
        raise NonFiniteError(
            f"The loss or its gradient is not finite at step {self.steps}: {fault}. Nothing was changed; "
            "lower the learning rate, clip the gradient, or mend the batch (or train with nonfinite='skip')."
        )

    def _check(self, batch: Batch) -> None:
        expect("batch", batch, Batch, advice="wrap the tensors, for instance Table(features, labels)")
        with evaluating(self._trained):
            self.objective.check(self._trained, batch)
        self._before = Before(self._trained)  # only now: the model may have been moved to its device
        self._checked = True

    def state_dict(self) -> dict[str, Any]:
        """Weights, optimiser, averages and counters."""
        return {
            "model": self._trained.state_dict(),
            "optimizer": self.stepper.state_dict(),
            "average": self._averaged.state_dict() if self._averaged else None,
            "steps": self.steps,
            "skipped": self.skipped,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up where `state_dict` left off."""
        self._trained.load_state_dict(state["model"])
        self.stepper.load_state_dict(state["optimizer"])
        if self._averaged:
            self._averaged.load_state_dict(state["average"])
        self.steps, self.skipped = int(state["steps"]), int(state["skipped"])


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(f"`{name}` must be one of {', '.join(allowed)}", advice=f"try {allowed[0]}", **{name: value})


def _parts(batch: Batch, count: int) -> list[Rows]:
    if not isinstance(batch, Rows) or len(batch) % count:
        raise InputError(
            "`accumulate` must divide the batch into equal parts",
            advice="choose a divisor of the batch size",
            accumulate=count,
            batch=len(batch) if isinstance(batch, Rows) else type(batch).__name__,
        )
    size = len(batch) // count
    return [batch.select(slice(start, start + size)) for start in range(0, len(batch), size)]
