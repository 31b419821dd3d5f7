"""Threads are lent and given back, also after an error. Oracle: torch's own count."""

import pytest
import torch

from chainrule.recipes.threads import running_on


def test_threads_are_given_back() -> None:
    before = torch.get_num_threads()
    with running_on(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before
    with pytest.raises(ZeroDivisionError), running_on(before + 1):
        _ = 1 / 0
    assert torch.get_num_threads() == before
