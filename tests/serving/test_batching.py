"""The queue and its worker. Oracle: the same function asked one by one; counts written out by hand."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from chainrule.serving.batching import Batcher
from chainrule.serving.limits import Limits, Refused

FAR = time.monotonic() + 1e6


def squares(numbers: Sequence[int]) -> list[int]:
    return [number * number for number in numbers]


def test_everybody_gets_the_answer_to_their_own_question() -> None:
    batcher = Batcher(squares, Limits())
    with ThreadPoolExecutor(16) as crowd:
        found = list(crowd.map(lambda number: batcher.ask(number, 1, FAR).result(5), range(200)))
    batcher.close()
    assert found == [number * number for number in range(200)]


def gated(limits: Limits) -> tuple[Batcher[int, int], list[list[int]], threading.Event]:
    """A batcher whose first batch waits until it is let go: what comes meanwhile waits in the queue."""
    seen: list[list[int]] = []
    go = threading.Event()

    def answer(numbers: Sequence[int]) -> list[int]:
        seen.append(list(numbers))
        assert go.wait(5)
        return list(numbers)

    return Batcher(answer, limits), seen, go


def test_what_waits_is_put_together_up_to_the_limit() -> None:
    batcher, seen, go = gated(Limits(batch=4, pause=0.0))
    first = batcher.ask(0, 1, FAR)
    while not seen:
        time.sleep(0.001)
    rest = [batcher.ask(number, size, FAR) for number, size in ((1, 2), (2, 2), (3, 3), (4, 9), (5, 1))]
    go.set()
    assert [first.result(5), *(one.result(5) for one in rest)] == [0, 1, 2, 3, 4, 5]
    assert seen == [[0], [1, 2], [3], [4], [5]]
    batcher.close()


def test_what_nobody_waits_for_is_not_asked() -> None:
    batcher, seen, go = gated(Limits(pause=0.0))
    first = batcher.ask(0, 1, FAR)
    while not seen:
        time.sleep(0.001)
    gone, late, kept = batcher.ask(1, 1, FAR), batcher.ask(2, 1, time.monotonic() - 1), batcher.ask(3, 1, FAR)
    assert gone.cancel()
    go.set()
    assert (first.result(5), kept.result(5)) == (0, 3)
    with pytest.raises(Refused, match="within its time"):
        late.result(5)
    assert seen == [[0], [3]]
    batcher.close()


def test_who_asks_alone_is_not_kept_waiting() -> None:
    batcher = Batcher(squares, Limits(pause=60.0))
    assert [batcher.ask(number, 1, FAR).result(5) for number in range(5)] == [0, 1, 4, 9, 16]
    batcher.close()


def test_in_a_crowd_the_first_waits_for_others_only_so_long() -> None:
    batcher, seen, go = gated(Limits(batch=64, pause=0.2))
    before = [batcher.ask(0, 1, FAR)]
    while not seen:
        time.sleep(0.001)
    before += [batcher.ask(1, 1, FAR), batcher.ask(2, 1, FAR)]
    go.set()
    assert [one.result(5) for one in before] == [0, 1, 2]
    start = time.monotonic()
    assert batcher.ask(3, 1, FAR).result(5) == 3
    assert 0.15 < time.monotonic() - start < 5
    assert seen == [[0], [1, 2], [3]]
    batcher.close()


def test_a_question_that_fails_fails_alone() -> None:
    def answer(numbers: Sequence[int]) -> list[float]:
        return [1 / number for number in numbers]

    batcher = Batcher(answer, Limits())
    asked = [batcher.ask(number, 1, FAR) for number in (1, 0, 2)]
    assert (asked[0].result(5), asked[2].result(5)) == (1.0, 0.5)
    with pytest.raises(ZeroDivisionError):
        asked[1].result(5)
    batcher.close()


def test_what_was_asked_before_the_end_is_answered() -> None:
    batcher = Batcher(squares, Limits(pause=0.0))
    asked = [batcher.ask(number, 1, FAR) for number in range(5)]
    batcher.close()
    assert [one.result(0) for one in asked] == [0, 1, 4, 9, 16]
