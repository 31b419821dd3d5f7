"""What the tests of malformed inputs share: the batch to go wrong with, and what a refusal must look like."""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from chainrule.data import Table
from chainrule.errors import InputError


def table(labels: Tensor | None = None, *, width: int = 4) -> Table:
    """Six rows, three classes."""
    return Table(torch.ones(6, width), torch.arange(6) % 3 if labels is None else labels)


def refused(action: Callable[[], Any], says: str) -> None:
    """It raises our error: fact, values and advice in one line, in less than a second of this process's time."""
    start = time.process_time()
    with pytest.raises(InputError) as caught:
        action()
    spent = time.process_time() - start
    sentence = str(caught.value)
    assert re.search(says, sentence), sentence
    assert re.search(r"; .+\.$", sentence), sentence
    assert re.search(r"\. Got \w+=", sentence), sentence
    assert spent < 1.0
