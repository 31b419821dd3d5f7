"""Questions that come together are answered together, by one worker."""

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, TypeVar

from chainrule.serving.limits import Limits, too_slow

Question = TypeVar("Question")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class _Job(Generic[Question, Answer]):
    question: Question
    size: int
    until: float
    since: float
    answer: Future[Answer]


class Batcher(Generic[Question, Answer]):
    """One worker thread and a queue before it.

    The worker takes what waits, up to `limits.batch` examples. If several came together before, it gives the first of
    them `limits.pause` seconds for others to come; whoever asks alone is not kept waiting. A question that cannot be
    answered spoils no other: then each is asked alone.

    Args:
        answer: to several questions at once, in their order.
        limits: how many, how long.
    """

    def __init__(self, answer: Callable[[Sequence[Question]], Sequence[Answer]], limits: Limits) -> None:
        self._answer = answer
        self._limits = limits
        self._crowded = False
        self._queue: queue.SimpleQueue[_Job[Question, Answer] | None] = queue.SimpleQueue()
        self._worker = threading.Thread(target=self._work, name="answers", daemon=True)
        self._worker.start()

    def ask(self, question: Question, size: int, until: float) -> Future[Answer]:
        """The answer, once it is there.

        Args:
            question: of whatever kind `answer` takes.
            size: how many examples it has.
            until: the moment of `time.monotonic` after which nobody waits for it.
        """
        job: _Job[Question, Answer] = _Job(question, size, until, time.monotonic(), Future())
        self._queue.put(job)
        return job.answer

    def close(self) -> None:
        """Ends the worker when it has answered what was asked before."""
        self._queue.put(None)
        self._worker.join()

    def _work(self) -> None:
        held: _Job[Question, Answer] | None = None
        while (first := held or self._queue.get()) is not None:
            jobs, held, last = self._gathered(first)
            self._crowded = len(jobs) > 1
            self._settle([job for job in jobs if self._wanted(job)])
            if last:
                return

    def _gathered(
        self, first: _Job[Question, Answer]
    ) -> tuple[list[_Job[Question, Answer]], _Job[Question, Answer] | None, bool]:
        """The jobs of a batch, the one that did not fit any more, and whether none will follow."""
        jobs, size = [first], first.size
        end = first.since + (self._limits.pause if self._crowded else 0.0)
        while size < self._limits.batch:
            try:
                job = self._queue.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                break
            if job is None:
                return jobs, None, True
            if size + job.size > self._limits.batch:
                return jobs, job, False
            jobs.append(job)
            size += job.size
        return jobs, None, False

    def _wanted(self, job: _Job[Question, Answer]) -> bool:
        """Whether somebody still waits for it."""
        if not job.answer.set_running_or_notify_cancel():
            return False
        if job.until <= time.monotonic():
            job.answer.set_exception(too_slow(self._limits.seconds))
            return False
        return True

    def _settle(self, jobs: Sequence[_Job[Question, Answer]]) -> None:
        if not jobs:
            return
        try:
            answers = self._answer([job.question for job in jobs])
        except Exception as error:  # noqa: BLE001 (raised again where the answer is waited for)
            if len(jobs) == 1:
                jobs[0].answer.set_exception(error)
            else:
                for job in jobs:
                    self._settle([job])
            return
        for job, answer in zip(jobs, answers, strict=True):
            job.answer.set_result(answer)
