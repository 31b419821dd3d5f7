"""A run is a record: what was written under which step, and why it ended."""

from typing import Any

import pytest
import torch
from torch import nn

from chainrule.data import Same, Table
from chainrule.learners import Gradient
from chainrule.objectives import Regress
from chainrule.training import Learner, Run


def run(steps: int = 5) -> Run:
    return Run(Gradient(nn.Linear(1, 1), Regress()), Same(Table(torch.zeros(1, 1), torch.zeros(1, 1))), steps)


def test_records_stand_under_the_step_they_were_made_at() -> None:
    subject = run()
    subject.record(loss=3.0)
    subject.step = 2
    subject.record(loss=2.0, accuracy=0.5)
    subject.step = 3
    subject.record(accuracy=0.75)
    assert subject.curve("loss") == ([0, 2], [3.0, 2.0])
    assert subject.curve("accuracy") == ([2, 3], [0.5, 0.75])
    assert subject.curve("never") == ([], [])
    assert subject.history[1] == {"step": 2, "loss": 2.0, "accuracy": 0.5}


@pytest.mark.parametrize(
    ("step", "stopped", "done"), [(0, None, False), (5, None, True), (6, None, True), (1, "x", True)]
)
def test_is_done_at_its_last_step_or_when_stopped(step: int, stopped: str | None, done: bool) -> None:
    subject = run()
    subject.step, subject.stopped = step, stopped
    assert subject.done is done


def test_the_first_reason_to_stop_stands() -> None:
    subject = run()
    subject.stop("signal")
    subject.stop("patience")
    assert subject.stopped == "signal"


def test_histories_are_not_shared() -> None:
    one, other = run(), run()
    one.record(loss=1.0)
    assert other.history == []


def test_a_learner_is_whatever_learns() -> None:
    class Mine:
        model: Any = nn.Linear(1, 1)

        def step(self, batch: Any) -> dict[str, torch.Tensor]:
            return {}

        def state_dict(self) -> dict[str, Any]:
            return {}

        def load_state_dict(self, state: dict[str, Any]) -> None: ...

    assert isinstance(Mine(), Learner)
    assert not isinstance(nn.Linear(1, 1), Learner)
