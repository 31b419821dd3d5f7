"""Worker threads that do numbered jobs ahead of their turn."""

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

ResultT = TypeVar("ResultT")
Check = Callable[[], None]


class DroppedError(Exception):
    """Nobody wants the result any more: the work on it may end."""


class Crew(Generic[ResultT]):
    """Does jobs k + 1, k + 2, ... while the result of job k is in use; jobs may be asked for in any order.

    A thread lives only while there is a job to do, so there is nothing to shut down: when nobody asks any more, or
    the program ends, every worker finishes the example in hand and ends. Whoever asks for a job that no worker has
    begun does it himself instead of waiting.

    Args:
        work: does job k; it is given k and a function to be called now and then, which raises `DroppedError` when
            the result is no longer wanted.
        workers: how many threads at most.
        ahead: how many jobs are done ahead.
        stop: jobs from this number on do not exist; `None` means no end.

    Example:
        >>> squares = Crew(lambda k, check: k * k, workers=2, ahead=3)
        >>> [squares.take(k) for k in (0, 1, 2, 50, 1)]
        [0, 1, 4, 2500, 1]
    """

    def __init__(
        self, work: Callable[[int, Check], ResultT], *, workers: int, ahead: int, stop: int | None = None
    ) -> None:
        self.process = os.getpid()  # threads do not survive a fork: whoever finds another number makes a new crew
        self._work = work
        self._workers = workers
        self._ahead = ahead
        self._stop = stop
        self._lock = threading.Lock()
        self._jobs: dict[int, _Job[ResultT]] = {}
        self._busy = 0

    def take(self, k: int) -> ResultT:
        """The result of job k; an error that it met is raised here."""
        with self._lock:
            self._plan(k)
            job = self._jobs.pop(k)
            mine = job.claim()
        if mine:
            return self._work(k, _wanted)
        job.done.wait()
        return job.outcome() if job.wanted() else self._work(k, _wanted)

    def _plan(self, k: int) -> None:
        stop = k + self._ahead + 1 if self._stop is None else min(k + self._ahead + 1, self._stop)
        for number in [number for number in self._jobs if not k <= number < stop]:
            self._jobs.pop(number).dropped = True
        self._jobs = {number: self._jobs.get(number) or _Job(number) for number in range(k, stop)}
        waiting = sum(not job.begun for number, job in self._jobs.items() if number > k)  # the asker does k himself
        for _ in range(min(self._workers - self._busy, waiting)):
            self._busy += 1
            threading.Thread(target=self._labour, name="chainrule-worker").start()

    def _labour(self) -> None:
        while job := self._next():
            job.do(self._work)

    def _next(self) -> "_Job[ResultT] | None":
        with self._lock:
            for job in self._jobs.values():
                if job.wanted() and job.claim():
                    return job
            self._busy -= 1
            return None


class _Job(Generic[ResultT]):
    """One job, its state and its result."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.begun = False
        self.dropped = False
        self.done = threading.Event()
        self._results: list[ResultT] = []
        self._error: BaseException | None = None

    def claim(self) -> bool:
        """Whether the caller is the first to want to do it; the crew's lock is held."""
        first, self.begun = not self.begun, True
        return first

    def wanted(self) -> bool:
        """Whether to go on: somebody may still ask for it, and the program is not ending."""
        return not self.dropped and threading.main_thread().is_alive()

    def check(self) -> None:
        """Raises when the work may end."""
        if not self.wanted():
            raise DroppedError

    def do(self, work: Callable[[int, Check], ResultT]) -> None:
        """Does it and keeps the result, or the error for whoever asks."""
        try:
            self._results.append(work(self.number, self.check))
        except BaseException as error:  # noqa: BLE001 (raised again where the result is asked for)
            self._error = error
        finally:
            self.done.set()

    def outcome(self) -> ResultT:
        """The result, or the error raised."""
        if self._error is not None:
            raise self._error
        return self._results.pop()


def _wanted() -> None:
    """What is asked for in person is always wanted."""
