"""Signals set a flag; the run stops at its next step, is saved, and tells the exit code."""

import json
import signal
import threading

import pytest
import torch

import chainrule as cr
from chainrule.data import InMemory, Table
from chainrule.training import Hook, StopOnSignal, exit_code, fit
from training.processes import said

NUMBERS = [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1]


def run(*hooks, steps=5):
    batches = InMemory(Table(torch.ones(4, 1), torch.ones(4, 1)), batch_size=2)
    learner = cr.learners.Gradient(torch.nn.Linear(1, 1), cr.objectives.Regress())
    return fit(learner, batches, steps=steps, hooks=hooks)


class Send(Hook):
    """Sends signals to its own process at the end of a step."""

    def __init__(self, *numbers, step=2):
        self.numbers = numbers
        self.step = step

    def on_step(self, run, metrics):
        if run.step == self.step:
            for number in self.numbers:
                signal.raise_signal(number)


@pytest.mark.parametrize("count", [1, pytest.param(10, marks=pytest.mark.soak)])
def test_saved_and_ended_in_time_with_its_exit_code(tmp_path, count):
    """R14: one signal ends the run within its step, its save and a second; a second SIGINT does not wait for either."""
    codes = {"SIGTERM": 143, "SIGUSR1": 138, "SIGINT": 130}
    told = json.loads(said("drills.py", "signals", tmp_path, count))
    assert len(told) == 4 * count
    for case in told:
        twice = len(case["signals"]) == 2
        assert case["whole"], case
        if twice:
            assert case["code"] == 98, case  # the drill's own for KeyboardInterrupt: in the middle of a step of 3 s
            assert case["seconds"] < 0.2 + 1.0, case
            assert (case["at"], case["saved"]) == (2, [2, 1]), case  # what was saved stands
        else:
            assert case["code"] == codes[case["signals"][0]], case
            assert case["seconds"] <= case["step"] + case["saving"] + 1.0, case
            assert case["saved"] == [case["at"]], case


@pytest.mark.parametrize("number", NUMBERS, ids=str)
def test_the_run_stops_at_the_next_step_and_the_handlers_come_back(number):
    before = [signal.getsignal(each) for each in NUMBERS]
    ended = run(StopOnSignal(), Send(number))
    assert ended.step == 3
    assert ended.stopped == f"received {number.name}"
    assert exit_code(ended) == 128 + number
    assert [signal.getsignal(each) for each in NUMBERS] == before


def test_a_second_interrupt_ends_it_at_once():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run(StopOnSignal(), Send(signal.SIGINT, signal.SIGINT))
    assert signal.getsignal(signal.SIGINT) is before


def test_the_first_signal_gives_the_exit_code():
    ended = run(StopOnSignal(), Send(signal.SIGTERM, signal.SIGINT))
    assert exit_code(ended) == 143


def test_a_signal_at_the_last_step_is_not_lost():
    ended = run(StopOnSignal(), Send(signal.SIGTERM, step=5))
    assert ended.step == 5
    assert exit_code(ended) == 143


def test_a_run_that_ended_otherwise_returns_zero():
    class Stop(Hook):
        def on_step(self, run, metrics):
            run.stop("no better for 10 evaluations")

    assert exit_code(run(StopOnSignal())) == 0
    assert exit_code(run(StopOnSignal(), Stop())) == 0


def test_the_hook_may_be_used_again():
    hook = StopOnSignal()
    assert exit_code(run(hook, Send(signal.SIGTERM))) == 143
    assert exit_code(run(hook)) == 0


def test_outside_of_the_main_thread_it_does_nothing():
    ended = []
    thread = threading.Thread(target=lambda: ended.append(run(StopOnSignal())))
    before = signal.getsignal(signal.SIGINT)
    thread.start()
    thread.join()
    assert ended[0].step == 5
    assert signal.getsignal(signal.SIGINT) is before
