"""Steps for somebody's minutes. Oracle: a learner whose steps last as long as we say."""

import time
from typing import Any

import pytest
import torch
from torch import nn

from chainrule.data import InMemory, Table
from chainrule.errors import InputError
from chainrule.recipes import budget

BATCHES = InMemory(Table(torch.zeros(8, 2), torch.zeros(8, 1)), 4)


class Sleeper:
    """A learner that sleeps."""

    model = nn.Linear(1, 1)

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def step(self, batch: Any) -> dict[str, torch.Tensor]:
        time.sleep(self.seconds)
        return {"loss": torch.zeros(())}

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        pass


def test_as_many_steps_as_fit() -> None:
    spent = budget(Sleeper(0.02), BATCHES, 1.0, threads=1, enough=10**9)
    assert 0.02 <= spent.seconds < 1.0  # a busy machine sleeps longer than it is asked to
    assert spent.steps == int(60 * 0.85 / spent.seconds)
    assert not spent.spared


def test_no_more_than_are_enough_and_it_is_said() -> None:
    spent = budget(Sleeper(0.001), BATCHES, 1.0, threads=1, enough=7)
    assert (spent.steps, spent.spared) == (7, True)
    assert "More would not help" in spent.told()


def test_threads_are_given_back() -> None:
    before = torch.get_num_threads()
    budget(Sleeper(0.0), BATCHES, 0.1, threads=before + 1, enough=1)
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("minutes", [0.0, -1.0, float("nan")])
def test_no_minutes_are_refused(minutes: float) -> None:
    with pytest.raises(InputError, match="`--minutes` must be more than 0"):
        budget(Sleeper(0.0), BATCHES, minutes, threads=1, enough=1)
