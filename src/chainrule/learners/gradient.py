"""Learning by gradient descent: the ordinary way."""

import copy
import math
from functools import partial
from typing import Any, get_args

import torch
from torch import Tensor, nn

from chainrule.data import Batch, Rows
from chainrule.errors import InputError, NonFiniteError, expect
from chainrule.learners.compute import Compute, arrange, forward_in, multiplying_in
from chainrule.learners.nonfinite import Before, blame
from chainrule.learners.recorder import Failure, Ledger, Recorder, cuda_graph
from chainrule.learners.update import NonFinite, follow, healthy, length, lengths
from chainrule.objectives import Loss, Objective
from chainrule.optim import AdamW, Ema, Rule, Stepper
from chainrule.training import counted, evaluating


class Gradient:
    r"""Follows the gradient of one objective with one optimiser.

    $$w \leftarrow \text{rule}\big(w, \nabla_w L(\text{model}_w, \text{batch})\big)$$

    Args:
        model: the network that learns.
        objective: what is to be minimised.
        optimizer: how a gradient becomes an update.
        accumulate: into how many equal parts a batch is cut when it does not fit; the update is the same.
        average: an average of the weights, which then is what is evaluated, saved and used.
        nonfinite: what to do when loss or gradient is infinite or NaN: `raise` before anything is changed,
            or `skip` this batch and count it.
        compute: in which precision, and how: one operation at a time, captured as a CUDA graph, or compiled.

    On a CUDA device steps are not waited for: the device itself leaves out an update that is not finite and, where it
    shall be raised, all that follow, until the learner looks, some 16 steps later or when its model or state is asked
    for, and raises what happened with the number of its step.

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
        average: Ema | None = None,
        nonfinite: NonFinite = "raise",
        compute: Compute = Compute(),  # noqa: B008 (a frozen value)
    ) -> None:
        expect("model", model, nn.Module, advice="pass the network itself")
        expect("objective", objective, Objective, advice="pass for instance Classify(), not a loss of torch")
        expect("optimizer", optimizer, Rule, advice="pass a rule, for instance AdamW(lr=1e-3), not torch's optimiser")
        expect("compute", compute, Compute, advice='pass for instance Compute(precision="bfloat16")')
        if nonfinite not in get_args(NonFinite):
            raise InputError("`nonfinite` must be one of raise, skip", advice="try raise", nonfinite=nonfinite)
        if accumulate < 1:
            raise InputError("`accumulate` must be at least 1", advice="1 takes the batch whole", accumulate=accumulate)
        self.objective = objective
        self.rule = optimizer
        self.stepper = Stepper(optimizer, model)
        self.accumulate = accumulate
        self.average = average
        self.nonfinite = nonfinite
        self.compute = compute
        self.steps = 0
        self._skipped = 0
        self._trained = model
        compiled = compute.execution == "compiled"
        self._score = torch.compile(_score) if compiled else _score
        judge = partial(_judge, halt=nonfinite == "raise")
        self._judge = torch.compile(judge) if compiled else judge
        self._averaged = copy.deepcopy(model) if average else None
        self._before = Before(model)
        self._recorder: Recorder | None = None
        self._checked = False

    @property
    def model(self) -> nn.Module:
        """The network to evaluate, save and use: the averaged one where weights are averaged."""
        self._settle()
        return self._averaged or self._trained

    @property
    def skipped(self) -> int:
        """How many batches were not finite and left out."""
        self._settle()
        return self._skipped + (self._recorder.skipped if self._recorder else 0)

    def step(self, batch: Batch) -> dict[str, Tensor]:
        """One update from one batch."""
        if not self._checked:
            self._check(batch)
        rate = self.rule.lr * self.rule.schedule.scale(self.steps)
        try:
            metrics = self._recorder.take(batch, rate) if self._recorder else self._take(batch, rate)
        except (RuntimeError, IndexError):
            self._undo()
            self._check(batch)  # says it in our words if it is the batch
            raise
        self.steps += 1
        if self._recorder and (failure := self._recorder.look()):
            self._fail(failure)
        return metrics

    def _take(self, batch: Batch, rate: float) -> dict[str, Tensor]:
        """A step that is waited for."""
        self._before.keep()
        metrics = self._backward(batch)
        norm = length(self.stepper.gradients())
        if math.isfinite(norm.item() + metrics["loss"].item()):
            follow(self.stepper, norm, rate)
            if self.average and self._averaged:
                self.average.update(self._averaged, self._trained, self.steps + 1 - self._skipped)
        else:
            self._refuse(batch)
        self.stepper.clear()
        return metrics

    def _program(self, batch: Batch, ledger: Ledger) -> dict[str, Tensor]:
        """The same step in operations of the device alone, which nobody waits for."""
        self._before.keep()
        metrics = self._backward(batch, ledger.one)
        norms, counters = lengths(self.stepper.gradients(cut=True)), self.stepper.counters()
        norm, good, bad = self._judge(norms, metrics["loss"], ledger, counters)
        follow(self.stepper, norm, ledger.rate, bad)
        self._before.put_back(bad)
        if self.average and self._averaged:
            self.average.update(self._averaged, self._trained, ledger.updates.clamp(min=1), good)
        self.stepper.clear()
        return metrics

    def _backward(self, batch: Batch, one: Tensor | None = None) -> dict[str, Tensor]:
        with multiplying_in(self.compute.precision):
            if self.accumulate > 1:
                return self._backward_in_parts(batch)
            loss = self._loss(batch)
            loss.value.backward(one if one is not None and one.dtype == loss.value.dtype else None)
            return loss.metrics

    def _backward_in_parts(self, batch: Batch) -> dict[str, Tensor]:
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
        with forward_in(self.compute.precision, batch.targets.device):
            loss = self._score(self.objective, self._trained, batch)
        if not loss.value.requires_grad:
            raise InputError(
                "the loss must depend on a trainable parameter of `model`",
                advice="unfreeze a layer, and look for detach() or no_grad() in the network",
                model=type(self._trained).__name__,
                objective=type(self.objective).__name__,
            )
        return loss

    def _undo(self) -> None:
        """Nothing is left of a step that broke off before its update."""
        self._before.restore()
        self.stepper.clear()

    def _refuse(self, batch: Batch) -> None:
        """Puts back what the forward pass changed; skips the batch, or says where it went wrong."""
        self._before.restore()
        if self.nonfinite == "skip":
            self._skipped += 1
            return
        self.stepper.clear()
        fault = blame(self._trained, self.objective, batch)
        self.stepper.clear()
        self._before.restore()
        raise NonFiniteError(
            f"The loss or its gradient is not finite at step {self.steps}: {fault}. Nothing was changed; "
            "lower the learning rate, clip the gradient, or mend the batch (or train with nonfinite='skip')."
        )

    def _fail(self, failure: Failure) -> None:
        """Back to the step that was not finite: since then the device has moved nothing."""
        self.steps -= failure.ago
        self._start_recorder()
        torch.manual_seed(failure.seed)
        self._before.keep()
        self._refuse(failure.batch)

    def _settle(self) -> None:
        if self._recorder and (failure := self._recorder.settle()):
            self._fail(failure)

    def _start_recorder(self) -> None:
        """On a CUDA device: from here on, steps are not waited for."""
        device = self.stepper.parameters[0].device
        if device.type != "cuda":
            return
        if self._recorder is None:
            ledger = Ledger(device)
            whole = self.accumulate == 1 and self.compute.execution != "eager"  # parts are counted by the host
            self._recorder = Recorder(
                lambda batch: self._program(batch, ledger),
                ledger,
                undo=self._undo,
                strict=self.compute.execution == "captured",
                record=cuda_graph if whole else None,
            )
        self._recorder.forget()
        self._recorder.start(self.steps - self._skipped - self._recorder.skipped)

    def _check(self, batch: Batch) -> None:
        expect("batch", batch, Batch, advice="wrap the tensors, for instance Table(features, labels)")
        with evaluating(self._trained):
            self.objective.check(self._trained, batch)
        for network in (self._trained, self._averaged):  # only now: the model may have been moved to its device
            arrange(network)
        self._before = Before(self._trained)
        self._start_recorder()
        self._checked = True

    def state_dict(self) -> dict[str, Any]:
        """Weights, optimiser, averages and counters."""
        self._settle()
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
        self.steps, self._skipped = int(state["steps"]), int(state["skipped"])
        if self._recorder:  # what was recorded holds the averages of before
            self._recorder = None
            self._start_recorder()


@torch.no_grad()
def _judge(
    norms: Tensor, loss: Tensor, ledger: Ledger, counters: list[Tensor], *, halt: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradient's length from those of its parts, and whether the step is good, and bad, which is written down."""
    norm = torch.linalg.vector_norm(norms)
    good = healthy(norm, loss) * ledger.sound
    ledger.note(good, halt=halt)
    for counter in counters:
        counter.add_(good)
    return norm, good, 1 - good


def _score(objective: Objective[Any], model: nn.Module, batch: Batch) -> Loss:
    """The loss of a batch: network and objective are translated as one, so that what lies between them is fused."""
    return objective(model, batch)


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
