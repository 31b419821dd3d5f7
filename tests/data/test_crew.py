"""Worker threads that work ahead."""

import threading
import time

import pytest

from chainrule.data.crew import Crew, DroppedError


def workers() -> int:
    return sum(thread.name == "chainrule-worker" for thread in threading.enumerate())


def ended(seconds: float = 5.0) -> bool:
    """Whether all workers end by themselves."""
    stop = time.monotonic() + seconds
    while workers() and time.monotonic() < stop:
        time.sleep(0.01)
    return not workers()


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_any_job_at_any_time(count):
    crew = Crew(lambda k, check: k * k, workers=count, ahead=3)
    for k in (0, 1, 2, 3, 100, 4, 101, 102, 0, 0):
        assert crew.take(k) == k * k
    assert ended()


def test_works_ahead_and_no_further():
    done = []
    crew = Crew(lambda k, check: done.append(k), workers=2, ahead=3)
    crew.take(10)
    assert ended()
    assert sorted(done) == [10, 11, 12, 13]
    crew.take(11)
    assert ended()
    assert sorted(done) == [10, 11, 12, 13, 14]


def test_stops_where_there_are_no_more_jobs():
    done = []
    crew = Crew(lambda k, check: done.append(k), workers=2, ahead=5, stop=3)
    for k in range(3):
        crew.take(k)
    assert ended()
    assert sorted(done) == [0, 1, 2]


def test_never_more_threads_than_workers():
    running, most, lock = set(), [], threading.Lock()

    def work(k, check):
        with lock:
            running.add(k)
            most.append(len(running))
        time.sleep(0.005)
        with lock:
            running.remove(k)
        return k

    crew = Crew(work, workers=2, ahead=6)
    assert [crew.take(k) for k in range(12)] == list(range(12))
    assert ended()
    assert max(most) <= 3  # two workers, and the one who asks


def test_an_error_comes_with_its_own_job_and_the_crew_goes_on():
    def work(k, check):
        if k == 2:
            raise KeyError(k)
        return k

    crew = Crew(work, workers=2, ahead=3)
    assert [crew.take(0), crew.take(1)] == [0, 1]
    with pytest.raises(KeyError):
        crew.take(2)
    assert crew.take(3) == 3
    with pytest.raises(KeyError):
        crew.take(2)
    assert ended()


def test_work_that_nobody_wants_ends():
    begun, dropped = threading.Event(), []

    def work(k, check):
        while k == 1:
            begun.set()
            try:
                check()
            except DroppedError:
                dropped.append(k)
                raise
            time.sleep(0.001)
        return k

    crew = Crew(work, workers=1, ahead=1)
    crew.take(0)
    assert begun.wait(5)
    assert crew.take(50) == 50
    assert ended()
    assert dropped == [1]


def test_several_askers():
    crew = Crew(lambda k, check: k, workers=2, ahead=2)
    wrong = []

    def ask():
        wrong.extend(k for k in range(200) if crew.take(k) != k)

    askers = [threading.Thread(target=ask) for _ in range(3)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert wrong == []
    assert ended()
