"""Steps on a device that nobody waits for: the first few as they come, then all as one recorded CUDA graph."""

import logging
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from chainrule.data import Batch
from chainrule.errors import InputError

Record = Callable[[Callable[[], list[Tensor]]], tuple[Callable[[], None], list[Tensor]]]

log = logging.getLogger(__name__)
LAP = 16  # steps between two looks at the device, each at what it said a lap before: it is at most two laps behind
_WARM = 3  # steps taken as they come before one is recorded: libraries choose their kernels in the first ones


class Ledger:
    """What stands on the device beside the weights: what a step is told, and what it tells.

    `sound` is one until a step is not finite and the run shall end: then no later step moves anything, so that the
    host, which looks only now and then, finds everything as it was before that step.
    """

    def __init__(self, device: torch.device) -> None:
        self.rate = torch.zeros((), device=device)
        self.one = torch.ones((), device=device)
        self.before = torch.zeros((), device=device)
        self.sound = torch.ones((), device=device)
        self.since = torch.zeros((), device=device)

    def state(self) -> Tensor:
        """Whether all is well, and how many updates there were since the start."""
        return torch.stack([self.sound, self.since])

    @property
    def updates(self) -> Tensor:
        """How many updates there were."""
        return self.before + self.since

    def note(self, good: Tensor, *, halt: bool) -> None:
        """Writes down whether a step was good (one) or not (zero), and with `halt` that nothing more shall move."""
        self.since.add_(good)
        if halt:
            self.sound.copy_(good)

    def restart(self, updates: int) -> None:
        """All is well, after so many updates."""
        self.before.fill_(updates)
        self.sound.fill_(1.0)
        self.since.zero_()


@dataclass(frozen=True)
class Failure:
    """A step that was not finite: its batch, the seed of its random numbers, and how many steps ago it was."""

    batch: Batch
    seed: int
    ago: int


class Recorder:
    """Takes a program's steps on a device, and looks only now and then at how they went.

    Args:
        program: a step in operations of the device alone, which reads and writes `ledger`: no number is read by the
            host, and nothing in Python changes.
        ledger: what the program is told and tells.
        undo: puts back what a program that broke off has changed.
        strict: whether a program that cannot be recorded is an error; otherwise it is taken as it comes.
        record: how to record: gives what replays the program, and what the program returned; `None` never records.
    """

    def __init__(
        self,
        program: Callable[[Batch], dict[str, Tensor]],
        ledger: Ledger,
        *,
        undo: Callable[[], None],
        strict: bool,
        record: Record | None,
    ) -> None:
        self.program = program
        self.ledger = ledger
        self.undo = undo
        self.skipped = 0
        self._strict = strict
        self._record = record
        self._kind: object = None
        self._warm = 0
        self._rate = 0.0
        self._count = 0  # steps since the ledger was started
        self._journal: deque[tuple[Batch, int]] = deque(maxlen=2 * LAP)
        self._glance = _Glance(ledger)
        self._replay: Callable[[], None] | None = None
        self._names: list[str] = []
        self._numbers: list[Tensor] = []
        self._held: list[Tensor] = []
        self._filled: Batch | None = None

    def forget(self) -> None:
        """The program's tensors are no longer the same: it must be recorded anew."""
        self._replay, self._held, self._filled = None, [], None
        self._warm = 0

    def start(self, updates: int) -> None:
        """From here on, after so many updates."""
        self.ledger.restart(updates)
        self._count = 0
        self._journal.clear()
        self._glance.clear()

    def take(self, batch: Batch, rate: float) -> dict[str, Tensor]:
        """One step at this learning rate."""
        if rate != self._rate:
            self._rate = rate
            self.ledger.rate.fill_(rate)
        kind = _kind(batch)
        if kind != self._kind:
            self.forget()
            self._kind = kind
        if self._replay is None and self._record is not None and self._warm == _WARM:
            self._capture(batch, self._record)
        if self._replay is None:
            rehearsed = self._record is not None and self._warm == _WARM - 1
            with _choosing_kernels():
                metrics = self._rehearse(batch) if rehearsed else self.program(batch)
            self._warm += 1
        else:
            if batch is not self._filled:
                self._fill(batch)
            self._replay()
            metrics = dict(zip(self._names, torch.stack(self._numbers).unbind(), strict=True))
        self._count += 1
        self._journal.append((batch, torch.default_generator.initial_seed()))
        return metrics

    def look(self) -> Failure | None:
        """What went wrong, as far as it can be told without waiting; a step that was not recorded is waited for."""
        if self._replay is None:
            return self.settle()
        if self._count % LAP:
            return None
        said = self._glance.last()
        self._glance.ask()
        return self._failure(*said) if said and said[0] == 0.0 else None

    def settle(self) -> Failure | None:
        """Waits for the device and says what went wrong; counts what was skipped."""
        if not self._count:
            return None
        sound, since = self.ledger.state().tolist()
        if sound == 0.0:
            return self._failure(sound, since)
        self.skipped += self._count - int(since)
        self.ledger.before.add_(self.ledger.since)
        self.ledger.since.zero_()
        self._count = 0
        self._glance.clear()
        return None

    def _failure(self, _sound: float, since: float) -> Failure:
        ago = self._count - int(since)  # all before it were updates
        batch, seed = self._journal[-ago]
        return Failure(batch, seed, ago)

    def _rehearse(self, batch: Batch) -> dict[str, Tensor]:
        """A step in which waiting for the device is an error: a recording that fails leaves torch in disorder."""
        seed = torch.default_generator.initial_seed()
        try:
            with _no_waiting(on_cuda=self.ledger.rate.is_cuda):
                return self.program(batch)
        except RuntimeError as error:
            self._give_up(error)
        self.undo()
        torch.manual_seed(seed)
        return self.program(batch)

    def _capture(self, batch: Batch, record: Record) -> None:
        held = batch.each(torch.clone)

        def recorded() -> list[Tensor]:
            metrics = self.program(held)
            self._names = list(metrics)
            return [value.to(torch.float32) for value in metrics.values()]

        try:
            with _choosing_kernels():
                self._replay, self._numbers = record(recorded)
        except RuntimeError as error:
            self._give_up(error)
        self._held = list(held.tensors().values())

    def _give_up(self, error: RuntimeError) -> None:
        reason = str(error).partition("\n")[0]
        if self._strict:
            self.undo()
            raise InputError(
                "this step cannot be captured as a CUDA graph",
                advice='let network and objective read no numbers (`.item()`, `if tensor:`), or take "eager"',
                reason=reason,
            ) from error
        log.info("steps are taken one operation at a time, as they cannot be captured: %s", reason)
        self._record = None

    def _fill(self, batch: Batch) -> None:
        for held, tensor in zip(self._held, batch.tensors().values(), strict=True):
            held.copy_(tensor, non_blocking=True)
        self._filled = batch


class _Glance:
    """A look at a ledger that does not wait for the device: asked for now, seen a while later."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        on_cuda = ledger.rate.is_cuda
        self._seen = torch.empty(2, pin_memory=on_cuda)
        self._event: Any = torch.cuda.Event() if on_cuda else None
        self._asked = False

    def ask(self) -> None:
        self._seen.copy_(self._ledger.state(), non_blocking=True)
        if self._event is not None:
            self._event.record()
        self._asked = True

    def last(self) -> list[float] | None:
        """What was seen when it was asked for last; waits if the device has not come that far."""
        if not self._asked:
            return None
        if self._event is not None:
            self._event.synchronize()
        return self._seen.tolist()

    def clear(self) -> None:
        self._asked = False


def cuda_graph(program: Callable[[], list[Tensor]]) -> tuple[Callable[[], None], list[Tensor]]:
    """Records what a program starts on the present CUDA device, without doing it.

    Args:
        program: whose operations.
    """
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):  # other threads may save meanwhile
        output = program()
    return graph.replay, output


@contextmanager
def _choosing_kernels() -> Generator[None]:
    """Inside, cuDNN tries its kernels once per shape and keeps the fastest, unless results shall not depend on it."""
    before = torch.backends.cudnn.benchmark
    torch.backends.cudnn.benchmark = before or not torch.are_deterministic_algorithms_enabled()
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark = before


@contextmanager
def _no_waiting(*, on_cuda: bool) -> Generator[None]:
    """Inside, whatever waits for the device raises a `RuntimeError`."""
    if not on_cuda:
        yield
        return
    before = torch.cuda.get_sync_debug_mode()
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode(before)


def _kind(batch: Batch) -> object:
    return type(batch), [(tensor.shape, tensor.dtype) for tensor in batch.tensors().values()]
